"""The generated parts of docs/tau2.md and docs/tau2-findings.md, from the document of the benchmark `tau2`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from benchmarks.causes import Cause, causes
from benchmarks.readings import Row, precision
from benchmarks.tally import by_code, split, touched
from benchmarks.tau2_text import fault, of_first
from worlds.counted import counted
from worlds.findings import CODES

Document = Mapping[str, Any]

LISTING = "tau2-findings.md"
"""The page that has every finding."""
FOLDED = 12
"""More defects of a class than these are folded away."""
SEVERITIES = {"blocking": "Certain", "warning": "Warning"}
QUOTED = re.compile("“.*”")


def checked(said: Document) -> str:
    """What was looked at, and how it ended."""
    machine = said["machine"]
    counts = {row["domain"]: row for row in said["domains"]}
    rows = [
        {
            "domain": source["domain"],
            "from": source["from"],
            "sha256 of tasks.json": f"`{source['tasks_sha256'][:16]}…`",
            **{
                name: counts[source["domain"]][name]
                for name in ("tasks", "broken", "solvable", "unproven")
            },
        }
        for source in said["sources"]
    ]
    took = (
        f"{said['seconds']:g} s on {counted(machine['cores'], 'core')}, Python {machine['python']}"
    )
    return f"`make bench NAME=tau2`: {took}.\n\n{table(rows)}"


def certain(said: Document) -> str:
    """The classes of findings that are certain."""
    return _classes(split(said["rows"])[0])


def warnings(said: Document) -> str:
    """The classes of warnings."""
    return _classes(split(said["rows"])[1])


def gone(said: Document) -> str:
    """What was read once and is found no more."""
    right, wrong = (said["gone"][label] for label in ("right", "wrong"))
    return (
        f"Of defects that were read before clauses and checks were mended, {right + wrong} are found no more: "
        f"{wrong} of them had been read as wrong, {right} as right."
    )


def _classes(rows: Sequence[Row]) -> str:
    if not rows:
        return "None."
    lines = [
        {
            "class": f"[`{row['code']}`]({LISTING}#{_anchor(row)})",
            "what it says": CODES[row["code"]].meaning,
            "at fault": fault(row),
            "tasks": row["tasks"],
            "findings": row["findings"],
            **{name: row[name] for name in ("defects", "read", "right")},
            "precision": _share(row["precision"]),
        }
        for row in by_code(rows)
    ]
    return f"{table(lines)}\n\n{counted(len(rows), 'finding')} in {counted(touched(rows), 'task')}; {_read(rows)}."


def _read(rows: Iterable[Row]) -> str:
    made = precision(rows)
    share = _share(made["precision"])
    return f"{counted(made['defects'], 'defect')}, {made['read']} read, {made['right']} right ({share})"


def broken(said: Document) -> str:
    """What is certain, a line for each cause."""
    rows = [
        {
            "domain": cause.domain,
            "class": f"[`{cause.first['code']}`]({LISTING}#{_anchor(cause.first)})",
            "clause, row or place": f"`{cause.name}`",
            "what it says": _gist(cause),
            "tasks": _tasks([row for shown in cause.defects for row in shown]),
        }
        for _, group in _by_class(split(said["rows"])[0])
        for cause in causes(group)
    ]
    return table(rows) if rows else "None."


def _gist(cause: Cause) -> str:
    """The sentence of a clause or invariant, or what all findings of the cause say."""
    row, message = cause.first, str(cause.first["message"])
    if (row["clause"] or row["kind"] != "intent") and (quoted := QUOTED.search(message)):
        return quoted[0]
    return message if len(cause.defects) == 1 else cause.message or "–"


def records(said: Document) -> str:
    """What the records have at rest that contradicts the contract or the policy: all rows, then those of tasks."""
    lines = [
        {
            "domain": row["domain"],
            "invariant or field": f"`{row['symbol']}`",
            "what it says": row["text"] or "–",
            "rows": f"{row['rows']} of {row['of']}",
            "among them": ", ".join(f"`{place}`" for place in row["first"]),
        }
        for row in said["records"]
    ]
    rows = [row for row in said["rows"] if row["kind"] == "records"]
    parts = [table(lines)] if lines else []
    if rows:
        parts += ["Those that a task touches:", *(_cause(cause) for cause in causes(rows))]
    return "\n\n".join(parts) or "Nothing was found."


def tools(said: Document) -> str:
    """What the tools accept though the policy forbids it, or write though an invariant does."""
    rows = [
        {
            "domain": row["domain"],
            "tool": f"`{row['tool']}`",
            "clause or invariant": f"`{row['clause'] or row['invariant']}`",
            "what it says": f"“{row['text']}”",
            **{name: row[name] for name in ("tried", "applied", "accepted")},
            "read": row["label"] or "–",
        }
        for row in said["tools"]
    ]
    if not rows:
        return "Nothing was found."
    counts = f"{_read(said['tools'])}. [Each with an example]({LISTING}#let-through)."
    return f"{table(rows)}\n\n{counts}"


def examples(said: Document) -> str:
    """What the tools let through, each with the smallest call that shows it."""
    rows = [{**row, "message": _replayable(row)} for row in said["tools"]]
    return "\n\n".join(_cause(cause) for cause in causes(rows)) or "Nothing was found."


def _replayable(row: Row) -> str:
    """The calls that show what a tool lets through, whole: findings cut long ones."""
    calls = f"“{row['text']}” broken by {row['accepted']} of {row['applied']} calls, such as"
    return f"{calls} `{row['example']}`."


def unprobed(said: Document) -> str:
    """The clauses and invariants of which probing the tools says nothing."""
    rows = [
        {"domain": row["domain"], "clause or invariant": f"`{row['name']}`", "why": row["why"]}
        for row in said["not_probed"]
    ]
    return table(rows) if rows else "None."


def findings(said: Document) -> str:
    """Every finding: certain ones first, by class and by cause."""
    return "\n\n".join(_class(list(group)) for _, group in _by_class(said["rows"]))


def _by_class(rows: Iterable[Row]) -> Iterator[tuple[Any, Iterator[Row]]]:
    def named(row: Row) -> tuple[str, str, str]:
        return row["severity"], row["code"], row["kind"] or ""

    return groupby(sorted(rows, key=named), named)


def _class(rows: Sequence[Row]) -> str:
    made = "\n\n".join(_cause(cause) for cause in causes(rows))
    count = f"{counted(len(rows), 'finding')} in {counted(touched(rows), 'task')}; {_read(rows)}"
    if precision(rows)["defects"] > FOLDED:
        made = f"<details>\n<summary>Show them</summary>\n\n{made}\n\n</details>"
    heading = f"## {_heading(rows[0])}"
    return f"{heading}\n\n{CODES[rows[0]['code']].meaning} {count}.\n\n{made}"


def _heading(row: Row) -> str:
    return f"{SEVERITIES[row['severity']]}: {row['code']}, {fault(row)}"


def _anchor(row: Row) -> str:
    """As the heading of its class is linked to."""
    return _heading(row).lower().replace(":", "").replace(",", "").replace(" ", "-")


def _cause(cause: Cause) -> str:
    lines = [f"**{cause.domain}, `{cause.name}`**"]
    if cause.message:
        lines.append(plain(cause.message))
    for correction, mended in cause.by_correction().items():
        lines.append("\n".join(_item(shown, cause.message is None) for shown in mended))
        if correction:
            lines.append(f"```diff\n{correction}\n```")
    return "\n\n".join(lines)


def _item(shown: Sequence[Row], is_told: bool) -> str:
    """A defect: where it is, what is said of it unless that stands above, and how it was confirmed."""
    row = shown[0]
    parts = [_where(shown)]
    if is_told:
        parts.append(plain(of_first(shown).capitalize() + row["message"]))
    parts.append(_why(row))
    return "- " + " ".join(parts)


def _where(shown: Sequence[Row]) -> str:
    row = shown[0]
    tool = f" `{row['tool']}`" if row["tool"] else ""
    at = f", `{row['row']}`" if row["row"] and len({each["row"] for each in shown}) == 1 else ""
    if row["task"] is None:
        return f"`{row['tool']}`:"
    if len(shown) == 1:
        step = "" if row["step"] is None else f", step {row['step']}"
        return f"Task {row['task']}{step}{tool}{at}:"
    tasks = dict.fromkeys(each["task"] + _at_step(each) for each in shown)
    return f"Tasks {', '.join(tasks)}{tool and ','}{tool}{at}:"


def _at_step(row: Row) -> str:
    return "" if row["step"] is None else f" (step {row['step']})"


def _why(row: Row) -> str:
    if row["label"] is None:
        return "*Not read yet.*"
    verdict = "*Confirmed:*" if row["label"] == "right" else "**Read, and wrong:**"
    return f"{verdict} {plain(row['why'])}"


def _tasks(rows: Iterable[Row]) -> str:
    return ", ".join(dict.fromkeys(row["task"] for row in rows))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}".replace(".0%", "%")


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of the same keys as a Markdown table."""
    names = list(rows[0])
    lines = [names, ["---"] * len(names), *([plain(row[name]) for name in names] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain(value: Any) -> str:
    """Text that stays on its line and is taken for no markup of a page or a table."""
    return " ".join(str(value).split()).replace("<", "&lt;").replace("|", "\\|")


BLOCKS: Mapping[str, Callable[[Document], str]] = {
    "checked": checked,
    "certain": certain,
    "warnings": warnings,
    "gone": gone,
    "broken": broken,
    "records": records,
    "tools": tools,
    "examples": examples,
    "unprobed": unprobed,
    "findings": findings,
}
"""Block of a page → what makes it."""
