"""Counts what probes show, and keeps the smallest example of each breach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from worlds.clauses import Clauses, CompiledClause
from worlds.domain import Domain
from worlds.probing.found import Condition, Example, NotProbed, Probed, Probes, ToolTried
from worlds.probing.judging import Ruling
from worlds.rule import Trigger
from worlds.step import Status

UNSEEN = ("history", "said", "heard", "actor")
OUTCOMES: dict[Status, str] = {
    "ok": "carried_out",
    "refused": "refused",
    "invalid": "misfit",
    "guarded": "stopped",
    "crashed": "failed",
    "limit": "failed",
}
SPOKEN: dict[Trigger, str] = {"say": "it is about what is said", "end": "it is about how it ends"}

ToolKey = tuple[str, str]
"""Server and tool."""


@dataclass
class _Row:
    ruling: Ruling
    applied: int = 0
    accepted: int = 0
    example: Example | None = None


@dataclass
class Tally:
    """Of one domain."""

    domain: Domain
    clauses: Clauses
    tools: dict[ToolKey, dict[str, int]] = field(default_factory=dict)
    lines: dict[ToolKey, int] = field(default_factory=dict)
    failures: dict[ToolKey, Example] = field(default_factory=dict)
    rows: dict[tuple[str, str, Condition, str], _Row] = field(default_factory=dict)
    unasked: dict[str, str] = field(default_factory=dict)
    """Clause → why it could not be asked about the first call at which it failed."""

    def __post_init__(self) -> None:
        self._clauses = {
            each.name: each for trigger in ("write", "call") for each in self.clauses.on(trigger)
        }

    def known(self, tool: ToolKey, line: int) -> None:
        """Name a tool, and the line at which it stands, whether or not it comes to be called."""
        self.tools.setdefault(tool, {})
        self.lines[tool] = line

    def ended(self, tool: ToolKey, status: Status) -> None:
        """Count how a call ended."""
        counts = self.tools.setdefault(tool, {})
        counts[OUTCOMES[status]] = counts.get(OUTCOMES[status], 0) + 1

    def carried_out(self, tool: ToolKey) -> int:
        """How many calls of a tool were, so far."""
        return self.tools[tool].get("carried_out", 0)

    def failed(self, tool: ToolKey, example: Example) -> None:
        """Keep the smallest call that the tool failed at."""
        self.failures[tool] = min(self.failures.get(tool, example), example, key=_rank)

    def ruled(
        self,
        tool: ToolKey,
        rulings: Iterable[Ruling],
        example: Callable[[Ruling, Example | None], Example],
    ) -> None:
        """Count what was ruled of a call that was carried out, each condition once; `example` makes the example of a
        breach, given the smallest so far."""
        worst: dict[tuple[Condition, str], Ruling] = {}
        for ruling in rulings:
            if ruling.failure:
                self.unasked.setdefault(ruling.name, ruling.failure)
                continue
            place = (kind_of(ruling, self.domain), ruling.name)
            if place not in worst or (ruling.is_broken and not worst[place].is_broken):
                worst[place] = ruling
        for (kind, name), ruling in worst.items():
            row = self.rows.setdefault((*tool, kind, name), _Row(ruling))
            row.applied += 1
            if ruling.is_broken:
                row.accepted += 1
                found = example(ruling, row.example)
                row.example = min(row.example or found, found, key=_rank)

    def unseen(self, name: str) -> list[str]:
        """What a clause asks of that no tool is told. Who asks is told, where a guard holds an argument to it."""
        compiled = self._clauses.get(name)
        if compiled is None:
            return []
        used = _variables(compiled)
        told = (
            {"actor"} if any(self._tells_actor(each) for each in self._clauses.values()) else set()
        )
        return [each for each in UNSEEN if each in used and each not in told]

    def _tells_actor(self, compiled: CompiledClause) -> bool:
        clause = compiled.clause
        return (
            clause.on == "call"
            and clause.enforce == "guard"
            and "actor" in compiled.require.variables
        )

    def probes(self, *, cut: bool) -> Probes:
        """All that was counted."""
        return Probes(
            tools=[self._tool(tool) for tool in sorted(self.tools)],
            rows=[self._row(*place) for place in sorted(self.rows)],
            not_probed=list(self._not_probed()),
            cut=cut,
        )

    def _tool(self, tool: ToolKey) -> ToolTried:
        counts = self.tools[tool]
        server, name = tool
        return ToolTried(server=server, tool=name, failure=self.failures.get(tool), **counts)

    def _row(self, server: str, tool: str, kind: Condition, name: str) -> Probed:
        row, counts = self.rows[server, tool, kind, name], self.tools[server, tool]
        return Probed(
            server=server,
            tool=tool,
            line=self.lines.get((server, tool), 0),
            kind=kind,
            name=name,
            text=self._text(kind, name),
            tried=counts.get("carried_out", 0) + counts.get("refused", 0),
            applied=row.applied,
            accepted=row.accepted,
            enforce=self._enforce(name) if kind == "clause" else "",
            unseen=self.unseen(name),
            example=row.example,
        )

    def _text(self, kind: Condition, name: str) -> str:
        if kind == "clause":
            return " ".join(self._clauses[name].clause.quote.split())
        texts = {each.id: each.text for each in self.domain.invariants}
        return " ".join(texts.get(name, f"the {kind} of {name}").split())

    def _enforce(self, name: str) -> Literal["audit", "guard"]:
        return self._clauses[name].clause.enforce

    def _not_probed(self) -> Iterator[NotProbed]:
        seen = {name for _, _, _, name in self.rows}
        for trigger, why in SPOKEN.items():
            for compiled in self.clauses.on(trigger):
                yield NotProbed(name=compiled.name, why=why)
        for rule, place, _ in self.clauses.problems:
            yield NotProbed(name=f"{rule} {place}", why="it cannot be asked: a check tells why")
        for name, compiled in self._clauses.items():
            if name in self.unasked:
                part = "in part: " if name in seen else ""
                yield NotProbed(name=name, why=f"{part}{self.unasked[name]}")
            elif name not in seen:
                spoken = {"said", "heard"} & _variables(compiled)
                why = "it is about the conversation" if spoken else "no call came under it"
                yield NotProbed(name=name, why=why)
        for invariant in self.domain.invariants:
            if invariant.id not in seen:
                yield NotProbed(name=invariant.id, why=f"no call wrote {invariant.table}")


def kind_of(ruling: Ruling, domain: Domain) -> Condition:
    """What it is that ruled."""
    if ruling.code == "rule-unenforced":
        return "clause"
    if ruling.code == "reference-dangling":
        return "reference"
    return "invariant" if any(each.id == ruling.name for each in domain.invariants) else "schema"


def _variables(compiled: CompiledClause) -> frozenset[str]:
    when = compiled.when.variables if compiled.when else frozenset()
    return compiled.require.variables | when


def _rank(example: Example) -> tuple[int, int, int, str]:
    return example.rank
