"""What probing a domain's tools showed: for each tool and condition how often it came up and was broken."""

from __future__ import annotations

from typing import Any, Literal

from worlds.body import Part
from worlds.findings import Finding, finding
from worlds.probing.paths import parts
from worlds.relations.subject import spelled
from worlds.step import Call

Condition = Literal["clause", "invariant", "schema", "reference"]


class Example(Part):
    """The smallest call that showed something."""

    environment: str
    before: list[Call] = []
    """Calls to make first, from the environment's start: where none, the call alone does it."""
    call: Call
    row: dict[str, Any] = {}
    """`{table, key, before, after}`, members that stayed the same left out; empty for a clause about the call."""
    message: str

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """Smaller is shown rather. What nobody would mean (an empty list or text, a number below zero) comes last."""
        text = self.call.model_dump_json()
        return sum(map(_is_odd, parts(self.call.args))), len(self.before), len(text), text


def _is_odd(value: Any) -> bool:
    below = isinstance(value, (int, float)) and value < 0
    return below or (isinstance(value, (str, list)) and not value)


class Probed(Part):
    """One tool against one clause, invariant, field of a schema or reference."""

    server: str
    tool: str
    line: int
    """Where the tool stands in its server's source."""
    kind: Condition
    name: str
    """`rule/clause`, the invariant's id, or `table.field`."""
    text: str
    """The quote of the clause, or the text of the invariant."""
    tried: int
    """Calls of the tool that it decided on: carried out or refused."""
    applied: int
    """Of these, the ones carried out where the condition had a say: `when` held, or a row of its table was written."""
    accepted: int
    """Of these, the ones that broke it."""
    enforce: Literal["audit", "guard", ""] = ""
    """Of a clause: what `guard` stops comes to nothing, whatever the tool let through."""
    unseen: list[str] = []
    """What the clause asks of that no tool is told: `history`, `said`, `heard`, `actor`."""
    example: Example | None = None

    @property
    def is_finding(self) -> bool:
        """Whether the tool is to blame: it could have known, and nothing else stops it."""
        return self.accepted > 0 and self.enforce != "guard" and not self.unseen


class ToolTried(Part):
    """What became of the calls of one tool."""

    server: str
    tool: str
    carried_out: int = 0
    refused: int = 0
    misfit: int = 0
    """Arguments that its schema refuses."""
    stopped: int = 0
    """By a guard, before the tool was asked."""
    failed: int = 0
    """Crashes, and calls that ran into a limit."""
    failure: Example | None = None

    @property
    def is_observed(self) -> bool:
        """Whether any call was carried out: else nothing is known of what it lets through."""
        return self.carried_out > 0


class NotProbed(Part):
    """A clause or invariant of which the probes say nothing."""

    name: str
    why: str


class Probes(Part):
    """All that was shown."""

    tools: list[ToolTried] = []
    rows: list[Probed] = []
    """By server, tool, kind and name; what never applied is left out."""
    not_probed: list[NotProbed] = []
    cut: bool = False
    """Whether the time ran out before the calls did: another run may show more."""

    def findings(self) -> list[Finding]:
        """What the tools are to blame for, one for each tool and condition."""
        return [_finding(row) for row in self.rows if row.is_finding]


CODES: dict[Condition, str] = {
    "clause": "rule-unenforced",
    "invariant": "row-invalid",
    "schema": "row-invalid",
    "reference": "reference-dangling",
}


def _finding(row: Probed) -> Finding:
    example = row.example
    assert example is not None  # noqa: S101  # what was broken has one
    first = f", after {', '.join(map(spelled, example.before))}" if example.before else ""
    did = f"{spelled(example.call)}{first}"
    message = (
        f"{row.tool} lets through what “{row.text}” ({row.name}) forbids: {did}"
        if row.kind == "clause"
        else f"{row.tool} left a row that is not as it must be: {example.message}: {did}"
    )
    return finding(
        CODES[row.kind],
        "toolserver",
        row.server,
        place=row.tool,
        symbol=f"{row.tool} {row.name}",
        message=f"{message} ({row.accepted} of {row.applied} probes).",
        evidence={
            "clause" if row.kind == "clause" else "condition": row.name,
            "line": row.line,
            **example.model_dump(mode="json"),
        },
    )
