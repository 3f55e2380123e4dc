"""Whether a repair is right, by the answer keys and the fixed sequences of calls alone, which no proposer sees."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmarks.faults.callers import reached
from benchmarks.faults.faulted import Refused, with_component
from benchmarks.faults.harm import Components, Harm, Sound, call_harms, harms
from worlds.body import Body, Kind
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.toolserver_body import ToolServerBody
from worlds.toolsession import ToolSession

Bodies = Mapping[tuple[Kind, str], Body]
"""Kind and slug of a component, and what it would say."""
LONGEST = 300


@dataclass(frozen=True)
class Judged:
    """What the keys say of a repair."""

    keys_hold: bool
    """Whether every keyed episode of the environments near the fault comes out by its label, and as it should go."""
    calls_agree: bool | None
    """Whether the same comes of every sequence of calls as in the sound library; None where no tool server is at
    fault, or changed."""
    broken: Sequence[Harm]
    """Harm to keyed episodes that were all right with the fault."""
    same: bool
    """Whether it says what the sound library says."""
    harm: str
    """The first of the harm, in a sentence."""


@dataclass(frozen=True)
class Judge:
    """Judges repairs of one planted fault."""

    sound: Sound
    faulted: DomainFolder
    culprits: Components
    specs: Sequence[EnvironmentSpec]
    """The environments near the fault."""

    def judged(self, bodies: Bodies) -> Judged:
        """What comes of these bodies in the faulted domain."""
        try:
            repaired = with_bodies(self.faulted, bodies)
        except Refused as error:
            lost = Harm("", "", f"it cannot be loaded: {error}")
            return Judged(False, None, [lost], same=False, harm=_told(lost))
        after = list(self._harms(repaired))
        names = [*self.culprits, *bodies]
        servers = sorted({slug for kind, slug in names if kind == "toolserver"})
        differing = next((each for slug in servers for each in self._calls(repaired, slug)), None)
        first = next(iter(after), differing)
        return Judged(
            keys_hold=not after,
            calls_agree=differing is None if servers else None,
            broken=_broken(self._before, after),
            same=self._is_same(bodies),
            harm=_told(first) if first else "",
        )

    @cached_property
    def _before(self) -> list[Harm]:
        return list(self._harms(self.faulted))

    def _harms(self, folder: DomainFolder) -> Iterator[Harm]:
        with ToolSession() as session:
            for spec in sorted(self.specs, key=lambda each: each.records):
                yield from harms(self.sound, folder, spec, session)

    def _calls(self, repaired: DomainFolder, slug: str) -> Iterator[Harm]:
        return call_harms(self.sound, repaired, slug, self._tools(repaired, slug))

    def _tools(self, repaired: DomainFolder, slug: str) -> Collection[str] | None:
        """The tools of a server from which something else could come than in the sound library; None = all."""
        one, other = (each.toolservers[slug].body for each in (self.sound.folder, repaired))
        if not (isinstance(one, ToolServerBody) and isinstance(other, ToolServerBody)):
            return None
        return reached([one.source], [other.source])

    def _is_same(self, bodies: Bodies) -> bool:
        said = {name: self.sound.folder.file(*name) for name in bodies}
        return all(
            file is not None and file.digest == bodies[at].digest for at, file in said.items()
        )


def with_bodies(folder: DomainFolder, bodies: Bodies) -> DomainFolder:
    """The domain with other bodies of some components. Raises Refused."""
    for (kind, slug), body in bodies.items():
        content: Any = body.source if isinstance(body, ToolServerBody) else body.content()
        folder = with_component(folder, kind, slug, content)
    return folder


def _broken(before: Sequence[Harm], after: Sequence[Harm]) -> list[Harm]:
    """What is harmed after and was not before; where nothing could be played, nothing was all right."""
    known = {(each.environment, each.key) for each in before}
    return [
        each
        for each in after
        if (each.environment, each.key) not in known and (each.environment, "") not in known
    ]


def _told(harm: Harm) -> str:
    where = f"{harm.environment} {harm.key}".strip()
    return f"{where}: {harm.says}"[:LONGEST] if where else harm.says[:LONGEST]
