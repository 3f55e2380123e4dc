"""The order of a search: which call to make next, in which state, and what is learnt from it."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable
from typing import Any

from agents.agenda import Agenda
from agents.branch import Branch, Planned, Seen
from agents.habits import Habits
from agents.knowledge import TOLD, Knowledge
from agents.standing import Judge
from worlds.play import Play
from worlds.step import Call, Say
from worlds.toolsession import ToolSession
from worlds.user import ASK_USER, NOT_KNOWN, NOTHING_MORE
from worlds.world import World

STEP = 0.5
"""What each change on the way costs."""
IDLE = 3.5
"""What it costs beyond that when it brought nothing."""
CROWD = 0.15
"""And what each earlier one from the same state adds: the first few may be a first step, not fifty."""
IDLE_AGENDA = 1.0
"""What the best call there is taken to cost before anybody has thought it over."""
PROGRESS = 4.0
"""What it is worth to be at the goal."""
SPOILT = 8.0
"""What it costs that something holds no more."""
DULL = 3
"""A call that showed nothing new tires like so many that did."""


class Seeker:
    """Makes one call after another; `next` gives the branch in which something came of it."""

    def __init__(self, world: World, session: ToolSession, limit: int) -> None:
        self.world = world
        self.limit = limit
        self.calls = 0
        self.depth = 0
        self.turn = 0
        self.habits = Habits()
        self.agenda = Agenda(world.briefing, self.habits)
        self.seen: dict[int, Seen] = {}
        self.start = self._start(session)
        self._states = {self._state(self.start.play)}
        self._queue: list[tuple[float, int, Branch]] = [(0.0, 0, self.start)]
        self._pushed = 0

    def _start(self, session: ToolSession) -> Branch:
        briefing = self.world.briefing
        knowledge = Knowledge(briefing.now)
        knowledge.hear(briefing.opening)
        knowledge.read(briefing.policy, TOLD)
        play = Play(self.world, session)
        self.judge = Judge(play)
        return Branch(play, knowledge, self.judge.stand(play))

    # The queue

    def next(self) -> Branch | None:
        """Make the most promising call. The branch where it changed what is known or is itself new; None when
        nothing is left to try."""
        while self._queue:
            _, _, branch = heapq.heappop(self._queue)
            self.agenda.refresh(branch)
            if not branch.agenda:
                continue
            cost = self._penalty(branch) + branch.agenda[-1].cost
            if self._queue and cost > self._queue[0][0]:
                self._push(branch, cost)
                continue
            planned = branch.agenda.pop()
            if planned.key in branch.tried:
                self._push(branch, cost)
                continue
            found = self._perform(branch, planned)
            self._push(branch, cost)
            return found
        return None

    def _push(self, branch: Branch, cost: float) -> None:
        self._pushed += 1
        heapq.heappush(self._queue, (cost, self._pushed, branch))

    def _penalty(self, branch: Branch) -> float:
        standing = branch.standing
        spoilt = SPOILT if standing.is_spoilt else 0.0
        return branch.toil + PROGRESS * (1 - standing.progress) + spoilt

    def _perform(self, branch: Branch, planned: Planned) -> Branch:
        if planned.writes and isinstance(planned.action, Call):
            for look in self.agenda.looks(branch, planned):
                if self.calls + 1 < self.limit:
                    self._act(branch, look)
        return self._act(branch, planned)

    def _act(self, branch: Branch, planned: Planned) -> Branch:
        branch.tried.add(planned.key)
        branch.made += 1
        needed = self._needed(branch, planned)
        play = branch.with_seen(self.seen[number] for number in needed)
        before = len(play.steps), len(play.history), len(play.heard), len(play.violations)
        steps = play.act(planned.action)
        self.turn += 1
        if isinstance(planned.action, Call):
            self.calls += 1
            self._learn(planned, steps[0].status, steps[0].result)
        if len(play.violations) > before[3]:
            return branch
        if steps[0].changes or isinstance(planned.action, Say):
            return self._branched(branch, planned, play, needed)
        version = branch.knowledge.version
        self._noted(branch, planned, play, before)
        self._tire(branch, planned, 1 if branch.knowledge.version > version else DULL)
        return branch

    @staticmethod
    def _tire(branch: Branch, planned: Planned, count: int) -> None:
        if isinstance(planned.action, Call):
            tool = planned.action.tool
            branch.tools[tool] = branch.tools.get(tool, 0) + count

    def _learn(self, planned: Planned, status: str, result: Any) -> None:
        assert isinstance(planned.action, Call)  # noqa: S101  # words teach no habits
        if status == "ok":
            self.habits.went_well(planned.chosen)
        else:
            self.habits.was_refused(planned.chosen, str(result))
        if status == "limit":
            self.agenda.ran_into_limit(planned.action.tool)

    def _noted(
        self, branch: Branch, planned: Planned, play: Play, before: tuple[int, int, int, int]
    ) -> None:
        step = play.steps[before[0]]
        seen = Seen(
            number=self.turn,
            action=planned.action,
            sources=_sources(planned),
            steps=play.steps[before[0] :],
            history=play.history[before[1] :],
            heard=play.heard[before[2] :],
            args=_texts(planned),
            branch=branch,
            result=step.result,
            is_good=step.status == "ok",
            doubt=max((option.cost for option in planned.chosen.values()), default=0.0),
        )
        self.seen[self.turn] = seen
        branch.seen.append(seen)
        self._take_in(branch.knowledge, seen)

    def _take_in(self, knowledge: Knowledge, seen: Seen) -> None:
        call = seen.action
        if isinstance(call, Call) and call.tool == ASK_USER:
            if seen.is_good and seen.result != NOT_KNOWN:
                knowledge.answered(str(call.args["about"]), str(seen.result), seen.number)
        elif seen.is_good:
            knowledge.see(seen.result, seen.number)
        elif seen.steps[0].status == "refused":
            knowledge.read(str(seen.result), seen.number)

    def _branched(
        self, branch: Branch, planned: Planned, play: Play, needed: frozenset[int]
    ) -> Branch:
        state = self._state(play)
        says_nothing = isinstance(planned.action, Say) and play.heard[-1] == NOTHING_MORE
        if state in self._states or says_nothing:
            return branch
        self._states.add(state)
        knowledge = branch.knowledge.fork()
        result = play.heard[-1] if isinstance(planned.action, Say) else play.steps[-1].result
        if isinstance(planned.action, Say):
            knowledge.hear(result, self.turn)
        else:
            knowledge.see(result, self.turn)
        standing = self.judge.stand(play)
        gained = standing.progress > branch.standing.progress or isinstance(planned.action, Say)
        self._tire(branch, planned, 1)
        if not gained:
            branch.idle += 1
            self.habits.brought_nothing(planned.chosen)
        elif not standing.is_complete and isinstance(planned.action, Call):
            gain = PROGRESS * (standing.progress - branch.standing.progress)
            branch.variants += self.agenda.variants(branch, planned, gain)
            branch.fresh_at = -1
        made = Branch(
            play=play,
            knowledge=knowledge,
            standing=standing,
            toil=branch.toil + STEP + (0.0 if gained else IDLE + CROWD * branch.idle),
            parent=branch,
            action=planned.action,
            number=self.turn,
            result=result,
            needed=needed,
            depth=branch.depth + 1,
            inherited=frozenset(branch.tried) | branch.inherited,
            grafted=branch.grafted | needed,
        )
        self.depth = max(self.depth, made.depth)
        self._push(made, self._penalty(made) + (0.0 if gained else IDLE_AGENDA))
        return made

    @staticmethod
    def _state(play: Play) -> str:
        return json.dumps([play.records.digest(), *(play.heard if play.user else ())])

    # What has to be seen before

    def _needed(self, branch: Branch, planned: Planned) -> frozenset[int]:
        """What showed the arguments, and for a write what was looked at with them."""
        sources = set(_sources(planned))
        if planned.writes:
            args = _texts(planned)
            sources |= {
                seen.number
                for seen in branch.everything()
                if seen.is_good and seen.args and seen.args <= args
            }
        return self.closure(sources)

    def closure(self, numbers: Iterable[int]) -> frozenset[int]:
        """These actions with those that showed what they were made with; changes are left out."""
        found: set[int] = set()
        todo = list(numbers)
        while todo:
            number = todo.pop()
            if number in self.seen and number not in found:
                found.add(number)
                todo += self.seen[number].sources
        return frozenset(found)


def _sources(planned: Planned) -> frozenset[int]:
    return frozenset(source for option in planned.chosen.values() for source in option.sources)


def _texts(planned: Planned) -> frozenset[str]:
    return frozenset(
        option.key for option in planned.chosen.values() if isinstance(option.value, str)
    )
