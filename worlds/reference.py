"""The reference: a plan that is said to work, and what its episode contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from worlds.citation import FAILED, cited, server_of
from worlds.findings import Finding, finding
from worlds.play import TOGETHER
from worlds.playedplan import PlayedStep, played_plan
from worlds.reach import unreachable
from worlds.retrace import retraced
from worlds.step import Assertion, Episode, Step
from worlds.told import tells
from worlds.world import ASK_USER, World
from worlds.writing import idle_steps

UNSAVED = "answered without an error and changed no row"
MOST_NAMED = 5


class ReferenceControl:
    """What the reference's episode contradicts."""

    def __init__(self, world: World, episode: Episode) -> None:
        self.world, self.episode, self.verdict = world, episode, episode.verdict
        self.slug = world.bundle.manifest.intent.slug
        self.plan = world.plan_key or "default"
        self.missed = self.verdict is not None and self.verdict.reward == 0
        self.assertions = self.verdict.assertions if self.verdict else []
        self.played = played_plan(world, episode)
        self.numbers = {each.step.index: each.number for each in self.played}
        self.lacking = {each.step.index for each in self.played if each.lacks}
        """Steps that were played with braces in them: what came of those is a consequence."""

    def findings(self) -> Iterator[Finding]:
        """In the order in which causes come before consequences."""
        refused = list(self._refused())
        yield from refused
        yield from self._unfilled()
        yield from self._overspent()
        yield from self._rule_breaks()
        is_over = any(item.severity == "blocking" for item in refused) or self._stopped()
        yield from self._conditions(of_goal=not is_over and not self.lacking)
        yield from self._script()
        if is_over:
            return
        if not self.lacking:
            yield from self._goal()
        if self.verdict is not None and self.verdict.reward == 1:
            yield from self._idle_steps()

    def _stopped(self) -> bool:
        failed = any(step.status in FAILED for step in self.episode.steps)
        return failed or self.episode.cut.startswith(TOGETHER)

    def _overspent(self) -> Iterator[Finding]:
        """No single call did it, but together they are more than a plan may cost."""
        calls = [step for step in self.episode.steps if step.tool in self.world.tools]
        if calls and self.episode.cut.startswith(TOGETHER):
            last = calls[-1]
            yield finding(
                "limit-exceeded",
                "toolserver",
                server_of(self.world, last),
                place=last.tool,
                symbol=last.tool,
                message=f"The plan was cut off after {last.tool}: {self.episode.cut}.",
                evidence=cited(self.episode, last.index, tool=last.tool, args=last.args),
            )

    def _unfilled(self) -> Iterator[Finding]:
        """Steps that lack what an earlier one, which went well, or a slot's row should have given."""
        for each in self.played:
            if each.is_cause and not self._is_known(each):
                yield finding(
                    "name-unknown",
                    "intent",
                    self.slug,
                    place=f"plans.{self.plan}[{each.number}]",
                    symbol=f"plan {each.step.tool or each.step.kind}",
                    message=f"Step {each.number} of the plan, {each.step.tool or each.step.kind}: {each.lacks[0]}.",
                    evidence=cited(self.episode, each.step.index, lacks=list(each.lacks)),
                )

    def _is_known(self, each: PlayedStep) -> bool:
        """Whether a step that comes before it in the plan lacks the same."""
        before = self.played[: self.played.index(each)]
        return any(set(each.lacks) <= set(other.lacks) for other in before)

    def _refused(self) -> Iterator[Finding]:
        """Up to a call that failed: what is refused after it lacks what that call should have given."""
        for step in self.episode.steps:
            if step.status in FAILED:
                return
            if step.index in self.lacking:
                continue
            if step.status in ("refused", "guarded", "invalid") and not self._was_led(step):
                yield self._refusal(step)

    def _was_led(self, step: Step) -> bool:
        """Whether it is the user's own mistake that a read looks for in vain, or a refusal that the user's script
        waits for: whoever plays it out is not lost."""
        harmless = step.status in ("refused", "guarded") and not self.missed
        if not harmless or not self.world.bundle.intent.is_dialogue:
            return False
        is_mistake = step.status == "refused" and self._reads(step)
        return self._is_awaited(step) or (is_mistake and tells(self.world, step.args))

    def _is_awaited(self, step: Step) -> bool:
        user = self.world.user()
        return user is not None and user.awaits_refusal(step.tool)

    def _reads(self, step: Step) -> bool:
        return step.tool == ASK_USER or (
            step.tool in self.world.tools and not self.world.tools[step.tool][2].writes
        )

    def _refusal(self, step: Step) -> Finding:
        reads = self._reads(step)
        number = self.numbers[step.index]
        by = {"refused": "refused", "guarded": "stopped by a rule", "invalid": "not understood"}
        return finding(
            "arguments-invalid" if step.status == "invalid" else "plan-refused",
            "intent",
            self.slug,
            severity="warning" if self._proves_nothing(reads) else "blocking",
            place=f"plans.{self.plan}[{number}]" + (".args" if step.status == "invalid" else ""),
            symbol=f"plan {step.tool}",
            message=f"Step {number} of the plan, {step.tool}, is {by[step.status]}: {step.result}"
            + ("" if not self._proves_nothing(reads) else self._consolation()),
            evidence=cited(
                self.episode,
                step.index,
                tool=step.tool,
                args=step.args,
                reads=reads,
                line=step.line,
                **({"clause": step.guard} if step.guard else {}),
            ),
        )

    def _consolation(self) -> str:
        """Why a refusal is a warning only."""
        if self.world.hides_state:
            return " (Nobody knows what rows the server begins with.)"
        return " (It only reads, and the goal is met all the same.)"

    def _proves_nothing(self, reads: bool) -> bool:
        """A refused read that cost nothing, or a server of which nobody knows what rows it begins with."""
        return self.world.hides_state or (reads and not self.missed)

    def _rule_breaks(self) -> Iterator[Finding]:
        steps = (step for step in self.episode.steps if step.index not in self.lacking)
        for step in steps if self.verdict else ():
            for name in step.violations:
                rule, _, clause = name.partition("/")
                assertion = self._clause(name)
                evidence = cited(self.episode, step.index, clause=name, plan=self.slug)
                if assertion.invalid:
                    yield finding(
                        "condition-invalid",
                        "rule",
                        rule,
                        place=f"clauses.{clause}",
                        symbol=clause,
                        message=f"The clause “{assertion.text}” failed at step {step.index}: {assertion.detail}",
                        evidence=evidence,
                    )
                else:
                    yield self._break(step, name, assertion, evidence)

    def _clause(self, name: str) -> Assertion:
        return next(item for item in self.assertions if item.place == name)

    def _break(
        self, step: Step, clause: str, assertion: Assertion, evidence: dict[str, Any]
    ) -> Finding:
        number = self.numbers[step.index]
        what = step.tool or step.kind
        return finding(
            "plan-breaks-rule",
            "intent",
            self.slug,
            place=f"plans.{self.plan}[{number}]",
            symbol=f"plan {what} {clause}",
            message=f"Step {number} of the plan, {what}, violates “{assertion.text}” ({clause}).",
            evidence=evidence,
        )

    def _conditions(self, *, of_goal: bool) -> Iterator[Finding]:
        """Those that failed; the goal's only where the plan ran to its end: else they miss what it did not do."""
        for item in self.assertions:
            if item.place.startswith("goal.") and not of_goal:
                continue
            if item.invalid and item.kind != "clause" and not self._is_static(item):
                yield finding(
                    "condition-invalid",
                    "intent",
                    self.slug,
                    place=item.place,
                    symbol=item.place,
                    message=f"{item.text}: {item.detail}",
                    evidence=cited(self.episode, text=item.text),
                )

    def _is_static(self, item: Assertion) -> bool:
        return item.place in {problem.place for problem in self.world.goal.problems}

    def _script(self) -> Iterator[Finding]:
        """Lines of the user whose `when` failed at something that the plan says."""
        user = self.world.user()
        if user is None or not any(step.kind == "say" for step in self.episode.steps):
            return
        for passed in retraced(self.world, self.episode):
            if passed.step.kind == "say":
                user.reply(passed.before, passed.step.text)
        for number, why in user.failed.items():
            place = f"user.script[{number}].when"
            yield finding(
                "condition-invalid",
                "intent",
                self.slug,
                place=place,
                symbol=place,
                message=f"The user's line {number} could not be decided on: {why}",
                evidence=cited(self.episode),
            )

    def _idle_steps(self) -> Iterator[Finding]:
        for step in idle_steps(self.world, self.episode):
            if step.index not in self.lacking:
                number = self.numbers[step.index]
                yield finding(
                    "idle-step",
                    "intent",
                    self.slug,
                    place=f"plans.{self.plan}[{number}]",
                    symbol=f"plan {step.tool}",
                    message=f"Step {number} of the plan, {step.tool}, {UNSAVED}; the goal is met all the same.",
                    evidence=cited(self.episode, step.index, tool=step.tool, args=step.args),
                )

    def _goal(self) -> Iterator[Finding]:
        proven = {item.place for item in unreachable(self.world)}
        for item in self.assertions:
            if item.met or item.invalid or item.kind == "clause" or item.place in proven:
                continue
            moved = item.place == "pin.effect"
            idle = self._idle()
            yield finding(
                "effect-moved" if moved else "plan-misses-goal",
                "intent",
                self.slug,
                place=item.place,
                symbol=item.place,
                message=f"After the plan, the goal “{item.text}” is not met: {item.detail}."
                + (f" {_named(idle)} {UNSAVED}." if idle else ""),
                evidence=cited(self.episode, text=item.text, idle=[step.index for step in idle]),
            )

    def _idle(self) -> list[Step]:
        """Calls that were answered and wrote nothing, where that is odd: a tool may have forgotten to save.

        It is for tools that write; and for all, where none did: one without a write is not known to be one.
        """
        answered = [
            s for s in self.episode.steps if s.status == "ok" and s.tool in self.world.tools
        ]
        if not any(step.changes for step in answered):
            return answered
        return [s for s in answered if self.world.tools[s.tool][2].writes and not s.changes]


def _named(steps: Sequence[Step]) -> str:
    shown = [f"{step.tool} (step {step.index})" for step in steps[:MOST_NAMED]]
    more = [f"{len(steps) - MOST_NAMED} more"] if len(steps) > MOST_NAMED else []
    return " and ".join([", ".join(shown), *more])
