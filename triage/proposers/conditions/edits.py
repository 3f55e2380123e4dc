"""All that may be wrong in one place of a condition, and what may be meant instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from triage.proposers.conditions.edit import Edit
from triage.proposers.conditions.printed import printed
from triage.proposers.conditions.vocabulary import Vocabulary, closest
from worlds.cel_errors import ConditionInvalid
from worlds.cel_tree import Node, literal_text, parse, walk

MOST = 160
"""Edits of one condition."""
RELATIONS = {
    "<": (("<=", 0.3), (">", 0.2), (">=", 0.1)),
    "<=": (("<", 0.3), (">=", 0.2), (">", 0.1)),
    ">": ((">=", 0.3), ("<", 0.2), ("<=", 0.1)),
    ">=": ((">", 0.3), ("<=", 0.2), ("<", 0.1)),
    "==": (("!=", 0.25), ("<=", 0.06), (">=", 0.06)),
    "!=": (("==", 0.25),),
}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*"}
TWINS = {
    "before": "after",
    "get": "start_get",
    "find": "start_find",
    "min": "max",
    "all": "exists",
    "startsWith": "endsWith",
    "said": "heard",
}
PAIRS = {**TWINS, **{other: one for one, other in TWINS.items()}}
TIMES = {"before": 0.4, "after": 0.4, "start_get": 0.25, "start_find": 0.25}
"""Of what is said of the wrong side of a change; the other way round it is less often meant."""
LITERAL_NUMBER = 0.5

Change = tuple[Node, Node, str, float, str]
"""A node, what stands there instead, in words, how likely, and by which authority."""


def edits(text: str, vocabulary: Vocabulary, siblings: Sequence[str] = ()) -> Iterator[Edit]:
    """Edits of a condition, the likeliest first, at most `MOST`; none where it has no tree. `siblings` are conditions
    from which a conjunct or a way out may be borrowed."""
    try:
        root = parse(text)
    except (ConditionInvalid, RecursionError):
        return
    found: dict[str, Edit] = {}
    for change in _changes(root, vocabulary, siblings):
        made = _edit(root, change)
        if made is not None and made.text != printed(root):
            known = found.get(made.text)
            if known is None or known.likelihood < made.likelihood:
                found[made.text] = made
    yield from sorted(found.values(), key=lambda each: -each.likelihood)[:MOST]


def _edit(root: Node, change: Change) -> Edit | None:
    old, new, says, likelihood, authority = change
    text = printed(_replaced(root, old, new))
    try:
        parse(text)
    except (ConditionInvalid, RecursionError):
        return None
    return Edit(text, says, likelihood, authority)


def _replaced(node: Node, old: Node, new: Node) -> Node:
    if node is old:
        return new
    parts = tuple(_replaced(part, old, new) for part in node.parts)
    if all(one is other for one, other in zip(parts, node.parts, strict=True)):
        return node
    return replace(node, parts=parts)


def _changes(root: Node, vocabulary: Vocabulary, siblings: Sequence[str]) -> Iterator[Change]:
    for node in walk(root):
        for of in EDITORS:
            yield from of(node, root, vocabulary)
    yield from _borrowed(root, siblings)


# Names


def _unknown_fields(node: Node, _root: Node, words: Vocabulary) -> Iterator[Change]:
    """A field that no schema has."""
    if node.kind == "field" and node.text not in words.known:
        for place, name in enumerate(closest(node.text, words.known)):
            yield (
                node,
                replace(node, text=name),
                f"`{name}` for `{node.text}`, which no schema has",
                0.9 - 0.3 * place,
                f"the schema has `{name}`, and no `{node.text}`",
            )


def _other_fields(node: Node, root: Node, words: Vocabulary) -> Iterator[Change]:
    """Another field of the same table and type."""
    if node.kind != "field":
        return
    target = node.parts[0]
    named = words.names.get(target.text, "") if target.kind == "name" else ""
    for name in words.like(node.text, {named} if named else words.tables(root))[:8]:
        yield node, replace(node, text=name), f"`{name}` for `{node.text}`", 0.15, ""


def _rows(node: Node, _root: Node, words: Vocabulary) -> Iterator[Change]:
    """The row of another slot of the same table."""
    if node.kind == "name" and (table := words.names.get(node.text)):
        for name, other in words.names.items():
            if other == table and name != node.text:
                yield node, replace(node, text=name), f"`{name}` for `{node.text}`", 0.3, ""


def _twins(node: Node, _root: Node, _words: Vocabulary) -> Iterator[Change]:
    """The other side of a change, the other of two functions."""
    other = PAIRS.get(node.text)
    if other is not None and node.kind in ("name", "call", "macro"):
        likelihood = TIMES.get(node.text, 0.15)
        yield node, replace(node, text=other), f"`{other}` for `{node.text}`", likelihood, ""


def _sides(node: Node, root: Node, _words: Vocabulary) -> Iterator[Change]:
    """All that is said of one side of a change said of the other."""
    if node is not root:
        return
    for one, other in (("before", "after"), ("after", "before")):
        if any(each.kind == "name" and each.text == one for each in walk(root)):
            made = _renamed(root, one, other)
            yield root, made, f"`{other}` for `{one}` throughout", 0.25, ""


def _renamed(node: Node, one: str, other: str) -> Node:
    if node.kind == "name" and node.text == one:
        return replace(node, text=other)
    return replace(node, parts=tuple(_renamed(part, one, other) for part in node.parts))


# Values


def _texts(node: Node, root: Node, words: Vocabulary) -> Iterator[Change]:
    """A text that is none of the values of the field that it is compared with, or another of them."""
    said = literal_text(node)
    if said is None:
        return
    if said in words.fields or said == "":
        yield from _tables(node, said, root, words)
        return
    for field in _compared(node, root):
        values = words.values(field)
        is_known = said in values
        for value in values if is_known else closest(said, values) or values:
            if value != said:
                yield _text(node, value, said, 0.2 if is_known else 0.9, field)


def _tables(node: Node, said: str, root: Node, words: Vocabulary) -> Iterator[Change]:
    rivals = sorted(words.tables(root) - {said})
    for name in rivals[:4] if said else ():
        yield node, replace(node, text=f"'{name}'"), f"the table `{name}` for `{said}`", 0.1, ""


def _text(node: Node, value: str, said: str, likelihood: float, field: str) -> Change:
    quoted = "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    authority = (
        "" if likelihood < 0.5 else f"the schema of `{field}` has `{value}`, and no `{said}`"
    )
    return node, replace(node, text=quoted), f"'{value}' for '{said}'", likelihood, authority


def _compared(node: Node, root: Node) -> Iterator[str]:
    """The fields with which a value is compared, in whichever way."""
    for around in walk(root):
        if around.kind == "chain" and _holds(around.parts, node):
            yield from (
                each.text for part in around.parts for each in (part,) if part.kind == "field"
            )
        if around.kind == "map" and node in around.parts[1::2]:
            yield from (literal_text(key) or "" for key in around.parts[::2])


def _holds(parts: Sequence[Node], node: Node) -> bool:
    return any(part is node or (part.kind == "list" and node in part.parts) for part in parts)


def _numbers(node: Node, _root: Node, words: Vocabulary) -> Iterator[Change]:
    """A number that the prose says, or the next one."""
    if node.kind != "literal" or not node.text.replace(".", "", 1).isdigit():
        return
    value = float(node.text)
    said = words.numbers()
    for each in dict.fromkeys(said):
        if each != value and value not in said:
            likelihood = LITERAL_NUMBER if words.words else 0.2
            authority = f"the text: “{words.words.strip()[:200]}”"
            yield _number(node, each, likelihood, authority)
    for each in (value - 1, value + 1):
        if each >= 0:
            yield _number(node, each, 0.08, "")


def _number(node: Node, value: float, likelihood: float, authority: str) -> Change:
    text = f"{value:g}" if value < 1e6 else str(int(value))
    if "." in node.text and "." not in text:
        text += ".0"
    return node, replace(node, text=text), f"{text} for {node.text}", likelihood, authority


# Operators


def _relations(node: Node, _root: Node, _words: Vocabulary) -> Iterator[Change]:
    if node.kind != "chain" or len(node.operators) != 1:
        return
    operator = node.operators[0]
    for other, likelihood in RELATIONS.get(operator, ()):
        yield node, replace(node, operators=(other,)), f"`{other}` for `{operator}`", likelihood, ""
    if operator in ARITHMETIC:
        other = ARITHMETIC[operator]
        yield node, replace(node, operators=(other,)), f"`{other}` for `{operator}`", 0.15, ""
    if operator in ("-", "/", "in", "<", "<=", ">", ">="):
        turned = replace(node, parts=node.parts[::-1])
        yield node, turned, "both sides exchanged", 0.08, ""


def _connectives(node: Node, _root: Node, _words: Vocabulary) -> Iterator[Change]:
    """And for or; a part that is one too many."""
    if node.kind != "chain" or node.operators[0] not in ("&&", "||"):
        return
    other = "||" if node.operators[0] == "&&" else "&&"
    made = replace(node, operators=(other,) * len(node.operators))
    yield node, made, f"`{other}` for `{node.operators[0]}`", 0.12, ""
    for place, part in enumerate(node.parts):
        rest = (*node.parts[:place], *node.parts[place + 1 :])
        less = (
            rest[0] if len(rest) == 1 else replace(node, parts=rest, operators=node.operators[1:])
        )
        yield node, less, f"`{printed(part)[:80]}` left out", 0.08, ""


def _signs(node: Node, root: Node, _words: Vocabulary) -> Iterator[Change]:
    """Said where it is denied, denied where it is said."""
    if node.kind == "sign" and node.text == "!":
        yield node, node.parts[0], "a `!` taken away", 0.4, ""
    elif node is root or _is_part(node, root):
        yield node, Node("sign", "!", (node,)), f"`{printed(node)[:60]}` denied", 0.15, ""


def _is_part(node: Node, root: Node) -> bool:
    """Whether it is something that holds or does not, by where it stands."""
    chains = (each for each in walk(root) if each.kind == "chain" and node in each.parts)
    return any(each.operators[0] in ("&&", "||") for each in chains) and node.kind != "chain"


def _guards(node: Node, root: Node, _words: Vocabulary) -> Iterator[Change]:
    """Where there may be no row, or nothing in a field."""
    if node.kind != "field" or node.parts[0].kind not in ("name", "call"):
        return
    target = printed(node.parts[0])
    if node.parts[0].text in ("get", "start_get", "before", "after"):
        guarded = parse(f"{target} != null && ({printed(root)})")
        yield root, guarded, f"only where there is `{target[:80]}`", 0.25, ""


EDITORS: tuple[Callable[[Node, Node, Vocabulary], Iterator[Change]], ...] = (
    _unknown_fields,
    _other_fields,
    _rows,
    _twins,
    _sides,
    _texts,
    _numbers,
    _relations,
    _connectives,
    _signs,
    _guards,
)


# From elsewhere


def _borrowed(root: Node, siblings: Sequence[str]) -> Iterator[Change]:
    """A way out, or a condition more, that another one has."""
    mine = {printed(part) for part in _operands(root)}
    lent: dict[str, Node] = {}
    for text in siblings:
        try:
            for part in _operands(parse(text)):
                lent.setdefault(printed(part), part)
        except (ConditionInvalid, RecursionError):
            continue
    for text, part in list(lent.items())[:24]:
        if text in mine or text in ("true", "false"):
            continue
        for operator, likelihood in (("||", 0.12), ("&&", 0.12)):
            made = Node("chain", "", (root, part), 0, (operator,))
            yield root, made, f"`{operator} {text[:80]}`, which another clause has", likelihood, ""


def _operands(node: Node) -> Iterator[Node]:
    if node.kind == "chain" and node.operators[0] in ("&&", "||"):
        for part in node.parts:
            yield from _operands(part)
    else:
        yield node
