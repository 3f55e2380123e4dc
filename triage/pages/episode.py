"""One episode, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from components.models import Component, Environment
from triage.models import Check, Episode, Result
from triage.pages.origin import origin
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import asked_for, spreadsheet
from worlds.canonical import canonical
from worlds.diff import Diff

END = "end"
"""What `?step=` says for the state in the end."""


@dataclass(frozen=True)
class FieldChange:
    """One field of a row before and after; a side that is not there is absent, not null."""

    name: str
    sides: dict[str, Any]

    @property
    def before(self) -> Any:
        return self.sides.get("before")

    @property
    def after(self) -> Any:
        return self.sides.get("after")

    @property
    def had_before(self) -> bool:
        return "before" in self.sides

    @property
    def has_after(self) -> bool:
        return "after" in self.sides


@dataclass(frozen=True)
class RowChange:
    """A row that was written: what was done to it, field by field."""

    table: str
    key: str
    op: str
    fields: list[FieldChange]


def row_changes(diff: Diff) -> list[RowChange]:
    """The changes of a diff, ready to be drawn."""
    return [
        RowChange(change["table"], change["key"], change["op"], _fields(change)) for change in diff
    ]


def _fields(change: dict[str, Any]) -> list[FieldChange]:
    if change["op"] == "update":
        return [FieldChange(name, sides) for name, sides in change["fields"].items()]
    side = "after" if change["op"] == "insert" else "before"
    return [FieldChange(name, {side: value}) for name, value in change["row"].items()]


@dataclass(frozen=True)
class Walk:
    """An episode with one of its steps (or the end) open."""

    document: dict[str, Any]
    asked: str

    @property
    def steps(self) -> list[dict[str, Any]]:
        return list(self.document["steps"])

    @cached_property
    def open(self) -> int | None:
        """The number of the open step; None = the end."""
        if self.asked == END or not self.steps:
            return None
        number = int(self.asked) if self.asked.isdecimal() and len(self.asked) < 9 else 0
        return min(number, len(self.steps) - 1)

    @property
    def step(self) -> dict[str, Any] | None:
        return None if self.open is None else self.steps[self.open]

    @property
    def earlier(self) -> str:
        """What `step` says for the step before; nothing at the first."""
        if self.open is None:
            return str(len(self.steps) - 1) if self.steps else ""
        return str(self.open - 1) if self.open else ""

    @property
    def later(self) -> str:
        """What `step` says for the step after; nothing at the end."""
        if self.open is None:
            return ""
        return str(self.open + 1) if self.open + 1 < len(self.steps) else END

    @property
    def changes(self) -> list[RowChange]:
        """The rows that the open step wrote; in the end, all that differs from the start."""
        step = self.step
        return row_changes(self.document["diff"] if step is None else step["changes"])

    @property
    def written_before(self) -> int:
        """How many steps before the open one wrote something."""
        return sum(bool(step["changes"]) for step in self.steps[: self.open])


@login_required
def episode(request: HttpRequest, key: str) -> HttpResponseBase:
    """`/episodes/KEY/?step=3`"""
    here, user = address(request), reader(request)
    rows = Episode.objects.visible_to(user).select_related("agent")
    row = get_object_or_404(rows, key=key)
    steps = row.document["steps"]
    name = f"episode-{row.key[:12]}"
    steps_sheet = {"steps": lambda: spreadsheet(name, STEPS, map(_step, steps))}
    if (download := asked_for(here, steps_sheet)) is not None:
        return download
    check = check_of(row, user)
    result = check.result if check else result_of(row, user)
    environment = check.environment if check else _environment(result, user)
    return render(
        request,
        "pages/episode.html",
        {
            "here": here,
            "episode": row,
            "check": check,
            "result": result,
            "environment": environment,
            "others": result.episodes.for_list() if result else [],
            **parts_of(environment),
            "walk": Walk(row.document, request.GET.get("step", "0")),
        },
    )


STEPS = [
    "step",
    "kind",
    "tool",
    "arguments",
    "status",
    "result",
    "said",
    "rows written",
    "violations",
]


def _step(one: dict[str, Any]) -> list[Any]:
    return [
        one["index"],
        one["kind"],
        one.get("tool", ""),
        canonical(one.get("args", {})),
        one.get("status", ""),
        canonical(one.get("result")),
        one.get("text", ""),
        len(one.get("changes", ())),
        " ".join(one.get("violations", ())),
    ]


def check_of(row: Episode, user: User) -> Check | None:
    """The newest check that a user may read and that the episode is evidence in."""
    checks = Check.objects.visible_to(user).filter(result__episodes=row)
    return checks.select_related("environment__domain", "result").order_by("-round_id").first()


def result_of(row: Episode, user: User) -> Result | None:
    """The newest result that a user may read and that the episode is evidence in: of a trial, or of a swap."""
    results = Result.objects.visible_to(user).filter(episodes=row)
    return results.order_by("-created").first()


def _environment(result: Result | None, user: User) -> Environment | None:
    return origin(result, user).environment if result else None


def parts_of(environment: Environment | None) -> dict[str, Component]:
    """Where assertions, rows and lines stand: one `intent`, `records` and `server`."""
    if environment is None:
        return {}
    kinds = {"intent": "intent", "records": "records", "toolserver": "server"}
    parts = environment.components.filter(kind__in=kinds).select_related("domain")
    return {kinds[part.kind]: part for part in parts.order_by("-parts__position")}
