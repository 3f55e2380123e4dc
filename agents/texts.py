"""What stands in a text that somebody wrote: quoted words, names, codes, numbers, and the clauses at its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

QUOTED = re.compile(r"(?<!\w)(?:'([^'\n]+)'|\"([^\"\n]+)\"|“([^”\n]+)”|‘([^’\n]+)’)(?!\w)")
CODE = re.compile(r"[#@]?\w[\w.@#:+/_-]*\w|#?\d+")
NAME = re.compile(r"[^\W\d_][\w'’-]*(?: (?:[^\W\d_][\w'’-]*|\d+))*")
CALLED = re.compile(
    r"\b(?:called|named|titled|labelled|entitled|to|as) ((?:[A-Z0-9][\w'’-]*)(?: [A-Z0-9][\w'’-]*)*)"
)
CLAUSE = re.compile(r"(?::\s+|\b(?:because|since|as|for) )([^.:;\n?!]{4,120})")
SENTENCE = re.compile(r"[^.?!;\n]+")
NUMBER = re.compile(r"(?<![\w.:/-])-?\$?(\d[\d,]*(?:\.\d+)?)(?![\w:/-]|\.\d)")
SPELLED = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
NEAR = 28
"""Letters between a phrase and a word that goes with it."""
KINDS = {
    "code": 0.1,
    "digits": 0.7,
    "quoted": 0.1,
    "called": 0.15,
    "name": 0.4,
    "part": 0.8,
    "clause": 0.6,
    "word": 1.4,
    "sentence": 1.6,
}
"""Kind of a phrase → how little it is worth as an argument: words that somebody set apart are best."""


@dataclass(frozen=True)
class Phrase:
    """Some words of a text."""

    text: str
    kind: str
    at: int
    """Where it begins."""
    near: frozenset[str] = frozenset()
    """The words around it."""


@lru_cache(maxsize=512)
def phrases(text: str) -> tuple[Phrase, ...]:
    """Every phrase of a text worth being an argument, each text once, at its best kind."""
    found: dict[str, Phrase] = {}
    for phrase in _all(text):
        known = found.get(phrase.text)
        if phrase.text and (known is None or KINDS[phrase.kind] < KINDS[known.kind]):
            found[phrase.text] = phrase
    return tuple(replace(phrase, near=near(text, phrase.at)) for phrase in found.values())


def near(text: str, at: int) -> frozenset[str]:
    """The words around a place in a text."""
    return words(text[max(0, at - NEAR) : at + NEAR])


def _all(text: str) -> Iterator[Phrase]:
    for match in QUOTED.finditer(text):
        yield Phrase(next(filter(None, match.groups())), "quoted", match.start())
    for match in CODE.finditer(text):
        code = match[0].strip(".,:;/-")
        if re.fullmatch(r"[\dT:+.-]+", code):
            yield Phrase(code, "digits", match.start())
        elif re.search(r"[@\d#_]", code):
            yield Phrase(code, "code", match.start())
        elif len(code) > 2:
            yield Phrase(code, "word", match.start())
    for match in CALLED.finditer(text):
        yield Phrase(match[1], "called", match.start(1))
    yield from _names(text)
    for match in CLAUSE.finditer(text):
        yield Phrase(match[1].strip().strip("'\""), "clause", match.start(1))
    for match in SENTENCE.finditer(text):
        yield Phrase(match[0].strip(), "sentence", match.start())


def _names(text: str) -> Iterator[Phrase]:
    """Runs of words with capitals, also in parts: `Monday 3 Ann Lee` names Ann Lee too."""
    for match in re.finditer(r"[A-ZÀ-Þ][\w'’-]*(?: (?:[A-ZÀ-Þ][\w'’-]*|\d+))*", text):
        words = re.sub(r"['’]s\b", "", match[0]).split()
        # The first word of a sentence has its capital from there.
        begins = not text[: match.start()].rstrip(" ('\"")[-1:].strip(".?!:;\n")
        if words != ["I"]:
            alone = begins and len(words) == 1
            yield Phrase(" ".join(words), "word" if alone else "name", match.start())
        for word in words if len(words) > 1 else ():
            yield Phrase(word, "part" if word.istitle() else "word", match.start())


@lru_cache(maxsize=512)
def numbers(text: str) -> tuple[tuple[float, int], ...]:
    """Numbers that stand alone, and where; small ones also as words."""
    found = [(float(match[1].replace(",", "")), match.start()) for match in NUMBER.finditer(text)]
    found.extend(
        (float(SPELLED.index(match[0])), match.start())
        for match in re.finditer(r"\b[a-z]+\b", text.lower())
        if match[0] in SPELLED
    )
    return tuple(found)


@lru_cache(maxsize=4096)
def words(text: str) -> frozenset[str]:
    """The words of a name or text, lower case, plurals as singulars: `attendee_ids` → attendee, id."""
    parts = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())
    return frozenset(_singular(part) for part in parts)


def _singular(word: str) -> str:
    plural = word.endswith("s") and not word.endswith("ss") and len(word) > 3
    return word[:-1] if plural or word == "ids" else word


@lru_cache(maxsize=4096)
def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: `decline` and `declined`, `cancelled` and `cancel`."""
    one, other = one.lower(), other.lower()
    shared = min(len(one), len(other), max(4, max(len(one), len(other)) - 3))
    return len(one) > 2 and len(other) > 2 and one[:shared] == other[:shared]
