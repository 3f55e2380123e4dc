"""Python source as lines of coloured pieces; whatever is no Python is shown plain."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections import defaultdict
from dataclasses import dataclass

Piece = tuple[str, str]
"""How it looks (`keyword`, `string`, `comment`, `number`, or nothing) and its text."""


@dataclass(frozen=True)
class SourceLine:
    number: int
    pieces: list[Piece]


def source_lines(source: str) -> list[SourceLine]:
    """Every line of `source`; the pieces of a line joined are the line."""
    spans = _spans(source)
    # Not splitlines(): a form feed inside a line does not end it for Python.
    return [
        SourceLine(number, _pieces(text, spans.get(number, [])))
        for number, text in enumerate(source.removesuffix("\n").split("\n"), 1)
    ]


def _spans(source: str) -> dict[int, list[tuple[int, int, str]]]:
    """Line → coloured columns from, to."""
    spans: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if look := _look(token):
                _spread(spans, token, look)
    except (tokenize.TokenError, SyntaxError):
        pass  # coloured as far as it is Python
    return spans


def _look(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return "keyword" if keyword.iskeyword(token.string) else ""
    looks = {tokenize.STRING: "string", tokenize.COMMENT: "comment", tokenize.NUMBER: "number"}
    return looks.get(token.type, "")


def _spread(
    spans: dict[int, list[tuple[int, int, str]]], token: tokenize.TokenInfo, look: str
) -> None:
    (first, start), (last, end) = token.start, token.end
    for line in range(first, last + 1):
        until = end if line == last else 1_000_000
        spans[line].append((start if line == first else 0, until, look))


def _pieces(text: str, spans: list[tuple[int, int, str]]) -> list[Piece]:
    pieces: list[Piece] = []
    done = 0
    for start, end, look in spans:
        pieces += [("", text[done:start]), (look, text[start:end])]
        done = end
    return [piece for piece in [*pieces, ("", text[done:])] if piece[1]]
