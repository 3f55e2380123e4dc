"""Direct evidence: whom a finding points at, and who else may be behind it.

A finding blames the component in which it shows. That is often not where it was caused: a plan misses its goal because
a tool forgot to save. The table says, of each code, in which parts of an environment the cause may lie, and how much
that is to be expected before anything else is known; it follows the usual culprits of `docs/findings.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from triage.observations import Location, Observation, Sign
from worlds.canonical import digest

Role = Literal[
    "blamed", "called", "odd", "servers", "clause", "rules", "intent", "records", "contract"
]
"""A part of the environment as a finding sees it: what it `blamed`, the server of the tool that it cites (`called`),
those of tools that behaved oddly (`odd`), all tool servers, the rule of the clause that it cites, all rules, and so
on."""

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
    "tool-crash": {"blamed": 0.9, "records": 0.05, "contract": 0.05},
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

Component = tuple[str, str]
"""Kind and slug."""


def unproven(observation: Observation) -> Sign:
    """What stands for the signs of an environment that no finding speaks of, and that nobody solved."""
    slug = next(slug for kind, slug in observation.parts if kind == "intent")
    fingerprint = digest(["unproven", slug])[:16]
    said = "Nobody solved it, and no finding says why."
    return Sign("goal-unreachable", "warning", "intent", slug, "goal", "goal", fingerprint, said)


def pointers(sign: Sign, observation: Observation) -> dict[Component, float]:
    """The components of the environment that may be behind a sign, each with its weight in (0, 1]."""
    found: dict[Component, float] = {}
    for role, weight in _roles(sign, observation).items():
        for component in _filling(role, sign, observation):
            if weight > found.get(component, 0.0):
                found[component] = weight
    return found


def cited(sign: Sign) -> list[Location]:
    """Parts of components that a sign names, whether or not the attempt is known to have exercised them."""
    named = [sign.blamed] if sign.kind not in ("", "intent") else []
    named += [Location("rule", *name.split("/", 1)) for name in _clauses(sign)]
    if "volatile" in sign.evidence:
        named.append(Location("domain", "domain", f"volatile {sign.evidence['volatile']}"))
    return named


def may_show(sign: Sign, at: Location) -> bool:
    """Whether what is wrong at a location of the intent may show as this sign: a plan does not unbind a slot."""
    if at.kind != "intent" or not at.symbol.startswith("plans."):
        return True
    return not (sign.code in OF_NO_PLAN or sign.place.startswith(("slots", "instruction", "user")))


OF_NO_PLAN = frozenset(
    {"slot-unbound", "slot-rebound", "goal-vacuous", "goal-trivial", "goal-blind", "goal-narrow"}
    | {
        "criteria-unused",
        "criteria-conflict",
        "text-unmatched",
        "order-sensitive",
        "spelling-sensitive",
    }
)


def _roles(sign: Sign, observation: Observation) -> Mapping[Role, float]:
    """As the table says, sharpened by what this sign tells."""
    roles = ROLES.get(sign.code, {"blamed": 1.0})
    if sign.code == "slot-unbound" and CONDITION_FAILED in sign.message:
        return {"records": 0.7, "blamed": 0.25, "contract": 0.05}
    if sign.code == "arguments-invalid" and ".finish" in sign.place:
        return {"blamed": 1.0}  # the plan contradicts its own goal, and no tool takes part
    if sign.code == "criteria-unused" and "volatile" in sign.evidence:
        return {"blamed": 0.5, "contract": 0.5}
    if sign.place == "goal.outcome":
        return {"blamed": 0.95, "clause": 0.05}  # how it ends, the plan says itself
    if observation.odd and "odd" not in roles and sign.code in SHOWN_BY_ODD_CALLS:
        return {**roles, "odd": 0.9}
    return roles


CONDITION_FAILED = "the condition failed"
SHOWN_BY_ODD_CALLS = frozenset(
    {
        "plan-misses-goal",
        "plan-breaks-rule",
        "condition-invalid",
        "plan-refused",
        "arguments-invalid",
    }
)


def _filling(role: Role, sign: Sign, observation: Observation) -> list[Component]:
    if role == "blamed":
        return [(sign.kind, sign.slug)] if sign.kind else []
    if role == "called":
        return observation.servers_of(str(sign.evidence.get("tool", "")))
    if role == "odd":
        return [part for tool in observation.odd for part in observation.servers_of(tool)]
    if role == "clause":
        return [("rule", name.partition("/")[0]) for name in _clauses(sign)]
    kinds = {"servers": "toolserver", "rules": "rule", "contract": "domain"}
    kind = kinds.get(role, role)
    return [part for part in observation.parts if part[0] == kind]


def _clauses(sign: Sign) -> list[str]:
    """`rule/clause` of those that a sign cites."""
    named = [sign.evidence.get("clause"), *sign.evidence.get("clauses", [])]
    return [name for name in named if isinstance(name, str) and "/" in name]
