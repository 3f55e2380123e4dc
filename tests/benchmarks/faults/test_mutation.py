"""The frame of mutation operators: which sites are drawn, and changes that leave the original as it is."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.mutation import SITES, Original, Site, at, edited, fault, places, without
from benchmarks.faults.split import HALVES, HalfName, read_split
from worlds.library import read

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text(min_size=1, max_size=3), PLAIN, min_size=1, max_size=4)


@pytest.fixture(scope="module")
def clinic() -> Original:
    return Original(read(LIBRARY, ["clinic"])[0])


@given(document=DOCUMENTS, data=st.data())
def test_an_edited_copy_differs_there_alone_and_the_original_stays(
    document: dict[str, Any], data: st.DataObject
) -> None:
    leaves = list(places(document))
    if not leaves:
        return
    place, before = data.draw(st.sampled_from(leaves)), copy.deepcopy(document)
    after = edited(document, place, "another value")
    assert document == before
    assert at(after, place) == "another value"
    assert [each for each in places(after) if at(after, each) != at(document, each)] == [place]


@given(document=DOCUMENTS, data=st.data())
def test_what_is_taken_out_is_gone_and_the_original_stays(
    document: dict[str, Any], data: st.DataObject
) -> None:
    key, before = data.draw(st.sampled_from(sorted(document))), copy.deepcopy(document)
    assert without(document, [key]) == {
        name: value for name, value in document.items() if name != key
    }
    assert document == before


def test_the_same_sites_are_drawn_every_time_and_no_more_than_four(clinic: Original) -> None:
    @fault("any-row", "records", "Something with a row.")
    def any_row(original: Original) -> Iterator[Site]:
        for records, table, key in original.bound:
            yield Site(records, f"{table}/{key}", dict)

    first = [(site.component, site.place) for site in any_row.drawn(clinic)]
    again = [(site.component, site.place) for site in any_row.drawn(Original(clinic.folder))]
    assert first == again
    assert len(first) == SITES


def test_other_operators_draw_other_sites(clinic: Original) -> None:
    def rows(original: Original) -> Iterator[Site]:
        for records, table, key in original.bound:
            yield Site(records, f"{table}/{key}", dict)

    one, other = fault("one", "records", "")(rows), fault("other", "records", "")(rows)
    assert [site.place for site in one.drawn(clinic)] != [
        site.place for site in other.drawn(clinic)
    ]


def test_the_source_of_an_outside_server_is_there_file_by_file(clinic: Original) -> None:
    assert "frontdesk/booking.py" in clinic.sources
    assert "def book_appointment(" in clinic.sources["frontdesk/booking.py"]


def test_bound_rows_are_found_where_they_stand(clinic: Original) -> None:
    assert clinic.bound
    for records, table, key in clinic.bound:
        row = at(clinic.records[records], clinic.place_of(records, table, key))
        assert row[clinic.key_field(table)] == key


@pytest.mark.parametrize("half", HALVES)
def test_there_are_enough_operators_of_each_kind(half: HalfName) -> None:
    from benchmarks.faults.mutation import operators

    found = operators(half).values()
    faults = [each for each in found if not each.is_rewrite]
    assert len(faults) >= 20
    assert len(found) - len(faults) >= 20
    for kind in ("records", "rule", "toolserver", "intent", "domain"):
        assert sum(each.kind == kind for each in faults) >= 4
    assert read_split().half(half).domains
