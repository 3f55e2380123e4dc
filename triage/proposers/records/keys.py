"""Records whose rows cannot be keyed: one key twice, a key that is no text or not there, a table nobody knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from worlds.canonical import canonical
from worlds.domain import Domain
from worlds.records import Base, RecordsInvalid
from worlds.recordset import Recordset

PROPOSER = "records"
MOST = 8
Tables = dict[str, list[dict[str, Any]]]


def key_candidates(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Nothing where the rows can be keyed."""
    body, domain = case.body(spot.name), case.body(("domain", "domain"))
    if not isinstance(body, Recordset) or not isinstance(domain, Domain):
        return
    if _is_keyed(domain, body):
        return
    for says, likelihood, tables in _ways(domain, body):
        made = body.model_copy(update={"tables": tables})
        if _is_keyed(domain, made):
            authority = "contract: each row of a table has a text of its own in the key field"
            reason = "Its rows cannot be keyed."
            yield Candidate(PROPOSER, {spot.name: made}, says, authority, likelihood, reason)


def _is_keyed(domain: Domain, body: Recordset) -> bool:
    try:
        Base(domain, body)
    except RecordsInvalid:
        return False
    return True


def _ways(domain: Domain, body: Recordset) -> Iterator[tuple[str, float, Tables]]:
    renamed = _renamed(domain, body.tables)
    if renamed is not None:
        yield "Call the tables as the contract does", 0.9, renamed
    texts = {name: [_text_key(domain, name, row) for row in rows] for name, rows in body.tables.items()}  # fmt: skip
    yield "Write the keys as texts", 0.9, texts
    yield "Take out rows that stand twice", 0.85, _without_doubles(texts)
    yield "Give the later of two rows of one key the next free key", 0.6, _counted_on(domain, texts)
    yield "Take out the later of two rows of one key", 0.5, _first_only(domain, texts)


def _renamed(domain: Domain, tables: Tables) -> Tables | None:
    absent = [name for name in domain.tables if name not in tables]
    made: Tables = {}
    for name, rows in tables.items():
        close = get_close_matches(name, absent, 1, 0.6) if name not in domain.tables else [name]
        if not close:
            return None
        made[close[0]] = rows
    return made if len(made) == len(tables) and set(made) != set(tables) else None


def _text_key(domain: Domain, table: str, row: dict[str, Any]) -> dict[str, Any]:
    field = domain.tables[table].key if table in domain.tables else ""
    value = row.get(field)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return {**row, field: str(value)} if is_number else row


def _without_doubles(tables: Tables) -> Tables:
    return {
        name: list({canonical(row): row for row in rows}.values()) for name, rows in tables.items()
    }


def _counted_on(domain: Domain, tables: Tables) -> Tables:
    made: Tables = {}
    for name, rows in _without_doubles(tables).items():
        field = domain.tables[name].key if name in domain.tables else ""
        taken: Counter[str] = Counter()
        every = {str(row.get(field)) for row in rows}
        made[name] = []
        for row in rows:
            given = row.get(field)
            is_free = isinstance(given, str) and not taken[given]
            key = given if is_free and isinstance(given, str) else _next(every)
            taken[key] += 1
            every.add(key)
            made[name].append({**row, field: key})
    return made


def _next(keys: set[str]) -> str:
    """The first free key after the highest, in the form that it has."""
    tails = {key: key[len(key.rstrip("0123456789")) :] for key in keys}
    counted = sorted((int(tail), key) for key, tail in tails.items() if 0 < len(tail) < 15)
    if not counted:
        return f"row-{len(keys) + 1}"
    number, key = counted[-1]
    width = len(key) - len(key.rstrip("0123456789"))
    return f"{key[: len(key) - width]}{number + 1:0{width}}"


def _first_only(domain: Domain, tables: Tables) -> Tables:
    made: Tables = {}
    for name, rows in tables.items():
        field = domain.tables[name].key if name in domain.tables else ""
        by_key: dict[Any, dict[str, Any]] = {}
        for row in rows:
            by_key.setdefault(canonical(row.get(field)), row)
        made[name] = list(by_key.values())
    return made
