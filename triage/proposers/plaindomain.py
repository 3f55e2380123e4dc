"""A contract with nothing in it but plain names and words.

Sources of outside servers run as the server does, not in the sandbox of component code. What editors put into them
comes from the source itself, and from here: so nothing may be here that ends a text, or begins code.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from worlds.canonical import NotCanonical
from worlds.domain import Domain

NAME = re.compile(r"[A-Za-z$][A-Za-z0-9_$-]{0,63}")
WORDS = re.compile(r"[\w .,:;@/+&|?*^$\[\]-]{0,200}")
DEEPEST = 8


def plain(domain: Domain) -> Domain:
    """Its tables, without what is not plain."""
    tables = domain.content().get("tables", {})
    try:
        return Domain.parse({"tables": _plain(tables, DEEPEST)})
    except (ValidationError, NotCanonical):
        return Domain.parse({"tables": {}})


def _plain(value: Any, depth: int) -> Any:
    """What is not plain, or too deep, becomes None, and is left out of what holds it."""
    if isinstance(value, dict) and depth:
        named = {key: _plain(each, depth - 1) for key, each in value.items() if NAME.fullmatch(key)}
        return {key: each for key, each in named.items() if each is not None}
    if isinstance(value, list) and depth:
        return [each for each in (_plain(one, depth - 1) for one in value) if each is not None]
    if isinstance(value, str):
        return value if WORDS.fullmatch(value) else None
    return value if isinstance(value, (bool, int, float)) else None
