"""A condition's tree as text: what an author would write, with the brackets that it needs and no others."""

from __future__ import annotations

from worlds.cel_tree import Node

LEVELS = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!=", "in"), 3),
    **dict.fromkeys("+-", 4),
    **dict.fromkeys("*/%", 5),
}
CHOICE, SIGN, MEMBER = 0, 6, 7


def printed(node: Node) -> str:
    """CEL of which the tree is this one again."""
    return _within(node, CHOICE)


def _within(node: Node, level: int) -> str:
    """As a part of something that binds at a level: in brackets where it binds less."""
    text = _text(node)
    return f"({text})" if _level(node) < level else text


def _level(node: Node) -> int:
    if node.kind == "choice":
        return CHOICE
    if node.kind == "chain":
        return LEVELS[node.operators[0]]
    if node.kind == "sign" or (node.kind == "literal" and node.text[0] == "-"):
        return SIGN
    return MEMBER


def _text(node: Node) -> str:
    if node.kind in ("literal", "name"):
        return node.text
    return _PRINTERS[node.kind](node)


def _field(node: Node) -> str:
    return f"{_within(node.parts[0], MEMBER)}.{node.text}"


def _index(node: Node) -> str:
    return f"{_within(node.parts[0], MEMBER)}[{printed(node.parts[1])}]"


def _call(node: Node) -> str:
    if not node.method:
        return f"{node.text}({_listed(node.parts)})"
    receiver, *arguments = node.parts
    return f"{_within(receiver, MEMBER)}.{node.text}({_listed(tuple(arguments))})"


def _macro(node: Node) -> str:
    over, *bodies = node.parts
    inner = ", ".join([node.variable, *map(printed, bodies)])
    return f"{_within(over, MEMBER)}.{node.text}({inner})"


def _map(node: Node) -> str:
    pairs = zip(node.parts[::2], node.parts[1::2], strict=True)
    return f"{{{', '.join(f'{printed(key)}: {printed(value)}' for key, value in pairs)}}}"


def _sign(node: Node) -> str:
    return f"{node.text}{_within(node.parts[0], MEMBER)}"


def _chain(node: Node) -> str:
    level = _level(node)
    first, *rest = (_within(part, level + 1) for part in node.parts)
    return first + "".join(
        f" {operator} {part}" for operator, part in zip(node.operators, rest, strict=True)
    )


def _choice(node: Node) -> str:
    test, then, otherwise = node.parts
    return f"{_within(test, 1)} ? {_within(then, 1)} : {printed(otherwise)}"


def _listed(nodes: tuple[Node, ...]) -> str:
    return ", ".join(map(printed, nodes))


_PRINTERS = {
    "field": _field,
    "index": _index,
    "call": _call,
    "macro": _macro,
    "list": lambda node: f"[{_listed(node.parts)}]",
    "map": _map,
    "sign": _sign,
    "chain": _chain,
    "choice": _choice,
}
