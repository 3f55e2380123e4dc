"""What is suspicious about the passes of one check: pure, over its bundle and episodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents import FLOOR
from triage.contrast import contrast, effect, in_words
from triage.models.suspicion import Reason
from worlds.bundle import Bundle
from worlds.canonical import canonical
from worlds.diff import Diff
from worlds.servers import ServerUnavailable
from worlds.soundness import CHANGED
from worlds.step import Episode, Step
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.world import World

KNOWN = frozenset({"reference", CHANGED})
"""Whose passes are no news: the plan's, and those that goal soundness tells of."""


@dataclass(frozen=True)
class Doubt:
    """One reason to doubt one pass."""

    agent: str
    attempt: int
    kind: Reason
    explanation: str


def doubts(bundle: Bundle, episodes: Sequence[Episode]) -> list[Doubt]:
    """The reasons to doubt the passes of other agents than the reference.

    Agents that understand nothing are doubted only where the reference fails: where both pass, the goal asks for
    nothing, which is a finding.
    """
    reference = next((one for one in episodes if one.agent == "reference"), None)
    passed = [one for one in episodes if one.agent not in KNOWN and _reward(one) == 1]
    found = [
        Doubt(one.agent, one.attempt, kind, why)
        for one in passed
        for kind, why in _reasons(bundle, one, reference)
    ]
    tried = [one for one in passed if one.agent not in FLOOR]
    if tried and reference is not None and _reward(reference) == 1:
        found += _unread(bundle, reference, tried)
    return found


def _reward(episode: Episode) -> int | None:
    return episode.verdict.reward if episode.verdict else None


def _reasons(
    bundle: Bundle, episode: Episode, reference: Episode | None
) -> Iterator[tuple[Reason, str]]:
    if episode.agent in FLOOR:
        if reference is not None and _reward(reference) == 0:
            yield (
                Reason.WEAKER_AGENT,
                "It understands nothing and passes; the reference, which follows the plan, does not.",
            )
        return
    wanted = _wanted(bundle, reference)
    if wanted is not None:
        differences = contrast(effect(episode.diff, bundle.domain), wanted)
        if differences:
            yield Reason.OTHER_EFFECT, in_words(differences, "it", "the reference")
    for step in _guarded(episode, reference):
        quote = step.result if isinstance(step.result, str) else canonical(step.result)
        yield Reason.AROUND_GUARD, f"{step.tool} was stopped, and it passed all the same: {quote}"
        return


def _wanted(bundle: Bundle, reference: Episode | None) -> Diff | None:
    """What a pass should change: what the reference did where it passes, else the pinned effect."""
    if reference is not None and _reward(reference) == 1:
        return effect(reference.diff, bundle.domain)
    return bundle.manifest.pin.effect if bundle.manifest.pin else None


def _guarded(episode: Episode, reference: Episode | None) -> list[Step]:
    """The calls that a guard stopped, less those that the reference made and was stopped in too."""
    theirs = _stopped(reference) if reference is not None else []
    known = {(step.tool, canonical(step.args)) for step in theirs}
    return [one for one in _stopped(episode) if (one.tool, canonical(one.args)) not in known]


def _stopped(episode: Episode) -> list[Step]:
    return [step for step in episode.steps if step.status == "guarded"]


# Values that nothing told


def _unread(bundle: Bundle, reference: Episode, tried: Sequence[Episode]) -> Iterator[Doubt]:
    """The passes that used a value which the reference had to read, and which nothing had told them."""
    briefing = _briefing(bundle)
    needed = _had_to_read(reference, briefing) if briefing else {}
    for episode in tried if needed else ():
        guess = next(_guesses(episode, needed, briefing), None)
        if guess is not None:
            value, where = guess
            yield Doubt(
                episode.agent,
                episode.attempt,
                Reason.UNREAD,
                f"It used {value} in {where}, and nothing had told it; the reference read it with "
                f"{needed[value]}.",
            )


def _guesses(
    episode: Episode, needed: Mapping[str, str], briefing: str
) -> Iterator[tuple[str, str]]:
    """The values of `needed` that an episode used before anything told it, and where."""
    told = [briefing]
    for step in episode.steps:
        for value in _used(step):
            if value in needed and not _told(value, told):
                yield value, step.tool or "its answer"
        told.append(_tells(step))


def _briefing(bundle: Bundle) -> str:
    """All that an agent is told before it acts; empty where that cannot be said."""
    try:
        return canonical(World(bundle).briefing.model_dump(mode="json"))
    except (ServerUnavailable, TemplateInvalid, TemplateUnfilled):
        return ""


def _had_to_read(reference: Episode, briefing: str) -> dict[str, str]:
    """Value → the tool that gave it, of those that the reference used, and that it got from a result alone."""
    needed: dict[str, str] = {}
    heard, read = [briefing], list[tuple[str, str]]()
    for step in reference.steps:
        for value in _used(step):
            source = next((tool for tool, said in read if _told(value, [said])), None)
            if source is not None and not _told(value, heard):
                needed.setdefault(value, source)
        if step.kind == "call":
            read.append((step.tool, _tells(step)))
        else:
            heard.append(_tells(step))
    return needed


def _told(value: str, said: Sequence[str]) -> bool:
    """Whether a text holds the value as a word of its own: 20 is not told by 2025."""
    word = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
    return any(value in text and word.search(text) for text in said)


def _tells(step: Step) -> str:
    """What a step tells the agent: what it says itself is no news to it."""
    if step.kind == "call":
        return canonical(step.result)
    return canonical(step.text) if step.kind == "hear" else ""


def _used(step: Step) -> list[str]:
    """The values in the arguments of a call or in an answer that nobody guesses, as JSON has them."""
    return [text for value in _scalars(step.args) if (text := _telling(value))]


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _scalars(item)
    elif isinstance(value, list):
        for item in value:
            yield from _scalars(item)
    else:
        yield value


def _telling(value: Any) -> str:
    """A value as JSON has it (a text without its quotes); empty for what may well be guessed."""
    if isinstance(value, str):
        is_telling = len(value) >= 4 and (len(value) >= 8 or any(map(str.isdigit, value)))
        return canonical(value)[1:-1] if is_telling else ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    return canonical(value) if abs(value) >= 10 or value != int(value) else ""
