"""Conditions (CEL text) taken apart as far as operators need: parts, comparisons and fields, with their places in the
text, so that everything that is not changed stays as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+(?:\.\d+)?|[A-Za-z_]\w*|&&|\|\||[<>=!]=|\S",
    re.DOTALL,
)
OPEN, CLOSE = "([{", ")]}"
BOUNDS = {"&&", "||", "?", ":", ","}
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
TURNED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
STRICTER = {"<=": "<", ">=": ">"}
EASIER = {"<": "<=", ">": ">="}


@dataclass(frozen=True)
class Span:
    """A stretch of a condition."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def replaced(self, text: str, new: str) -> str:
        return text[: self.start] + new + text[self.end :]


@dataclass(frozen=True)
class Token(Span):
    word: str
    depth: int


@dataclass(frozen=True)
class Comparison:
    left: Span
    sign: Token
    right: Span


@dataclass(frozen=True)
class Field:
    """`base.name`; of `get('T', …).name` the base is `get T`."""

    base: str
    name: str
    span: Span


@dataclass(frozen=True)
class Change:
    """What a condition becomes, and what was done, unique in its text."""

    what: str
    text: str


def tokens(text: str) -> list[Token]:
    """All of them; the depth of a bracket is that of what stands around it."""
    found, depth = [], 0
    for match in TOKEN.finditer(text):
        word = match.group()
        depth -= word in CLOSE
        found.append(Token(match.start(), match.end(), word, depth))
        depth += word in OPEN
    return found


def regions(text: str) -> list[list[Token]]:
    """The tokens of the whole, and of each argument and bracket inside."""
    all_tokens = tokens(text)
    found = [all_tokens] if all_tokens else []
    for index, token in enumerate(all_tokens):
        if token.word == "(":
            inside: list[Token] = []
            for each in all_tokens[index + 1 :]:
                if each.depth == token.depth:
                    break
                if each.word == "," and each.depth == token.depth + 1:
                    found.append(inside)
                    inside = []
                else:
                    inside.append(each)
            found.append(inside)
    return [region for region in found if region]


def parts(region: list[Token], sign: str) -> list[Span]:
    """What a region joins by `&&` or `||`; nothing where it does not, or where something binds less."""
    depth = min(token.depth for token in region)
    level = [token.word for token in region if token.depth == depth]
    if "?" in level or (sign == "&&" and "||" in level) or sign not in level:
        return []
    found, start = [], 0
    for index, token in enumerate([*region, None]):
        if token is None or (token.word == sign and token.depth == depth):
            found.append(Span(region[start].start, region[index - 1].end))
            start = index + 1
    return found


def joined(text: str, sign: str) -> list[list[Span]]:
    """Each place of a condition where parts are joined by a sign."""
    return [found for region in regions(text) if (found := parts(region, sign))]


def whole_parts(text: str, sign: str = "&&") -> list[str]:
    """The parts of the condition as a whole; itself alone where it is one."""
    found = parts(tokens(text), sign)
    return [span.of(text) for span in found] or [text]


def without_part(text: str, spans: list[Span], index: int) -> str:
    """The condition with one of the joined parts gone."""
    if index + 1 < len(spans):
        return Span(spans[index].start, spans[index + 1].start).replaced(text, "")
    return Span(spans[index - 1].end, spans[index].end).replaced(text, "")


def comparisons(text: str) -> Iterator[Comparison]:
    """All of them, with both sides."""
    found = tokens(text)
    for index, token in enumerate(found):
        if token.word in MIRRORED:
            left = _side(found[:index][::-1], token.depth)
            right = _side(found[index + 1 :], token.depth)
            if left and right:
                yield Comparison(
                    Span(left[-1].start, left[0].end), token, Span(right[0].start, right[-1].end)
                )


def _side(row: list[Token], depth: int) -> list[Token]:
    side: list[Token] = []
    for token in row:
        if token.depth < depth or (token.depth == depth and token.word in BOUNDS):
            break
        side.append(token)
    return side


