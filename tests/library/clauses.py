"""Sequences of calls and words on published records, and which clauses of the policy they violate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from components.tau2 import PUBLICATIONS
from tests.library.tau2 import Call, Tau2
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder, File
from worlds.intent import Finish, Goal, Intent, Line, User
from worlds.play import Play
from worlds.step import Action, Say, Step
from worlds.step import Call as Called
from worlds.toolserver_body import OutsideBody, ToolServerBody
from worlds.toolsession import ToolSession
from worlds.world import World

BY_HAND = '''
def write(table: str, key: str, fields: dict) -> dict:
    """Lay fields over a row, whatever the published tools would say to it."""
    return db.update(table, key, fields)


def insert(table: str, row: dict) -> dict:
    """Add a row."""
    return db.insert(table, row)
'''
"""A tool server beside the published one: what its tools refuse must be forbidden all the same."""


@dataclass(frozen=True)
class Spoken:
    """Something that the agent says, and what the user answers."""

    text: str
    reply: str


Event = Call | Spoken | Finish


@dataclass(frozen=True)
class Case:
    """What a clause must flag, and what it must not; both are carried out on the published records."""

    clause: str
    """`rule/clause`"""
    flagged: Sequence[Event]
    allowed: Sequence[Event]


@cache
def _published(tau2: Tau2) -> DomainFolder:
    by_hand = File[ToolServerBody | OutsideBody]("by-hand", ToolServerBody(source=BY_HAND), {})
    return replace(tau2.folder, toolservers={**tau2.folder.toolservers, "by-hand": by_hand})


def stage(tau2: Tau2, events: Sequence[Event]) -> World:
    """A world with the published records, rules and tools, those of `BY_HAND`, and a user who answers as told."""
    replies = [
        Line(when="true", says=event.reply.replace("{", "{{").replace("}", "}}"))
        for event in events
        if isinstance(event, Spoken)
    ]
    intent = Intent(
        instruction="Go.", user=User(opens="Hello.", script=replies), goal=Goal(outcome="done")
    )
    parts = PUBLICATIONS[tau2.name].parts
    spec = EnvironmentSpec("case", "case", tuple(tau2.folder.rules), parts, (parts, "by-hand"))
    folder = replace(_published(tau2), intents={"case": File("case", intent, {})})
    return World(folder.bundle(spec))


def attempt(world: World, events: Sequence[Event]) -> Play:
    """An attempt that does and says all of it."""
    with ToolSession() as session:
        play = Play(world, session)
        for event in events:
            play.act(_action(event))
    return play


def played(tau2: Tau2, events: Sequence[Event]) -> tuple[list[Step], list[str]]:
    """The steps of an attempt, and the clauses (`rule/clause`) that it violated, each once, in order."""
    play = attempt(stage(tau2, events), events)
    return play.steps, list(dict.fromkeys(each.name for each in play.violations))


def _action(event: Event) -> Action:
    if isinstance(event, Spoken):
        return Say(text=event.text)
    if isinstance(event, Finish):
        return event
    tool, args = event
    return Called(tool=tool, args=args)


def violated(tau2: Tau2, events: Sequence[Event]) -> list[str]:
    """The clauses that a sequence violates; each of its calls must be carried out (a refused one shows nothing), but
    the last, which a clause about calls may flag."""
    steps, names = played(tau2, events)
    calls = [step for step in steps if step.kind == "call"]
    refused = [f"{step.tool}: {step.result}" for step in calls[:-1] if step.status != "ok"]
    assert not refused, refused
    return names


def write(table: str, key: str, **fields: Any) -> Call:
    """A call that lays fields over a row by hand."""
    return "write", {"table": table, "key": key, "fields": fields}


def clauses(tau2: Tau2) -> set[str]:
    """All clauses of a domain (`rule/clause`)."""
    rules = tau2.folder.rules.items()
    return {f"{slug}/{clause.id}" for slug, file in rules for clause in file.body.clauses}
