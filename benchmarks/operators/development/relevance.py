"""Which intent a change of a rule or of the contract most likely matters to: the one that changes such rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from benchmarks.faults.mutation import Original


def intent_about(
    original: Original, table: str, fields: Collection[str] = (), when: str = ""
) -> str:
    """The intent whose goal allows most of what is asked about: rows of the table, new ones, these fields."""
    scores = {
        slug: max((_score(entry, table, fields, when) for entry in _changes(intent)), default=0)
        for slug, intent in original.intents.items()
    }
    best = max(scores, key=lambda slug: scores[slug])
    return best if scores[best] else ""


def _changes(intent: Mapping[str, Any]) -> list[str]:
    return list(intent["goal"].get("changes") or [])


def _score(entry: str, table: str, fields: Collection[str], when: str) -> int:
    row, _, named = entry.partition("#")
    if not row.startswith(f"{table}/"):
        return 0
    is_new = "/+" in row
    wants_new = "before == null" in when
    return 1 + 2 * len(set(named.split(",")) & set(fields)) + 2 * (is_new == wants_new)


def touched_by(original: Original, clause: Mapping[str, Any]) -> str:
    """What an attempt has to do with for a clause to have a say: a tool that it names, or an intent."""
    when = clause.get("when", "")
    tool = re.search(r"call\.tool == '(\w+)'", when)
    if tool is not None:
        return tool.group(1)
    table = re.search(r"table == '(\w+)'", when)
    fields = re.findall(r"\b(?:before|after)\.(\w+)", f"{when} {clause['require']}")
    return intent_about(original, table.group(1), fields, when) if table else ""
