"""Texts of an intent that name an id or an e-mail address which no row of the records has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from worlds.diff import Diff
from worlds.findings import Finding, finding
from worlds.identifiers import Family, Identifiers, bare, folded, tokens
from worlds.template import TemplateInvalid, pieces, texts
from worlds.world import World

DECLARED = re.compile(
    r"\b(?:wrong|mistyp|mis-typ|typo|misspel|misremember|mistaken|incorrect|inaccurate|old\b|former|previous|outdated|"
    r"expired|invalid|fake|bogus|fictitious|made[- ]up|invent|non-?existent|no such|not exist|n['’]t exist|not found|"
    r"placeholder|dummy|looks? like|for example\b|for instance|format|e\.g)",
    re.IGNORECASE,
)
"""Words by which a text itself says that what it names is not to be found, or only a pattern."""
ABOUT = 100
"""Characters before and behind within which such words count."""
MOST = 20
"""Ids of one task that are told of: to look for the nearest is to look at every row."""
LATER = ("user.script", "goal.mentions", "unscored")
"""Places of texts that may speak of a row which the agent made."""


def unmatched_findings(world: World) -> list[Finding]:
    """One finding for each such id, at the first text that names it."""
    found: dict[str, Finding] = {}
    known = Identifiers.of(world.base)
    dictated: set[str] | None = None
    for place, text in _texts(world):
        for token in _undeclared(text):
            if len(found) == MOST:
                return list(found.values())
            if folded(token) in found:
                continue
            family = known.unmatched(token)
            if family is None or _may_be_new(world, place, family):
                continue
            dictated = _dictated(world) if dictated is None else dictated
            if folded(token) not in dictated and not _is_corrected(token, family, text):
                found[folded(token)] = _finding(world, place, token, family)
    return list(found.values())


def _finding(world: World, place: str, token: str, family: Family) -> Finding:
    records = world.bundle.manifest.records.slug
    nearest = family.nearest(folded(token))
    return finding(
        "text-unmatched",
        "intent",
        world.bundle.manifest.intent.slug,
        place=place,
        symbol=token,
        message=f"{token!r} is in no row of the records {records!r}; {family.table}.{family.field} has what looks"
        f" like it, nearest {nearest!r}.",
        evidence={
            "named": token,
            "records": records,
            "table": family.table,
            "field": family.field,
            "nearest": nearest,
        },
    )


def _texts(world: World) -> Iterator[tuple[str, str]]:
    """Every text with its place, a NUL where a slot stands."""
    intent = world.bundle.intent
    user = intent.user
    yield "instruction", _written(intent.instruction)
    if user is not None:
        yield "user.opens", _written(user.opens or "")
        yield "user.brief", user.brief or ""
        yield from (("user.knows", _written(text)) for text in texts(user.knows))
        for number, line in enumerate(user.script):
            yield f"user.script[{number}].says", _written(line.says)
    for number, fact in enumerate(intent.goal.mentions):
        yield f"goal.mentions[{number}]", _written(fact)
    for number, criterion in enumerate(intent.unscored):
        yield f"unscored[{number}]", criterion.text


def _written(template: str) -> str:
    try:
        return "".join("\0" if is_slot else said for is_slot, said in pieces(template))
    except TemplateInvalid:
        return ""  # the static stage tells


def _undeclared(text: str) -> Iterator[str]:
    """What may be an id or an address and stands apart from slots, unless words near it say that it is no right one."""
    for match in tokens(text):
        start, end = match.span()
        token = bare(match.group())
        if "\0" in text[max(0, start - 1) : end + 1] or not ("@" in token or _has_digit(token)):
            continue
        near = text[max(0, start - ABOUT) : start] + " " + text[end : end + ABOUT]
        if not DECLARED.search(near):
            yield token


def _has_digit(token: str) -> bool:
    return any(map(str.isdigit, token))


def _may_be_new(world: World, place: str, family: Family) -> bool:
    """Whether a text may name a row that is made in the attempt: nobody can know its key before."""
    if not place.startswith(LATER) or not family.is_key:
        return False
    allowances, pin = world.goal.allowances, world.bundle.manifest.pin
    effect: Diff | None = pin.effect if pin is not None else None
    if allowances is None and effect is None:
        return True
    grown = {each.table for each in allowances or () if each.key is None}
    grown |= {change["table"] for change in effect or () if change["op"] == "insert"}
    return family.table in grown


def _dictated(world: World) -> set[str]:
    """What the plan writes, or the goal asks for: a new address is nobody's yet."""
    dictated = [each.written_out for each in world.goal.conditions]
    key = world.plan_key
    for step in world.bundle.intent.plans[key] if key is not None else ():
        if step.call in world.tools and world.tools[step.call][2].writes:
            dictated += texts(step.args)
    return {folded(bare(match.group())) for text in dictated for match in tokens(text)}


def _is_corrected(token: str, family: Family, text: str) -> bool:
    """Whether the same text gives the right address as well: then the other is a slip that it means."""
    return "@" in token and family.nearest(folded(token)) in text
