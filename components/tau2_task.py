"""One task in the format that τ² publishes: read strictly where it matters, and said as an intent.

Keys that older and other files lack may be missing; keys that this import does not know are ignored,
except where ignoring them would change what the task asks (`initial_state`, actions of the user).
"""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from worlds.canonical import digest
from worlds.intent import Finish, Goal, Intent, PlanStep, Unscored, User

INSTRUCTION = (
    "A customer is contacting you. Find out what they need, do what the policy allows, "
    "and finish once there is nothing left to do for them."
)
"""What an agent reads: the same for every task, for what the customer wants is theirs to say."""

READS = ("get_", "find_", "list_", "search_", "calculate", "think")
"""How the names of tools that change nothing begin; used for titles only."""

HEADINGS = {
    "reason_for_call": "Why you are calling",
    "known_info": "What you know",
    "unknown_info": "What you do not know",
    "task_instructions": "How to go about it",
}
"""What is said of the user, in the order in which it is told."""


class Published(BaseModel):
    """A piece of a published file: what it does not need to know it lets pass."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Action(Published):
    """A call of the reference solution."""

    name: str
    arguments: dict[str, Any] = {}
    requestor: str = "assistant"


class Criteria(Published):
    """How the task is judged where it was published."""

    actions: list[Action] | None = None
    communicate_info: list[str] | None = None
    nl_assertions: list[str] | None = None
    env_assertions: list[dict[str, Any]] | None = None
    reward_basis: list[str] = ["DB", "COMMUNICATE"]
    """What counts; as published, a task without the key is judged by these two."""


class Scenario(Published):
    """Who the user is and what they want."""

    persona: str | None = None
    instructions: str | dict[str, Any] = ""


class Task(Published):
    """A published task."""

    id: str | int
    description: str | dict[str, Any] | None = None
    user_scenario: str | Scenario | None = None
    criteria: Criteria | None = Field(alias="evaluation_criteria", default=None)
    issues: list[dict[str, Any]] | None = None
    initial_state: Any = None

    @model_validator(mode="after")
    def _playable(self) -> Task:
        if _says_something(self.initial_state):
            raise ValueError("it has an initial_state of its own, which this import cannot carry")
        for number, action in enumerate(self.judged.actions or []):
            if action.requestor != "assistant":
                raise ValueError(
                    f"evaluation_criteria.actions[{number}] is made by {action.requestor!r}, "
                    "and only the agent has tools here"
                )
        return self

    @property
    def judged(self) -> Criteria:
        """The criteria; where there are none, nothing counts."""
        return self.criteria or Criteria(reward_basis=[])

    @property
    def slug(self) -> str:
        """`task-<id>`; an id that does not fit a slug keeps what fits, and a digest tells it from others."""
        given = str(self.id)
        fitting = re.sub(r"[^A-Za-z0-9_-]+", "-", given).strip("-")[:100]
        name = fitting if fitting == given else f"{fitting}-{digest(given)[:8]}".strip("-")
        return f"task-{name}"


def _says_something(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_says_something, value.values()))
    return bool(value)


def intent(task: Task) -> Intent:
    """The task as an intent: what is counted where it was published is its goal, the rest is carried along."""
    criteria = task.judged
    counted = criteria.communicate_info if "COMMUNICATE" in criteria.reward_basis else None
    mentions = [_escaped(text) for text in counted or []]
    brief = _brief(task.user_scenario)
    # The published solution is its actions and the facts that it tells the user.
    finish = PlanStep(finish=Finish(message="\n".join(mentions)))
    return Intent(
        instruction=INSTRUCTION,
        user=User(brief=_escaped(brief) or None),
        goal=Goal(
            matches_plan="DB" in criteria.reward_basis,
            mentions=mentions,
        ),
        plans={"default": [*map(_step, criteria.actions or []), finish]},
        unscored=_unscored(criteria),
    )


def about(task: Task) -> dict[str, Any]:
    """The about block of the task's intent."""
    lines = [
        *_described(task.description),
        *(_issue(issue) for issue in task.issues or []),
        f"Counted where it was published: {', '.join(task.judged.reward_basis) or 'nothing'}.",
    ]
    return {"title": _title(task), "notes": "\n".join(lines), "authority": "given"}


def _escaped(value: Any) -> Any:
    """`value` as a template that gives `value`: braces doubled in every text of it."""
    if isinstance(value, str):
        return value.replace("{", "{{").replace("}", "}}")
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    if isinstance(value, dict):
        return {key: _escaped(item) for key, item in value.items()}
    return value


def _step(action: Action) -> PlanStep:
    return PlanStep(call=action.name, args=_escaped(action.arguments))


def _brief(scenario: str | Scenario | None) -> str:
    if scenario is None or isinstance(scenario, str):
        return scenario or ""
    told = [f"Who you are: {scenario.persona}"] if scenario.persona else []
    if isinstance(scenario.instructions, str):
        return "\n\n".join([*told, scenario.instructions]).strip()
    said = scenario.instructions
    others = [key for key in said if key not in HEADINGS and key != "domain"]
    told += [
        f"{HEADINGS.get(key, _words(key))}: {_text(said[key])}"
        for key in [*HEADINGS, *others]
        if said.get(key)
    ]
    return "\n\n".join(told)


def _unscored(criteria: Criteria) -> list[Unscored]:
    basis = criteria.reward_basis
    facts = [] if "COMMUNICATE" in basis else criteria.communicate_info or []
    actions = (criteria.actions or []) if "ACTION" in basis else []
    carried = [
        *(("communicate_info", fact) for fact in facts),
        *(("nl_assertion", text) for text in criteria.nl_assertions or []),
        *(("env_assertion", _text(entry)) for entry in criteria.env_assertions or []),
        *(("action", f"{each.name}({_text(each.arguments)})") for each in actions),
    ]
    return [Unscored(kind=kind, text=text, counts=kind.upper() in basis) for kind, text in carried]


def _title(task: Task) -> str:
    writes = [
        _words(action.name).lower()
        for action in task.judged.actions or []
        if not action.name.startswith(READS)
    ]
    what = "; ".join(dict.fromkeys(writes)) or "change nothing"
    return f"Task {task.id}: {what}"


def _described(description: str | dict[str, Any] | None) -> list[str]:
    if isinstance(description, str):
        return [description]
    return [f"{_words(key)}: {_text(value)}" for key, value in (description or {}).items() if value]


def _issue(issue: dict[str, Any]) -> str:
    title = issue.get("title") or issue.get("description") or issue.get("id")
    return f"Published issue ({issue.get('status') or 'no status'}): {_text(title)}"


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
