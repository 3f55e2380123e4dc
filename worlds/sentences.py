"""The sentences of policy prose, and which of them demand or forbid something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

BLANK = re.compile(r"\n\s*\n\s*")
ITEM = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.)]|[a-z][.)])\s+")
"""How an item of a list begins."""
HEADING = re.compile(r"\s*(?:#{1,6}\s|[=\-*_]{3,}\s*$)")
END = re.compile(r"(?<=[.!?;])[\"'”’)*_]*\s+(?=[\"'“‘(*_`]*[A-Z0-9])")
ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|no|approx|[A-Z])\.|\b(?:Mr|Mrs|Ms|Dr|St)\.)$"
)
ABBREVIATION = 8
"""Letters at the end of a text that tell whether it ends with one."""
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
    marks = _marked(whole, map(plain, quotes))
    covered: dict[str, bool] = {}
    end = 0
    for sentence in demanding(text):
        start = whole.index(sentence, end)
        end = start + len(sentence)
        covered[sentence] = covered.get(sentence, False) or any(marks[start:end])
    return tuple(sentence for sentence, is_covered in covered.items() if not is_covered)


def _marked(whole: str, parts: Iterable[str]) -> bytearray:
    """For each letter of a text whether it stands in one of the parts."""
    marks = bytearray(len(whole))
    for part in filter(None, parts):
        at = whole.find(part)
        while at >= 0:
            marks[at : at + len(part)] = b"\1" * len(part)
            at = whole.find(part, at + len(part))
    return marks


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
    begun: list[str] = []
    for piece in END.split(block):
        begun.append(piece)
        if not ABBREVIATED.search(piece[-ABBREVIATION:]):
            yield " ".join(begun)
            begun = []
    if begun:
        yield " ".join(begun)
