"""What a candidate must get past before it is proposed, the cheapest first: it can be used; the plan gets through where
it failed, and still does where it did; whole checks of environments that show the fault; of sound ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import agents
from triage.models.repair import Fate
from triage.proposers.candidate import Candidate, placed
from triage.proposers.case import Case, Seen
from worlds.bundle import Bundle
from worlds.episode import play
from worlds.findings import CODES
from worlds.records import RecordsInvalid
from worlds.servers import ServerUnavailable
from worlds.static import static_findings
from worlds.step import Episode
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody
from worlds.toolsession import ToolSession
from worlds.world import World

CHECKED, KEPT_SOUND = 3, 2
"""Environments of which whole checks are made: those that show the fault, and sound ones."""
UNPLAYABLE = (RecordsInvalid, ServerUnavailable, TemplateInvalid, TemplateUnfilled)


class Sign(NamedTuple):
    """A finding that counts."""

    code: str
    severity: str
    message: str


class Looked(NamedTuple):
    """What a whole check showed; an empty status = trouble of ours."""

    status: str
    signs: Mapping[str, Sign]
    """By fingerprint."""


Look = Callable[[str, Candidate], Looked]
"""A whole check of an environment (slug) with a candidate in place."""


@dataclass(frozen=True)
class Climbed:
    """How far a candidate came."""

    fate: Fate
    because: str = ""
    cured: Sequence[str] = ()
    """Slugs, of those that were tried."""
    tried: int = 0
    """Environments that show the fault, on which whole checks were made."""

    @property
    def works(self) -> bool:
        """Whether nothing speaks against it, and it cures something."""
        return self.fate == Fate.OUTRANKED


@dataclass
class Ladder:
    """For one case; `look` makes whole checks."""

    case: Case
    look: Look
    before: Mapping[str, Looked]
    """Slug → what the check of the environment as it is showed."""
    _problems: dict[str, int] = field(default_factory=dict)

    def climbed(self, candidate: Candidate) -> Climbed:
        """Where a candidate ends; at the top it is `outranked`, until somebody proposes it."""
        users = [each for each in self.case.seen if self._is_changed(each, candidate)]
        if not users:
            return Climbed(
                Fate.INVALID, "it changes nothing in the environments that show the fault"
            )
        if said := self._unusable(candidate):
            return Climbed(Fate.INVALID, said)
        promising, said = self._promising(users, candidate)
        if not promising:
            return Climbed(Fate.FAILING, said)
        if said := self._breaks_plan(candidate):
            return Climbed(Fate.REGRESSING, said)
        return self._checked(promising[:CHECKED], len(users), candidate)

    def _is_changed(self, seen: Seen, candidate: Candidate) -> bool:
        return placed(seen.bundle, candidate.changes) is not seen.bundle

    def _unusable(self, candidate: Candidate) -> str:
        """What the text of a tool server is refused for that was not refused before."""
        for name, body in candidate.changes.items():
            before = self.case.body(name)
            if not isinstance(body, ToolServerBody) or not isinstance(before, ToolServerBody):
                continue
            problems = ToolServer.of(body).problems
            if len(problems) > len(ToolServer.of(before).problems):
                return problems[-1].message
        return ""

    # Plans alone

    def _promising(self, users: Sequence[Seen], candidate: Candidate) -> tuple[list[Seen], str]:
        """Those in which the plan gets through, and static findings of the fault are gone; and what it fails of."""
        found, first = [], ""
        for seen in users[:CHECKED]:
            said = self._fails(seen, placed(seen.bundle, candidate.changes))
            first = first or said
            if not said:
                found.append(seen)
        return found, first

    def _fails(self, seen: Seen, made: Bundle) -> str:
        try:
            world = World(made)
            if said := self._static(world):
                return said
            if world.unbound is not None:
                return f"{seen.slug}: {world.unbound}"
            return (
                f"{seen.slug}: {said}"
                if not _won(seen.reference) and (said := _lost(world))
                else ""
            )
        except UNPLAYABLE as problem:
            return f"{seen.slug}: {problem}"

    def _static(self, world: World) -> str:
        if not any(CODES[code].stage == "static" for code in self.case.codes if code in CODES):
            return ""
        still = (each for each in static_findings(world) if each.fingerprint in self.case.prints)
        return next((f"{each.code} is still there: {each.message}" for each in still), "")

    def _breaks_plan(self, candidate: Candidate) -> str:
        for seen in self.case.sound:
            made = placed(seen.bundle, candidate.changes)
            if made is seen.bundle or not _won(seen.reference):
                continue
            try:
                world = World(made)
                said = str(world.unbound) if world.unbound is not None else _lost(world)
            except UNPLAYABLE as problem:
                said = str(problem)
            if said:
                return f"{seen.slug}: {said}"
        return ""

    # Whole checks

    def _checked(self, promising: Sequence[Seen], users: int, candidate: Candidate) -> Climbed:
        cured: list[str] = []
        because = ""
        for seen in promising:
            if said := self._uncured(seen, candidate):
                because = because or f"{seen.slug}: {said}"
                if not cured:
                    return Climbed(Fate.UNCURED, because)
            else:
                cured.append(seen.slug)
        for seen in self.case.sound[:KEPT_SOUND]:
            if self._is_changed(seen, candidate) and (said := self._brings(seen, candidate)):
                return Climbed(Fate.REGRESSING, f"{seen.slug}: {said}", cured)
        return Climbed(Fate.OUTRANKED, because, cured, min(users, CHECKED))

    def _uncured(self, seen: Seen, candidate: Candidate) -> str:
        after = self.look(seen.slug, candidate)
        if not after.status:
            return "it could not be checked"
        for print_ in sorted(self.case.prints & after.signs.keys()):
            return f"{after.signs[print_].code} is still there: {after.signs[print_].message}"
        return _news(self.before[seen.slug], after, self.case.codes)

    def _brings(self, seen: Seen, candidate: Candidate) -> str:
        after = self.look(seen.slug, candidate)
        if not after.status:
            return "it could not be checked"
        return _news(self.before[seen.slug], after, self.case.codes) or (
            "" if after.status == "solvable" else f"it is {after.status} now"
        )


def _news(before: Looked, after: Looked, codes: frozenset[str]) -> str:
    """What is found that was not: what blocks, or is of the fault's own codes."""
    for print_ in sorted(after.signs.keys() - before.signs.keys()):
        sign = after.signs[print_]
        if sign.severity == "blocking" or sign.code in codes:
            return f"{sign.code} is there instead: {sign.message}"
    return ""


def _won(reference: Episode | None) -> bool:
    return bool(reference and reference.verdict and reference.verdict.reward == 1)


def _lost(world: World) -> str:
    """Why following the plan leads to no reward; empty where it does."""
    if world.plan_key is None:
        return ""
    with ToolSession() as session:
        episode = play(world, agents.panel(["reference"])["reference"](world), session)
    if _won(episode):
        return ""
    refused = (step for step in episode.steps if step.kind == "call" and step.status != "ok")
    for step in refused:
        return f"{step.tool} is {step.status}: {step.result!s:.200}"
    unmet = [each for each in episode.verdict.assertions if not each.met] if episode.verdict else []
    return next((each.detail or each.text for each in unmet), "the plan is not rewarded")
