"""One evaluation of a condition: what its functions see, and the budget that ends it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from time import thread_time
from typing import Any

from worlds.cel_functions import FIND_LIMIT, PURE, FunctionFailed, differs
from worlds.cel_source import KEEP, OVER, TICK
from worlds.cel_values import weight
from worlds.contract import Contract
from worlds.diff import same
from worlds.records import Records, Row

# The library logs every error of a host function as a warning, also where `||` rightly takes no notice of it.
logging.getLogger("cel").setLevel(logging.ERROR)

SECONDS = 1.0
"""Of the processor's time, so that a busy machine judges as a quiet one does. The last resort: most evaluations that
do not end are ended by the counts, which are the same on every machine."""
ROUNDS = 100_000
"""Rounds of comprehensions and calls of functions."""
VALUES = 200_000
"""Values handed to a condition or built by it, counted as `worlds.cel_values` counts."""
_LOOK_AT_CLOCK = 64


@dataclass(frozen=True)
class View:
    """What a condition looks at."""

    records: Records
    now: datetime


class OverBudget(RuntimeError):
    """The evaluation has used up its rounds, values or seconds."""


class Evaluation:
    """The functions of one evaluation, and its counts."""

    def __init__(self, view: View, contract: Contract) -> None:
        self.view = view
        self.contract = contract
        self.spent = ""
        """What ran out; empty while nothing has."""
        self.failure = ""
        """What the last function that failed said."""
        self._rounds = 0
        self._values = 0
        self._until = thread_time() + SECONDS

    def tick(self) -> bool:
        """One more round; always true, or raises OverBudget."""
        self._rounds += 1
        if self._rounds > ROUNDS:
            self._end(f"it took more than {ROUNDS} rounds")
        if self._rounds % _LOOK_AT_CLOCK == 0 and thread_time() > self._until:
            self._end(f"it took more than {SECONDS:g} seconds")
        return True

    def hand(self, count: int) -> None:
        """So many values more; raises OverBudget."""
        self._values += count
        if self._values > VALUES:
            self._end(f"it went through more than {VALUES} values")

    def keep(self, value: Any) -> Any:
        """One more round, and what it made."""
        self.tick()
        self.hand(weight(value))
        return value

    def over(self, value: Any) -> Any:
        """What a comprehension runs over: of an object, its keys in order."""
        self.tick()
        self.hand(weight(value))
        return sorted(value, key=str) if isinstance(value, Mapping) else value

    def _end(self, why: str) -> None:
        self.spent = self.spent or why
        self._rounds = ROUNDS + 1
        raise OverBudget(why)

    def functions(
        self, names: Iterable[str], more: Mapping[str, Callable[..., Any]]
    ) -> dict[str, Callable[..., Any]]:
        """The functions called `names`, guarded, with the hooks."""
        found: dict[str, Callable[..., Any]] = {
            TICK: self.tick,
            KEEP: self.keep,
            OVER: self.over,
        }
        for name in names:
            function = more.get(name) or self._function(name)
            if function is not None:
                found[name] = self._guarded(name, function)
        return found

    def _function(self, name: str) -> Callable[..., Any] | None:
        if name in PURE:
            return PURE[name][1]
        on_records: dict[str, Callable[..., Any]] = {
            "get": self._get, "start_get": self._start_get, "find": self._find, "start_find": self._start_find,
            "count": self._count, "changed": self._changed, "now": self._now,
        }  # fmt: skip
        return on_records.get(name)

    def _guarded(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self.tick()
            try:
                return function(*arguments)
            except OverBudget:
                raise
            except Exception as error:
                self.failure = f"{name}: {error}"
                raise

        return call

    def _row(self, table: str, row: Row | None) -> Any:
        if row is None:
            return None
        value, count = self.contract.normalisers[table](row)
        self.hand(count)
        return value

    def _get(self, table: Any, key: Any) -> Any:
        return self._row(table, self.view.records.get(table, _key(key)))

    def _start_get(self, table: Any, key: Any) -> Any:
        return self._row(table, self.view.records.start(table, _key(key)))

    def _find(self, table: Any, match: Any) -> list[Any]:
        return self._rows(table, match, at_start=False)

    def _start_find(self, table: Any, match: Any) -> list[Any]:
        return self._rows(table, match, at_start=True)

    def _rows(self, table: Any, match: Any, *, at_start: bool) -> list[Any]:
        if not isinstance(match, Mapping) or not match:
            raise FunctionFailed("it needs at least one field and its value")
        rows = self.view.records.find(table, match, at_start=at_start)
        if len(rows) > FIND_LIMIT:
            raise FunctionFailed(
                f"{len(rows)} rows of {table} match; at most {FIND_LIMIT} can be looked at"
            )
        return [self._row(table, row) for row in rows]

    def _count(self, table: Any, match: Any = None) -> int:
        if match is not None and not isinstance(match, Mapping):
            raise FunctionFailed("it takes fields and their values")
        return self.view.records.count(table, match or {})

    def _changed(self, table: Any, key: Any, field: Any = None) -> bool:
        before = self.view.records.start(table, _key(key))
        after = self.view.records.get(table, _key(key))
        if field is not None:
            return differs(before, after, field)
        return not same(before, after)

    def _now(self) -> str:
        return self.view.now.isoformat()


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise FunctionFailed(f"a key is text, not {key!r}")
    return key
