"""Direct evidence: whom a finding points at, and who else may be behind it.

A finding blames the component in which it shows. That is often not where it was caused: a plan misses its goal because
a tool forgot to save. The table says, of each code, in which parts of an environment the cause may lie, and how much
that is to be expected before anything else is known; it follows the usual culprits of `docs/findings.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from triage.observations import Observation, Sign

Role = Literal["blamed", "called", "servers", "clause", "rules", "intent", "records", "contract"]
"""A part of the environment as a finding sees it: what it `blamed`, the server of the tool that it cites (`called`), all
tool servers, the rule of the clause that it cites, all rules, and so on."""

TOOL: Mapping[Role, float] = {"blamed": 1.0}
INTENT: Mapping[Role, float] = {"blamed": 0.9, "servers": 0.03, "records": 0.03, "contract": 0.02}
RULE: Mapping[Role, float] = {"blamed": 0.9, "contract": 0.05}

ROLES: Mapping[str, Mapping[Role, float]] = {
    "body-invalid": {"blamed": 0.9, "contract": 0.1},
    "name-unknown": {"blamed": 0.5, "servers": 0.25, "records": 0.15, "contract": 0.1},
    "slot-unbound": {"blamed": 0.5, "records": 0.4, "contract": 0.1},
    "condition-invalid": {"blamed": 0.5, "records": 0.3, "servers": 0.15, "contract": 0.05},
    "source-invalid": TOOL,
    "arguments-invalid": {"blamed": 0.5, "called": 0.5},
    "quote-missing": RULE,
    "reference-dangling": {"blamed": 0.8, "contract": 0.1, "records": 0.1},
    "row-invalid": {"blamed": 0.7, "contract": 0.2, "records": 0.1},
    "slot-rebound": {"records": 0.6, "intent": 0.4},
    "clause-uncovered": RULE,
    "criteria-unused": {"blamed": 0.7, "contract": 0.3},
    "text-unmatched": {"blamed": 0.5, "records": 0.5},
    "tool-crash": {"blamed": 0.7, "records": 0.2, "contract": 0.1},
    "plan-refused": {
        "intent": 0.3,
        "called": 0.3,
        "clause": 0.3,
        "records": 0.2,
        "servers": 0.1,
        "contract": 0.05,
    },
    "plan-breaks-rule": {"clause": 0.35, "intent": 0.3, "servers": 0.25, "records": 0.05},
    "plan-misses-goal": {
        "servers": 0.5,
        "intent": 0.4,
        "records": 0.07,
        "rules": 0.02,
        "contract": 0.03,
    },
    "goal-vacuous": INTENT,
    "goal-trivial": INTENT,
    "effect-moved": {"servers": 0.5, "records": 0.3, "intent": 0.3},
    "nondeterministic": {"servers": 0.9, "intent": 0.1},
    "state-leak": TOOL,
    "read-writes": TOOL,
    "limit-exceeded": {"blamed": 0.8, "records": 0.2},
    "idle-step": {"intent": 0.5, "called": 0.5},
    "argument-ungrounded": {"intent": 0.6, "servers": 0.3, "records": 0.1},
    "rule-unenforced": {"blamed": 0.7, "servers": 0.3},
    "goal-blind": INTENT,
    "criteria-conflict": INTENT,
    "goal-narrow": INTENT,
    "order-sensitive": {"intent": 0.7, "contract": 0.3},
    "spelling-sensitive": {"intent": 0.7, "contract": 0.3},
    "rule-conflict": RULE,
    "goal-unreachable": {
        "intent": 0.5,
        "servers": 0.3,
        "rules": 0.2,
        "records": 0.1,
        "contract": 0.02,
    },
}
"""Code → where the cause may lie, and how much is to be expected of each place."""

UNPROVEN: Mapping[Role, float] = ROLES["goal-unreachable"]
"""Of an environment that no finding speaks of, and that nobody solved."""

Component = tuple[str, str]
"""Kind and slug."""


def pointers(sign: Sign, observation: Observation) -> dict[Component, float]:
    """The components of the environment that may be behind a sign, each with its weight in (0, 1]."""
    weights = ROLES.get(sign.code, {"blamed": 1.0})
    found: dict[Component, float] = {}
    for role, weight in weights.items():
        for component in _filling(role, sign, observation):
            if weight > found.get(component, 0.0):
                found[component] = weight
    return found


def _filling(role: Role, sign: Sign, observation: Observation) -> list[Component]:
    if role == "blamed":
        return [(sign.kind, sign.slug)] if sign.kind else []
    if role == "called":
        return observation.servers_of(str(sign.evidence.get("tool", "")))
    if role == "clause":
        return _clauses(sign)
    kinds = {"servers": "toolserver", "rules": "rule", "contract": "domain"}
    kind = kinds.get(role, role)
    return [part for part in observation.parts if part[0] == kind]


def _clauses(sign: Sign) -> list[Component]:
    named = [sign.evidence.get("clause"), *sign.evidence.get("clauses", [])]
    return [("rule", str(name).partition("/")[0]) for name in named if name]
