"""A row that is gone: as another records set has it, or made from what names it and from what like rows have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from triage.proposers.records.ground import Ground
from triage.proposers.records.habits import Habit, habits_of, relations_of
from triage.proposers.records.mend import Mend
from triage.proposers.records.options import fields_of
from triage.proposers.records.oracle import Oracle
from triage.proposers.records.peers import MANY, Peers
from triage.recordedits import allowed
from worlds.canonical import canonical
from worlds.records import Place, Row

FEWEST_TRUSTED = 0.4
MOST_VALUES = 14
MOST_ASKED = 80
"""Rows that are tried out until nothing is wrong."""
ROUNDS = 2


def rebuilt(ground: Ground, oracle: Oracle, table: str, key: str) -> Iterator[Mend]:
    """The likeliest row first."""
    place = (table, key)
    for sibling in ground.siblings:
        row = sibling.tables[table].get(key)
        if row is not None and sibling.trust[table] >= FEWEST_TRUSTED:
            authority = f"{sibling.label} has `{table}/{key}`"
            yield Mend(
                {place: row}, "Put the row back", 0.5 + 0.45 * sibling.trust[table], authority
            )
    told, choices = _choices(ground, table, key)
    row = _settled(oracle, place, choices)
    guessed = [f"`{name}`" for name, value in row.items() if value not in told.get(name, ())]
    number = _naming(oracle, place)
    authority = f"{number} {'row names' if number == 1 else 'rows name'} `{table}/{key}`"
    if guessed:
        authority += f"; nothing tells its {', '.join(guessed)}"
    yield Mend({place: row}, "Put the row back as what names it tells", 0.6, authority)
    for sibling in ground.siblings:
        other = sibling.tables[table].get(key)
        if other is not None and sibling.trust[table] < FEWEST_TRUSTED:
            yield Mend(
                {place: other}, "Put the row back", 0.25, f"{sibling.label} has `{table}/{key}`"
            )


def _naming(oracle: Oracle, place: Place) -> int:
    return len(oracle.referring(place))


def _choices(
    ground: Ground, table: str, key: str
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Of each field the values that something tells, and all that it may have, the likeliest first; each as what was
    chosen before it makes it likely."""
    spec = ground.domain.tables[table]
    row: Row = {spec.key: key}
    wanted = _wanted(ground, table)
    named = _listed_by_children(ground, table, key)
    peers = Peers(ground, table, key)
    choices: dict[str, list[Any]] = {spec.key: [key]}
    told: dict[str, list[Any]] = {spec.key: [key]}
    fields = [name for name in _fields(ground, table) if name != spec.key]
    for _ in range(ROUNDS):
        for name in fields:
            told[name] = [
                *named.get(name, ()),
                *_told(ground, table, key, row, name),
                *wanted.get(name, ()),
            ]
            found = [
                *told[name],
                *_unused(ground, table, name),
                *peers.values(name),
                *allowed(ground.domain, table, name),
                *_keys(ground, table, name),
                _blank(ground, table, name, key),
            ]
            usual = _types(ground, table, name)
            fitting = (
                [
                    v
                    for v in found
                    if type(v) in usual and not _is_circle(ground, table, name, key, v)
                ]
                if usual
                else found
            )
            unique: dict[str, Any] = {}
            for value in fitting:
                unique.setdefault(canonical(value), value)
            choices[name] = list(unique.values())[:MOST_VALUES] or [
                _blank(ground, table, name, key)
            ]
            row[name] = choices[name][0]
    return told, choices


def _types(ground: Ground, table: str, name: str) -> set[type]:
    """Of the values that other rows have."""
    return {type(row[name]) for row in ground.base.tables[table].values() if name in row}


def _is_circle(ground: Ground, table: str, name: str, key: str, value: Any) -> bool:
    """Whether a row would come back to itself: whoever stands above it stands below it."""
    rows = ground.base.tables[table]
    if value == key:
        return True
    if not isinstance(value, str) or (name, table) not in _own(ground, table):
        return False
    for _ in range(len(rows)):
        above = rows.get(value, {}).get(name)
        if above == key or not isinstance(above, str):
            return bool(above == key)
        value = above
    return False


def _own(ground: Ground, table: str) -> set[tuple[str, str]]:
    return {(each.from_, each.to) for each in ground.domain.tables[table].references}


def _unused(ground: Ground, table: str, name: str) -> list[str]:
    """Where each row names another: rows that nobody names yet and that have what all that are named have."""
    used = [
        row[name] for row in ground.base.tables[table].values() if isinstance(row.get(name), str)
    ]
    for reference in ground.domain.tables[table].references:
        rows = ground.base.tables.get(reference.to, {})
        named = [rows[key] for key in used if key in rows]
        if reference.from_ != name or len(named) < 2 or len(set(used)) < len(used):
            continue
        plain = {f: v for f, v in named[0].items() if isinstance(v, (str, bool))}
        common = {f: v for f, v in plain.items() if all(row.get(f) == v for row in named)}
        free = [
            k
            for k, r in rows.items()
            if k not in used and all(r.get(f) == v for f, v in common.items())
        ]
        return free[:MOST_VALUES] if common else []
    return []


