"""What the host gives to tool code: the records, the time and the rounding of money."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.values import json_values
from worlds.domain import Domain
from worlds.hosts import WRITES, Clock, Db, Functions, Host, money
from worlds.records import Base, Records
from worlds.recordset import Recordset

NOW = datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)
TABLES: dict[str, list[dict[str, Any]]] = {
    "users": [
        {"id": "u1", "name": "Ann", "tags": ["a"]},
        {"id": "u2", "name": "Bob", "tags": ["a", "b"], "home": {"city": "Rome"}},
    ],
    "orders": [{"order_id": "W009", "user": "u1"}, {"order_id": "W010", "user": "u2"}],
}


YEARS = (datetime.fromisoformat("1970-01-01"), datetime.fromisoformat("2050-01-01"))


def functions(clock: datetime = NOW) -> Functions:
    domain = Domain.parse({"tables": {"users": {"key": "id"}, "orders": {"key": "order_id"}}})
    made = Functions()
    made.host = Host(Records(Base(domain, Recordset.parse({"tables": deepcopy(TABLES)}))), clock)
    return made


@pytest.fixture
def db() -> Db:
    return Db(functions())


@pytest.fixture
def clock() -> Clock:
    return Clock(functions())


def test_get_gives_the_row_or_none(db: Db) -> None:
    assert db.get("users", "u1") == TABLES["users"][0]
    assert db.get("users", "nobody") is None


def test_find_gives_the_rows_that_match_in_key_order(db: Db) -> None:
    assert [row["id"] for row in db.find("users")] == ["u1", "u2"]
    assert [row["id"] for row in db.find("users", {"tags[]": "b"})] == ["u2"]
    assert [row["id"] for row in db.find("users", {"home.city": "Rome"})] == ["u2"]
    assert db.find("users", {"name": "Ann", "id": "u2"}) == []
    assert [row["id"] for row in db.find("users", limit=1)] == ["u1"]
    assert db.find("users", {}, 0) == db.find("users", {}, -3) == []


def test_insert_adds_a_row_once(db: Db) -> None:
    row = {"id": "u3", "name": "Cy"}
    assert db.insert("users", row) == row == db.get("users", "u3")
    with pytest.raises(LookupError, match=r"users already has a row 'u3': use update or put"):
        db.insert("users", row)


def test_update_changes_the_given_fields_only(db: Db) -> None:
    assert db.update("users", "u1", {"name": "Anna", "age": 3}) == {
        "id": "u1", "name": "Anna", "tags": ["a"], "age": 3,
    }  # fmt: skip
    assert db.get("users", "u1") == {"id": "u1", "name": "Anna", "tags": ["a"], "age": 3}


def test_put_replaces_a_row_or_adds_it(db: Db) -> None:
    db.put("users", {"id": "u1"})
    db.put("users", {"id": "u9"})
    assert (db.get("users", "u1"), db.get("users", "u9")) == ({"id": "u1"}, {"id": "u9"})


def test_delete_removes_a_row(db: Db) -> None:
    db.delete("users", "u1")
    assert db.get("users", "u1") is None
    assert [row["id"] for row in db.find("users")] == ["u2"]
    with pytest.raises(LookupError, match="users has no row 'u1'"):
        db.delete("users", "u1")


MISUSES: list[Callable[[Db], object]] = [
    lambda db: db.get("nope", "u1"),
    lambda db: db.get(3, "u1"),  # type: ignore[arg-type]  # what tool code may pass
    lambda db: db.get("users", None),  # type: ignore[arg-type]  # what tool code may pass
    lambda db: db.get([], {}),  # type: ignore[arg-type]  # what tool code may pass
    lambda db: db.find("nope"),
    lambda db: db.find("users", "u1"),  # type: ignore[arg-type]  # what tool code may pass
    lambda db: db.find("users", {1: 2}),  # type: ignore[dict-item]  # what tool code may pass
    lambda db: db.find("users", {"id": float("nan")}),
    lambda db: db.find("users", {}, "3"),  # type: ignore[arg-type]  # what tool code may pass
    lambda db: db.find("users", {}, True),
    lambda db: db.insert("nope", {"id": "x"}),
    lambda db: db.insert("users", {}),
    lambda db: db.insert("users", {"id": ""}),
    lambda db: db.insert("users", {"id": 3}),
    lambda db: db.insert("users", {"id": "u1"}),
    lambda db: db.insert("users", ["id"]),  # type: ignore[arg-type]  # what tool code may pass
    lambda db: db.insert("users", {"id": "x", "at": {1, 2}}),
    lambda db: db.insert("users", {"id": "x", "n": float("inf")}),
    lambda db: db.insert("users", {"id": "x", "n": Decimal("sNaN")}),
    lambda db: db.insert("users", {"id": "x\0"}),
    lambda db: db.insert("users", {"id": "x", "text": "y" * 2_000_000}),
    lambda db: db.update("users", "nobody", {}),
    lambda db: db.update("users", "u1", {"id": "u2"}),
    lambda db: db.update("users", "u1", None),  # type: ignore[arg-type]  # what tool code may pass
    lambda db: db.update("nope", "u1", {}),
    lambda db: db.put("users", {"name": "x"}),
    lambda db: db.put("nope", {"id": "x"}),
    lambda db: db.delete("users", "nobody"),
    lambda db: db.delete("nope", "u1"),
    lambda db: db.next_id("nope"),
    lambda db: db.next_id("orders", 3),  # type: ignore[arg-type]  # what tool code may pass
]


@pytest.mark.parametrize("misuse", MISUSES)
def test_misuse_is_a_lookup_or_type_error_and_writes_nothing(
    db: Db, misuse: Callable[[Db], object]
) -> None:
    records = db._functions.acting().records
    before = records.digest()
    with pytest.raises((LookupError, TypeError)) as raised:
        misuse(db)
    assert str(raised.value)
    assert records.digest() == before


@given(
    st.sampled_from(["get", "find", "next_id", *sorted(WRITES)]), st.lists(json_values, max_size=3)
)
def test_no_arguments_whatever_lead_to_a_value_error(name: str, args: list[Any]) -> None:
    for given_args in (args, ["users", *args], ["users", "u1", *args]):
        try:
            getattr(Db(functions()), name)(*given_args)
        except (LookupError, TypeError):
            continue


def test_a_message_names_the_tables_there_are(db: Db) -> None:
    with pytest.raises(LookupError, match=r"no table 'user'; there are \['users', 'orders'\]"):
        db.get("user", "u1")


@pytest.mark.parametrize("write", ["insert", "put", "update"])
@given(value=json_values)
def test_what_is_written_shares_no_part_with_what_was_given(write: str, value: Any) -> None:
    db = Db(functions())
    row: dict[str, Any] = {"id": "u1" if write == "update" else "new", "value": [value], "more": {}}
    expected = deepcopy(row)
    getattr(db, write)("users", *(["u1"] if write == "update" else []), row)
    row["value"].append("later")
    row["more"]["x"] = "later"
    stored = db.get("users", row["id"])
    assert stored is not None
    assert {name: stored[name] for name in expected} == expected


def test_writes_never_reach_the_shared_base(db: Db) -> None:
    base = db._functions.acting().records.base
    db.update("users", "u1", {"tags": ["changed"]})
    db.delete("users", "u2")
    assert list(base.tables["users"].values()) == TABLES["users"]


@pytest.mark.parametrize(
    ("keys", "prefix", "expected"),
    [
        ([], "", "1"),
        ([], "R", "R1"),
        (["R1", "R9"], "R", "R10"),
        (["R01", "R09"], "R", "R10"),
        (["R001"], "R", "R002"),
        (["R1", "Rx", "R2b", "xR7"], "R", "R2"),
        (["#1", "#99"], "#", "#100"),
        ([".1"], ".", ".2"),
        (["x1"], ".", ".1"),
        (["R" + "9" * 5000, "R3"], "R", "R4"),
        (["R٣"], "R", "R1"),
        (["7", "R8"], "", "8"),
    ],
)
def test_next_id_counts_on_from_the_highest_as_wide(
    db: Db, keys: list[str], prefix: str, expected: str
) -> None:
    for row in db.find("orders"):
        db.delete("orders", row["order_id"])
    for key in keys:
        db.put("orders", {"order_id": key})
    assert db.next_id("orders", prefix) == expected


def test_next_id_never_gives_a_number_that_the_table_had_at_the_start(db: Db) -> None:
    assert db.next_id("orders", "W") == "W011"
    db.delete("orders", "W010")
    assert db.next_id("orders", "W") == "W011"
    assert db.next_id("orders", "W") == "W011"  # asking reserves nothing


@given(st.sets(st.integers(0, 10**19), max_size=5))
def test_next_id_is_always_free(numbers: set[int]) -> None:
    db = Db(functions())
    for number in numbers:
        db.put("orders", {"order_id": f"W{number}"})
    assert db.get("orders", db.next_id("orders", "W")) is None


def test_the_clock_shows_the_hosts_time() -> None:
    assert Clock(functions()).now() == NOW
    assert Clock(functions()).today() == date(2025, 3, 4)
    naive = datetime.fromisoformat("2025-03-04T05:00")
    assert Clock(functions(naive)).now() == naive
    zoned = Clock(functions(datetime(2025, 7, 1, 1, tzinfo=ZoneInfo("Europe/Berlin"))))
    assert zoned.now().tzinfo == timezone(timedelta(hours=2))
    assert zoned.today() == date(2025, 7, 1)


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("2025-03-30T00:59:59Z", "2025-03-30T01:59:59+01:00"),
        ("2025-03-30T01:00:00Z", "2025-03-30T03:00:00+02:00"),
        ("2025-10-26T00:59:59Z", "2025-10-26T02:59:59+02:00"),
        ("2025-10-26T01:00:00Z", "2025-10-26T02:00:00+01:00"),
        ("2025-03-30T01:00:00", "2025-03-30T03:00:00+02:00"),
        ("2025-03-30T03:00:00+02:00", "2025-03-30T03:00:00+02:00"),
    ],
)
def test_local_time_jumps_with_daylight_saving(clock: Clock, moment: str, expected: str) -> None:
    assert clock.local(moment, "Europe/Berlin").isoformat() == expected
    parsed = datetime.fromisoformat(moment)
    assert clock.local(parsed, "Europe/Berlin").isoformat() == expected


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("2025-03-30T01:59:59", "2025-03-30T00:59:59+00:00"),
        ("2025-03-30T03:00:00", "2025-03-30T01:00:00+00:00"),
        ("2025-10-26T02:30:00", "2025-10-26T00:30:00+00:00"),  # twice: the first is meant
        ("2025-10-26T03:00:00", "2025-10-26T02:00:00+00:00"),
        ("2025-10-26T02:30:00+01:00", "2025-10-26T01:30:00+00:00"),
    ],
)
def test_utc_reads_the_clocks_of_the_zone(clock: Clock, moment: str, expected: str) -> None:
    assert clock.utc(moment, "Europe/Berlin").isoformat() == expected


def test_utc_without_a_zone_is_utc(clock: Clock) -> None:
    assert clock.utc("2025-01-01T10:00") == datetime(2025, 1, 1, 10, tzinfo=UTC)


@given(
    st.datetimes(*YEARS, timezones=st.just(UTC)),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "UTC"]),
)
def test_local_and_utc_undo_each_other(moment: datetime, zone: str) -> None:
    clock = Clock(functions())
    local = clock.local(moment.isoformat(), zone)
    assert clock.utc(local) == clock.utc(local.isoformat()) == moment
    assert local.replace(tzinfo=None) == moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


@pytest.mark.parametrize(
    "zone", ["Mars/Base", "", "../../etc/passwd", "/etc/passwd", "Europe", "a\0b", "x" * 5000]
)
def test_an_unknown_zone_is_a_lookup_error(clock: Clock, zone: str) -> None:
    for convert in (clock.local, clock.utc):
        with pytest.raises(LookupError, match="there is no time zone"):
            convert("2025-01-01T00:00", zone)


@pytest.mark.parametrize("moment", ["tomorrow", "", "2025-13-01", 3, None, date(2025, 1, 1), []])
def test_what_is_no_moment_is_a_type_error(clock: Clock, moment: Any) -> None:
    for convert in (clock.local, clock.utc):
        with pytest.raises(TypeError):
            convert(moment, "UTC")
    with pytest.raises(TypeError):
        clock.local("2025-01-01T00:00", 3)  # type: ignore[arg-type]  # what tool code may pass


@pytest.mark.parametrize(
    ("moment", "east", "west"),
    [
        ("0001-01-01T00:00:00", "utc", "local"),
        ("9999-12-31T23:59:59", "local", "utc"),
    ],
)
def test_a_moment_beyond_the_calendar_is_a_type_error(
    clock: Clock, moment: str, east: str, west: str
) -> None:
    for convert, zone in ((east, "Asia/Tokyo"), (west, "America/New_York")):
        with pytest.raises(TypeError, match="cannot be shown"):
            getattr(clock, convert)(moment, zone)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-(10**9), 10**9, places=3))
def test_money_equals_the_round_of_python(amount: float | Decimal) -> None:
    assert money(amount) == round(float(amount), 2)


def test_money_rounds_where_the_sandbox_would_round_otherwise() -> None:
    assert money(763.775) == 763.77
    assert money(2.675) == 2.67
    assert money(3) == 3.0
    assert isinstance(money(3), float)


@pytest.mark.parametrize(
    "amount",
    ["3", None, True, [], Decimal("sNaN"), 10**400, pytest.param(10**5000, id="huge")],
)
def test_money_of_what_is_no_number_is_a_type_error(amount: Any) -> None:
    with pytest.raises(TypeError, match="money takes a number"):
        money(amount)


def test_outside_a_call_there_is_nothing_to_act_on() -> None:
    with pytest.raises(RuntimeError, match="only while a tool is called"):
        Db(Functions()).get("users", "u1")
    with pytest.raises(RuntimeError, match="only while a tool is called"):
        Clock(Functions()).now()


def test_exactly_the_public_methods_are_given() -> None:
    given_functions = {name: set(module.attrs) for name, module in Functions().modules().items()}
    assert given_functions == {
        "db": {"get", "find", "next_id", *WRITES},
        "clock": {"now", "today", "local", "utc"},
        "money": {"money"},
    }
