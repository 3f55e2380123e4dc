"""What operators ask of rows and their schemas."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.faults.mutation import Document, Original


def properties(original: Original, table: str) -> Mapping[str, Any]:
    """The fields of a table with their schemas; none for what is no table."""
    tables = original.domain["tables"]
    return dict(tables[table]["schema"].get("properties", {})) if table in tables else {}


def kind_of(schema: Mapping[str, Any]) -> str:
    """`day`, `word` (of a list), or the type."""
    if "enum" in schema:
        return "word"
    if "pattern" in schema:
        return f"text like {schema['pattern']}"
    return str(schema.get("type"))


def similar(fields: Mapping[str, Any], name: str) -> str | None:
    """Another field that could be taken for this one: of the same type, with the name that is most like it."""
    if name not in fields:
        return None
    others = [
        each for each in fields if each != name and kind_of(fields[each]) == kind_of(fields[name])
    ]
    return max(
        others, key=lambda o: (difflib.SequenceMatcher(None, o, name).ratio(), o), default=None
    )


def words(original: Original, table: str, field: str) -> list[str]:
    """The words that a field may hold, where they are words like `open`."""
    found = properties(original, table).get(field, {}).get("enum", [])
    return [w for w in found if isinstance(w, str) and w.islower()]


def status_words(original: Original) -> Mapping[str, list[str]]:
    """By word, those that can stand in its place, over all tables."""
    found: dict[str, list[str]] = {}
    for table in original.domain["tables"]:
        for field in properties(original, table):
            for word in (row := words(original, table, field)):
                found.setdefault(word, [other for other in row if other != word])
    return {word: others for word, others in found.items() if others}


def bound_rows(original: Original) -> Iterator[tuple[str, str, str, Document]]:
    """Records set, table, key and row of all that environments speak of."""
    for records, table, key in original.bound:
        _, _, index = original.place_of(records, table, key)
        yield records, table, key, original.records[records]["tables"][table][index]


def links(original: Original, table: str) -> list[tuple[str, str]]:
    """The fields of a table that name a row of another, and that table."""
    return [
        (each["from"], each["to"])
        for each in original.domain["tables"][table].get("references", [])
        if re.fullmatch(r"\w+", each["from"]) and re.fullmatch(r"\w+", each["to"])
    ]


def fresh_key(rows: list[Document], field: str, key: str) -> str | None:
    """A key of the same form that no row has; None where keys are not counted."""
    match = re.fullmatch(r"([A-Za-z]*-?)(\d+)", key)
    if match is None or re.fullmatch(r"20\d\d", match[2]):
        return None
    taken = [re.fullmatch(re.escape(match[1]) + r"(\d+)", str(row[field])) for row in rows]
    number = max(int(each[1]) for each in taken if each) + 1
    return f"{match[1]}{number:0{len(match[2])}d}"
