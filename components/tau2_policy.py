"""A published policy as rules: one for each of its sections, with the clauses that our library anchors in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worlds.library import File
from worlds.rule import Rule
from worlds.sentences import plain

HEADING = re.compile(r"##?[ \t]+(.*)")
"""How a section begins; deeper headings stay inside theirs."""
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
"""How a block of code begins or ends, in which `#` is no heading."""
PREAMBLE = "policy"
"""The section before the first heading."""


@dataclass(frozen=True)
class Section:
    """A section of a policy, its heading included."""

    slug: str
    title: str
    text: str


def sections(policy: str) -> Iterator[Section]:
    """The sections of a policy in Markdown, in order; together they say all that it says."""
    taken: set[str] = set()
    text = "\n".join(line.rstrip() for line in policy.splitlines())
    starts = list(_headings(text))
    if not starts or text[: starts[0][0]].strip():
        starts.insert(0, (0, PREAMBLE))
    ends = [start for start, _ in starts[1:]] + [len(text)]
    for (start, title), end in zip(starts, ends, strict=True):
        slug = _unlike(taken, re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or PREAMBLE)
        taken.add(slug)
        yield Section(slug, title, text[start:end].strip() + "\n")


def _headings(text: str) -> Iterator[tuple[int, str]]:
    """Where each section begins, with its title."""
    start, fence = 0, ""
    for line in text.split("\n"):
        mark, heading = FENCE.fullmatch(line), HEADING.fullmatch(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not mark[2]:
            fence = ""
        elif heading and not fence and (title := heading[1].rstrip("#").strip()):
            yield start, title
        start += len(line) + 1


def _unlike(taken: set[str], slug: str) -> str:
    number = 2
    name = slug
    while name in taken:
        name, number = f"{slug}-{number}", number + 1
    return name


def rules(policy: str, ours: Mapping[str, File[Rule]], name: str) -> dict[str, File[Rule]]:
    """The sections of a policy as rules. Each takes from our rule of its name the clauses and judgements that quote
    what it says; what another version of the policy words differently stands there uncovered."""
    found = list(sections(policy))
    standing = {
        f"{section.slug}/{clause.id}"
        for section in found
        if section.slug in ours
        for clause in ours[section.slug].body.clauses
        if plain(clause.quote) in plain(section.text)
    }
    return {section.slug: _rule(section, ours, standing, name) for section in found}


def _rule(
    section: Section, ours: Mapping[str, File[Rule]], standing: set[str], name: str
) -> File[Rule]:
    if section.slug not in ours:
        about = {"title": f"{section.title} (τ² {name})", "authority": "given"}
        return File(section.slug, Rule(text=section.text), about)
    file = ours[section.slug]
    clauses = [
        clause.model_copy(
            update={"unless": [each for each in clause.unless if _full(section, each) in standing]}
        )
        for clause in file.body.clauses
        if f"{section.slug}/{clause.id}" in standing
    ]
    judgement = [each for each in file.body.judgement if plain(each) in plain(section.text)]
    standing_here = {"text": section.text, "clauses": clauses, "judgement": judgement}
    return File(section.slug, file.body.model_copy(update=standing_here), file.about)


def _full(section: Section, name: str) -> str:
    return name if "/" in name else f"{section.slug}/{name}"
