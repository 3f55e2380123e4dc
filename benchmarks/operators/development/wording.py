"""Prose that says the same: what stands outside of quotes, and sentences that add nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

SYNONYMS = (
    ("whoever", "anybody who"), ("Whoever", "Anybody who"), ("nobody else", "no one else"),
    ("Everybody else", "All others"), ("somebody", "someone"), ("Somebody", "Someone"),
    ("everybody", "everyone"), ("Everybody", "Everyone"), ("anybody", "anyone"), ("Nobody", "No one"),
    ("nobody", "no one"), ("cannot", "can not"), ("until", "till"), ("somewhere", "in some place"),
    ("whichever", "no matter which"), ("whatever", "no matter what"),
    ("wherever", "no matter where"), ("is not", "isn't"), ("are not", "aren't"),
    ("does not", "doesn't"), ("do not", "don't"), ("may not", "must not"), ("assistant", "helper"),
)  # fmt: skip
"""Words that may stand for one another in any policy here."""
EMPTY_SENTENCES = (
    "These rules hold in every office.",
    "Questions about this section go to its author.",
    "This section is looked over once a year.",
)
"""Sentences that forbid, allow and demand nothing."""
CLOSINGS = (
    "Thank you.",
    "Thanks a lot.",
    "Many thanks for your help.",
    "That would be great, thanks.",
)


def outside(text: str, quotes: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Places outside of all quotes at which a word may be another: where, the word, the other."""
    kept = list(_kept(text, quotes))
    for word, other in SYNONYMS:
        for found in re.finditer(rf"\b{word}\b", text):
            if not any(start < found.end() and found.start() < end for start, end in kept):
                yield found.start(), word, other


def _kept(text: str, quotes: Sequence[str]) -> Iterator[tuple[int, int]]:
    for quote in quotes:
        pattern = r"\s+".join(re.escape(word) for word in quote.split())
        yield from (found.span() for found in re.finditer(pattern, text))
