"""Findings: pieces of evidence of a defect, and the table of every code that a check can report."""

from __future__ import annotations

from typing import Any, Literal

from worlds.body import Kind, Part
from worlds.canonical import digest

Severity = Literal["blocking", "warning", "advice"]
Stage = Literal["static", "controls", "soundness", "solving", "opinions"]


class Code(Part):
    """What a code means to a reader, in one line each."""

    stage: Stage
    severity: Severity
    """The severity it has unless the finding says otherwise."""
    meaning: str
    otherwise: str = ""
    """When it has another severity, in words; empty where it never has."""


OTHERWISE = {
    "name-unknown": "a warning where only a line of the user's script waits for it",
    "condition-invalid": "a warning where a literal is none of an enum's values, or only rows at rest fail",
    "source-invalid": "a warning where the type checker says so, or an outside server prints what is no message",
    "row-invalid": "a warning where only all other rows tell what its field should be, or only rows at rest are so",
    "reference-dangling": "a warning where only rows at rest do",
    "tool-crash": "a warning where only an id that no row has leads to it, as a mistaken agent may give one",
    "arguments-invalid": "a warning where a read is not understood and the goal is met all the same",
    "plan-refused": "a warning where a read is refused and the goal is met all the same",
    "goal-vacuous": "a warning where the source also counts what nothing here can judge",
    "goal-trivial": "a warning where the source also counts what nothing here can judge",
    "goal-blind": "a warning where no tool was found that does it, or only a value that the user named differs",
    "goal-unreachable": "blocking where it is proven without a search",
}


def _codes(stage: Stage, severity: Severity, **meanings: str) -> dict[str, Code]:
    return {
        name: Code(
            stage=stage, severity=severity, meaning=meaning, otherwise=OTHERWISE.get(name, "")
        )
        for name, meaning in ((key.replace("_", "-"), said) for key, said in meanings.items())
    }


CODES: dict[str, Code] = {
    **_codes(
        "static",
        "blocking",
        body_invalid="A component's body does not say what its kind requires.",
        name_unknown="A table, field, slot, tool or clause is named that does not exist.",
        slot_unbound="No row fits a slot of the intent.",
        condition_invalid="A condition does not compile, is refused by the gates, or fails on the plan's own episode.",
        source_invalid="A tool server's source cannot be used: syntax, imports, state, or forbidden access.",
        arguments_invalid="A plan calls a tool with arguments that its schema refuses.",
        quote_missing="A clause quotes words that the rule's text does not have.",
        reference_dangling="A row refers to a row that does not exist.",
        row_invalid="A row breaks its table's schema or an invariant.",
    ),
    **_codes(
        "static",
        "warning",
        slot_rebound="A pinned row no longer fits its slot.",
        clause_uncovered="The rule's text demands or forbids something that no clause quotes and no judgement lists.",
        criteria_unused="Criteria are listed that nothing counts.",
        text_unmatched="A text names an id or an e-mail address that no row of the records has.",
    ),
    **_codes(
        "controls",
        "blocking",
        tool_crash="A tool failed with an exception that is no business refusal.",
        plan_refused="A tool refused a step of the plan.",
        plan_breaks_rule="The plan violates a clause of the rules.",
        plan_misses_goal="The plan was carried out and the goal is not met.",
        goal_vacuous="An agent that does nothing meets the goal.",
        goal_trivial="An agent that only refuses, or only reads and repeats, meets the goal.",
        effect_moved="The plan no longer leads to the pinned effect.",
        nondeterministic="The plan, played twice, led to two different episodes.",
        state_leak="A call answered otherwise after other calls than it does in a clean session.",
        read_writes="A tool that is declared to read only changed records.",
        limit_exceeded="A call ran into a limit of time, memory or size.",
    ),
    **_codes(
        "controls",
        "warning",
        idle_step="A step of the plan calls a tool that writes, and it changed nothing.",
        argument_ungrounded="The plan uses a value that an agent cannot know.",
        rule_unenforced="A clause that should stop a call did not stop it.",
    ),
    **_codes(
        "soundness",
        "blocking",
        goal_blind="A wrong way of doing it meets the goal.",
        criteria_conflict="Two criteria of the goal exclude each other.",
    ),
    **_codes(
        "soundness",
        "warning",
        goal_narrow="Another right way of doing it misses the goal.",
        order_sensitive="The same in another order misses the goal.",
        spelling_sensitive="The same value, spelled otherwise, misses the goal.",
    ),
    **_codes(
        "solving",
        "blocking",
        rule_conflict="Two clauses demand opposite things of one call.",
    ),
    **_codes(
        "solving",
        "warning",
        goal_unreachable="No way to meet the goal was found.",
    ),
}


class Finding(Part):
    """One piece of evidence, against one component, at one place."""

    code: str
    severity: Severity
    kind: Kind | None
    """Of the component blamed; None where no component is (infrastructure)."""
    component: str
    """Its slug; the domain contract's is `domain`."""
    place: str
    """Where in the body: `goal.require[0]`, `plans.default[2]`, `book_room:41`, `orders/#W12#status`."""
    symbol: str
    """Where in words that outlive an edit: function, condition path, table.field, slot, plan tool."""
    message: str
    evidence: dict[str, Any] = {}
    """What to open: `{episode: agent/attempt, step: 3}`, `{row: …}`, `{line: 41}`; plain JSON."""

    @property
    def fingerprint(self) -> str:
        """The same for the same defect whatever line, row or version shows it."""
        return digest([self.code, self.kind, self.component, self.symbol])[:16]


def finding(code: str, kind: Kind | None, component: str, **rest: Any) -> Finding:
    """A finding of `code` with the severity of the table, unless `severity` is given."""
    rest.setdefault("severity", CODES[code].severity)
    return Finding(code=code, kind=kind, component=component, **rest)
