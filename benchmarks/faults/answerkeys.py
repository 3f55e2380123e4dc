"""Answer keys: episodes written with an intent, right ones and wrong ones, by which faults are told harmful or not.

`benchmarks/keys/DOMAIN/INTENT.yaml` holds those of one intent. They are written from what the intent asks for and what
its company's policy says, not from its goal; no check, no attribution and no proposer reads them.

    python -m benchmarks.faults.answerkeys DOMAIN [INTENT…]

plays them in every environment of the library and says where a verdict is not the label.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from agents.reference import Reference
from worlds.body import Part
from worlds.environments import EnvironmentSpec
from worlds.episode import play
from worlds.folder import DomainFolder
from worlds.intent import Finish, PlanStep
from worlds.library import read
from worlds.mistakes import parsed
from worlds.replay import actions_of
from worlds.source import read_text, read_yaml
from worlds.step import Action, Call, Episode
from worlds.template import placeholders, render
from worlds.toolsession import ToolSession
from worlds.world import World

KEYS = Path(__file__).parents[1] / "keys"
LIBRARY = Path(__file__).parents[2] / "library"
LEAST = {"right": 2, "wrong": 3}
"""Episodes of each label that every intent has, on each tool server that it is played on."""
MOST_BYTES = 1_000_000

Label = Literal["right", "wrong"]


class Key(Part):
    """One episode: what an agent does, and whether that is what was asked for."""

    key: str
    label: Label
    why: str
    """What makes it right, or what is wrong with it, in a sentence."""
    records: list[str] = []
    """The records sets that it speaks of; none = any."""
    ways: dict[str, list[PlanStep]]
    """The steps by tool server, as the plans of an intent: a server's slug, or `default`. Templates are filled in
    from the slots' rows and from earlier results, as an agent goes by what it is told and shown."""

    def way(self, toolservers: Sequence[str]) -> list[PlanStep] | None:
        """The steps for these tool servers, as an intent's plan is chosen."""
        own = next((self.ways[slug] for slug in toolservers if slug in self.ways), None)
        return own if own is not None else self.ways.get("default")


class IntentKeys(Part):
    """All that is written of one intent."""

    told: list[str] = []
    """What the agent can only learn from the user: in the instruction, or by what is said in a right episode.
    Templates of the slots' rows; compared as text, without regard to case."""
    keys: list[Key]


@dataclass(frozen=True)
class Keyed:
    """A key as it is played in one environment of the sound library."""

    key: Key
    way: Sequence[PlanStep]
    episode: Episode
    """What came of it there."""


def read_keys(domain: str, folder: Path = KEYS) -> dict[str, IntentKeys]:
    """The keys of a domain, by intent. Raises LibraryInvalid, with file and line."""
    found = {}
    for path in sorted((folder / domain).glob("*.yaml")):
        source = read_yaml(read_text(path, MOST_BYTES, str(path)), str(path))
        found[path.stem] = parsed(IntentKeys, source, str(path))
    return found


def played(
    keys: IntentKeys, world: World, spec: EnvironmentSpec, session: ToolSession
) -> Iterator[Keyed]:
    """The keys that speak of an environment, each played there. One whose templates lack something, such as a second
    row in a result, does not speak of it."""
    for key in keys.keys:
        way = key.way(spec.toolservers)
        if way is None or (key.records and spec.records not in key.records):
            continue
        episode = play(world, Reference(way, dict(world.rows)), session)
        if not any(_braces(action) for action in actions_of(episode.steps)):
            yield Keyed(key, way, episode)


def _braces(action: Action) -> Any:
    """The templates left in what is done."""
    if isinstance(action, Call):
        return placeholders(action.args)
    return placeholders([action.answer, action.message]) if isinstance(action, Finish) else ()


def unsaid(
    told: Sequence[str], rows: Mapping[str, Any], opening: str, heard: Sequence[str]
) -> list[str]:
    """The facts, filled in from `rows`, that neither what the user opens with nor what was `heard` later tells."""
    said = _plain(" ".join([opening, *heard]))
    return [fact for each in told if _plain(fact := str(render(each, rows))) not in said]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def heard(episode: Episode) -> list[str]:
    """What the user said in an episode."""
    answers = [str(step.result) for step in episode.steps if step.tool == "ask_user"]
    return answers + [step.text for step in episode.steps if step.kind == "hear"]


def complaints(
    folder: DomainFolder, keys: Mapping[str, IntentKeys], environments: Sequence[EnvironmentSpec]
) -> Iterator[str]:
    """What is wrong with the keys of a domain in these environments, a sentence each."""
    for slug in sorted(keys.keys() - folder.intents.keys()):
        yield f"{folder.slug}/{slug}: there is no such intent"
    specs = [spec for spec in environments if spec.intent in keys]
    spoken: dict[tuple[str, str], set[str]] = {
        (spec.intent, spec.toolservers[0]): set() for spec in specs
    }
    for spec in specs:
        with ToolSession() as session:
            world = World(folder.bundle(spec))
            for keyed in played(keys[spec.intent], world, spec, session):
                spoken[spec.intent, spec.toolservers[0]].add(keyed.key.key)
                name = f"{folder.slug}/{spec.slug} {keyed.key.key}"
                yield from _wrongs(name, keyed)
                told = keys[spec.intent].told if keyed.key.label == "right" else []
                for fact in unsaid(told, world.rows, world.opening, heard(keyed.episode)):
                    yield f"{name}: nobody tells {fact!r}"
    for (intent, server), there in sorted(spoken.items()):
        yield from _lacks(f"{folder.slug}/{intent}", server, keys[intent], there)


def _lacks(name: str, server: str, keys: IntentKeys, there: set[str]) -> Iterator[str]:
    """What the keys of an intent lack on a server of which `there` speak."""
    for label, least in LEAST.items():
        mine = {key.key for key in keys.keys if key.label == label}
        if len(there & mine) < least:
            yield f"{name} on {server}: {len(there & mine)} {label}, at least {least}"
    for key in keys.keys:
        if key.key not in there and key.way((server,)) is not None:
            yield f"{name} {key.key}: it speaks of no environment on {server}"


def _wrongs(name: str, keyed: Keyed) -> Iterator[str]:
    verdict, label = keyed.episode.verdict, keyed.key.label
    if verdict is None or verdict.reward != int(label == "right"):
        unmet = [each for each in verdict.assertions if not each.met] if verdict else []
        why = "; ".join(each.detail or each.text for each in unmet[:2])
        yield f"{name}: {label}, but the reward is {verdict and verdict.reward} ({why})"
    for step in keyed.episode.steps:
        if step.status in ("crashed", "invalid", "limit") or (
            label == "right" and step.status in ("refused", "guarded")
        ):
            yield f"{name}: step {step.index} {step.tool}: {step.status}: {step.result}"


def main() -> None:
    """Play the keys of a domain, or of some of its intents; exit status 1 where something is wrong."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("domain")
    arguments.add_argument("intents", nargs="*")
    options = arguments.parse_args()
    folder, keys = read(LIBRARY, [options.domain])[0], read_keys(options.domain)
    chosen = {slug: found for slug, found in keys.items() if slug in (options.intents or keys)}
    said = list(complaints(folder, chosen, folder.all_environments()))
    lacking = sorted(folder.intents.keys() - keys.keys())
    said += [f"{options.domain}: no keys of {', '.join(lacking)}"] if lacking else []
    episodes = sum(len(each.keys) for each in chosen.values())
    print("\n".join([*said, f"{len(chosen)} intents, {episodes} keys, {len(said)} complaints"]))
    sys.exit(bool(said))


if __name__ == "__main__":
    main()
