"""Pieces of conditions as text: literals, and the two sides of what is asked."""

from __future__ import annotations

import json
import re
from typing import Any

from worlds.cel_errors import ConditionInvalid
from worlds.cel_tree import Node, parse

NAME = re.compile(r"[A-Za-z_]\w*")


def literal(value: Any) -> str | None:
    """A JSON value as a condition writes it; None where it cannot be."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return json.dumps(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        items = [literal(item) for item in value]
        return None if None in items else f"[{', '.join(str(item) for item in items)}]"
    return None


def _text(value: str) -> str | None:
    if len(value) > 200 or any(ord(sign) < 32 or sign == "\\" for sign in value):
        return None
    if "'" not in value:
        return f"'{value}'"
    return None if '"' in value else f'"{value}"'


def tree(text: str) -> Node | None:
    """The tree of a condition; None where it has none."""
    try:
        return parse(text)
    except ConditionInvalid:
        return None


def sides(text: str) -> tuple[str, str] | None:
    """Left and right of a condition that compares with `==` and does nothing else."""
    root = tree(text)
    if root is None or root.kind != "chain" or root.operators != ("==",):
        return None
    for match in re.finditer(r"==", text):
        left, right = text[: match.start()].strip(), text[match.end() :].strip()
        if tree(left) is not None and tree(right) is not None:
            return left, right
    return None


def conjuncts(text: str) -> list[str]:
    """What a condition joins by `&&` at its top, in order; itself where it joins nothing."""
    root = tree(text)
    if root is None or root.kind != "chain" or set(root.operators) != {"&&"}:
        return [text]
    found, begun = [], ""
    for piece in text.split("&&"):
        begun = f"{begun}&&{piece}" if begun else piece
        if tree(begun.strip()) is not None:
            found.append(begun.strip())
            begun = ""
    return found if not begun and len(found) == len(root.parts) else [text]


def is_named(text: str, name: str) -> bool:
    """Whether a word stands in a text."""
    return re.search(rf"\b{re.escape(name)}\b", text) is not None
