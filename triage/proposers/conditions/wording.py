"""What prose says that a condition may say too: its numbers, lengths of time, bounds, and words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from worlds.known import NUMBER, SAYS_NUMBER

MINUTES = {"minute": 1, "hour": 60, "day": 1_440, "week": 10_080}
MEASURED = re.compile(
    rf"\b(?P<number>\d[\d,]*(?:\.\d+)?|{'|'.join(SAYS_NUMBER)})[\s-]+(?P<between>\w+\s+)?"
    rf"(?P<unit>{'|'.join(MINUTES)})s?\b",
    re.IGNORECASE,
)
LEAST = re.compile(
    r"\b(?:at least|no (?:less|fewer|earlier) than|not before|minimum|or more|or later|and above|from)\b",
    re.IGNORECASE,
)
MOST = re.compile(
    r"\b(?:at most|no(?:t)? more than|up to|within|no later than|not exceed|maximum|or less|or fewer|until|by"
    r"|no older than)\b",
    re.IGNORECASE,
)
BEYOND = re.compile(
    r"\b(?:more than|exceeds?|over|above|after|older than|longer than)\b", re.IGNORECASE
)
BELOW = re.compile(r"\b(?:less than|fewer than|below|under|before|younger than)\b", re.IGNORECASE)
EXCEPT = re.compile(
    r"\b(?:except|unless|exempt|exception|apart from|other than|but not|save for|even where|whatever|notwithstanding"
    r"|may all the same|need not|regardless|besides)\b",
    re.IGNORECASE,
)
SHORTEST = 3


@dataclass(frozen=True)
class Wording:
    """A text, as far as its words tell."""

    text: str

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers that it names, in digits or words."""
        digits = {float(each.replace(",", "")) for each in NUMBER.findall(self.text)}
        words = {
            float(SAYS_NUMBER[word])
            for word in re.findall(r"[a-z]+", self.text.lower())
            if word in SAYS_NUMBER
        }
        return frozenset(digits | words)

    @cached_property
    def lengths(self) -> frozenset[float]:
        """The lengths of time that it names, in minutes, hours and days."""
        return frozenset(self._lengths())

    def _lengths(self) -> Iterator[float]:
        for match in MEASURED.finditer(self.text):
            said = match.group("number").lower()
            number = SAYS_NUMBER[said] if said in SAYS_NUMBER else float(said.replace(",", ""))
            minutes = number * MINUTES[match.group("unit").lower()]
            yield from (float(minutes), minutes / 60, minutes / 1_440)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, in small letters, without their endings."""
        found = re.findall(r"[^\W\d_]+", self.text.lower())
        return frozenset(stem(word) for word in found if len(word) >= SHORTEST)

    @property
    def is_exception(self) -> bool:
        """Whether it takes something out of a rule."""
        return bool(EXCEPT.search(self.text))

    def bound(self) -> frozenset[str]:
        """The comparisons that its words speak of, whichever side they are written on."""
        pairs = ((LEAST, ">="), (MOST, "<="), (BEYOND, ">"), (BELOW, "<"))
        plain = MOST.sub(" ", LEAST.sub(" ", self.text))
        return frozenset(
            sign
            for pattern, sign in pairs
            if pattern.search(self.text if sign in (">=", "<=") else plain)
        )

    def likeness(self, name: str) -> float:
        """The share of a name's words that it speaks of."""
        parts = [
            stem(part) for part in re.findall(r"[A-Za-z]+", name.lower()) if len(part) >= SHORTEST
        ]
        return sum(part in self.words for part in parts) / len(parts) if parts else 0.0


def stem(word: str) -> str:
    """A word without the endings that make no difference."""
    for ending in ("ing", "ied", "ies", "ed", "es", "er", "or", "ly", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            return word[: -len(ending)]
    return word


def nearness(one: str, other: str) -> float:
    """How much two names are alike, in [0, 1]."""
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()
