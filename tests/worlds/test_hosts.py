"""What tool code is given: db, clock and money. Misuse is a crash of the tool, never a business refusal."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.values import json_values
from worlds.domain import Domain
from worlds.hosts import WRITES, Functions, Host
from worlds.records import Base, Records
from worlds.recordset import Recordset

NOW = datetime(2025, 3, 30, 0, 30, tzinfo=UTC)
ROWS = [{"id": "r1", "n": 1, "tags": ["a"]}, {"id": "r09", "n": 2, "tags": ["b"]}]


class Asking:
    """Asks as the code in the sandbox does: a name and arguments as JSON text."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def asked(*given: Any, **named: Any) -> Any:
            return json.loads(self._functions.ask(json.dumps([name, given, named])))

        return asked


def given_functions() -> tuple[Records, Asking]:
    domain = Domain.parse({"tables": {"rows": {"key": "id"}}})
    records = Records(Base(domain, Recordset.parse({"tables": {"rows": ROWS}})))
    functions = Functions()
    functions.host = Host(records, NOW)
    return records, Asking(functions)


def test_rows_are_read_found_written_and_deleted() -> None:
    records, db = given_functions()
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
    records, db = given_functions()
    with pytest.raises((LookupError, TypeError)) as caught:
        misuse(db)
    assert not isinstance(caught.value, ValueError)
    assert records.diff() == []


def test_a_row_that_was_handed_over_is_a_copy() -> None:
    records, db = given_functions()
    mine: dict[str, Any] = {"id": "r5", "tags": ["a"]}
    db.insert("rows", mine)
    mine["tags"].append("b")
    assert records.get("rows", "r5") == {"id": "r5", "tags": ["a"]}


def test_the_next_id_follows_the_highest_number_ever_used_and_keeps_its_width() -> None:
    _, db = given_functions()
    assert db.next_id("rows", "r") == "r10"
    db.insert("rows", {"id": "r10"})
    assert db.next_id("rows", "r") == "r11"
    db.delete("rows", "r09")
    assert db.next_id("rows", "r") == "r11"
    assert db.next_id("rows", "new-") == "new-1"


def test_the_clock_shows_the_hosts_time_and_local_times_on_both_sides_of_a_change() -> None:
    _, clock = given_functions()
    assert clock.now() == NOW.isoformat()
    assert clock.today() == "2025-03-30"
    assert clock.local(NOW.isoformat(), "Europe/Paris") == "2025-03-30T01:30:00+01:00"
    assert clock.local("2025-03-30T01:30:00Z", "Europe/Paris") == "2025-03-30T03:30:00+02:00"
    assert clock.local("2025-03-30T01:30:00", "Asia/Tokyo") == "2025-03-30T10:30:00+09:00"
    assert clock.utc("2025-07-01T12:00:00", "Europe/Paris") == "2025-07-01T10:00:00+00:00"


@given(st.integers(0, 2**31))
def test_local_and_back_is_the_same_moment(seconds: int) -> None:
    _, clock = given_functions()
    moment = datetime.fromtimestamp(seconds, UTC).isoformat()
    assert clock.utc(clock.local(moment, "America/New_York")) == moment


@pytest.mark.parametrize("zone", ["Mars/Base", "", "../etc/passwd", "a" * 5000])
def test_a_zone_that_is_not_there_is_a_lookup_error(zone: str) -> None:
    _, clock = given_functions()
    with pytest.raises(LookupError, match="time zone"):
        clock.local(NOW.isoformat(), zone)


@pytest.mark.parametrize("moment", ["soon", "9999-12-31T23:59:59", 5])
def test_a_time_that_is_none_is_a_type_error(moment: Any) -> None:
    _, clock = given_functions()
    with pytest.raises(TypeError):
        clock.local(moment, "Asia/Tokyo")


@given(st.floats(-1e9, 1e9))
def test_money_rounds_as_cpython_does(amount: float) -> None:
    assert given_functions()[1].money(amount) == round(amount, 2)


def test_money_takes_no_text_or_booleans() -> None:
    for wrong in ("5", True, None):
        with pytest.raises(TypeError):
            given_functions()[1].money(wrong)


@pytest.mark.parametrize(
    ("misuse", "words"),
    [
        (lambda db: db.get("rows"), "get: missing a required argument: 'key'"),
        (lambda db: db.get("rows", "r1", 3), "get: too many positional arguments"),
        (lambda db: db.find("rows", where={}), "find: got an unexpected keyword argument 'where'"),
    ],
)
def test_wrong_arguments_are_a_type_error_that_names_the_function(
    misuse: Callable[[Any], Any], words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        misuse(given_functions()[1])


def test_module_level_code_has_no_records() -> None:
    with pytest.raises(RuntimeError, match="while a tool is called"):
        Asking(Functions()).get("rows", "r1")


@pytest.mark.parametrize(
    ("keys", "prefix", "expected"),
    [
        ([], "", "1"),
        ([], "R", "R1"),
        (["R1", "R9"], "R", "R10"),
        (["R001"], "R", "R002"),
        (["R1", "Rx", "R2b", "xR7"], "R", "R2"),
        ([".1"], ".", ".2"),
        (["x1"], ".", ".1"),
        (["R" + "9" * 5000, "R3"], "R", "R4"),
        (["R٣"], "R", "R1"),
        (["7", "R8"], "", "8"),
    ],
)
def test_next_id_counts_only_the_keys_that_are_the_prefix_and_a_number(
    keys: list[str], prefix: str, expected: str
) -> None:
    _, db = given_functions()
    for key in keys:
        db.put("rows", {"id": key})
    assert db.next_id("rows", prefix) == expected
    assert db.next_id("rows", prefix) == expected  # asking reserves nothing


@given(st.sets(st.integers(0, 10**19), max_size=5))
def test_next_id_is_always_free(numbers: set[int]) -> None:
    _, db = given_functions()
    for number in numbers:
        db.put("rows", {"id": f"W{number}"})
    assert db.get("rows", db.next_id("rows", "W")) is None


@given(
    st.sampled_from(sorted({"get", "find", "next_id", "now", "local", "utc", "money", *WRITES})),
    st.lists(json_values, max_size=3),
)
def test_no_arguments_whatever_lead_to_a_value_error(name: str, args: list[Any]) -> None:
    for handed_over in (args, ["rows", *args], ["rows", "r1", *args]):
        try:
            getattr(given_functions()[1], name)(*handed_over)
        except (LookupError, TypeError):
            continue


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("2025-03-30T00:59:59Z", "2025-03-30T01:59:59+01:00"),
        ("2025-03-30T01:00:00Z", "2025-03-30T03:00:00+02:00"),
        ("2025-10-26T00:59:59Z", "2025-10-26T02:59:59+02:00"),
        ("2025-10-26T01:00:00Z", "2025-10-26T02:00:00+01:00"),
    ],
)
def test_local_time_jumps_with_daylight_saving(moment: str, expected: str) -> None:
    assert given_functions()[1].local(moment, "Europe/Berlin") == expected


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
def test_utc_reads_the_clocks_of_the_zone(moment: str, expected: str) -> None:
    assert given_functions()[1].utc(moment, "Europe/Berlin") == expected
