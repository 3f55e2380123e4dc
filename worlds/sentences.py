"""The sentences of policy prose, and which of them demand or forbid something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

BLANK = re.compile(r"\s*\n\s*\n\s*")
ITEM = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.)]|[a-z][.)])\s+")
"""How an item of a list begins."""
HEADING = re.compile(r"\s*(?:#{1,6}\s|[=\-*_]{3,}\s*$)")
END = re.compile(r"(?<=[.!?;])[\"'”’)*_]*\s+(?=[\"'“‘(*_`]*[A-Z0-9])")
ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|no|approx|[A-Z])\.|\b(?:Mr|Mrs|Ms|Dr|St)\.)$"
)
DEMANDS = re.compile(
    r"\b(?:must|shall|should|may only|can only|may not|cannot|can ?not|can't|mustn't|shouldn't|only|never|always"
    r"|(?:not|never) (?:be )?(?:allowed|permitted)|(?<!no )(?:need|needs|has|have) to|required?|requires"
    r"|(?:is|are) (?:forbidden|prohibited)|do not|don't|does not allow)\b",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text in Markdown, white space normalised: headings left out, an item of a list by itself."""
    for block in _blocks(text):
        yield from _split(plain(block))


def demanding(text: str) -> Iterator[str]:
    """The sentences that demand or forbid something, by their words."""
    return (sentence for sentence in sentences(text) if DEMANDS.search(sentence))


@lru_cache(maxsize=256)
def uncovered(text: str, quotes: tuple[str, ...]) -> tuple[str, ...]:
    """The sentences that demand or forbid something and that no quote touches."""
    whole = plain(text)
    covered = [span for quote in quotes for span in _spans(plain(quote), whole)]
    return tuple(
        sentence
        for sentence in demanding(text)
        if not any(
            start < last and first < end
            for first, last in _spans(sentence, whole)
            for start, end in covered
        )
    )


def _spans(part: str, whole: str) -> list[tuple[int, int]]:
    return [(m.start(), m.end()) for m in re.finditer(re.escape(part), whole)] if part else []


def _blocks(text: str) -> Iterator[str]:
    for paragraph in BLANK.split(text):
        lines: list[str] = []
        for line in paragraph.splitlines():
            if (HEADING.match(line) or ITEM.match(line)) and lines:
                yield "\n".join(lines)
                lines = []
            if not HEADING.match(line):
                lines.append(ITEM.sub("", line, count=1) if ITEM.match(line) else line)
        if lines:
            yield "\n".join(lines)


def _split(block: str) -> Iterator[str]:
    begun = ""
    for piece in END.split(block):
        begun = f"{begun} {piece}" if begun else piece
        if not ABBREVIATED.search(begun):
            yield begun
            begun = ""
    if begun:
        yield begun
