"""Rows of records as their author left them, made the one text that is checked; problems are told of by row."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from triage.proposalfiles import Problem


@dataclass
class WrittenRow:
    """A row as JSON text, or gone; an empty key = a new one, which its text names."""

    table: str
    key: str
    text: str
    is_gone: bool = False

    @property
    def place(self) -> str:
        return f"{self.table}/{self.key}"


@dataclass
class Overlay:
    """`{table: {key: row, or null}}` as text, each row as it was written."""

    text: str = ""
    problems: list[Problem] = field(default_factory=list)
    """Of rows that are no JSON objects; then there is no text."""
    starts: list[tuple[int, str]] = field(default_factory=list)
    """The line before each row's first, and its place."""

    @classmethod
    def of(cls, rows: Sequence[WrittenRow], key_of: Callable[[str], str]) -> Overlay:
        """`key_of` says by which field a table's rows are keyed."""
        made, lines = cls(), ["{"]
        for table in dict.fromkeys(row.table for row in rows):
            lines.append(f"{json.dumps(table)}: {{")
            for row in (one for one in rows if one.table == table):
                if (key := made._key(row, key_of(table))) is not None:
                    lines.append(f"{json.dumps(key)}:")
                    made.starts.append((len(lines), row.place))
                    lines += ("null" if row.is_gone else row.text).split("\n")
                    lines[-1] += ","
            lines[-1] = lines[-1].removesuffix(",")
            lines.append("},")
        lines[-1] = lines[-1].removesuffix(",")
        made.text = "\n".join([*lines, "}"])
        return made

    def _key(self, row: WrittenRow, field_: str) -> str | None:
        try:
            said = {} if row.is_gone else json.loads(row.text)
        except json.JSONDecodeError as error:
            self.problems.append(Problem(None, f"{row.place}, line {error.lineno}: {error.msg}"))
            return None
        except RecursionError:
            self.problems.append(Problem(None, f"{row.place}: it is nested too deeply"))
            return None
        key = row.key or (said.get(field_) if isinstance(said, dict) else None)
        if isinstance(key, str) and key:
            return key
        self.problems.append(Problem(None, f"{row.place}: a row is an object with its {field_}"))
        return None

    def told(self, problem: Problem) -> Problem:
        """A problem of the text, told of by the row that it is in."""
        before = [one for one in self.starts if problem.line and one[0] < problem.line]
        if not before or not problem.line:
            return problem
        start, place = before[-1]
        return Problem(None, f"{place}, line {problem.line - start}: {problem.message}")
