"""Whether a planted change does harm, by the answer keys and by fixed sequences of calls: no check is asked."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agents.reference import Reference
from benchmarks.faults.answerkeys import IntentKeys, Keyed, heard, played, read_keys, unsaid
from benchmarks.faults.faulted import meaning, users
from benchmarks.faults.sequences import (
    CallSequence,
    Came,
    compared,
    outcomes,
    read_sequences,
)
from worlds.body import Kind
from worlds.environments import EnvironmentSpec
from worlds.episode import play
from worlds.folder import DomainFolder
from worlds.outside import OutsideServer
from worlds.records import Base, RecordsInvalid
from worlds.sandbox import SandboxUnavailable
from worlds.servers import Servers, ServerUnavailable
from worlds.step import Episode
from worlds.template import TemplateInvalid, TemplateUnfilled, placeholders
from worlds.toolserver import ToolServer
from worlds.toolserver_body import AnyServerBody, ToolServerBody
from worlds.toolsession import AnyServer, ToolSession
from worlds.world import World

Components = Sequence[tuple[Kind, str]]
"""Kind and slug of what is changed."""
MOST_ENVIRONMENTS = 4
"""Of those that use a changed component, so many are looked at."""


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
        self._said: dict[str, list[tuple[CallSequence, Came]]] = {}
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

    def said(self, slug: str) -> list[tuple[CallSequence, Came]]:
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

    def untold(self, keyed: Keyed, spec: EnvironmentSpec, world: World, episode: Episode) -> str:
        """That nobody tells an agent what it must know for a right episode; empty where somebody does."""
        told = self.keys[spec.intent].told if keyed.key.label == "right" else []
        missing = unsaid(told, world.rows, world.opening, heard(episode))
        return f"right, but nobody tells {', '.join(missing)}" if missing else ""

    @cached_property
    def places(self) -> Mapping[str, Collection[str]]:
        """Tool → the places in its results that a right episode goes by: `.rows[0].id`, empty for all of it."""
        found = defaultdict[str, set[str]](set)
        right = (key for each in self.keys.values() for key in each.keys if key.label == "right")
        for way in (way for key in right for way in key.ways.values()):
            named = {step.as_: step.call for step in way if step.as_ and step.call}
            for path in placeholders([step.model_dump(mode="json") for step in way]):
                head = re.split(r"[.\[]", path, maxsplit=1)[0]
                if head in named:
                    found[named[head]].add(path.removeprefix(head))
        return found

    def concerned(
        self, components: Components, touches: Collection[str] = ()
    ) -> list[EnvironmentSpec]:
        """The environments by which a change is judged, at most `MOST_ENVIRONMENTS`: first those in which a right
        episode has to do with what is changed (see `touches`), each next one of another intent."""
        using = {
            spec.slug: spec for kind, slug in components for spec in users(self.folder, kind, slug)
        }
        nth = Counter[str]()
        ranked = []
        for spec in using.values():
            nth[spec.intent] += 1
            is_near = any(self.touches(spec, what) for what in touches)
            ranked.append((not is_near, nth[spec.intent], spec.slug))
        return [using[slug] for _, _, slug in sorted(ranked)[:MOST_ENVIRONMENTS]]

    def touches(self, spec: EnvironmentSpec, what: str) -> bool:
        """Whether an environment is of an intent, is bound to a row (`TABLE/KEY`), or a right episode calls a tool."""
        if what == spec.intent or what in self._bound(spec):
            return True
        keys = self.keys.get(spec.intent, IntentKeys(keys=[])).keys
        ways = [key.way(spec.toolservers) or [] for key in keys if key.label == "right"]
        return any(step.call == what for way in ways for step in way)

    def _bound(self, spec: EnvironmentSpec) -> set[str]:
        pin, slots = self.folder.pins.get(spec.slug), self.folder.intents[spec.intent].body.slots
        binding = pin.binding if pin else {}
        return {f"{slots[slot].table}/{key}" for slot, key in binding.items() if slot in slots}


def harms(
    sound: Sound, faulted: DomainFolder, spec: EnvironmentSpec, session: ToolSession
) -> Iterator[Harm]:
    """What a planted change does to the keyed episodes of one environment. The same is done there, by the rows that it
    speaks of and by what is shown there: where another row serves as well, nobody is harmed."""
    try:
        world = World(faulted.bundle(spec))
        if world.unbound is not None:
            yield Harm(spec.slug, "", f"nothing can be played: {world.unbound}")
            return
        for keyed in sound.keyed(spec):
            episode = play(world, Reference(keyed.way, dict(world.rows)), session)
            if says := _differs(keyed, episode) or sound.untold(keyed, spec, world, episode):
                yield Harm(spec.slug, keyed.key.key, says)
    except (RecordsInvalid, TemplateInvalid, TemplateUnfilled, ServerUnavailable) as error:
        yield Harm(spec.slug, "", f"nothing can be played: {error}")


def _differs(keyed: Keyed, episode: Episode) -> str:
    """How an episode's verdict differs from its label, or a right one goes otherwise; empty where it does not."""
    reward = episode.verdict.reward if episode.verdict else 0
    if keyed.key.label == "wrong":
        # An agent whose call does not fit the schema would make another one.
        fits = all(step.status != "invalid" for step in episode.steps)
        return "wrong, but its reward is 1" if reward and fits else ""
    if not reward:
        return "right, but its reward is 0"
    went = [(step.tool, step.status) for step in keyed.episode.steps]
    for step, (tool, status) in zip(episode.steps, went, strict=False):
        if step.status != status:
            return f"right, but {tool} is now {step.status}: {step.result!s:.100}"
    return "" if len(episode.steps) == len(went) else "right, but it is cut off"


