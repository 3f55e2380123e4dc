"""A condition written anew from its tree, with the hooks that keep it finite.

Every round of a comprehension calls `_tick`, and everything that could grow (what `map` collects, sums of text or
lists) goes through `_keep`; both count and raise when the budget is spent. An error inside `_tick() ? … : …` is an
error of the round, and no `||` or `&&` of the author's can hide that the budget is gone: the evaluation looks again.

The keys of an object come in no fixed order from the evaluator; `_over` puts them into one where order can be seen.
Whole numbers beside a double in arithmetic become doubles, where the shapes are known: `order.total * 2` works.
"""

from __future__ import annotations

from collections.abc import Mapping

from worlds.cel_functions import BUILT_IN
from worlds.cel_gates import is_integer, is_list, is_number, is_small
from worlds.cel_tree import Node
from worlds.cel_values import Shape

TICK = "_tick"
KEEP = "_keep"
OVER = "_over"


class Source:
    """Writes nodes whose shapes the gates have found."""

    def __init__(self, shapes: Mapping[int, Shape]) -> None:
        self._shapes = shapes

    def write(self, node: Node) -> str:
        """CEL that evaluates to the node."""
        text: str = getattr(self, f"_{node.kind}")(node)
        return text

    def _literal(self, node: Node) -> str:
        return node.text

    def _name(self, node: Node) -> str:
        return node.text

    def _field(self, node: Node) -> str:
        return f"{self._primary(node.parts[0])}.{node.text}"

    def _index(self, node: Node) -> str:
        return f"{self._primary(node.parts[0])}[{self.write(node.parts[1])}]"

    def _list(self, node: Node) -> str:
        return f"[{self._joined(node.parts)}]"

    def _map(self, node: Node) -> str:
        pairs = zip(node.parts[::2], node.parts[1::2], strict=True)
        return f"{{{', '.join(f'{self.write(key)}: {self.write(value)}' for key, value in pairs)}}}"

    def _sign(self, node: Node) -> str:
        return f"{node.text}{self._primary(node.parts[0])}"

    def _choice(self, node: Node) -> str:
        return " ".join(
            (
                self._operand(node.parts[0]),
                "?",
                self._operand(node.parts[1]),
                ":",
                self._operand(node.parts[2]),
            )
        )

    def _call(self, node: Node) -> str:
        if node.method and node.text in BUILT_IN:
            receiver, *rest = node.parts
            return f"{self._primary(receiver)}.{node.text}({self._joined(tuple(rest))})"
        return f"{node.text}({self._joined(node.parts)})"

    def _macro(self, node: Node) -> str:
        over, *bodies = node.parts
        head = f"{self._range(over, node.text)}.{node.text}({node.variable}, "
        if node.text != "map":
            return f"{head}{self._round(bodies[0])})"
        kept = f"{KEEP}({self.write(bodies[-1])})"
        return f"{head}{self._round(bodies[0])}, {kept})" if len(bodies) == 2 else f"{head}{kept})"

    def _range(self, over: Node, macro: str) -> str:
        ordered = macro not in ("map", "filter") or is_list(self._shapes[id(over)])
        return self._primary(over) if ordered else f"{OVER}({self.write(over)})"

    def _round(self, body: Node) -> str:
        return f"{TICK}() ? {self._operand(body)} : false"

    def _chain(self, node: Node) -> str:
        arithmetic = bool(set(node.operators) & set("+-*/%"))
        doubled = arithmetic and any(is_number(self._shapes[id(part)]) for part in node.parts)
        parts = [self._double(part) if doubled else self._operand(part) for part in node.parts]
        text = parts[0] + "".join(
            f" {operator} {part}" for operator, part in zip(node.operators, parts[1:], strict=True)
        )
        grows = "+" in node.operators and not is_small(self._shapes[id(node)])
        return f"{KEEP}({text})" if grows else text

    def _double(self, node: Node) -> str:
        if not is_integer(self._shapes[id(node)]):
            return self._operand(node)
        return (
            f"{node.text}.0"
            if node.kind == "literal" and node.text.isdigit()
            else f"double({self.write(node)})"
        )

    def _joined(self, nodes: tuple[Node, ...]) -> str:
        return ", ".join(self.write(node) for node in nodes)

    def _primary(self, node: Node) -> str:
        """As something that a member, a sign or a method can follow."""
        plain = node.kind not in ("chain", "choice", "sign") and not (
            node.kind == "literal" and node.text[0] == "-"
        )
        return self.write(node) if plain else f"({self.write(node)})"

    def _operand(self, node: Node) -> str:
        return f"({self.write(node)})" if node.kind in ("chain", "choice") else self.write(node)
