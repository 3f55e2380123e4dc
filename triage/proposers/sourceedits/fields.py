"""Fields, keys and tables called by a wrong name: one that no schema has, or another one that the table has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from triage.proposers.sourceedits.changed import changed, leaf, text_index
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.quoting import quote
from triage.proposers.sourceedits.rowtypes import RowTypes, rowtypes
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.vocabulary import Vocabulary, closest, likeness

MISSPELT = 0.9
UNKNOWN = 0.35
"""A name that no schema has, and one that its table has and that does not look like it."""
OTHER_TABLE = 0.6
SAME_SORT = 0.14
MOST_SAME_SORT = 5
NAMED_SO = 0.6
KEY_OF = 0.6
WRITTEN = frozenset({"insert", "update", "put", "find"})


@dataclass
class Reading:
    """A source, and what is known of the names in it."""

    source: SourceCode
    words: Vocabulary
    types: RowTypes


def fields(source: SourceCode) -> Iterator[Edit]:
    """Other names of fields and tables, and values under the key that they belong to."""
    reading = Reading(source, Vocabulary(source.domain), rowtypes(source.text))
    for part in source.suspects(cst.Subscript):
        name = text_index(part)
        if name is not None:
            yield from _of_row(reading, part.value, name, _index(part))
    for call in source.suspects(cst.Call):
        if isinstance(call.func, cst.Attribute) and call.args:
            yield from _of_call(reading, call, call.func)
    for entry in source.suspects(cst.DictElement):
        yield from _named_otherwise(reading, entry)


def _index(part: cst.Subscript) -> cst.BaseExpression:
    inner = part.slice[0].slice
    return inner.value if isinstance(inner, cst.Index) else part


# Names of fields


def _of_row(
    reading: Reading, row: cst.BaseExpression, name: str, node: cst.BaseExpression
) -> Iterator[Edit]:
    source, words = reading.source, reading.words
    tables = reading.types.tables(source.function(node), source.code(row))
    tables = frozenset(each for each in tables if words.fields.get(each))
    if not tables:
        if name not in words.nested and not _is_known(source, name):
            yield from _misspelt(source, node, name, sorted(words.nested), "the schemas")
        return
    known = dict.fromkeys(f for table in sorted(tables) for f in words.fields[table])
    if name not in known:
        yield from _misspelt(source, node, name, list(known), " and ".join(sorted(tables)))
    elif len(tables) == 1:
        yield from _other_field(reading, node, name, next(iter(tables)))


def _misspelt(
    source: SourceCode, node: cst.CSTNode, name: str, known: Sequence[str], where: str
) -> Iterator[Edit]:
    alike = closest(name, known)
    authority = f"the schema of {where} has `{{}}` and no `{name}`"
    for index, (other, score) in enumerate(alike):
        likelihood = max(0.1, MISSPELT * score - 0.2 * index)
        yield changed(source, node, quote(other), likelihood, authority.format(other))
    taken = {other for other, _ in alike}
    for other in [each for each in known if each not in taken][:6] if not alike else ():
        yield changed(source, node, quote(other), UNKNOWN / 2, authority.format(other))


def _is_known(source: SourceCode, name: str) -> bool:
    """Whether a name of no schema is one of a dict that the source itself makes."""
    return source.text.count(f'"{name}"') + source.text.count(f"'{name}'") > 1


def _other_field(
    reading: Reading, node: cst.BaseExpression, name: str, table: str
) -> Iterator[Edit]:
    alike = reading.words.alike(name, table)
    alike.sort(key=lambda each: (-likeness(each, name), each))
    meant = _meant(reading, node)
    for index, other in enumerate(alike[:MOST_SAME_SORT]):
        if other == meant:
            continue
        likelihood = max(0.05, SAME_SORT * (0.6 + likeness(other, name)) - 0.02 * index)
        yield changed(reading.source, node, quote(other), likelihood)
    if meant and meant != name and meant in reading.words.fields[table]:
        refers = (table, name) in reading.words.references
        if name == reading.words.keys[table]:
            return  # a row is referred to by its key, whatever the field is called that does
        authority = f"what it is handed over or kept as is called `{meant}`, a field of {table}"
        yield changed(
            reading.source, node, quote(meant), NAMED_SO / (3 if refers else 1), authority
        )


def _meant(reading: Reading, node: cst.CSTNode) -> str:
    """The key, keyword or variable under which the value of a field is kept, where it is kept as it is."""
    part = reading.source.parent(reading.source.parent(reading.source.parent(node)))  # type: ignore[arg-type]
    around = reading.source.parent(part) if part is not None else None
    if isinstance(around, cst.DictElement) and around.value is part:
        return _text(around.key)
    if isinstance(around, cst.Arg) and around.keyword is not None:
        return around.keyword.value
    if isinstance(around, cst.Assign) and len(around.targets) == 1:
        return leaf(reading.source.code(around.targets[0].target))
    if isinstance(around, cst.ComparisonTarget) and isinstance(around.operator, cst.Equal):
        compared = reading.source.parent(around)
        return (
            leaf(reading.source.code(compared.left)) if isinstance(compared, cst.Comparison) else ""
        )
    if isinstance(around, cst.Comparison) and isinstance(around.comparisons[0].operator, cst.Equal):
        return leaf(reading.source.code(around.comparisons[0].comparator))
    return ""


def _text(node: cst.CSTNode | None) -> str:
    value = node.evaluated_value if isinstance(node, cst.SimpleString) else None
    return value if isinstance(value, str) else ""


# Calls of db, and of `get`


def _of_call(reading: Reading, call: cst.Call, func: cst.Attribute) -> Iterator[Edit]:
    source, first = reading.source, call.args[0].value
    name = _text(first)
    if source.code(func.value) == "db":
        yield from _of_table(reading, call, func.attr.value, name)
    elif (
        func.attr.value == "get"
        and name
        and reading.types.tables(source.function(call), source.code(func.value))
    ):
        yield from _of_row(reading, func.value, name, first)


def _of_table(reading: Reading, call: cst.Call, attr: str, table: str) -> Iterator[Edit]:
    source, words, first = reading.source, reading.words, call.args[0].value
    if not table:
        return
    if table not in words.tables:
        alike = closest(table, words.tables)
        for index, (other, score) in enumerate(alike):
            authority = f"the contract has the table {other} and no {table}"
            yield changed(source, first, quote(other), MISSPELT * score - 0.2 * index, authority)
        for other in words.tables if not alike else ():
            yield changed(source, first, quote(other), UNKNOWN / 2)
        return
    if len(call.args) > 1 and attr in WRITTEN:
        given = call.args[-1].value if attr != "find" else call.args[1].value
        yield from _of_dict(reading, given, table, attr)
    if len(call.args) > 1 and attr in {"get", "update", "delete"}:
        yield from _by_key(reading, call, table)


def _of_dict(reading: Reading, given: cst.BaseExpression, table: str, attr: str) -> Iterator[Edit]:
    known = reading.words.fields[table]
    for element in given.elements if isinstance(given, cst.Dict) else ():
        if not isinstance(element, cst.DictElement):
            continue
        name = _text(element.key).removesuffix("[]")
        if not name or not known or "." in name or "[" in name:
            continue
        if name not in known:
            yield from _misspelt(reading.source, element.key, name, list(known), table)
        else:
            yield from _other_field(reading, element.key, name, table) if attr != "insert" else ()


def _by_key(reading: Reading, call: cst.Call, table: str) -> Iterator[Edit]:
    """A row of one table asked for by the key of another."""
    source, key = reading.source, call.args[1].value
    named = leaf(source.code(key))
    tables = (
        sorted(reading.types.tables(source.function(call), source.code(key.value)))
        if isinstance(key, cst.Subscript)
        else []
    )
    refers = {reading.words.references.get((each, named)) for each in tables} - {None}
    refers |= {each for each, field_ in reading.words.keys.items() if field_ == named}
    if not refers or table in refers:
        return
    for other in sorted(r for r in refers if r):
        authority = f"`{named}` refers to {other} by the contract"
        yield changed(source, call.args[0].value, quote(other), KEY_OF, authority)
    fitting = [
        f
        for each in tables
        for f in reading.words.fields[each]
        if reading.words.references.get((each, f)) == table
    ]
    own = reading.words.keys[table]
    for other in dict.fromkeys(
        [*fitting, *([own] if any(own in reading.words.fields[t] for t in tables) else [])]
    ):
        inner = _index(key) if isinstance(key, cst.Subscript) else key
        authority = f"`{other}` refers to {table} by the contract"
        yield changed(source, inner, quote(other), KEY_OF, authority)


# Keys of what is answered


def _named_otherwise(reading: Reading, entry: cst.DictElement) -> Iterator[Edit]:
    """A field handed on under another key than everywhere else."""
    source, name = reading.source, _text(entry.key)
    shown = text_index(entry.value)
    if not name or shown is None or name == shown or name in reading.words.nested:
        return
    counts = _shown_as(source, shown)
    usual = [each for each, count in counts.most_common(3) if each != name]
    for index, other in enumerate(usual):
        if counts[other] > counts[name] - 1 or counts[other] > 1:
            authority = f"`{shown}` is handed on as `{other}` elsewhere, {counts[other]} times"
            yield changed(source, entry.key, quote(other), 0.3 - 0.08 * index, authority)
    if name not in reading.words.nested and not usual and shown not in counts:
        authority = f"the contract calls the field `{shown}`"
        yield changed(source, entry.key, quote(shown), 0.2, authority)


def _shown_as(source: SourceCode, shown: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    entry = re.compile(rf"""["'](\w+)["']\s*:\s*\w+\[["']{re.escape(shown)}["']\]""")
    for text in (source.text, *source.neighbours):
        for match in entry.findall(text):
            counts[match] += 1
    return counts
