"""The agent that follows the intent's plan, going on after a refused step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from worlds.agent import Briefing
from worlds.intent import Finish, PlanStep
from worlds.step import Action, Call, Say, Step
from worlds.template import TemplateInvalid, TemplateUnfilled, render
from worlds.world import World


class Reference:
    """Plays a plan from the pinned rows and from what its own calls returned."""

    name: ClassVar[str] = "reference"
    attempts: ClassVar[int] = 1

    def __init__(self, plan: Sequence[PlanStep], rows: dict[str, Any]) -> None:
        self.plan = [step for step in plan if step.finish is None]
        finish = next((step.finish for step in plan if step.finish is not None), None)
        self.finish = finish or Finish()
        self.names = dict(rows)
        self.done = 0

    @classmethod
    def of(cls, world: World) -> Self:
        """The reference of a world; its plan is empty where the intent has none."""
        plans, key = world.bundle.intent.plans, world.plan_key
        return cls(plans[key] if key else (), dict(world.rows))

    def begin(self, briefing: Briefing, seed: int, attempt: int) -> Action:  # noqa: ARG002  # has a plan
        """The plan's first step."""
        return self._next()

    def go_on(self, steps: Sequence[Step]) -> Action:
        """The plan's next step; what the last call returned has its name from now on."""
        last = self.plan[self.done - 1]
        if last.as_ and steps and steps[0].status == "ok":
            self.names[last.as_] = steps[0].result
        return self._next()

    def _next(self) -> Action:
        if self.done == len(self.plan):
            return Finish(
                outcome=self.finish.outcome,
                answer=self._filled(self.finish.answer),
                message=str(self._filled(self.finish.message)),
            )
        step = self.plan[self.done]
        self.done += 1
        if step.call is not None:
            return Call(tool=step.call, args=self._filled(step.args))
        return Say(text=str(self._filled(step.say)))

    def _filled(self, value: Any) -> Any:
        """Templates filled in; one that cannot be (its step was refused) stays as it is written, so
        that the step which uses it shows in the episode with what was missing."""
        if isinstance(value, dict):
            return {key: self._filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        try:
            return render(value, self.names)
        except (TemplateUnfilled, TemplateInvalid):
            return value
