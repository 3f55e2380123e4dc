"""Quotes that stand nowhere in their rule's text, and sentences that no clause quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from triage.proposers.conditions.bodyedit import BodyEdit
from triage.proposers.conditions.wording import Wording
from worlds.rule import Rule
from worlds.sentences import plain, uncovered

WORD = re.compile(r"\S+")
MOST_WORDS = 2_000
NEAR = 0.45
"""How like a passage must be to what was quoted."""
SLACK = 4
"""Words that a passage may have more or fewer."""


def quote_edits(rule: Rule) -> Iterator[BodyEdit]:
    """For each quote that is nowhere, the passage of the text that is nearest to it; and the text with the quote in its
    place."""
    text = plain(rule.text)
    for place, quote, clause in _quoted(rule):
        if plain(quote) in text:
            continue
        found = nearest(rule.text, quote)
        if found is None:
            continue
        passage, alike = found
        yield BodyEdit(
            clause,
            {place: passage},
            f"Quote “{_short(passage)}”, as the text says",
            0.95 * alike,
            f"the text of the rule: “{_short(passage)}”",
        )
        yield BodyEdit(
            clause,
            {("text",): rule.text.replace(_verbatim(rule.text, passage), quote, 1)},
            f"Let the text say “{_short(quote)}” again",
            0.4 * alike,
        )


def _quoted(rule: Rule) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    for number, clause in enumerate(rule.clauses):
        yield ("clauses", number, "quote"), clause.quote, clause.id
    for number, quote in enumerate(rule.judgement):
        yield ("judgement", number), quote, ""


def nearest(text: str, quote: str) -> tuple[str, float] | None:
    """The passage of a text (white space plain) that is most like a quote, and how much so; None where none is."""
    words = WORD.findall(text)[:MOST_WORDS]
    wanted = WORD.findall(quote)
    if not wanted or not words:
        return None
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2([_bare(word) for word in wanted])
    start, size = _window([_bare(word) for word in words], matcher, len(wanted))
    if wanted[0][:1].isupper() and 0 < (back := _into_sentence(words, start)) <= SLACK:
        start, size = start - back, size + back
    passage = _trimmed(words[start : start + size], quote)
    alike = SequenceMatcher(None, passage, plain(quote)).ratio()
    return (passage, alike) if alike >= NEAR else None


def _window(words: list[str], matcher: SequenceMatcher[str], wanted: int) -> tuple[int, int]:
    best, found = -1.0, (0, wanted)
    for size in range(max(1, wanted - SLACK), wanted + SLACK + 1):
        for start in range(max(1, len(words) - size + 1)):
            matcher.set_seq1(words[start : start + size])
            if matcher.real_quick_ratio() <= best or matcher.quick_ratio() <= best:
                continue
            alike = matcher.ratio()
            if alike > best:
                best, found = alike, (start, size)
    return found


def _into_sentence(words: list[str], start: int) -> int:
    """How many words of its sentence stand before a word."""
    ends = (number for number in range(start - 1, -1, -1) if words[number][-1] in ".!?;:")
    return start - 1 - next(ends, -1)


def _bare(word: str) -> str:
    return word.strip(".,;:!?()\"'“”").lower()


def _trimmed(words: list[str], quote: str) -> str:
    """Without a full stop or comma at the end that the quote does not have."""
    passage = " ".join(words)
    return passage if plain(quote)[-1:] in ".,;:" else passage.rstrip(".,;:")


def _verbatim(text: str, passage: str) -> str:
    """The passage with the white space that it has in the text."""
    pattern = r"\s+".join(re.escape(word) for word in passage.split())
    match = re.search(pattern, text)
    return match.group() if match else passage


def uncovered_edits(rule: Rule) -> Iterator[BodyEdit]:
    """What the text demands and nobody quotes: quoted by the clause that speaks of it, or listed as what needs
    judgement."""
    quotes = (*(clause.quote for clause in rule.clauses), *rule.judgement)
    left = uncovered(rule.text, quotes)
    if not left:
        return
    yield BodyEdit(
        "",
        {("judgement",): [*rule.judgement, *left]},
        f"List “{_short(left[0])}” as what needs judgement",
        0.4,
        f"the text of the rule: “{_short(left[0])}”",
    )
    for number, clause in enumerate(rule.clauses):
        for sentence in left[:3]:
            said = Wording(sentence)
            worth = max(said.likeness(clause.id), said.likeness(clause.require) * 0.8)
            own = Wording(clause.quote).likeness(clause.id)
            if worth > max(0.5, own):
                yield BodyEdit(
                    clause.id,
                    {("clauses", number, "quote"): sentence},
                    f"Quote “{_short(sentence)}” in the clause {clause.id}",
                    0.55 * worth,
                    f"the text of the rule: “{_short(sentence)}”",
                )


def _short(text: str) -> str:
    said = plain(text)
    return said if len(said) <= 80 else f"{said[:79]}…"
