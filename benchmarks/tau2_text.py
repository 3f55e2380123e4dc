"""The document of the benchmark `tau2` as text for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.readings import defects
from benchmarks.tally import Row, split, touched
from triage.table import aligned
from worlds.counted import counted

SEVERITIES = {"blocking": "certain"}
"""What is said in place of a severity: what blocks is a contradiction that can be replayed."""
FAULTS: Mapping[str, str] = {
    "intent": "task",
    "rule": "policy",
    "records": "records",
    "toolserver": "tools",
}
"""What a curator of these tasks calls a kind of component."""
MOST_TASKS = 6
"""So many tasks of a shared defect are named."""
HEAD = ("task", "step", "component", "code", "clause or invariant", "message")


def text(said: Mapping[str, Any]) -> str:
    """What was looked at, a summary by code, then what is certain and what is a warning, by domain."""
    certain, warnings = split(said["rows"])
    lines = [
        *_sources(said["sources"], said["domains"]),
        "",
        *_summary(said["codes"]),
        *(
            ["Readings are of the same defects, in these files or in the published ones."]
            if "compared" in said
            else []
        ),
        *_listing("Certain (an execution that can be replayed contradicts the task)", certain),
        *_listing("Warnings", warnings),
        *_records(said["records"]),
        *_tools(said["tools"]),
        *_compared(said),
    ]
    return "\n".join(lines)


def _sources(sources: Iterable[Row], domains: Iterable[Row]) -> Iterator[str]:
    for source, counts in zip(sources, domains, strict=True):
        ended = ", ".join(
            f"{counts[status]} {status}"
            for status in ("broken", "solvable", "unproven")
            if counts[status]
        )
        yield f"τ² {source['domain']}, {counted(counts['tasks'], 'task')} from {source['from']}: {ended}"
        for name, origin in source["borrowed"].items():
            yield f"  {name} is missing or empty there: taken from {origin}"


def _summary(codes: Iterable[Row]) -> list[str]:
    head = [
        "severity",
        "code",
        "at fault",
        "findings",
        "tasks",
        "defects",
        "read",
        "right",
        "precision",
    ]
    return aligned(
        head,
        [
            [
                severity(row),
                row["code"],
                fault(row),
                *(str(row[name]) for name in head[3:-1]),
                "–" if row["precision"] is None else f"{row['precision']:.0%}",
            ]
            for row in codes
        ],
    )


def fault(row: Row) -> str:
    """What is at fault, as a curator calls it."""
    kind: str = row["kind"]
    return FAULTS.get(kind, kind)


def severity(row: Row) -> str:
    """`certain` or `warning`."""
    named: str = row["severity"]
    return SEVERITIES.get(named, named)


def _listing(title: str, rows: Sequence[Row]) -> Iterator[str]:
    yield ""
    yield f"{title}: {counted(len(rows), 'finding')} in {counted(touched(rows), 'task')}"
    for domain in dict.fromkeys(row["domain"] for row in rows):
        mine = [row for row in rows if row["domain"] == domain]
        yield ""
        yield f"{domain}, {counted(touched(mine), 'task')}"
        yield from (f"  {line}" for line in aligned(HEAD, [_cells(each) for each in defects(mine)]))


def _cells(shown: Sequence[Row]) -> list[str]:
    """A line for a defect, with the tasks that show it."""
    row = shown[0]
    return [
        tasks_of(shown),
        str(row["step"]) if row["step"] is not None and len(shown) == 1 else "–",
        f"{row['kind']}/{row['component']}",
        row["code"],
        condition(row) or "–",
        of_first(shown)
        + row["message"]
        + (" (Read, and found wrong.)" if row["label"] == "wrong" else ""),
    ]


def of_first(shown: Sequence[Row]) -> str:
    """Whose message it is, where the tasks that show a defect say different things of it."""
    return f"task {shown[0]['task']}: " if len({row["message"] for row in shown}) > 1 else ""


def condition(row: Row) -> str:
    """The clause that is broken, or the invariant (or field) that records and tools break."""
    if row["clause"] or row["kind"] not in ("records", "toolserver"):
        return row["clause"] or ""
    named: str = row["symbol"]
    return named.rpartition(" ")[2]


def tasks_of(shown: Sequence[Row], most: int = MOST_TASKS) -> str:
    """The numbers of the tasks, not too many of them."""
    tasks = list(dict.fromkeys(row["task"] for row in shown))
    more = f" and {len(tasks) - most} more" if len(tasks) > most else ""
    return ", ".join(tasks[:most]) + more


def _records(rows: Sequence[Row]) -> Iterator[str]:
    count = counted(len(rows), "kind")
    title = f"What rows break as they stand, whether a task touches them or not: {count}"
    columns = {
        "domain": "domain",
        "invariant or field": "symbol",
        "rows": "rows",
        "of": "of",
        "among them": "first",
        "what it says": "text",
    }
    told = [{**row, "first": ", ".join(row["first"])} for row in rows]
    return _section(title, columns, told)


def _tools(rows: Sequence[Row]) -> Iterator[str]:
    title = f"What the tools let through: {counted(len(rows), 'finding')}"
    columns = {
        "domain": "domain",
        "tool": "tool",
        "clause or invariant": "condition",
        "tried": "tried",
        "accepted": "accepted",
        "example": "example",
    }
    told = [{**row, "condition": row["clause"] or row["invariant"]} for row in rows]
    return _section(title, columns, told)


def _section(title: str, columns: Mapping[str, str], rows: Sequence[Row]) -> Iterator[str]:
    """A table below its title; `columns` says which value of a row stands under which head. Nothing without rows."""
    if rows:
        yield from ("", title)
        cells = [[str(row[name]) for name in columns.values()] for row in rows]
        yield from (f"  {line}" for line in aligned(list(columns), cells))


def _compared(said: Mapping[str, Any]) -> Iterator[str]:
    if "compared" not in said:
        return
    both = said["compared"]
    yield ""
    yield (
        f"Beside the published tasks: {counted(both['same'], 'defect')} in both, {len(both['gone'])} only "
        f"there, {len(both['new'])} only here"
    )
    told = [row for row in both["plans"] if row["certain"]]
    yield (
        f"Of {counted(len(both['plans']), 'task')} whose steps are others than the published ones, {len(told)} "
        "have a certain finding that the published ones have not"
    )
    head = ("only", "domain", "task", "step", "severity", "code", "clause", "message")
    rows = [
        [
            where,
            row["domain"],
            row["task"],
            "–" if row["step"] is None else str(row["step"]),
            severity(row),
            row["code"],
            condition(row) or "–",
            row["message"],
        ]
        for where, name in (("there", "gone"), ("here", "new"))
        for row in both[name]
    ]
    yield from (f"  {line}" for line in aligned(head, rows) if rows)
