"""`python -m worlds check DIR`: static checks, controls and goal soundness of environments."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agents import panel
from worlds.about import About
from worlds.check import CheckResult, check, decided
from worlds.commands.chosen import Chosen
from worlds.counted import counted
from worlds.environments import EnvironmentSpec
from worlds.findings import Finding
from worlds.folder import DomainFolder
from worlds.intent import Intent
from worlds.library import LibraryInvalid
from worlds.locator import Locator
from worlds.recordcheck import all_record_findings
from worlds.records import RecordsInvalid
from worlds.report import Reported, as_json, as_sarif, as_text, gathered, has_blocking
from worlds.servers import ServerUnavailable
from worlds.world import World


def run(options: argparse.Namespace, chosen: Sequence[Chosen]) -> int:
    """Print what was found; exit status 1 where a blocking finding counts, or a check was not possible."""
    reported: list[Reported] = []
    statuses: dict[str, str] = {}
    unproven: dict[str, str] = {}
    for each in chosen:
        folder = each.folder
        findings: dict[str, list[Finding]] = {}
        for spec, result in checked(each):
            name = each.name(spec)
            statuses[name] = _status(folder, result) if result else "error"
            findings[name] = result.findings if result else []
            if statuses[name] == "unproven":
                unproven[name] = _without_witness(folder.intents[spec.intent].body, spec)
        findings |= records_at_rest(each)
        reported += gathered(findings, Locator(folder), folder.accepts)
        if each.is_all:
            _tell_idle(folder, [item for items in findings.values() for item in items])
    print(_said(options.format, reported, statuses, unproven))
    return int(has_blocking(reported) or "error" in statuses.values())


def _tell_idle(folder: DomainFolder, findings: Iterable[Finding]) -> None:
    """Say on stderr which entries of `accept` no finding fits: misspelt, or no longer needed."""
    used = [folder.accepts(finding) for finding in findings]
    for file in folder.files():
        for entry in About.model_validate(file.about).accept:
            if entry not in used:
                print(
                    f"{file.path}: accept {entry.code} at {entry.at!r} fits no finding: it is misspelt, or no "
                    "longer needed",
                    file=sys.stderr,
                )


def _status(folder: DomainFolder, result: CheckResult) -> str:
    """The status by the findings that nobody accepted."""
    blocking = (item for item in result.findings if item.severity == "blocking")
    return decided((item for item in blocking if not folder.accepts(item)), result.witness)


def _without_witness(intent: Intent, spec: EnvironmentSpec) -> str:
    """Why nothing has shown a way."""
    if not intent.plans:
        return "the intent has no plan"
    if intent.plan(spec.toolservers) is None:
        there, here = ", ".join(intent.plans), ", ".join(spec.toolservers)
        return f"the intent has plans for {there}, none for {here}"
    return "no plan shows a way"


def checked(chosen: Chosen) -> Iterator[tuple[EnvironmentSpec, CheckResult | None]]:
    """Each environment with what its check showed; None, told on stderr, where none was possible."""
    for spec in chosen.specs:
        try:
            yield spec, check(chosen.pinned(spec), panel())
        except (ServerUnavailable, LibraryInvalid) as problem:
            print(f"{chosen.name(spec)}: {problem}", file=sys.stderr)
            yield spec, None


def records_at_rest(chosen: Chosen) -> dict[str, list[Finding]]:
    """Findings about every row of each records set that an environment uses: rows that no plan touches too."""
    users = {spec.records: spec for spec in chosen.specs}
    folder = chosen.folder
    found: dict[str, list[Finding]] = {}
    for slug, spec in users.items():
        try:
            found[f"{folder.slug}/records/{slug}"] = all_record_findings(World(folder.bundle(spec)))
        except RecordsInvalid:
            continue  # a finding of every environment that uses it
    return found


def _said(
    form: str,
    reported: list[Reported],
    statuses: Mapping[str, str],
    unproven: Mapping[str, str],
) -> str:
    if form == "json":
        return as_json(reported, statuses)
    if form == "sarif":
        return as_sarif(reported)
    counts = dict.fromkeys(("solvable", "broken", "unproven", "error"), 0)
    for status in statuses.values():
        counts[status] += 1
    shown = {status: count for status, count in counts.items() if count or status != "error"}
    summary = ", ".join(f"{count} {status}" for status, count in shown.items())
    lines = [as_text(reported)] if reported else []
    lines += [
        f"{name}: unproven: {why}; a round searches for a way, and so does `python -m worlds prove`"
        for name, why in unproven.items()
    ]
    return "\n".join([*lines, f"{counted(len(statuses), 'environment')}: {summary}"])
