"""What the library holds, and whole rounds over it and the published τ² tasks, by two workers: from nothing, with
nothing changed, and from nothing once more, to see that the same comes out."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.home import scratch_home
from benchmarks.report import median_seconds, publish
from benchmarks.roundspeed import load
from benchmarks.workers import running, through_workers
from worlds.folder import DomainFolder
from worlds.library import complete_domains, read

LIBRARY = Path(__file__).parent.parent / "library"
WORKERS = 2
UNCHANGED = 5
"""How often a round with nothing changed is made."""

Outcome = dict[str, Any]
"""What a check said of one environment: `status`, `witness`, `findings`, `episodes` with their steps, `certified`."""


def main() -> None:
    """Load everything, run the rounds, publish."""
    start = time.perf_counter()
    with scratch_home():
        load()
        with running(WORKERS):
            first, said = through_workers(), outcomes()
            unchanged = median_seconds(known_round, UNCHANGED)
            second, again = through_workers(), outcomes()
    folders = read(LIBRARY, complete_domains(LIBRARY))
    rows = [holds(folder, said) for folder in folders]
    headline = {
        **totals(rows, said),
        "environments with τ²": len(said),
        "seconds of a round, two workers": round(first, 1),
        "seconds of another from nothing": round(second, 1),
        "seconds of an unchanged round": round(unchanged, 2),
        "environments that two rounds judge differently": len(differing(said, again)),
    }
    publish("library", time.perf_counter() - start, headline, rows)


def known_round() -> None:
    """A round over everything in which every result is known."""
    from triage.models import Check
    from triage.rounds import create_round

    made = create_round(None)
    if Check.objects.filter(round=made, was_known=False).exists():
        sys.exit("a result was not known: the time would mean nothing")


def outcomes() -> dict[str, Outcome]:
    """What the last checks said, by `domain/environment`: all that rounds must agree about, each step too."""
    from triage.models import Check

    checks = Check.objects.filter(result__isnull=False).select_related(
        "environment__domain", "result"
    )
    checks = checks.order_by("pk").prefetch_related(
        "result__episodes__agent", "result__findings", "result__certificates"
    )
    return {
        f"{check.environment.domain.slug}/{check.environment.slug}": outcome(check.result)
        for check in checks
        if check.result is not None
    }


def outcome(result: Any) -> Outcome:
    """What one result says, without the times."""
    found = [[each.code, each.place, each.message] for each in result.findings.all()]
    attempts = {
        f"{each.agent} {each.attempt}": [each.key, each.reward, each.document]
        for each in result.episodes.all()
    }
    return {
        "status": result.status,
        "witness": result.witness,
        "findings": sorted(found),
        "episodes": attempts,
        "solved": sorted(str(each.agent) for each in result.episodes.all() if each.reward),
        "certified": bool(result.certificates.all()),
    }


def differing(one: Mapping[str, Outcome], other: Mapping[str, Outcome]) -> list[str]:
    """The environments of which two rounds say different things."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def holds(folder: DomainFolder, said: Mapping[str, Outcome]) -> dict[str, Any]:
    """What a domain consists of, and how its environments stand."""
    intents = [file.body for file in folder.intents.values()]
    specs = folder.all_environments()
    mine = [said[f"{folder.slug}/{spec.slug}"] for spec in specs]
    sizes = sorted(sum(map(len, file.body.tables.values())) for file in folder.records.values())
    return {
        "domain": folder.slug,
        "intents": len(intents),
        "turned_down": sum(intent.is_turned_down for intent in intents),
        "dialogues": sum(intent.is_dialogue for intent in intents),
        "clauses": sum(len(file.body.clauses) for file in folder.rules.values()),
        "rows": ", ".join(f"{size:,}" for size in sizes),
        "tool_servers": len(folder.toolservers),
        "environments": len(specs),
        "with_two_servers": sum(len(spec.toolservers) > 1 for spec in specs),
        "solvable": sum(each["status"] == "solvable" for each in mine),
        "certified": sum(each["certified"] for each in mine),
        "findings": sum(len(each["findings"]) for each in mine),
        "floor": floor(mine),
    }


def floor(mine: Iterable[Outcome]) -> float:
    """The best solve rate of an agent that understands nothing."""
    from agents import FLOOR

    every = list(mine)
    won = Counter(agent for each in every for agent in each["solved"] if agent in FLOOR)
    return round(max(won.values(), default=0) / len(every), 3)


def totals(rows: list[dict[str, Any]], said: Mapping[str, Outcome]) -> dict[str, Any]:
    """The library as a whole."""
    ours = {row["domain"] for row in rows}
    sums = {
        name: sum(row[name] for row in rows)
        for name in ("intents", "turned_down", "dialogues", "environments", "solvable", "certified")
    }
    mine = [each for name, each in said.items() if name.partition("/")[0] in ours]
    return {**sums, "floor": floor(mine)}


if __name__ == "__main__":
    main()
