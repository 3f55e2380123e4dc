"""Arithmetic that is so in all other records: sums, differences, products and counts, of a record and its parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

from triage.proposers.records.ground import Ground
from triage.proposers.records.habits.habit import Habit, alike, habit
from triage.proposers.records.habits.relation import Relation, Where
from worlds.records import Row

MOST_TERMS = 18
"""Numbers of a record that are put together."""
MOST_LISTED = 5
"""Numbers of an item that are added up."""
Term = Callable[[Where, Row], float | None]


def identities(ground: Ground, relation: Relation) -> Iterator[Habit]:
    """Each for every field of it that the others tell."""
    plain = relation.fields_of(int, float)
    terms: dict[str, Term] = {f"`{name}`": _field(name) for name in plain}
    terms |= dict(_listed(relation))
    terms |= dict(_children(ground, relation))
    terms = dict(list(terms.items())[:MOST_TERMS])
    for field in plain:
        others = {name: term for name, term in terms.items() if name != f"`{field}`"}
        for name, term in others.items():
            if name not in {f"`{each}`" for each in plain} or name > f"`{field}`":
                yield from _of_one(relation, field, name, term)
        yield from _of_two(relation, field, others)


def _of_one(relation: Relation, field: str, name: str, term: Term) -> Iterator[Habit]:
    says = f"`{relation.name}.{field}` is {name}"
    yield from habit(relation, field, says, lambda w, r: _list(term(w, r)))
    if name.startswith("`"):
        other = name.strip("`")
        yield from habit(relation, other, says, lambda w, r: _list(_field(field)(w, r)), 0.9)


def _of_two(relation: Relation, field: str, terms: Mapping[str, Term]) -> Iterator[Habit]:
    """`field` is the sum or product of two others; the same told for those two."""
    for (one, first), (two, second) in combinations(terms.items(), 2):
        for sign, put, undone in OPERATIONS:
            says = f"`{relation.name}.{field}` is {one} {sign} {two}"
            found = list(habit(relation, field, says, _put(put, first, second)))
            if found and not _is_idle(relation, found[0], first, second, sign):
                yield from found
                own = _field(field)
                for name, other in ((one, second), (two, first)):
                    if name.startswith("`"):
                        tells = _put(undone, own, other)
                        yield from habit(relation, name.strip("`"), says, tells, 0.85)


def _is_idle(relation: Relation, found: Habit, first: Term, second: Term, sign: str) -> bool:
    """Whether one of the terms changes nothing: + 0, × 1."""
    idle = 0 if sign == "+" else 1
    moved = [0, 0]
    for where, row in relation.records.items():
        for at, term in enumerate((first, second)):
            value = term(where, row)
            moved[at] += value is not None and not alike(value, idle)
    return min(moved) < min(3, found.holds)


def _add(one: float, two: float) -> float | None:
    return one + two


def _take(one: float, two: float) -> float | None:
    return one - two


def _times(one: float, two: float) -> float | None:
    return one * two


def _over(one: float, two: float) -> float | None:
    return one / two if two else None


OPERATIONS = (("+", _add, _take), ("×", _times, _over))


def _put(
    operation: Callable[[float, float], float | None], first: Term, second: Term
) -> Callable[[Where, Row], list[Any]]:
    def tells(where: Where, row: Row) -> list[Any]:
        one, two = first(where, row), second(where, row)
        return [] if one is None or two is None else _list(operation(one, two))

    return tells


def _list(value: float | None) -> list[Any]:
    if value is None:
        return []
    rounded = round(value, 2)
    return [int(rounded) if float(rounded).is_integer() else rounded]


def _number(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _field(name: str) -> Term:
    return lambda _, row: _number(row.get(name))


def _listed(relation: Relation) -> Iterator[tuple[str, Term]]:
    """Counts and sums of the lists in a record."""
    names = {n for row in relation.records.values() for n, v in row.items() if isinstance(v, list)}
    for name in sorted(names):
        yield f"the number of `{name}`", _count(name)
        numbers = _numbers_in(relation, name)
        for each in numbers:
            yield f"the sum of `{name}[].{each}`", _sum(name, (each,))
        for pair in combinations(numbers, 2):
            yield f"the sum of `{name}[].{pair[0]}` × `{pair[1]}`", _sum(name, pair)


def _count(name: str) -> Term:
    return lambda _, row: len(row[name]) if isinstance(row.get(name), list) else None


def _numbers_in(relation: Relation, name: str) -> list[str]:
    items = [item for row in relation.records.values() for item in _items(row, name)][:100]
    fields = {field for item in items for field in item}
    known = [f for f in fields if all(_number(i.get(f)) is not None for i in items[:10])]
    return sorted(known)[:MOST_LISTED]


def _items(row: Row, name: str) -> list[dict[str, Any]]:
    items = row.get(name)
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def _sum(name: str, fields: tuple[str, ...]) -> Term:
    def term(_: Where, row: Row) -> float | None:
        return _total(_items(row, name), fields)

    return term


def _total(items: list[dict[str, Any]], fields: tuple[str, ...]) -> float | None:
    total = 0.0
    for item in items:
        product = 1.0
        for field in fields:
            value = _number(item.get(field))
            if value is None:
                return None
            product *= value
        total += product
    return total


def _children(ground: Ground, relation: Relation) -> Iterator[tuple[str, Term]]:
    """Counts and sums over the rows that name a record."""
    if relation.path:
        return
    for child, spec in ground.domain.tables.items():
        for reference in spec.references:
            if reference.to == relation.table and "." not in reference.from_:
                grouped: dict[str, list[Row]] = defaultdict(list)
                for value, keys in ground.base.index(child, reference.from_).items():
                    grouped[value.strip('"')] = [ground.base.tables[child][key] for key in keys]
                via = f"{child} by `{reference.from_}`"
                yield f"the number of rows of {via}", _count_of(grouped)
                for name in _numeric(ground, child):
                    yield f"the sum of `{name}` of the rows of {via}", _sum_of(grouped, name)


def _numeric(ground: Ground, table: str) -> list[str]:
    rows = list(ground.base.tables[table].values())[:50]
    names = {name for row in rows for name in row}
    some = [n for n in names if sum(_number(r.get(n)) is not None for r in rows) >= 0.9 * len(rows)]
    return sorted(some)[:MOST_LISTED]


def _count_of(grouped: Mapping[str, list[Row]]) -> Term:
    return lambda where, _: float(len(grouped.get(where[0], ())))


def _sum_of(grouped: Mapping[str, list[Row]], name: str) -> Term:
    return lambda where, _: _total(grouped.get(where[0], []), (name,))
