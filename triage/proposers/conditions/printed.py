"""A condition's tree, written as an author would write it.

What is not changed may be handed over as it stands in a text (`verbatim`): then only what is new is written anew, and
brackets around either where they are needed. `parse(printed(tree))` is the same tree.
"""

from __future__ import annotations

from collections.abc import Callable

from worlds.cel_tree import Node

Verbatim = Callable[[Node], str | None]
"""A node's text, where it stands somewhere already, without brackets around it."""

CHOICE, OR, AND, RELATION, SUM, PRODUCT, UNARY, MEMBER = range(8)
"""How tightly an expression holds together."""
_LEVELS = {
    "||": OR, "&&": AND,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!=", "in"), RELATION),
    **dict.fromkeys("+-", SUM), **dict.fromkeys("*/%", PRODUCT),
}  # fmt: skip


def level(node: Node) -> int:
    """How tightly a node's text holds together."""
    if node.kind == "choice":
        return CHOICE
    if node.kind == "chain":
        return _LEVELS[node.operators[0]]
    if node.kind == "sign" or is_negative(node):
        return UNARY
    return MEMBER


def is_negative(node: Node) -> bool:
    """Whether it is a number with a sign."""
    return node.kind == "literal" and node.text.startswith("-")


def is_numeral(node: Node) -> bool:
    """Whether it is a number."""
    return node.kind == "literal" and (node.text[0].isdigit() or node.text[0] in "-.")


def needed(around: Node, number: int) -> int:
    """How tightly the part of a node with this number must hold together to need no brackets."""
    if around.kind == "chain":
        return level(around) + 1
    if around.kind == "choice":
        return CHOICE if number == 2 else OR
    if around.kind == "sign":
        return UNARY
    is_receiver = around.kind in ("field", "index", "macro") or around.method
    return MEMBER if is_receiver and number == 0 else CHOICE


def printed(node: Node, verbatim: Verbatim | None = None) -> str:
    """The text of a tree."""
    return _Printer(verbatim).text(node)


def bracketed(node: Node, text: str, around: Node | None, number: int) -> str:
    """The text of a node as the part of another (None = as a whole), in brackets where it needs them."""
    if around is None:
        return text
    # `-1` is a number and no sign before one, and `1.a` is none at all.
    apart = is_numeral(node) and (
        (around.kind == "sign" and around.text == "-") or needed(around, number) == MEMBER
    )
    return f"({text})" if apart or level(node) < needed(around, number) else text


class _Printer:
    def __init__(self, verbatim: Verbatim | None) -> None:
        self.verbatim = verbatim

    def text(self, node: Node) -> str:
        known = self.verbatim(node) if self.verbatim else None
        return known if known is not None else self._anew(node)

    def _anew(self, node: Node) -> str:
        parts = [
            bracketed(part, self.text(part), node, number) for number, part in enumerate(node.parts)
        ]
        written: str = getattr(self, f"_{node.kind}")(node, parts)
        return written

    def _literal(self, node: Node, _: list[str]) -> str:
        return node.text

    def _name(self, node: Node, _: list[str]) -> str:
        return node.text

    def _field(self, node: Node, parts: list[str]) -> str:
        return f"{parts[0]}.{node.text}"

    def _index(self, _: Node, parts: list[str]) -> str:
        return f"{parts[0]}[{parts[1]}]"

    def _call(self, node: Node, parts: list[str]) -> str:
        if node.method:
            return f"{parts[0]}.{node.text}({', '.join(parts[1:])})"
        return f"{node.text}({', '.join(parts)})"

    def _macro(self, node: Node, parts: list[str]) -> str:
        return f"{parts[0]}.{node.text}({', '.join((node.variable, *parts[1:]))})"

    def _list(self, _: Node, parts: list[str]) -> str:
        return f"[{', '.join(parts)}]"

    def _map(self, _: Node, parts: list[str]) -> str:
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"

    def _sign(self, node: Node, parts: list[str]) -> str:
        return f"{node.text}{parts[0]}"

    def _choice(self, _: Node, parts: list[str]) -> str:
        return f"{parts[0]} ? {parts[1]} : {parts[2]}"

    def _chain(self, node: Node, parts: list[str]) -> str:
        rest = zip(node.operators, parts[1:], strict=True)
        return parts[0] + "".join(f" {operator} {part}" for operator, part in rest)
