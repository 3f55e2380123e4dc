"""The calendars of the library: sound, hard enough that no trivial agent passes, and true to their own policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agents import FLOOR, panel
from agents.reference import Reference
from examples.meetings_records import build, text
from worlds.bundle import Bundle
from worlds.check import CheckResult, check
from worlds.clauses import Clauses, Moment
from worlds.conditions import View
from worlds.diff import row_change
from worlds.environments import EnvironmentSpec
from worlds.episode import play
from worlds.hosts import Host
from worlds.library import read
from worlds.librarywriter import texts
from worlds.records import Base, Records
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody
from worlds.toolsession import ToolSession
from worlds.world import World

PATH = Path(__file__).parents[2] / "library" / "meetings"
FOLDER = read(PATH)[0]
INTENTS = {slug: file.body for slug, file in FOLDER.intents.items()}
SPECS = {spec.slug: spec for spec in FOLDER.all_environments()}
BODY = FOLDER.toolservers["calendar"].body
assert isinstance(BODY, ToolServerBody)
SERVER = ToolServer.of(BODY)
OFFICE = Base(FOLDER.domain.body, FOLDER.records["office"].body)
CLAUSES = Clauses([(slug, file.body) for slug, file in FOLDER.rules.items()], FOLDER.domain.body)

TWINS = {
    "assembly-too-large": "assembly",
    "cancel-as-colleague": "cancel-as-delegate",
    "move-of-others": "move-own",
    "room-closed": "room-for-us",
    "room-for-others": "room-for-us",
    "sick-peer": "sick-report",
    "what-is-private": "what-is-open",
}
"""Intents in which the request must be turned down → the same request where acting is right."""

Call = tuple[str, dict[str, Any]]


@cache
def bundle_of(slug: str) -> Bundle:
    return FOLDER.bundle(SPECS[slug])


@cache
def result_of(slug: str) -> CheckResult:
    return check(bundle_of(slug), panel())


@pytest.fixture(scope="module")
def session() -> Iterator[ToolSession]:
    with ToolSession() as opened:
        yield opened


@pytest.mark.parametrize("slug", SPECS)
def test_an_environment_is_solvable_and_has_no_finding(slug: str) -> None:
    result = result_of(slug)
    assert [(item.code, item.place, item.message) for item in result.findings] == []
    assert (result.status, result.witness) == ("solvable", "plan")


def test_no_agent_of_the_floor_solves_any_environment() -> None:
    won = [
        (slug, episode.agent)
        for slug in SPECS
        for episode in result_of(slug).episodes
        if episode.agent in FLOOR and episode.verdict and episode.verdict.reward
    ]
    assert won == []


def test_there_are_at_least_fifty_environments_of_fourteen_intents_and_no_two_are_one() -> None:
    bound = {
        (
            spec.intent,
            spec.records,
            spec.toolservers,
            *sorted(World(bundle_of(slug)).binding.items()),
        )
        for slug, spec in SPECS.items()
    }
    assert len(bound) == len(SPECS) >= 50
    assert len({spec.intent for spec in SPECS.values()}) == len(INTENTS) >= 14


def test_the_plans_call_every_tool() -> None:
    called = {
        step.call for intent in INTENTS.values() for step in intent.plans["default"] if step.call
    }
    assert set(SERVER.tools) - called == set()


def test_every_clause_compiles_and_every_quote_stands_in_its_rule() -> None:
    assert CLAUSES.problems == []
    for slug, file in FOLDER.rules.items():
        sentences = [*(clause.quote for clause in file.body.clauses), *file.body.judgement]
        assert [words for words in sentences if words not in file.body.text] == [], slug


def test_every_request_to_be_turned_down_has_a_twin_in_which_it_is_granted() -> None:
    turned_down = {slug for slug, intent in INTENTS.items() if intent.goal.outcome != "done"}
    assert turned_down == set(TWINS)
    for slug, twin in TWINS.items():
        assert INTENTS[slug].instruction == INTENTS[twin].instruction
        assert INTENTS[slug].goal.answer == INTENTS[twin].goal.answer != {}
        assert INTENTS[twin].goal.outcome == "done"


def _swapped(spec: EnvironmentSpec, plan_of: str) -> Bundle:
    """The environment with the plan of another intent."""
    bundle = bundle_of(spec.slug)
    intent = bundle.intent.model_copy(update={"plans": INTENTS[plan_of].plans})
    manifest = bundle.manifest
    return Bundle(manifest, bundle.domain, intent, bundle.rules, bundle.records, bundle.toolservers)


PAIRS = [
    (spec, other)
    for spec in SPECS.values()
    for other in [
        *([TWINS[spec.intent]] if spec.intent in TWINS else []),
        *(slug for slug, twin in TWINS.items() if twin == spec.intent),
    ]
]


@pytest.mark.parametrize(("spec", "other"), PAIRS, ids=lambda part: getattr(part, "slug", part))
def test_what_is_right_in_a_twin_fails_here(
    spec: EnvironmentSpec, other: str, session: ToolSession
) -> None:
    world = World(_swapped(spec, other))
    verdict = play(world, Reference.of(world), session).verdict
    assert verdict is not None
    assert verdict.reward == 0


def test_the_records_of_the_company_are_what_the_script_prints() -> None:
    assert (PATH / "records" / "company.json").read_text(encoding="utf-8") == text(build())


def test_the_records_sets_are_of_the_sizes_promised() -> None:
    sizes = {
        slug: sum(len(rows) for rows in file.body.tables.values())
        for slug, file in FOLDER.records.items()
    }
    assert 24 <= sizes["office"] <= 120
    assert 900 <= sizes["company"] <= 1100


def test_the_files_are_in_canonical_form() -> None:
    written = {place: text for place, text in texts(FOLDER) if place != "pins.json"}
    assert {place: (PATH / place).read_text(encoding="utf-8") for place in written} == written


# What the tools refuse, in the small office


@dataclass(frozen=True)
class Refusal:
    tool: str
    args: dict[str, Any]
    words: str
    name: str


def meeting(title: str, day: str = "") -> str:
    return next(
        key
        for key, row in OFFICE.tables["meetings"].items()
        if row["title"] == title and row["start"].startswith(day)
    )


def _create(start: str, *others: str, by: str = "P03", **more: Any) -> dict[str, Any]:
    args = {"title": "Talk", "start": start, "minutes": 30, "attendee_ids": list(others), **more}
    return {"on_behalf_of": by, **args}


def _of(by: str, title: str, **more: Any) -> dict[str, Any]:
    return {"on_behalf_of": by, "meeting_id": meeting(title), **more}


def _away(by: str, who: str, first: str = "2026-04-20", last: str = "2026-04-20") -> dict[str, Any]:
    days = {"first_day": first, "last_day": last, "kind": "travel"}
    return {"on_behalf_of": by, "person_id": who, **days}


SPRING = "2026-03-24T15:00"
REFUSALS = [
    Refusal("move_meeting", _of("P05", "Desk move", start=SPRING), "Only the organizer", "guest-moves"),
    Refusal("cancel_meeting", _of("P09", "Sprint plan", reason="x"), "Only the organizer", "stranger-cancels"),
    Refusal("cancel_meeting", _of("P06", "Old roadmap", reason="x"), "begun already", "begun"),
    Refusal("cancel_meeting", _of("P06", "Sprint plan", reason=" "), "Say why", "no-reason"),
    Refusal(
        "move_meeting",
        {"on_behalf_of": "P06", "meeting_id": meeting("Munich stand-up", "2026-03-23"), "start": SPRING},
        "was cancelled",
        "cancelled",
    ),
    Refusal("create_meeting", _create("2026-03-17T10:00"), "is past", "past"),
    Refusal("create_meeting", _create("2026-04-03T10:00"), "Good Friday", "holiday"),
    Refusal("create_meeting", _create("2026-03-28T10:00"), "outside the working hours", "weekend"),
    Refusal("create_meeting", _create("2026-03-24T17:15"), "outside the working hours", "runs-over"),
    Refusal("create_meeting", _create("2026-03-24T11:30", "P10"), "working hours of Sam", "night-there"),
    Refusal("create_meeting", _create("2026-03-31T12:00", "P09"), "out of office", "on-leave"),
    Refusal("create_meeting", _create("2026-03-24T10:30"), "another meeting", "double-booked"),
    Refusal("create_meeting", _create("2026-03-29T01:30"), "does not exist", "no-such-hour"),
    Refusal("create_meeting", _create(SPRING, room_id="R05"), "closed until", "closed-room"),
    Refusal("create_meeting", _create("2026-03-24T10:00", by="P02", room_id="R02"), "is taken", "taken-room"),
    Refusal("book_room", _of("P06", "Sprint plan", room_id="R04"), "reserved for Finance", "reserved-room"),
    Refusal("add_attendee", _of("P06", "Sprint plan", person_id="P13"), "larger room", "full-room"),
    Refusal("remove_attendee", _of("P06", "Sprint plan", person_id="P06"), "organizer", "organizer-leaves"),
    Refusal("respond", _of("P06", "Sprint plan", response="declined"), "organizer takes part", "organizer-declines"),
    Refusal("respond", _of("P09", "Sprint plan", response="declined"), "not invited", "answers-for-none"),
    Refusal("get_meeting", _of("P05", "Project Lantern"), "private", "private"),
    Refusal("set_out_of_office", _away("P04", "P05"), "their manager", "peer-enters"),
    Refusal("set_out_of_office", _away("P05", "P05"), "already", "twice-away"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS, ids=[case.name for case in REFUSALS])
def test_a_tool_refuses_what_the_policy_forbids(case: Refusal, session: ToolSession) -> None:
    records = Records(OFFICE)
    outcome = session.call(SERVER, case.tool, case.args, Host(records, OFFICE.clock.now))
    assert outcome.status == "refused", outcome
    assert case.words in outcome.message
    assert records.diff() == []


def did(session: ToolSession, tool: str, args: dict[str, Any]) -> tuple[Any, Records]:
    records = Records(OFFICE)
    outcome = session.call(SERVER, tool, args, Host(records, OFFICE.clock.now))
    assert outcome.status == "ok", outcome
    return outcome.value, records


@pytest.mark.parametrize(("day", "there"), [("2026-03-24", "14:00"), ("2026-04-07", "15:00")])
def test_local_times_follow_each_side_s_change_to_summer_time(
    day: str, there: str, session: ToolSession
) -> None:
    args = {"on_behalf_of": "P10", "meeting_id": meeting("Transatlantic sync", day)}
    assert did(session, "get_meeting", args)[0]["local_time"] == "10:00"
    london = did(session, "get_meeting", {**args, "tz": "Europe/London"})[0]
    assert london["local_time"] == there


def test_a_moved_meeting_of_a_series_is_an_exception_and_asks_everybody_again(
    session: ToolSession,
) -> None:
    key = meeting("Munich stand-up", "2026-03-30")
    args = {"on_behalf_of": "P07", "meeting_id": key, "start": "2026-04-08T10:00"}
    _, records = did(session, "move_meeting", args)
    row = records.get("meetings", key)
    assert row is not None
    assert (row["start"], row["exception"]) == ("2026-04-08T08:00:00+00:00", True)
    assert {a["person_id"]: a["response"] for a in row["attendees"]} == {
        "P06": "accepted",
        "P07": "needs_action",
        "P08": "needs_action",
        "P09": "needs_action",
    }
    assert len(records.diff()) == 1


def test_others_see_of_a_private_meeting_that_its_time_is_taken_and_no_more(
    session: ToolSession,
) -> None:
    args = {"on_behalf_of": "P05", "person_id": "P01", "at": "2026-03-27T11:00:00+00:00"}
    seen = did(session, "list_meetings", args)[0]["meetings"]
    assert [m["title"] for m in seen] == ["Private"]
    assert "organizer_id" not in seen[0]
    as_delegate = did(session, "list_meetings", {**args, "on_behalf_of": "P02"})[0]["meetings"]
    assert [m["title"] for m in as_delegate] == ["Project Lantern"]


# What the rules forbid, whatever a tool lets pass


def violated(key: str, actor: str, **fields: Any) -> set[str]:
    """The clauses that a change of a meeting of the small office breaks."""
    records = Records(OFFICE)
    before = records.get("meetings", key)
    assert before is not None
    after = {**before, **fields}
    records.put("meetings", key, after)
    change = row_change("meetings", key, before, after)
    assert change is not None
    view = View(records, OFFICE.clock.now)
    moment = Moment(view, records.get("people", actor), [], [], [])
    return {violation.name for violation in CLAUSES.on_write(moment, [change])}


def test_the_rules_know_who_may_cancel() -> None:
    key = meeting("Board dinner plan")
    gone = {"status": "cancelled", "cancel_reason": "Too busy"}
    assert violated(key, "P03", **gone) == {"changing/organizer-only"}
    assert violated(key, "P01", **gone) == violated(key, "P02", **gone) == set()
    assert violated(key, "P01", status="cancelled") == {"changing/says-why"}


@pytest.mark.parametrize(
    ("title", "actor", "fields", "clauses"),
    [
        ("Old roadmap", "P06", {"end": "2026-03-16T15:00:00+00:00"}, {"changing/not-begun"}),
        ("Sprint plan", "P06", {"room_id": "R04"}, {"rooms/reserved"}),
        ("Forecast talk", "P03", {"room_id": "R05"}, set()),
        ("Supplier call", "P04", {"room_id": "R05"}, {"rooms/closed"}),
        ("Desk move", "P02", {"room_id": "R02"}, {"rooms/not-taken"}),
        ("Trade fair", "P10", {"organizer_id": "P11"}, {"changing/keeps-organizer"}),
        ("Project Lantern", "P01", {"visibility": "normal"}, {"privacy/stays-private"}),
    ],
)
def test_a_clause_catches_a_write_that_breaks_it(
    title: str, actor: str, fields: dict[str, Any], clauses: set[str]
) -> None:
    assert violated(meeting(title), actor, **fields) == clauses


def test_incident_calls_are_exempt_from_hours_and_holidays() -> None:
    asked = [
        {"person_id": "P06", "response": "accepted"},
        {"person_id": "P07", "response": "needs_action"},
        {"person_id": "P08", "response": "needs_action"},
    ]
    late = {
        "start": "2026-04-03T20:00:00+00:00",
        "end": "2026-04-03T21:00:00+00:00",
        "attendees": asked,
    }
    key = meeting("Sprint plan")
    assert violated(key, "P06", **late) == {"times/no-holiday", "times/working-hours"}
    assert violated(key, "P06", title="Incident 7", **late) == set()
