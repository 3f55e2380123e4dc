"""What tool code is given: db, clock and money. Misuse is a crash of the tool, never a business refusal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.domain import Domain
from worlds.hosts import Clock, Db, Functions, Host, money
from worlds.records import Base, Records
from worlds.recordset import Recordset

NOW = datetime(2025, 3, 30, 0, 30, tzinfo=UTC)
ROWS = [{"id": "r1", "n": 1, "tags": ["a"]}, {"id": "r09", "n": 2, "tags": ["b"]}]


def given_functions() -> tuple[Records, Db, Clock]:
    domain = Domain.parse({"tables": {"rows": {"key": "id"}}})
    records = Records(Base(domain, Recordset.parse({"tables": {"rows": ROWS}})))
    functions = Functions()
    functions.host = Host(records, NOW)
    return records, Db(functions), Clock(functions)


def test_rows_are_read_found_written_and_deleted() -> None:
    records, db, _ = given_functions()
    assert db.get("rows", "r1") == ROWS[0]
    assert db.get("rows", "nothing") is None
    assert [row["id"] for row in db.find("rows", {"tags[]": "b"})] == ["r09"]
    assert len(db.find("rows", {}, limit=1)) == 1
    assert db.insert("rows", {"id": "r2", "n": 3})["n"] == 3
    assert db.update("rows", "r2", {"n": 4}) == {"id": "r2", "n": 4}
    assert db.put("rows", {"id": "r2"}) == {"id": "r2"}
    db.delete("rows", "r2")
    assert records.diff() == []


@pytest.mark.parametrize(
    "misuse",
    [
        lambda db: db.get("nowhere", "r1"),
        lambda db: db.get("rows", 5),
        lambda db: db.find("rows", ["r1"]),
        lambda db: db.find("nowhere"),
        lambda db: db.find("rows", {}, limit="x"),
        lambda db: db.insert("rows", {"id": "r1"}),
        lambda db: db.insert("rows", {"n": 1}),
        lambda db: db.insert("rows", {"id": ""}),
        lambda db: db.insert("rows", "r3"),
        lambda db: db.insert("rows", {"id": "r3", "n": float("nan")}),
        lambda db: db.insert("rows", {"id": "r3", "n": "x" * 1_100_000}),
        lambda db: db.update("rows", "nothing", {"n": 1}),
        lambda db: db.update("rows", "r1", {"id": "r7"}),
        lambda db: db.delete("rows", "nothing"),
        lambda db: db.next_id("nowhere"),
        lambda db: db.next_id("rows", 5),
    ],
)
def test_misuse_is_a_lookup_or_type_error_and_writes_nothing(misuse: Callable[[Any], Any]) -> None:
    records, db, _ = given_functions()
    with pytest.raises((LookupError, TypeError)) as caught:
        misuse(db)
    assert not isinstance(caught.value, ValueError)
    assert records.diff() == []


def test_a_row_that_was_handed_over_is_a_copy() -> None:
    records, db, _ = given_functions()
    mine: dict[str, Any] = {"id": "r5", "tags": ["a"]}
    db.insert("rows", mine)
    mine["tags"].append("b")
    assert records.get("rows", "r5") == {"id": "r5", "tags": ["a"]}


def test_the_next_id_follows_the_highest_number_ever_used_and_keeps_its_width() -> None:
    _, db, _ = given_functions()
    assert db.next_id("rows", "r") == "r10"
    db.insert("rows", {"id": "r10"})
    assert db.next_id("rows", "r") == "r11"
    db.delete("rows", "r09")
    assert db.next_id("rows", "r") == "r11"
    assert db.next_id("rows", "new-") == "new-1"


def test_the_clock_shows_the_hosts_time_and_local_times_on_both_sides_of_a_change() -> None:
    _, _, clock = given_functions()
    assert clock.now() == NOW
    assert clock.today() == NOW.date()
    before, after = (
        clock.local(NOW, "Europe/Paris"),
        clock.local("2025-03-30T01:30:00Z", "Europe/Paris"),
    )
    assert (before.hour, before.utcoffset()) == (1, timedelta(hours=1))
    assert (after.hour, after.utcoffset()) == (3, timedelta(hours=2))
    assert clock.utc("2025-07-01T12:00:00", "Europe/Paris").hour == 10


@given(st.integers(0, 2**31))
def test_local_and_back_is_the_same_moment(seconds: int) -> None:
    _, _, clock = given_functions()
    moment = datetime.fromtimestamp(seconds, UTC)
    assert clock.utc(clock.local(moment, "America/New_York")) == moment


@pytest.mark.parametrize("zone", ["Mars/Base", "", "../etc/passwd", "a\0b"])
def test_a_zone_that_is_not_there_is_a_lookup_error(zone: str) -> None:
    _, _, clock = given_functions()
    with pytest.raises(LookupError, match="time zone"):
        clock.local(NOW, zone)


def test_a_time_that_is_none_is_a_type_error() -> None:
    _, _, clock = given_functions()
    with pytest.raises(TypeError, match="soon"):
        clock.local("soon", "UTC")


@given(st.floats(-1e9, 1e9))
def test_money_rounds_as_cpython_does(amount: float) -> None:
    assert money(amount) == round(amount, 2)


def test_money_takes_decimals_and_no_text_or_booleans() -> None:
    assert money(Decimal("763.775")) == 763.77
    for wrong in ("5", True, None):
        with pytest.raises(TypeError):
            money(wrong)  # type: ignore[arg-type]  # that is the point


def test_module_level_code_has_no_records() -> None:
    with pytest.raises(RuntimeError, match="while a tool is called"):
        Db(Functions()).get("rows", "r1")
