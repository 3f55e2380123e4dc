"""All checks over the published τ² tasks, or any version of them: what is broken, with proof.

    python -m benchmarks.tau2 [--data DIR] [--domain airline|retail]    the document, kept unless it is of a part
    python -m benchmarks.tau2 --unread                                  what nobody has read yet, to be labelled

A row of the document is a finding in a task. A defect that a shared component shows in many tasks has a row in each,
with one `fingerprint` and `place`. *Certain* are the blocking ones: an execution that can be replayed contradicts the
task itself. Everything else is a warning. `label`, `why` and `correction` are what people made of the same defect in
the published files (`benchmarks/readings.py`).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from agents import panel
from agents.pinning import pin
from agents.search import prove
from benchmarks.comparison import compared
from benchmarks.published import Source, sources
from benchmarks.readings import gone, read, unread
from benchmarks.report import document, keep
from benchmarks.resting import resting
from benchmarks.tally import by_code, headline, tallied
from benchmarks.tools import LetThrough, let_through
from components.tau2 import PUBLICATIONS, Files, folder
from worlds.bundle import Bundle
from worlds.canonical import digest
from worlds.check import check
from worlds.findings import Finding
from worlds.library import DomainFolder, LibraryInvalid, LibraryMissing
from worlds.source import FileProblem
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody

LIBRARY = Path(__file__).parent.parent / "library"
FEW = 12
"""So many tasks are checked sooner than another process is ready."""
STEP = re.compile(r"plans\.[^\[]+\[(\d+)\]")

Row = dict[str, Any]
Said = Callable[[str], object]
"""Takes a line about how far it is."""
Job = tuple[str, Files, str]
"""A domain, its files, and an environment of it."""
Checked = tuple[str, list[Row]]
"""How a check ended, and its findings."""


def run(data: Path | None, domain: str | None, say: Said) -> Row:
    """The document, which is kept as `benchmarks/tau2.json` when it is of all that the packages have."""
    said = measure(data, domain, say)
    if data is None and domain is None:
        keep(said)
    return said


def measure(data: Path | None, domain: str | None, say: Said) -> Row:
    """The document of the packages' tasks, or of those in a folder; raises LibraryInvalid (LibraryMissing where the
    call is wrong). The tools are probed with the packages' files alone: a folder has no tools of its own."""
    start = time.perf_counter()
    _folder.cache_clear()  # what stands in a folder may have changed since
    looked_at = sources(data, domain)
    for source in looked_at:
        _demand_fit(source)
    jobs = [job for source in looked_at for job in _jobs(source)]
    probed = [(source.domain, source.files) for source in looked_at] if data is None else []
    results, let, rows_at_rest = _run(jobs, probed, [(s.domain, s.files) for s in looked_at], say)
    rows = [read(row) for _, found in results for row in found]
    rows.sort(key=_order)
    tools = [row for each in let for row in each.rows]
    ended = [(job[0], status) for job, (status, _) in zip(jobs, results, strict=True)]
    counts = Counter(name for name, _ in ended)
    plans = {source.domain: _plans(source) for source in looked_at}
    return document(
        "tau2",
        time.perf_counter() - start,
        headline([status for _, status in ended], rows, tools),
        rows,
        sources=[source.row(counts[source.domain]) for source in looked_at],
        domains=[
            {"domain": name, **tallied([s for of, s in ended if of == name], _of(name, rows))}
            for name in counts
        ],
        codes=list(by_code(rows)),
        **(
            {"compared": compared(rows, plans)}
            if data
            else {"gone": gone([*rows, *tools], list(counts))}
        ),
        plans=plans,
        records=[row for each in rows_at_rest for row in each],
        tools=tools,
        not_probed=[row for each in let for row in each.not_probed],
    )


def _order(row: Row) -> tuple[bool, str, str, int, str]:
    """Certain ones first, then by domain, code and task; what a task shows stays as it came."""
    number = int(row["task"]) if row["task"].isdecimal() else sys.maxsize
    return row["severity"] != "blocking", row["domain"], row["code"], number, row["task"]


def _of(domain: str, rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["domain"] == domain]


def _demand_fit(source: Source) -> None:
    """Raise LibraryMissing where the tasks are another domain's: it lacks most of the tools that they call."""
    made = _folder(source.domain, source.files)
    plans = [file.body.plans["default"] for file in made.intents.values()]
    called = {step.call for plan in plans for step in plan if step.call}
    bodies = [file.body for file in made.toolservers.values()]
    ours = [body for body in bodies if isinstance(body, ToolServerBody)]
    tools = {name for body in ours for name in ToolServer.of(body).tools}
    if len(called - tools) > len(called & tools):
        named = ", ".join(sorted(called - tools)[:3])
        message = (
            f"these tasks call what the {source.domain} has no tool for ({named}): "
            "name the right --domain"
        )
        raise LibraryMissing([FileProblem(source.origins["tasks.json"], None, message)])