def _keys(ground: Ground, table: str, name: str) -> Iterator[Any]:
    """Of the rows that a field may name, where they are few."""
    for reference in ground.domain.tables[table].references:
        rows = ground.base.tables.get(reference.to, {})
        if reference.from_ == name and len(rows) <= MOST_VALUES:
            yield from rows


def _fields(ground: Ground, table: str) -> list[str]:
    """Those that nearly every other row has; of none, what the schema requires."""
    rows = list(ground.base.tables[table].values())
    if not rows:
        required = ground.domain.tables[table].schema_.get("required")
        return [n for n in required if isinstance(n, str)] if isinstance(required, list) else []
    counts: dict[str, int] = {}
    for row in rows:
        for name in row:
            counts[name] = counts.get(name, 0) + 1
    known = fields_of(ground, table)
    return sorted(n for n, times in counts.items() if times >= 0.9 * len(rows) and n in known)


def _told(ground: Ground, table: str, key: str, row: Row, name: str) -> Iterator[Any]:
    """By habits; those of rows that name this one were counted for it as well."""
    probe = {**row, name: None}
    for each in habits_of(ground).get(table, ()):
        if each.field == name and not each.relation.path:
            yield from each.tells((key, ""), probe)[:1]
    yield from _told_by_children(ground, table, key, name)


def _told_by_children(ground: Ground, table: str, key: str, name: str) -> Iterator[Any]:
    """Rows that name this one and say what it says: `visits.office_id` is `office_id` of the meeting."""
    for relation in relations_of(ground):
        for reference, target in relation.references:
            if target != table:
                continue
            for each in habits_of(ground).get(relation.table, ()):
                if each.relation is relation and _is_of(each, reference, name, table):
                    naming = [row for row in relation.records.values() if row.get(reference) == key]
                    values = [row[each.field] for row in naming if row.get(each.field) is not None]
                    yield from values[:1]


def _is_of(habit: Habit, reference: str, name: str, table: str) -> bool:
    return habit.says.endswith(f"is `{name}` of the row of {table} that `{reference}` names")


def _listed_by_children(ground: Ground, table: str, key: str) -> Mapping[str, list[Any]]:
    """Lists of the row in which all stand that rows which name it name as well: the members of a queue."""
    found: dict[str, list[Any]] = {}
    for relation in relations_of(ground):
        for each in habits_of(ground).get(relation.table, ()):
            for reference, target in relation.references:
                lists = [n for n in _lists(ground, table) if _is_of(each, reference, n, table)]
                if target == table and each.relation is relation and each.field != reference:
                    naming = [row for row in relation.records.values() if row.get(reference) == key]
                    values = {row[each.field] for row in naming if isinstance(row.get(each.field), str)}  # fmt: skip
                    for name in lists:
                        found.setdefault(name, []).append(sorted(values))
    return found


def _lists(ground: Ground, table: str) -> list[str]:
    rows = list(ground.base.tables[table].values())[:50]
    return sorted({n for row in rows for n, value in row.items() if isinstance(value, list)})


def _wanted(ground: Ground, table: str) -> Mapping[str, list[Any]]:
    """What slots that are not filled ask of a row of the table."""
    found: dict[str, list[Any]] = {}
    for world in ground.lost:
        for slot in world.bundle.intent.slots.values():
            for path, value in slot.match.items() if slot.table == table else ():
                if "{" not in str(value):
                    of_list = path.endswith("[]")
                    wanted = [value] if of_list else value
                    found.setdefault(path.removesuffix("[]"), []).append(wanted)
    return found


def _blank(ground: Ground, table: str, name: str, key: str) -> Any:
    """Of a field of which nothing is known."""
    rows = list(ground.base.tables[table].values())
    values = [row[name] for row in rows if name in row]
    if any(value is None for value in values):
        return None
    if any(isinstance(value, list) for value in values):
        return []
    texts = [value for value in values if isinstance(value, str)]
    if texts and len(set(texts)) > MANY * len(texts) and not _is_reference(ground, table, name):
        return _numbered(texts, key)
    return values[0] if values else _of_type(fields_of(ground, table).get(name))


def _is_reference(ground: Ground, table: str, name: str) -> bool:
    return any(each.from_ == name for each in ground.domain.tables[table].references)


def _numbered(texts: list[str], key: str) -> str:
    """A name that nobody else has."""
    return f"{texts[0].split()[0] if texts[0].split() else ''} {key}".strip()


def _of_type(schema: Any) -> Any:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    kinds = kind if isinstance(kind, list) else [kind]
    if "null" in kinds:
        return None
    blanks = {"integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}
    return next((blanks[each] for each in kinds if each in blanks), "")


def _settled(oracle: Oracle, place: Place, choices: Mapping[str, list[Any]]) -> Row:
    """One field after the other as least is wrong with the row and with what names it."""
    row = {name: values[0] for name, values in choices.items()}
    best, asked = oracle.problems({place: row}), 0
    for _ in range(ROUNDS):
        for name, values in choices.items():
            for value in values[1:]:
                if best == 0 or asked == MOST_ASKED:
                    return row
                asked += 1
                tried = {**row, name: value}
                wrong = oracle.problems({place: tried})
                if wrong < best:
                    row, best = tried, wrong
    return row
