"""One attempt under way: the records as they now are, and all that was called, said and heard."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from worlds.clauses import Moment, Violation
from worlds.conditions import Allowance, View
from worlds.diff import Diff
from worlds.hosts import Host
from worlds.intent import Finish
from worlds.outcome import Outcome
from worlds.records import Records, Row
from worlds.step import Action, Call, Say, Status, Step
from worlds.toolserver import ToolServer
from worlds.toolsession import ToolSession
from worlds.world import ASK_CARD, ASK_USER, World

LIMITS_BORNE = 3
"""An attempt is cut off after this many calls that ran into a limit: each costs seconds."""
TOGETHER = "the calls of the attempt together"
CALLS_SECONDS = 10.0
"""An attempt is cut off when its calls together ran longer: forty slow ones would outlast any worker's patience."""
CALLS_BYTES = 16_000_000
"""An attempt is cut off when the results and changes of its calls are more: an episode is kept whole."""


class Play:
    """The state of an attempt. Tool code runs in `session`; everything else is here."""

    def __init__(self, world: World, session: ToolSession) -> None:
        self.world = world
        self.session = session
        self.records = Records(world.base)
        self.records.touched.update(
            (world.bundle.intent.slots[name].table, key) for name, key in world.binding.items()
        )
        self.now: datetime = world.base.clock.now
        self.allowance = Allowance()
        self.user = world.user()
        self.steps: list[Step] = []
        self.history: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.heard: list[str] = [world.opening] if self.user else []
        self.violations: list[Violation] = []
        self.forbidden: list[tuple[int, Outcome]] = []
        self.noise: list[tuple[int, str]] = []
        self.finish: Finish | None = None
        self._seconds = 0.0
        self._bytes = 0

    def fork(self) -> Play:
        """An attempt of its own that goes on from here, in the same tool session; costs what was changed and said."""
        other = Play(self.world, self.session)
        other.records = self.records.fork()
        other.now = self.now
        other.allowance = replace(self.allowance)
        if self.user is not None and other.user is not None:
            other.user.fired, other.user.spent = self.user.fired, dict(self.user.spent)
        for name in ("steps", "history", "said", "heard", "violations", "forbidden", "noise"):
            setattr(other, name, list(getattr(self, name)))
        other.finish = self.finish
        other._seconds, other._bytes = self._seconds, self._bytes  # of the same class
        return other

    @property
    def exhausted(self) -> str:
        """Why this attempt must be cut off; empty while it may go on."""
        if sum(step.status == "limit" for step in self.steps) >= LIMITS_BORNE:
            return "too many calls ran into limits"
        if self._seconds > CALLS_SECONDS:
            return f"{TOGETHER} ran longer than {CALLS_SECONDS:g} s"
        if self._bytes > CALLS_BYTES:
            return f"{TOGETHER} returned and changed more than {CALLS_BYTES} bytes"
        return ""

    @property
    def view(self) -> View:
        """What conditions look at now."""
        return View(self.records, self.now, self.allowance)

    @property
    def actor(self) -> Row | None:
        """The row on whose behalf the agent acts, as it now is."""
        intent, binding = self.world.bundle.intent, self.world.binding
        if intent.actor is None or intent.actor not in binding:
            return None
        return self.records.get(intent.slots[intent.actor].table, binding[intent.actor])

    @property
    def moment(self) -> Moment:
        """What clauses look at now."""
        return Moment(self.view, self.actor, self.history, self.said, self.heard)

    def act(self, action: Action) -> Sequence[Step]:
        """Do what the agent wants; returns the steps that it led to."""
        first = len(self.steps)
        if isinstance(action, Call):
            self._call(action)
        elif isinstance(action, Say):
            self._say(action.text)
        else:
            self._finish(action)
        return self.steps[first:]

    def _add(self, **fields: Any) -> None:
        self.steps.append(Step(index=len(self.steps), **fields))

    def _note(self, violations: Sequence[Violation]) -> list[str]:
        self.violations.extend(violations)
        return [violation.name for violation in violations]

    # Calls

    def _call(self, call: Call) -> None:
        asked = call.tool == ASK_USER and self.user is not None
        problem = None if asked else self._unfit(call)
        if asked:
            self._ask(call)
        elif problem:
            self._called(call, "invalid", problem)
        else:
            self._permitted_call(call)

    def _unfit(self, call: Call) -> str | None:
        if call.tool not in self.world.tools:
            return f"There is no tool {call.tool!r}; there are {', '.join(self.world.tools)}."
        _, _, tool = self.world.tools[call.tool]
        return tool.refuse(call.args)

    def _permitted_call(self, call: Call) -> None:
        against = self.world.clauses.on_call(self.moment, call)
        guard = next((item for item in against if item.enforce == "guard"), None)
        if guard:
            self._called(call, "guarded", forbids(guard.quote), guard=guard.name)
            return
        broken = self._note(against)
        before = self.records.snapshot()
        outcome = self._run(call)
        changes = self.records.diff_since(before)
        self._bytes += len(json.dumps(outcome.value)) + len(json.dumps(changes))
        guard, written = self._judge_writes(changes)
        if guard and self._takes_back(call):
            self.records.restore(before)
            self._called(call, "guarded", forbids(guard.quote), violations=broken, guard=guard.name)
            return
        broken += self._note(written)
        result = outcome.value if outcome.status == "ok" else outcome.message
        self._called(
            call,
            outcome.status,
            result,
            changes=changes,
            violations=broken,
            line=outcome.line if outcome.status != "ok" else None,
            function=outcome.function if outcome.status != "ok" else "",
        )

    def _takes_back(self, call: Call) -> bool:
        """Whether what a call wrote can be undone where it was written."""
        _, server, _ = self.world.tools[call.tool]
        return isinstance(server, ToolServer) or server.settings.capabilities["snapshot"]

    def _judge_writes(self, changes: Diff) -> tuple[Violation | None, list[Violation]]:
        against = self.world.clauses.on_write(self.moment, changes) if changes else []
        guard = next((item for item in against if item.enforce == "guard"), None)
        return guard, against

    def _run(self, call: Call) -> Outcome:
        _, server, _ = self.world.tools[call.tool]
        host = Host(self.records, self.now)
        self.session.ready(server, host)
        began = time.monotonic()
        outcome = self.session.call(server, call.tool, call.args, host)
        self._seconds += time.monotonic() - began
        if outcome.forbidden:
            self.forbidden.append((len(self.steps), outcome))
        if outcome.noise:
            self.noise.append((len(self.steps), outcome.noise))
        return outcome

    def _called(self, call: Call, status: Status, result: Any, **rest: Any) -> None:
        self._add(kind="call", tool=call.tool, args=call.args, status=status, result=result, **rest)
        self.history.append(
            {"tool": call.tool, "args": call.args, "result": result, "status": status}
        )
        self.now += self.world.base.clock.per_call

    def _ask(self, call: Call) -> None:
        about = call.args.get("about")
        if not isinstance(about, str) or set(call.args) != set(ASK_CARD.parameters["properties"]):
            self._called(call, "invalid", "ask_user takes one text argument, `about`.")
            return
        answer = self.user.answer(about) if self.user else ""
        self.heard.append(answer)
        self._called(call, "ok", answer)

    # Words

    def _say(self, text: str) -> None:
        broken = self._speak(text)
        self._add(kind="say", text=text, violations=broken)
        if self.user is not None:
            reply = self.user.reply(self.moment, text)
            self.heard.append(reply)
            self._add(kind="hear", text=reply)

    def _speak(self, text: str) -> list[str]:
        broken = self._note(self.world.clauses.on_say(self.moment, text))
        self.said.append(text)
        return broken

    def _finish(self, finish: Finish) -> None:
        broken = self._speak(finish.message) if finish.message else []
        self.finish = finish
        broken += self._note(self.world.clauses.on_end(self.moment))
        self._add(
            kind="finish",
            outcome=finish.outcome,
            args=finish.answer,
            text=finish.message,
            violations=broken,
        )


def forbids(quote: str) -> str:
    """What an agent reads when a guard stops it: the rule's own words, on one line."""
    return "Not permitted: " + " ".join(quote.split())