def _jobs(source: Source) -> list[Job]:
    return [
        (source.domain, source.files, spec.slug)
        for spec in _folder(source.domain, source.files).all_environments()
    ]


def _plans(source: Source) -> dict[str, str]:
    """Task → what tells its plan from others."""
    intents = _folder(source.domain, source.files).intents
    plans = {slug: file.body.content()["plans"]["default"] for slug, file in intents.items()}
    return {
        slug.removeprefix("task-"): digest([step for step in plan if "call" in step])[:12]
        for slug, plan in plans.items()
    }


@cache
def _folder(domain: str, files: Files) -> DomainFolder:
    return folder(domain, files, LIBRARY)


def _run(
    jobs: Sequence[Job],
    probed: Sequence[tuple[str, Files]],
    domains: Sequence[tuple[str, Files]],
    say: Said,
) -> tuple[list[Checked], list[LetThrough], list[list[Row]]]:
    """Probe the tools, look at the rows and check the tasks by as many processes as there are cores; in the order
    given."""
    processes = min(len(os.sched_getaffinity(0)), -(-len(jobs) // FEW))
    if processes <= 1:
        return [*map(_checked, jobs)], [*map(_probed, probed)], [*map(_resting, domains)]
    results = []
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        let = pool.map_async(_probed, probed, chunksize=1)
        rows = pool.map_async(_resting, domains, chunksize=1)
        for number, result in enumerate(pool.imap(_checked, jobs, chunksize=4), start=1):
            results.append(result)
            if number % 40 == 0 or number == len(jobs):
                say(f"{number} of {len(jobs)} tasks checked")
        return results, let.get(), rows.get()


def _resting(job: tuple[str, Files]) -> list[Row]:
    domain, files = job
    made = _folder(domain, files)
    specs = made.all_environments()
    return resting(domain, made.bundle(specs[0])) if specs else []


def _probed(job: tuple[str, Files]) -> LetThrough:
    domain, files = job
    specs = _folder(domain, files).all_environments()
    return let_through(domain, {spec.slug: _bundle(domain, files, spec.slug) for spec in specs})


def _bundle(domain: str, files: Files, slug: str) -> Bundle:
    made = _folder(domain, files)
    spec = made.environments[slug]
    return made.bundle(spec, pin(made.bundle(spec)))


def _checked(job: Job) -> Checked:
    domain, files, slug = job
    bundle = _bundle(domain, files, slug)
    result = check(bundle, panel(), prove)
    calls = [step.call for step in bundle.intent.plans["default"]]
    return result.status, [_row(domain, slug, item, calls) for item in result.findings]


def _row(domain: str, slug: str, item: Finding, calls: Sequence[str | None]) -> Row:
    seen, step = item.evidence, _step(item)
    called = calls[step] if step is not None and step < len(calls) else None
    return {
        "domain": domain,
        "task": slug.removeprefix("task-"),
        "environment": f"tau2-{domain}/{slug}",
        "code": item.code,
        "severity": item.severity,
        "kind": item.kind,
        "component": item.component,
        "place": item.place,
        "symbol": item.symbol,
        "step": step,
        "tool": seen.get("tool") or called,
        "clause": seen.get("clause"),
        "row": f"{seen['table']}/{seen['key']}" if "key" in seen else None,
        "message": item.message,
        "fingerprint": item.fingerprint,
    }


def _step(item: Finding) -> int | None:
    """The number of the plan's step that a finding is about."""
    if found := STEP.match(item.place):
        return int(found[1])
    acts = item.evidence.get("agent") in ("reference", "changed")
    return item.evidence.get("step") if acts else None


def main() -> None:
    """Print the document, and keep it when it is about the packages' tasks."""
    parser = argparse.ArgumentParser(prog="benchmarks.tau2", description="Check the τ² tasks.")
    parser.add_argument("--data", type=Path, metavar="DIR", help="any version of the files")
    parser.add_argument("--domain", choices=list(PUBLICATIONS), help="only this one")
    parser.add_argument("--unread", action="store_true", help="print what is to be read")
    given = parser.parse_args()
    try:
        said = run(given.data, given.domain, lambda line: print(line, file=sys.stderr))
    except LibraryInvalid as error:
        print(error, file=sys.stderr)
        sys.exit(2 if isinstance(error, LibraryMissing) else 1)
    if given.unread:
        for line in unread([*said["rows"], *said["tools"]]):
            print(line)
        return
    print(json.dumps(said, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
