"""Whether a planted change does harm, by the answer keys and by fixed sequences of calls: no check is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from benchmarks.answerkeys import IntentKeys, Keyed, heard, played, read_keys, unsaid
from benchmarks.faulted import meaning
from benchmarks.sequences import (
    CallSequence,
    MayDiffer,
    compared,
    may_differ,
    outcomes,
    read_sequences,
)
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.outside import OutsideServer
from worlds.records import Base, RecordsInvalid
from worlds.replay import replay
from worlds.sandbox import SandboxUnavailable
from worlds.servers import Servers, ServerUnavailable
from worlds.step import Episode
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.toolserver import ToolServer
from worlds.toolserver_body import AnyServerBody, ToolServerBody
from worlds.toolsession import AnyServer, ToolSession
from worlds.world import World


@dataclass(frozen=True)
class Harm:
    """One thing that a change does to what a key says."""

    environment: str
    key: str
    says: str


class Sound:
    """The keys of a domain as they play in the library as it is; each environment once, when first asked for."""

    def __init__(self, folder: DomainFolder) -> None:
        self.folder = folder
        self._servers = Servers.installed()  # not those that a planted source changes meanwhile
        self._keyed: dict[str, list[Keyed]] = {}
        self._said: dict[str, list[tuple[CallSequence, str]]] = {}
        self._bases: dict[str, Base] = {}

    @cached_property
    def keys(self) -> dict[str, IntentKeys]:
        """By intent."""
        return read_keys(self.folder.slug)

    def keyed(self, spec: EnvironmentSpec) -> list[Keyed]:
        """The keys that speak of an environment."""
        if spec.slug not in self._keyed:
            keys = self.keys.get(spec.intent, IntentKeys(keys=[]))
            with meaning(self._servers), ToolSession() as session:
                found = played(keys, World(self.folder.bundle(spec)), spec, session)
                self._keyed[spec.slug] = list(found)
        return self._keyed[spec.slug]

    def base(self, records: str) -> Base:
        """The rows of a records set."""
        if records not in self._bases:
            body = self.folder.records[records].body
            self._bases[records] = Base(self.folder.domain.body, body)
        return self._bases[records]

    def said(self, slug: str) -> list[tuple[CallSequence, str]]:
        """The sequences in which a tool server takes part, each with what comes of it."""
        if slug not in self._said:
            mine = [each for each in self._sequences if slug in each.toolservers]
            with meaning(self._servers):
                self._said[slug] = list(zip(mine, come_of(self, self.folder, mine), strict=True))
        return self._said[slug]

    @cached_property
    def _sequences(self) -> list[CallSequence]:
        """By records set, since an outside server starts anew with another one."""
        return sorted(
            read_sequences(self.folder.slug), key=lambda each: (each.toolservers, each.records)
        )

    @cached_property
    def may(self) -> MayDiffer:
        """What tools may do otherwise."""
        return may_differ(self.folder.slug)

    def touches(self, spec: EnvironmentSpec, what: str) -> bool:
        """Whether a right episode has to do with a row (`TABLE/KEY`), a tool or an intent."""
        right = (each.episode for each in self.keyed(spec) if each.label == "right")
        return what == spec.intent or any(
            what in episode.touched or any(step.tool == what for step in episode.steps)
            for episode in right
        )


def harms(sound: Sound, faulted: DomainFolder, spec: EnvironmentSpec) -> Iterator[Harm]:
    """What a planted change does to the keyed episodes of one environment: the very same actions are played there."""
    try:
        world = World(faulted.bundle(spec))
        if world.unbound is not None:
            yield Harm(spec.slug, "", f"nothing can be played: {world.unbound}")
            return
        with ToolSession() as session:
            for keyed in sound.keyed(spec):
                episode = replay(world, session, keyed.actions)
                says = _differs(keyed, episode) or _untold(keyed, world, episode)
                if says:
                    yield Harm(spec.slug, keyed.key, says)
    except (RecordsInvalid, TemplateInvalid, TemplateUnfilled, ServerUnavailable) as error:
        yield Harm(spec.slug, "", f"nothing can be played: {error}")


def come_of(sound: Sound, folder: DomainFolder, sequences: Iterable[CallSequence]) -> Iterator[str]:
    """What comes of sequences with the tool servers of `folder`, on the rows of the sound library."""
    servers = {slug: server_of(file.body) for slug, file in folder.toolservers.items()}
    with ToolSession() as session:
        for each in sequences:
            acting = [servers[slug] for slug in each.toolservers]
            said = outcomes(sound.base(each.records), acting, each.calls, session)
            yield compared(said, each.calls, sound.may)


def server_of(body: AnyServerBody) -> AnyServer:
    """The tool server that a body speaks of."""
    return ToolServer.of(body) if isinstance(body, ToolServerBody) else OutsideServer.of(body)


def call_harms(sound: Sound, faulted: DomainFolder, slug: str) -> Iterator[Harm]:
    """The sequences of calls of which something else comes once a tool server is changed."""
    known = sound.said(slug)
    try:
        now = come_of(sound, faulted, (each for each, _ in known))
        for number, ((each, before), after) in enumerate(zip(known, now, strict=True)):
            if before != after:
                tools = ", ".join(tool for tool, _ in each.calls)
                yield Harm("", f"sequence {number} of {slug}", f"something else comes of {tools}")
    except (ServerUnavailable, SandboxUnavailable) as error:
        yield Harm("", slug, f"the tool server cannot be used: {error}")


def _differs(keyed: Keyed, episode: Episode) -> str:
    """How an episode's verdict differs from its label, or a right one goes otherwise; empty where it does not."""
    reward = episode.verdict.reward if episode.verdict else 0
    if reward != int(keyed.label == "right"):
        return f"{keyed.label}, but its reward is {reward}"
    if keyed.label == "wrong":
        return ""
    went = [(step.tool, step.status) for step in keyed.episode.steps]
    for step, (tool, status) in zip(episode.steps, went, strict=False):
        if step.status != status:
            return f"right, but {tool} is now {step.status}: {step.result!s:.100}"
    return "" if len(episode.steps) == len(went) else "right, but it is cut off"


def _untold(keyed: Keyed, world: World, episode: Episode) -> str:
    missing = unsaid(keyed.told, world.opening, heard(episode)) if keyed.label == "right" else []
    return f"right, but nobody tells {', '.join(missing)}" if missing else ""