def come_of(
    sound: Sound, folder: DomainFolder, sequences: Iterable[CallSequence]
) -> Iterator[Came]:
    """What comes of sequences with the tool servers of `folder`, on the rows of the sound library."""
    servers = {slug: server_of(file.body) for slug, file in folder.toolservers.items()}
    with ToolSession() as session:
        for each in sequences:
            acting = [servers[slug] for slug in each.toolservers]
            said = outcomes(sound.base(each.records), acting, each.calls, session)
            yield compared(said, each.calls, sound.places)


def server_of(body: AnyServerBody) -> AnyServer:
    """The tool server that a body speaks of."""
    return ToolServer.of(body) if isinstance(body, ToolServerBody) else OutsideServer.of(body)


def call_harms(
    sound: Sound, faulted: DomainFolder, slug: str, tools: Collection[str] | None = None
) -> Iterator[Harm]:
    """The sequences of calls of which something else comes once a tool server is changed. Where a call no longer fits
    its schema nothing is said: every agent sees that schema, and would make another call. `tools` are those that the
    change can matter to; None = all."""
    known = [
        (each, before)
        for each, before in sound.said(slug)
        if tools is None or any(tool in tools for tool, _ in each.calls)
    ]
    try:
        now = come_of(sound, faulted, (each for each, _ in known))
        for number, ((each, before), after) in enumerate(zip(known, now, strict=True)):
            if before.says != after.says and (after.fits or not before.fits):
                tools = ", ".join(tool for tool, _ in each.calls)
                yield Harm("", f"sequence {number} of {slug}", f"something else comes of {tools}")
    except (ServerUnavailable, SandboxUnavailable) as error:
        yield Harm("", slug, f"the tool server cannot be used: {error}")


def all_harms(
    sound: Sound,
    faulted: DomainFolder,
    components: Components,
    specs: Iterable[EnvironmentSpec],
    tools: Collection[str] | None = None,
) -> Iterator[Harm]:
    """What a change does to keyed episodes of these environments, and to sequences of the changed tool servers; `tools`
    as of `call_harms`."""
    with ToolSession() as session:  # one, since an outside server takes long to start
        for spec in sorted(specs, key=lambda each: each.records):
            yield from harms(sound, faulted, spec, session)
    for kind, slug in components:
        if kind == "toolserver":
            yield from call_harms(sound, faulted, slug, tools)
