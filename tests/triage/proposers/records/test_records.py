"""Repairs of records: rows of the small shop that something is wrong with, and what is proposed first."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.triage.proposers.brokenshop import broken, first, proposed
from tests.worlds.shop import DOMAIN, RECORDS
from triage.proposers.case import Case, Spot
from triage.proposers.records import record_candidates
from triage.proposers.records.variants import variants

Tables = dict[str, list[dict[str, Any]]]


def suspected(edit: Callable[[Tables], object]) -> Case:
    """The shop with more rows and an edit of them, its records suspected."""
    said = copy.deepcopy(RECORDS)
    tables: Tables = said["tables"]
    for number in range(4, 10):
        tables["users"].append({"user_id": f"u{number}", "name": f"User {number}"})
        tables["orders"].append(
            {
                "order_id": f"W{number}",
                "user_id": f"u{number}",
                "status": "delivered",
                "total": number,
            }
        )
    edit(tables)
    case = broken("records", records=said)
    slug = case.seen[0].bundle.manifest.records.slug
    return replace(case, spots=[Spot("records", slug, "", 0.9)])


def mended(case: Case) -> Tables:
    tables: Tables = first(record_candidates, case)["tables"]
    return tables


def row(tables: Tables, table: str, key: str) -> dict[str, Any]:
    name = DOMAIN["tables"][table]["key"]
    return next(each for each in tables[table] if each[name] == key)


def test_a_number_that_is_a_text_is_a_number_again() -> None:
    case = suspected(lambda tables: tables["orders"][0].update(total="20"))
    assert row(mended(case), "orders", "W1")["total"] == 20


def test_a_value_that_is_misspelt_is_the_nearest_that_the_schema_allows() -> None:
    case = suspected(lambda tables: tables["orders"][0].update(status="pendng"))
    assert row(mended(case), "orders", "W1")["status"] == "pending"


def test_a_reference_into_nothing_names_a_row_that_is_there() -> None:
    case = suspected(lambda tables: tables["orders"][0].update(user_id="Ann"))
    assert row(mended(case), "orders", "W1")["user_id"] == "ann"


def test_a_row_that_is_gone_is_added_and_what_nothing_tells_is_said() -> None:
    case = suspected(lambda tables: tables["users"].pop(0))
    back = next(
        each for each in proposed(record_candidates, case) if "Put the row back" in each.says
    )
    (body,) = back.changes.values()
    assert row(body.content()["tables"], "users", "ann")["name"]
    assert back.authority == "1 row names `users/ann`; nothing tells its `name`"


def test_the_edit_is_said_with_its_place_and_values() -> None:
    case = suspected(lambda tables: tables["orders"][0].update(status="pendng"))
    best = proposed(record_candidates, case)[0]
    assert "orders/W1#status 'pendng' → 'pending'" in best.says


def test_only_records_are_looked_at() -> None:
    case = suspected(lambda tables: tables["orders"][0].update(total="20"))
    assert not list(record_candidates(case, Spot("toolserver", case.spots[0].slug)))


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("12", 12), ("31/03/2026", "2026-03-31"), ("Pending ", "pending"), (True, "true")],
)
def test_slips_of_the_pen_are_undone(wrong: object, meant: object) -> None:
    among = [meant] if isinstance(meant, str) else []
    assert meant in [each.value for each in variants(wrong, among)]
