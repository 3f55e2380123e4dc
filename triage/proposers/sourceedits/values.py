"""Texts that stand for a value of a field: misspelt, in other case, or another one of those that it may hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import libcst as cst

from triage.proposers.sourceedits.changed import changed, leaf, short, text_index
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.evidence import refusal_of
from triage.proposers.sourceedits.quoting import quote
from triage.proposers.sourceedits.rowtypes import RowTypes, rowtypes
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.vocabulary import Vocabulary, closest

MISSPELT = 0.92
UNKNOWN = 0.4
ANOTHER = 0.13
TOLD = 0.3
IN_LIST = 0.14
MOST = 5
Sequences = cst.List | cst.Tuple | cst.Set


def values(source: SourceCode) -> Iterator[Edit]:
    """Other values for texts that are compared with a field, written to it, or looked for in it."""
    words, types = Vocabulary(source.domain), rowtypes(source.text)
    for text in source.suspects(cst.SimpleString):
        found = _field_of(source, text)
        if found is not None and isinstance(text.evaluated_value, str):
            field, row = found
            tables = types.tables(source.function(text), row) if row else frozenset()
            tables = tables or _table_of(source, text)
            known = words.values(field, tables) or words.values(field)
            yield from _others(source, text, text.evaluated_value, known, field)
    for several in source.suspects(cst.BaseExpression):  # type: ignore[type-abstract]
        if isinstance(several, Sequences):
            yield from _of_list(source, several, words, types)
    yield from _looked_up(source)


def _field_of(source: SourceCode, text: cst.CSTNode) -> tuple[str, str] | None:
    """The field that a text is a value of, and the code of its row where one is told."""
    around = source.parent(text)
    if isinstance(around, cst.Element):
        text, around = around, source.parent(around)
        if not isinstance(around, Sequences):
            return None
        text, around = around, source.parent(around)
    if isinstance(around, cst.DictElement):
        key = around.key
        named = isinstance(key, cst.SimpleString) and around.value is text
        return (
            (str(key.evaluated_value), "") if named and isinstance(key, cst.SimpleString) else None
        )
    if isinstance(around, cst.Assign):
        target = around.targets[0].target
        return (text_index(target) or leaf(source.code(target)), "")
    return _compared(source, text, around)


def _compared(
    source: SourceCode, text: cst.CSTNode, around: cst.CSTNode | None
) -> tuple[str, str] | None:
    if isinstance(around, cst.ComparisonTarget):
        whole = source.parent(around)
        other = whole.left if isinstance(whole, cst.Comparison) else None
    elif isinstance(around, cst.Comparison) and around.left is text:
        other = around.comparisons[0].comparator
    else:
        return None
    if other is None:
        return None
    if isinstance(other, cst.Subscript) and text_index(other) is not None:
        return (text_index(other) or "", source.code(other.value))
    name = leaf(source.code(other))
    return (name, "") if name else None


def _table_of(source: SourceCode, text: cst.CSTNode) -> frozenset[str]:
    """Of a dict that is handed to `db` with the name of its table."""
    around = source.parent(text)
    while around is not None and not isinstance(around, (cst.Call, cst.BaseSmallStatement)):
        around = source.parent(around)
    if isinstance(around, cst.Call) and source.code(around.func).startswith("db.") and around.args:
        first = around.args[0].value
        if isinstance(first, cst.SimpleString):
            return frozenset({str(first.evaluated_value)})
    return frozenset()


def _others(
    source: SourceCode, node: cst.SimpleString, value: str, known: Sequence[str], field: str
) -> Iterator[Edit]:
    if not known or not value:
        return
    if value not in known:
        authority = f"`{field}` is one of {', '.join(known[:12])} by the contract"
        alike = closest(value, known)
        for index, (other, score) in enumerate(alike):
            yield changed(source, node, quote(other), MISSPELT * score - 0.2 * index, authority)
        for other in known[:MOST] if not alike else ():
            yield changed(source, node, quote(other), UNKNOWN / 2, authority)
        return
    told = _told(source, node)
    for other in [each for each in known if each != value][:MOST]:
        said = next((s for s in told if _says(s, other) and not _says(s, value)), "")
        authority = f"`{source.function(node)}` says “{short(said)}”" if said else ""
        yield changed(source, node, quote(other), TOLD if said else ANOTHER, authority)


def _told(source: SourceCode, node: cst.CSTNode) -> list[str]:
    said = [refusal_of(source, node)]
    parent = source.parent(node)
    if isinstance(parent, cst.ComparisonTarget):
        said.append(refusal_of(source, parent))
    return [each for each in said if each]


def _says(text: str, word: str) -> bool:
    return (
        re.search(rf"\b{re.escape(word.replace('_', ' '))}", text.lower().replace("_", " "))
        is not None
    )


# Lists of values


def _of_list(
    source: SourceCode, several: Sequences, words: Vocabulary, types: RowTypes
) -> Iterator[Edit]:
    there = _texts(several)
    if len(there) < 1 or len(there) > 12:
        return
    known = _enumeration(source, several, there, words, types)
    if not known:
        yield from _one_dropped(source, several, there)
        return
    for element in several.elements:
        text = element.value
        if isinstance(text, cst.SimpleString) and text.evaluated_value not in known:
            value = str(text.evaluated_value)
            authority = f"the contract has {', '.join(known[:12])} and no {value}"
            for index, (other, score) in enumerate(closest(value, known)):
                yield changed(source, text, quote(other), MISSPELT * score - 0.2 * index, authority)
    last = several.elements[-1].value
    for other in [each for each in known if each not in there][:MOST]:
        code = f"{source.code(last)}, {quote(other)}"
        yield changed(
            source, last, code, IN_LIST, says=f"Count `{other}` among {short(source.code(several))}"
        )
    yield from _one_dropped(source, several, there)


def _texts(several: Sequences) -> list[str]:
    found = []
    for each in several.elements:
        if not isinstance(each.value, cst.SimpleString):
            return []
        found.append(str(each.value.evaluated_value))
    return found


def _enumeration(
    source: SourceCode,
    several: Sequences,
    there: Sequence[str],
    words: Vocabulary,
    types: RowTypes,
) -> Sequence[str]:
    """The values or fields of which a list holds some."""
    found = _field_of(source, several.elements[0].value)
    if found is not None:
        tables = types.tables(source.function(several), found[1]) if found[1] else frozenset()
        known = words.values(found[0], tables) or words.values(found[0])
        if known and len(set(there) & set(known)) >= len(there) / 2:
            return known
    fields = [tuple(table) for table in words.fields.values()]
    for known in [*{words.values(f): None for f in sorted(words.nested)}, *fields]:
        if known and len(there) > 1 and _holds(known, there):
            return known
    return ()


def _holds(known: Sequence[str], there: Sequence[str]) -> bool:
    """Whether all of several texts are values that are known, or nearly one."""
    right = sum(each in known for each in there)
    near = [each for each in there if each not in known and closest(each, known, 1)]
    return right > 0 and right + len(near) == len(there) and len(near) <= 1


def _one_dropped(source: SourceCode, several: Sequences, there: Sequence[str]) -> Iterator[Edit]:
    if not 1 < len(there) < 7 or "\n" in source.code(several):
        return
    codes = [source.code(each.value) for each in several.elements]
    opening, closing = {cst.List: "[]", cst.Tuple: ("(", ")"), cst.Set: "{}"}[type(several)]
    counts = Counter(there)
    for index, code in enumerate(codes):
        kept = ", ".join([*codes[:index], *codes[index + 1 :]])
        comma = "," if len(codes) == 2 and opening == "(" else ""
        new = f"{kept}{comma}" if isinstance(several, cst.Tuple) else f"{opening}{kept}{closing}"
        likelihood = 0.5 if counts[there[index]] > 1 else 0.06
        yield changed(
            source,
            several,
            new,
            likelihood,
            says=f"Leave {code} out of {short(source.code(several))}",
        )


# Texts of no field


def _looked_up(source: SourceCode) -> Iterator[Edit]:
    """Words that stand nowhere else in the source, where one is written that differs by its spelling alone."""
    counts: Counter[str] = Counter()
    for text in (source.text, *source.neighbours):
        counts.update(re.findall(r"""(?<![\w"'])["']([\w ]{3,30})["'](?!["'])""", text))
    common = [word for word, count in counts.items() if count > 1]
    for text_ in source.suspects(cst.SimpleString):
        value = text_.evaluated_value
        if isinstance(value, str) and counts[value] == 1:
            for other, score in closest(value, common, 1):
                if score >= 0.85:
                    authority = f"`{other}` stands {counts[other]} times in the sources"
                    yield changed(source, text_, quote(other), 0.3 * score, authority)
