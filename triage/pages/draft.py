"""A proposal while it is written: what its form says, kept whatever comes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.http import QueryDict

from components.models import Component, Domain
from triage.models import Change, Fault, Proposal
from triage.models.proposal import MOST_CHANGES
from triage.pages import bodies
from triage.pages.change import contract_of
from triage.pages.overlay import Overlay, WrittenRow
from triage.pages.rowedits import Rows, keyed, laid_out, row_edits
from triage.proposalfiles import Checked, text_of, text_of_body, validate
from worlds.body import Body


@dataclass
class Written:
    """One component's part: the text of its file, or of records single rows."""

    component: Component
    text: str = ""
    rows: list[WrittenRow] = field(default_factory=list)
    table: str = ""
    sought: str = ""
    """What rows are looked for, and in which table."""

    @property
    def is_records(self) -> bool:
        return self.component.kind == "records"

    @cached_property
    def checked(self) -> Checked:
        """What it says, or what is wrong with it and where."""
        if not self.is_records:
            return validate(self.component, self.text)
        overlay = Overlay.of(self.rows, self.key_of)
        if overlay.problems:
            return Checked(overlay.problems)
        found = validate(self.component, overlay.text, "rows")
        return replace(found, problems=[overlay.told(one) for one in found.problems])

    @cached_property
    def contract(self) -> Any:
        return contract_of(self.component)

    def key_of(self, table: str) -> str:
        """The field that keys a table's rows."""
        return str(self.contract.get("tables", {}).get(table, {}).get("key", ""))

    @cached_property
    def stored(self) -> Rows:
        """The rows of the current version."""
        current = self.component.current
        return keyed(bodies.content(current.body_id), self.contract) if current else {}

    @property
    def is_changed(self) -> bool:
        """Whether it says something else than the component does."""
        return self.checked.is_changed

    def take(self, body: Body) -> None:
        """Say what `body` says."""
        if self.is_records:
            edits = row_edits(self.stored, keyed(body.content(), self.contract))
            self.rows = [WrittenRow(one.table, one.key, one.after, not one.after) for one in edits]
        else:
            self.text = text_of_body(self.component, body)

    def open(self, table: str, key: str) -> None:
        """Have a row at hand to be edited; an empty key = a new one."""
        if key and any((row.table, row.key) == (table, key) for row in self.rows):
            return
        text = laid_out(self.stored.get(table, {}).get(key)) if key else "{}"
        self.rows.append(WrittenRow(table, key, text))

    @property
    def tables(self) -> list[str]:
        return sorted(self.stored)

    @property
    def hits(self) -> list[tuple[str, str, str]]:
        """Table, key and text of rows that hold what is sought, the first of them."""
        wanted = self.sought.casefold().split()
        if not wanted and not self.table:
            return []
        found: list[tuple[str, str, str]] = []
        for table, rows in self.stored.items():
            for key, row in rows.items() if self.table in ("", table) else ():
                text = json.dumps(row, ensure_ascii=False)
                if all(word in text.casefold() for word in wanted):
                    found.append((table, key, text))
                if len(found) == MOST_HITS:
                    return found
        return found


MOST_HITS = 12


@dataclass
class Draft:
    """All that a form says."""

    domain: Domain
    parts: list[Written]
    fault: Fault | None = None
    title: str = ""
    reason: str = ""
    authority: str = ""
    revision: int = 0

    @property
    def has_room(self) -> bool:
        """Whether another component may be changed with it."""
        return len(self.parts) < MOST_CHANGES

    @property
    def changes(self) -> list[tuple[Component, Body]]:
        """What it comes to; nothing of a part that cannot be read."""
        return [(one.component, one.checked.body) for one in self.parts if one.checked.body]

    @property
    def is_readable(self) -> bool:
        """Whether every part says something."""
        return len(self.changes) == len(self.parts)

    def add(self, component: Component) -> Written:
        """Have a component's part at hand, as it is now."""
        for part in self.parts:
            if part.component.pk == component.pk:
                return part
        part = Written(component)
        if not part.is_records and component.current:
            part.text = text_of(component.current)
        self.parts.append(part)
        return part

    def part(self, pk: int) -> Written | None:
        return next((one for one in self.parts if one.component.pk == pk), None)


def drafted(proposal: Proposal) -> Draft:
    """A proposal as it is, to be edited."""
    changes = proposal.changes.select_related(
        "component__domain", "component__current__body", "base__body", "body"
    )
    return Draft(
        domain=proposal.domain,
        parts=[_written(change) for change in changes],
        fault=proposal.fault,
        title=proposal.title,
        reason=proposal.reason,
        authority=proposal.authority,
        revision=proposal.revision,
    )


def _written(change: Change) -> Written:
    part = Written(change.component)
    if part.is_records:
        before, after = (
            keyed(one.content, part.contract) for one in (change.base.body, change.body)
        )
        part.rows = [
            WrittenRow(one.table, one.key, one.after, not one.after)
            for one in row_edits(before, after)
        ]
    else:
        part.text = text_of_body(change.component, change.body.parsed())
    return part


def posted(
    said: QueryDict, domain: Domain, components: Iterable[Component], fault: Fault | None
) -> Draft:
    """What a form that was sent says, of components that its sender may see."""

    def one(name: str) -> str:
        return said.get(name, "").replace("\x00", "").replace("\r\n", "\n")

    draft = Draft(
        domain, [], fault, one("title").strip(), one("reason").strip(), one("authority").strip()
    )
    draft.revision = int(one("revision")) if one("revision").isdecimal() else 0
    known = {str(row.pk): row for row in components}
    for pk in dict.fromkeys(said.getlist("component")):
        if (row := known.get(pk)) is None or not draft.has_room:
            continue
        part = Written(row, one(f"text-{pk}"), [], one(f"table-{pk}"), one(f"q-{pk}").strip())
        gone = set(said.getlist(f"gone-{pk}"))
        pairs = zip(said.getlist(f"place-{pk}"), said.getlist(f"row-{pk}"), strict=False)
        for place, text in pairs:
            table, _, key = place.replace("\x00", "").partition("/")
            clean = text.replace("\x00", "").replace("\r\n", "\n")
            part.rows.append(WrittenRow(table, key, clean, place in gone))
        draft.parts.append(part)
    return draft
