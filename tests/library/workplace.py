"""A workplace of the library as tests see it: its environments, what checks say of them, its tools at hand."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from agents import FLOOR, panel
from agents.reference import Reference
from worlds.bundle import Bundle
from worlds.check import CheckResult, check
from worlds.clauses import Clauses
from worlds.environments import EnvironmentSpec
from worlds.episode import play
from worlds.hosts import Host
from worlds.intent import Intent
from worlds.library import complete_domains, read
from worlds.outcome import Outcome
from worlds.records import Base, Records
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody
from worlds.toolsession import ToolSession
from worlds.world import World

LIBRARY = Path(__file__).parents[2] / "library"
DOMAINS = complete_domains(LIBRARY)
"""All domains from whose files environments are made."""
DEEP = [name for name in DOMAINS if any((LIBRARY / name / "toolservers").glob("*.py"))]
"""Those whose tool servers run here."""


class Workplace:
    """One domain's folder; each environment is checked once, when a test first asks."""

    def __init__(self, domain: str) -> None:
        self.path = LIBRARY / domain
        self.folder = read(self.path)[0]
        self.intents: dict[str, Intent] = {
            slug: file.body for slug, file in self.folder.intents.items()
        }
        self.specs: dict[str, EnvironmentSpec] = {
            spec.slug: spec for spec in self.folder.all_environments()
        }
        self.servers = {
            slug: ToolServer.of(file.body)
            for slug, file in self.folder.toolservers.items()
            if isinstance(file.body, ToolServerBody)
        }
        self._bundles: dict[str, Bundle] = {}
        self._results: dict[str, CheckResult] = {}
        self._bases: dict[str, Base] = {}

    @cached_property
    def clauses(self) -> Clauses:
        """All rules of the domain."""
        rules = [(slug, file.body) for slug, file in self.folder.rules.items()]
        return Clauses(rules, self.folder.domain.body)

    @property
    def turned_down(self) -> dict[str, Intent]:
        """The intents whose request must not be granted."""
        return {slug: intent for slug, intent in self.intents.items() if intent.is_turned_down}

    @property
    def dialogues(self) -> dict[str, Intent]:
        """The intents with a user to talk to."""
        return {slug: intent for slug, intent in self.intents.items() if intent.is_dialogue}

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each environment with an intent of the same instruction and another outcome: its twin."""
        return [
            (spec.slug, other)
            for spec in self.specs.values()
            for other, twin in self.intents.items()
            if twin.instruction == self.intents[spec.intent].instruction
            and twin.goal.outcome != self.intents[spec.intent].goal.outcome
        ]

    def base(self, records: str) -> Base:
        """The rows of a records set."""
        if records not in self._bases:
            body = self.folder.records[records].body
            self._bases[records] = Base(self.folder.domain.body, body)
        return self._bases[records]

    def bundle(self, slug: str) -> Bundle:
        """An environment with its versions."""
        if slug not in self._bundles:
            self._bundles[slug] = self.folder.bundle(self.specs[slug])
        return self._bundles[slug]

    def result(self, slug: str) -> CheckResult:
        """All checks of an environment."""
        if slug not in self._results:
            self._results[slug] = check(self.bundle(slug), panel())
        return self._results[slug]

    def troubles(self, slug: str) -> list[tuple[str, str, str]]:
        """What speaks against an environment: findings that nobody accepted, or no proof by its plan."""
        result = self.result(slug)
        found = [
            (item.code, item.place, item.message)
            for item in result.findings
            if not self.folder.accepts(item)
        ]
        if (result.status, result.witness) != ("solvable", "plan"):
            found.append((result.status, result.witness or "no witness", ""))
        return found

    def trivial(self) -> list[tuple[str, str]]:
        """Environments that an agent of the floor solves, with that agent."""
        return [
            (slug, episode.agent)
            for slug in self.specs
            for episode in self.result(slug).episodes
            if episode.agent in FLOOR and episode.verdict and episode.verdict.reward
        ]

    def reward_with_plan_of(self, slug: str, other: str, session: ToolSession) -> float:
        """What the environment's goal says when the plan of another intent is followed in it."""
        bundle = self.bundle(slug)
        intent = bundle.intent.model_copy(update={"plans": self.intents[other].plans})
        manifest = bundle.manifest
        world = World(
            Bundle(
                manifest, bundle.domain, intent, bundle.rules, bundle.records, bundle.toolservers
            )
        )
        verdict = play(world, Reference.of(world), session).verdict
        assert verdict is not None
        return verdict.reward

    def call(
        self, server: str, tool: str, args: dict[str, Any], records: str, session: ToolSession
    ) -> tuple[Outcome, Records]:
        """One call on a fresh copy of a records set, and the records after it."""
        base = self.base(records)
        after = Records(base)
        return session.call(self.servers[server], tool, args, Host(after, base.clock.now)), after
