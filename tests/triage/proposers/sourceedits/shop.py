"""A small shop: its contract, and edits of what its tool servers might say."""

from __future__ import annotations

import ast
from textwrap import dedent

from triage.proposers.sourceedits import Editor
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.domain import Domain

SHOP = Domain.model_validate(
    {
        "tables": {
            "orders": {
                "key": "order_id",
                "schema": {
                    "properties": {
                        "order_id": {"type": "string"},
                        "user_id": {"type": "string"},
                        "status": {"enum": ["new", "paid", "cancelled"]},
                        "items": {"type": "array"},
                    }
                },
            },
            "users": {"key": "user_id", "schema": {"properties": {"name": {"type": "string"}}}},
        }
    }
)


def shop(
    text: str,
    *neighbours: str,
    lines: dict[int, float] | None = None,
    given: dict[str, frozenset[str]] | None = None,
    read: dict[str, frozenset[str]] | None = None,
) -> SourceCode:
    """A tool server of the shop, all of it under suspicion."""
    source = dedent(text).lstrip("\n")
    names = [n.name for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
    return SourceCode(
        source,
        SHOP,
        dict.fromkeys([*names, ""], 1.0),
        lines or {},
        [dedent(each).lstrip("\n") for each in neighbours],
        given or {},
        read or {},
    )


def best(editor: Editor, source: SourceCode) -> Edit:
    """The likeliest edit."""
    return max(editor(source), key=lambda edit: edit.likelihood)


def made(editor: Editor, source: SourceCode) -> list[str]:
    """The sources of all edits; each can be parsed."""
    found = [edit.source for edit in editor(source)]
    for each in found:
        ast.parse(each)
    return found
