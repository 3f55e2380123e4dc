"""A tiny domain for tests: notes on a desk, and environments of which it is known how they end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from components.models import Body, Component, Domain, Environment, Part, Version
from worlds import body
from worlds.domain import Domain as Contract
from worlds.intent import Intent
from worlds.recordset import Recordset
from worlds.toolserver_body import OutsideBody, ToolServerBody

SOURCE = '''
def look(note_id: str) -> dict:
    """Read a note."""
    note = db.get("notes", note_id)
    if note is None:
        raise ValueError(f"there is no note {note_id}")
    return note


def write(note_id: str, text: str) -> dict:
    """Change what a note says."""
    if db.get("notes", note_id) is None:
        raise ValueError(f"there is no note {note_id}")
    return db.update("notes", note_id, {"text": text})


def ponder(rounds: int) -> int:
    """Count to a number, for as long as that takes."""
    total = 0
    for _ in range(rounds):
        total = total + 1
    return total
'''

ASIDE = "aside"
"""What nothing but the goal of `Shop.lenient` speaks of: no relation tries it."""
NOTE = {"type": "object", "properties": {"id": {"type": "string"}, "text": {"type": "string"}}}


class Shop:
    """Makes the rows of a domain; its environments share one desk of notes and one tool server."""

    def __init__(self, slug: str = "notes") -> None:
        self.domain = Domain.objects.create(slug=slug)
        contract = Contract.parse({"tables": {"notes": {"key": "id", "schema": NOTE}}})
        rows = [{"id": f"N{number}", "text": ""} for number in range(3)]
        self.component("domain", contract)
        self.records = self.component("desk", Recordset.parse({"tables": {"notes": rows}}))
        self.server = self.component("pen", ToolServerBody(source=SOURCE))

    def component(self, slug: str, said: body.Body) -> Component:
        """A component with one version that says `said`, or with a new one when it is there already."""
        made, _ = Component.objects.get_or_create(domain=self.domain, kind=said.kind, slug=slug)
        stored, _ = Body.objects.get_or_create(
            digest=said.digest, defaults={"kind": said.kind, "text": said.canonical()}
        )
        made.current = Version.objects.create(
            component=made,
            number=made.versions.count() + 1,
            body=stored,
            parent=made.current,
            reason="test",
            source="test",
        )
        made.save(update_fields=["current"])
        return made

    def environment(
        self,
        slug: str,
        plan: list[dict[str, Any]],
        require: list[str],
        changes: Sequence[str] = ("notes/N1#text",),
    ) -> Environment:
        """An environment whose intent has this plan and goal."""
        intent = Intent.parse(
            {
                "instruction": f"Do what {slug} says.",
                "goal": {"require": require, "changes": changes},
                "plans": {"default": plan},
            }
        )
        made = Environment.objects.create(domain=self.domain, slug=slug)
        for component in (self.component(slug, intent), self.records, self.server):
            Part.objects.create(environment=made, component=component)
        return made

    def sound(self, slug: str, rounds: int = 0, calls: int = 1) -> Environment:
        """One that is solvable; with `rounds`, its tool ponders that long in each of `calls` calls."""
        ponder = [{"call": "ponder", "args": {"rounds": rounds}}] * (calls if rounds else 0)
        write = {"call": "write", "args": {"note_id": "N1", "text": slug}}
        return self.environment(
            slug,
            [*ponder, write, {"finish": {"outcome": "done"}}],
            [f"get('notes', 'N1').text == '{slug}'"],
        )

    def lenient(self, slug: str) -> Environment:
        """One that is solvable, and whose goal lets a note that the plan leaves alone say `ASIDE`."""
        write = {"call": "write", "args": {"note_id": "N1", "text": slug}}
        return self.environment(
            slug,
            [write, {"finish": {"outcome": "done"}}],
            [f"get('notes', 'N1').text == '{slug}'", f"get('notes', 'N2').text in ['', '{ASIDE}']"],
            ["notes/N1#text", "notes/N2#text"],
        )

    def searched(self, slug: str, plan: Sequence[dict[str, Any]] = ()) -> Environment:
        """One through which no plan leads, and the prover finds a way."""
        made = self.environment(
            f"{slug}: Write 'b' to note N1", list(plan), ["get('notes', 'N1').text == 'b'"]
        )
        made.slug = slug
        made.save(update_fields=["slug"])
        return made

    def refused(self, slug: str) -> Environment:
        """One that is broken: its plan writes to a note that is not there (`plan-refused`), and nothing tells
        the prover of another way (`goal-unreachable`)."""
        return self.environment(
            slug,
            [{"call": "write", "args": {"note_id": "N9", "text": slug}}],
            [f"get('notes', 'N1').text == '{slug}'"],
        )

    def astray(self, slug: str) -> Environment:
        """One whose check ends in error: its tool server is not in the settings of the installation."""
        made = self.sound(slug)
        far = self.component("far", OutsideBody(server="far"))
        Part.objects.filter(environment=made, component=self.server).update(component=far)
        return made

    def vacuous(self, slug: str) -> Environment:
        """One that is broken: whoever does nothing meets its goal (`goal-vacuous`)."""
        write = {"call": "write", "args": {"note_id": "N1", "text": slug}}
        return self.environment(
            slug, [write, {"finish": {"outcome": "done"}}], ["get('notes', 'N2').text == ''"]
        )
