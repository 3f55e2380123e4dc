"""What might be tried next in a state: calls with the likeliest arguments, questions, and words to the user."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from agents.branch import Branch, Planned
from agents.candidates import Candidates
from agents.habits import Habits
from agents.knowledge import TOLD
from agents.options import ABSENT, Option
from agents.product import cheapest
from agents.schemas import inlined
from worlds.agent import Briefing, ToolCard
from worlds.step import Call, Say
from worlds.user import ASK_USER

A_TOOL = 8
"""New calls of one tool that an agenda holds."""
LOOKED_AT = 400
"""Choices of arguments looked at for them."""
WRITE = 0.7
"""What it costs that a call may change something."""
AGAIN = 1.5
"""What it costs to look again at what was looked at before the last change."""
PATIENCE = 20
"""Calls made in a state before what to try next is thought over, at most."""
TIRED = 0.03
"""What each earlier call of the same tool in the same state costs, so that every tool gets its turn."""
VARIANT = 0.3
"""What it costs to try another value in a call that brought the goal nearer."""
VALUES = 12
"""Values that are tried there for one argument."""
LIMITS_BORNE = 3


class Agenda:
    """Draws up what to try, from the briefing and what was learnt."""

    def __init__(self, briefing: Briefing, habits: Habits) -> None:
        self.briefing = briefing
        self.habits = habits
        self.tools = {
            card.name: card.model_copy(update={"parameters": inlined(card.parameters)})
            for card in briefing.tools
        }
        self._stopped: Counter[str] = Counter()

    def ran_into_limit(self, tool: str) -> None:
        """A call of the tool was stopped: it costs seconds, so that it is soon left alone."""
        self._stopped[tool] += 1

    def refresh(self, branch: Branch) -> None:
        """Draw up the agenda anew when enough has happened since, and at once when it is empty."""
        patience = max(1, min(PATIENCE, branch.made // 4))
        if branch.fresh_at >= 0 and branch.agenda and branch.made - branch.fresh_at < patience:
            return
        candidates = Candidates(branch.knowledge, self.habits)
        planned = [
            item for card in self.tools.values() for item in self._plan(branch, card, candidates)
        ]
        planned += self._sayings(branch)
        branch.variants = [item for item in branch.variants if item.key not in branch.tried]
        planned += branch.variants
        branch.agenda = sorted(planned, key=lambda item: -item.cost)
        branch.fresh_at = branch.made

    def _plan(self, branch: Branch, card: ToolCard, candidates: Candidates) -> Iterator[Planned]:
        if self._stopped[card.name] >= LIMITS_BORNE:
            return
        if card.name == ASK_USER:
            yield from self._questions(branch)
            return
        properties = card.parameters.get("properties", {})
        required = card.parameters.get("required", ())
        choices = [
            candidates.options(name, schema, name in required)
            for name, schema in properties.items()
        ]
        base = (0.0 if card.reads_only else WRITE) + TIRED * branch.tools.get(card.name, 0)
        found = 0
        for cost, options in islice(cheapest(choices), LOOKED_AT):
            item = self._planned(
                branch, card, base + cost, dict(zip(properties, options, strict=True))
            )
            if item is not None:
                yield item
                found += 1
                if found == A_TOOL:
                    return

    def _planned(
        self, branch: Branch, card: ToolCard, cost: float, chosen: dict[str, Option]
    ) -> Planned | None:
        given = {name: option for name, option in chosen.items() if option.value is not ABSENT}
        args = {name: option.value for name, option in given.items()}
        key = json.dumps([card.name, args], sort_keys=True)
        if key in branch.tried:
            return None
        cost += AGAIN if key in branch.inherited else 0.0
        cost += 0.3 * _repeated(given)
        return Planned(cost, Call(tool=card.name, args=args), key, given, not card.reads_only)

    def variants(self, branch: Branch, planned: Planned, gain: float) -> Iterator[Planned]:
        """The same call with one other value, as urgent as what follows from it."""
        assert isinstance(planned.action, Call)  # noqa: S101  # the caller looked
        card = self.tools[planned.action.tool]
        candidates = Candidates(branch.knowledge, self.habits)
        required = card.parameters.get("required", ())
        for name, schema in card.parameters.get("properties", {}).items():
            options = candidates.options(name, schema, name in required)[:VALUES]
            for option in options:
                cost = VARIANT + WRITE + option.cost - options[0].cost - gain
                item = self._planned(branch, card, cost, {**planned.chosen, name: option})
                if item is not None:
                    yield item

    def _questions(self, branch: Branch) -> Iterator[Planned]:
        """Names of arguments first, those of calls that change things before all, then names of results."""
        cards = sorted(self.tools.values(), key=lambda card: card.reads_only)
        names = [name for card in cards for name in card.parameters.get("properties", {})]
        topics = dict.fromkeys([*names, *branch.knowledge.topics()])
        for number, topic in enumerate(topics):
            call = Call(tool=ASK_USER, args={"about": topic})
            key = json.dumps([ASK_USER, call.args], sort_keys=True)
            if key not in branch.tried:
                again = AGAIN if key in branch.inherited else 0.0
                yield Planned(0.6 + 0.02 * number + again, call, key, {}, writes=False)

    def _sayings(self, branch: Branch) -> Iterator[Planned]:
        """What may make a user go on: why a tool refused, and what was said so far."""
        if not self.briefing.is_dialogue:
            return
        texts = [
            (1.5, told.text, told.source)
            for told in branch.knowledge.told
            if told.source != TOLD and not told.by_user
        ]
        texts += [(3.0, self.briefing.opening, TOLD), (3.5, self.briefing.policy, TOLD)]
        for number, (cost, text, source) in enumerate(texts):
            key = json.dumps(["", text])
            if key not in branch.tried and key not in branch.inherited:
                option = Option(text, 0.0, (source,))
                yield Planned(
                    cost + 0.05 * number, Say(text=text), key, {"text": option}, writes=True
                )

    def looks(self, branch: Branch, planned: Planned) -> Iterator[Planned]:
        """Reads that the arguments of a write suffice for: look at what is about to be changed."""
        for card in self.tools.values():
            required = card.parameters.get("required", ())
            if card.reads_only and required and set(required) <= set(planned.chosen):
                chosen = {name: planned.chosen[name] for name in required}
                item = self._planned(branch, card, 0.0, chosen)
                if item is not None and item.key not in branch.inherited:
                    yield item


def _repeated(chosen: dict[str, Option]) -> int:
    """How many arguments take a value that another one has."""
    texts: list[str] = []
    for option in chosen.values():
        value = option.value
        texts += [
            each
            for each in (value if isinstance(value, list) else [value])
            if isinstance(each, str)
        ]
    return len(texts) - len(set(texts))
