from __future__ import annotations

from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from triage.pages.address import Address

WORDS = st.text(
    st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=8
)


def parsed(url: str) -> Address:
    path, _, query = url.partition("?")
    return Address(path, QueryDict(query))


@given(st.lists(WORDS, unique=True, max_size=4), WORDS)
def test_toggling_twice_leads_back(values: list[str], value: str) -> None:
    here = Address("/x/", QueryDict(mutable=True))
    for one in values:
        here = parsed(here.toggled("status", one))
    there = parsed(here.toggled("status", value))
    assert set(parsed(there.toggled("status", value)).all("status")) == set(here.all("status"))


def test_whatever_changes_the_list_goes_to_its_first_page() -> None:
    here = parsed("/x/?a=1&page=3")
    for url in (here.toggled("a", "2"), here.where("sort", "a"), here.without("a"), here.only("a")):
        assert "page" not in url
    assert here.page(4) == "/x/?a=1&page=4"


def test_marks_and_letters_survive_the_way_through_an_address() -> None:
    here = parsed(parsed("/x/").toggled("q", "a&b=c #?é 名"))
    assert here.all("q") == ["a&b=c #?é 名"]


def test_no_nul_reaches_the_database() -> None:
    assert parsed("/x/?q=a%00b&q=%00").all("q") == ["ab"]


def test_a_form_keeps_everything_but_what_it_sets() -> None:
    assert parsed("/x/?q=a&status=b&status=c&page=2").hidden("q") == [
        ("status", "b"),
        ("status", "c"),
    ]
