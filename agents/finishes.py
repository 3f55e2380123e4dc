"""Finishing: typed answers and facts to state, found in what was seen, and the episode that they complete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from agents.answers import combined, computed, is_telling, plain_values, typed
from agents.branch import Branch
from agents.knowledge import TOLD
from agents.options import Option
from agents.seeker import Seeker
from agents.standing import WORDS
from agents.texts import words
from agents.times import Times
from worlds.intent import Finish
from worlds.oracle import Oracle
from worlds.replay import replay
from worlds.step import Action, Call, Episode
from worlds.user import ASK_USER
from worlds.world import World

NAME = "search"
VERBS = words("get find list show search read look up all")
DOUBT = 1.0
"""An argument against which more speaks was a guess."""
COMBINE_EVERY = 150
"""Calls between two attempts at answers that need numbers of several results."""


class Finishes:
    """Looks for answers where nothing else is missing, and finishes there."""

    def __init__(self, world: World, seeker: Seeker) -> None:
        self.world = world
        self.seeker = seeker
        answer = world.briefing.finish["properties"]["answer"]
        self.kinds = {
            name: str(schema.get("type")) for name, schema in answer["properties"].items()
        }
        self._searches: dict[int, Answers] = {}
        self._failed: set[str] = set()

    def after(self, branch: Branch) -> Episode | None:
        """What can be finished in this branch with what has been seen by now: an episode with reward 1, or None."""
        if not branch.standing.is_complete:
            return None
        search = self._searches.get(id(branch))
        if search is None:
            search = self._searches[id(branch)] = Answers(branch, self.kinds)
        if not search.is_whole:
            search.look(self.seeker.calls)
        return self._episode(branch, search) if search.is_whole else None

    def _episode(self, branch: Branch, search: Answers) -> Episode | None:
        message = ". ".join([option.value for option in search.mentions.values()]) or WORDS
        answer = {name: option.value for name, option in search.answers.items()}
        finish = Finish(outcome=self.seeker.judge.outcome, answer=answer, message=message)
        given = [*search.answers.values(), *search.mentions.values()]
        actions = [*self._way(branch, given), finish]
        key = repr(actions)
        if key in self._failed:
            return None
        episode = replay(self.world, branch.play.session, actions, agent=NAME)
        if episode.verdict is not None and episode.verdict.reward == 1:
            return episode
        self._failed.add(key)
        return None

    def _way(self, branch: Branch, given: Iterable[Option]) -> Iterator[Action]:
        """The actions that lead to this branch, and before each what shows what it is made with."""
        chain = list(reversed(list(branch.chain())))
        sources = {source for option in given for source in option.sources}
        needed = self.seeker.closure(sources.union(*(each.needed for each in chain)))
        for each in chain:
            if each.action is not None:
                yield each.action
            yield from (seen.action for seen in each.seen if seen.number in needed)


@dataclass(frozen=True)
class Shown:
    """Something that was seen, as a place to look for answers."""

    number: int
    result: Any
    action: Action | None
    """What showed it; None for what the user said at first."""
    doubt: float = 0.0

    def is_apt(self, asked: frozenset[str]) -> bool:
        """Whether even a small number here is no chance hit: a call of a tool that is about what was asked, with
        arguments that nothing speaks against."""
        if self.action is None:
            return False  # what somebody asks for is not what they ask with
        if not isinstance(self.action, Call) or self.action.tool == ASK_USER:
            return True
        about = words(self.action.tool) - VERBS
        return self.doubt <= DOUBT and bool(about & asked)


class Answers:
    """The answers and mentions that one branch has found."""

    def __init__(self, branch: Branch, kinds: dict[str, str]) -> None:
        self.branch = branch
        self.kinds = kinds
        self.answers: dict[str, Option] = {}
        self.mentions: dict[int, Option] = {}
        self._oracle = Oracle(branch.play)
        self._wanted = range(self._oracle.mentions)
        self._looked: dict[int, Shown] = {}
        self._combined_at = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return len(self.answers) == len(self.kinds) and len(self.mentions) == len(self._wanted)

    def look(self, calls: int) -> None:
        """Look at what was seen since the last time."""
        zones = [name for name, _, _ in Times(self.branch.knowledge).zones()]
        for shown in self._fresh():
            self._answer(shown, list(plain_values(shown.result)))
            self._answer(shown, list(computed(shown.result, zones)))
            self._mention(shown.number, shown.result)
        if calls - self._combined_at >= COMBINE_EVERY:
            self._combined_at = calls
            self._combine()

    def _fresh(self) -> Iterator[Shown]:
        """What was not looked at yet: what the user said, what changes and reads showed."""
        told = [each for each in self.branch.knowledge.told if each.source == TOLD]
        items = [Shown(TOLD - place, each.text, None) for place, each in enumerate(told)]
        for each in reversed(list(self.branch.chain())):
            if each.action is not None:
                items.append(Shown(each.number, each.result, each.action))
            items += [
                Shown(seen.number, seen.result, seen.action, seen.doubt) for seen in each.seen
            ]
        for shown in items:
            if shown.number not in self._looked:
                self._looked[shown.number] = shown
                yield shown

    def _answer(self, shown: Shown, values: list[Any]) -> None:
        for name, kind in self.kinds.items():
            if name in self.answers:
                continue
            is_apt = shown.is_apt(words(name) | self.branch.knowledge.spoken_words)
            found = [typed(kind, each) for each in values]
            found = [each for each in found if each is not None and (is_apt or is_telling(each))]
            if kind == "boolean" and is_apt:
                found = [True, False]
            place = self._oracle.right_answer(name, found)
            if place is not None:
                self.answers[name] = Option(found[place], 0.0, (shown.number,))

    def _mention(self, number: int, result: Any) -> None:
        values = plain_values(result)
        texts = [str(each) for each in values if isinstance(each, (str, int, float))]
        for wanted in self._wanted:
            if wanted not in self.mentions:
                place = self._oracle.right_mention(wanted, texts)
                if place is not None:
                    self.mentions[wanted] = Option(texts[place], 0.0, (number,))

    def _combine(self) -> None:
        everything = list(combined(self.branch.knowledge))
        for name, kind in self.kinds.items():
            if name not in self.answers and kind in ("number", "integer"):
                options = [each for each in everything if self._is_no_chance(name, each)]
                place = self._oracle.right_answer(
                    name, [typed(kind, each.value) for each in options]
                )
                if place is not None:
                    value = typed(kind, options[place].value)
                    self.answers[name] = Option(value, 0.0, options[place].sources)

    def _is_no_chance(self, name: str, option: Option) -> bool:
        """Whether a computed number tells something: of thousands, some are any small one."""
        asked = words(name) | self.branch.knowledge.spoken_words
        shown = [self._looked.get(source) for source in option.sources]
        return is_telling(option.value) or all(each and each.is_apt(asked) for each in shown)