def fields(text: str) -> Iterator[Field]:
    """Every field that is read of a row by name, or of a row that `get` gives."""
    found = tokens(text)
    for index in range(1, len(found) - 1):
        base, dot, name = found[index - 1], found[index], found[index + 1]
        called = index + 2 < len(found) and found[index + 2].word == "("
        if dot.word != "." or called or not name.word.isidentifier():
            continue
        if base.word.isidentifier() and (index < 2 or found[index - 2].word != "."):
            yield Field(base.word, name.word, Span(name.start, name.end))
        elif base.word == ")" and (table := _table_got(found[: index - 1], base.depth)):
            yield Field(f"get {table}", name.word, Span(name.start, name.end))


def _table_got(before: list[Token], depth: int) -> str:
    for index in range(len(before) - 1, 0, -1):
        if before[index].depth == depth:
            is_get = before[index].word == "(" and before[index - 1].word in ("get", "start_get")
            return before[index + 1].word.strip("'\"") if is_get else ""
    return ""


def polarity(text: str, at: int) -> bool | None:
    """Whether a condition holds the more, the more what stands at a place holds; None where that is not clear."""
    found = tokens(text)
    here = next(index for index, token in enumerate(found) if token.end > at)
    positive = True
    for level in range(len(found)):
        depth = found[here].depth
        left, right = _side(found[:here][::-1], depth), _side(found[here:], depth)
        if level and any(t.depth == depth and t.word in MIRRORED for t in left + right):
            return None
        positive ^= bool(left) and left[-1].word == "!"
        opening = _opening(found, here)
        if opening is None or _chosen(found, here):
            return None if _chosen(found, here) else positive
        before = found[opening - 1].word if opening else ""
        if found[opening].word != "(" or (
            before.isidentifier() and before not in ("exists", "all")
        ):
            return None
        here = opening
    return None


def _opening(found: list[Token], here: int) -> int | None:
    depth = found[here].depth
    return next((i for i in range(here - 1, -1, -1) if found[i].depth < depth), None)


def _chosen(found: list[Token], here: int) -> bool:
    """Whether a place stands in `… ? … : …`, at its own depth."""
    depth = found[here].depth
    for row in (found[:here][::-1], found[here:]):
        for token in row:
            if token.depth < depth:
                break
            if token.depth == depth and token.word in "?:":
                return True
    return False


def weaker(text: str) -> Iterator[Change]:
    """Conditions that let more pass: a part gone, a bound made easier."""
    yield from _shifted(text, easier=True)


def stronger(text: str) -> Iterator[Change]:
    """Conditions that let less pass: another way gone, a bound made stricter."""
    yield from _shifted(text, easier=False)


def _shifted(text: str, *, easier: bool) -> Iterator[Change]:
    for sign, holds in (("&&", easier), ("||", not easier)):
        for spans in joined(text, sign):
            if polarity(text, spans[0].start) == holds:
                for index, span in enumerate(spans):
                    if not guards(span.of(text)):
                        yield Change(
                            f"without part at {span.start}", without_part(text, spans, index)
                        )
    for each in comparisons(text):
        holds_more = polarity(text, each.sign.start)
        if holds_more is not None:
            yield from _bound_moved(text, each, easier == holds_more)


def guards(part: str) -> bool:
    """Whether a part only says of which rows or calls the rest is asked."""
    return bool(re.search(r"null|\bhas\(|^table ==|^\(?table ==|^call\.tool", part))


def _bound_moved(text: str, each: Comparison, easier: bool) -> Iterator[Change]:
    number, sign = each.right.of(text), each.sign.word
    what = f"bound at {each.sign.start}"
    if re.fullmatch(r"\d+(\.\d+)?", number) and sign in ("<", "<=", ">", ">="):
        moved = _moved(number, up=easier == (sign in ("<", "<=")))
        if moved != number:
            yield Change(what, each.right.replaced(text, moved))
    elif sign in (table := EASIER if easier else STRICTER):
        yield Change(what, each.sign.replaced(text, table[sign]))


def _moved(number: str, *, up: bool) -> str:
    if "." in number:
        value = float(number)
        return str(round(value * (1.25 if up else 0.75), 2) if value else (1.0 if up else 0.0))
    value = int(number)
    step = max(1, value // 4)
    return str(value + step if up else max(0, value - step))
