"""`python -m worlds check DIR`, `probe DIR`: check a library folder, or probe its tools, without a database."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents import panel
from agents.pinning import pin
from agents.reference import Reference
from worlds.about import About
from worlds.bundle import Bundle
from worlds.check import CheckResult, check, decided
from worlds.counted import counted
from worlds.environments import EnvironmentSpec
from worlds.findings import Finding
from worlds.folder import DomainFolder, File
from worlds.library import LibraryInvalid, read
from worlds.probing import CALLS, Limits, Probes, probe
from worlds.probing.report import document, groups, joined, outside, summary
from worlds.recordcheck import all_record_findings
from worlds.records import RecordsInvalid
from worlds.report import Location, Reported, as_json, as_sarif, as_text, gathered
from worlds.servers import Servers, ServerUnavailable
from worlds.world import World

Run = Callable[[argparse.Namespace, Sequence[DomainFolder]], int]
STEP = re.compile(r"[^.\[\]]+")


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 no blocking finding that counts, 1 at least one (or a check that was not possible), 2 the call
    or a file was wrong, or there is no environment to look at."""
    options = _parser().parse_args(arguments)
    try:
        Servers.installed()
        folders = read(Path(options.folder), options.domain)
    except LibraryInvalid as problem:
        print(problem, file=sys.stderr)
        return 2
    if not any(folder.all_environments() for folder in folders):
        print(_nothing(options.folder, folders), file=sys.stderr)
        return 2
    status: int = options.run(options, folders)
    return status


def _nothing(named: str, folders: Sequence[DomainFolder]) -> str:
    """That no environment is there, and how to come by some."""
    domains = ", ".join(folder.slug for folder in folders)
    return (
        f"{named}: no environment here, so nothing was looked at: no environments.yaml makes any (of {domains}); "
        "write one, or, for published τ² tasks, bring them by manage.py import_tau2 and check them by a round"
    )


def _check(options: argparse.Namespace, folders: Sequence[DomainFolder]) -> int:
    reported: list[Reported] = []
    statuses: dict[str, str] = {}
    for folder in folders:
        findings: dict[str, list[Finding]] = {}
        for name, result in checked(folder):
            statuses[name] = _status(folder, result) if result else "error"
            findings[name] = result.findings if result else []
        findings |= records_at_rest(folder)
        reported += gathered(findings, Locator(folder), folder.accepts)
        _tell_idle(folder, [item for items in findings.values() for item in items])
    print(_said(options.format, reported, statuses))
    return int(_has_blocking(reported) or "error" in statuses.values())


def _has_blocking(reported: Iterable[Reported]) -> bool:
    return any(item.finding.severity == "blocking" and item.accepted is None for item in reported)


def _probe(options: argparse.Namespace, folders: Sequence[DomainFolder]) -> int:
    reported: list[Reported] = []
    documents = []
    for folder in folders:
        for bundles in groups(folder):
            probes = probe(
                bundles, Reference.of, seed=options.seed, limits=Limits(calls=options.calls)
            )
            found: dict[str, list[Finding]] = {}
            for item in probes.findings():
                found.setdefault(item.evidence["environment"], []).append(item)
            reported += gathered(found, Locator(folder), folder.accepts)
            documents.append(document(folder.slug, probes))
        documents.append(document(folder.slug, Probes(not_probed=outside(folder))))
    shown = joined(documents)
    if options.json:
        findings = json.loads(as_json(reported, {}))["findings"]
        print(json.dumps({**shown, "findings": findings}, indent=2))
    else:
        print("\n".join(filter(None, [as_text(reported), summary(shown)])))
    return int(_has_blocking(reported))


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


def checked(folder: DomainFolder) -> Iterator[tuple[str, CheckResult | None]]:
    """Each environment by name with what its check showed; None, told on stderr, where none was possible."""
    for spec in folder.all_environments():
        name = f"{folder.slug}/{spec.slug}"
        try:
            yield name, check(pinned(folder, spec), panel())
        except (ServerUnavailable, LibraryInvalid) as problem:
            print(f"{name}: {problem}", file=sys.stderr)
            yield name, None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m worlds", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser(
        "check", help="static checks, controls and goal soundness of every environment"
    )
    _takes_folder(command, _check)
    command.add_argument("--format", choices=("text", "json", "sarif"), default="text")
    command = commands.add_parser(
        "probe", help="what the tools accept that a rule forbids, or write that an invariant does"
    )
    _takes_folder(command, _probe)
    command.add_argument("--json", action="store_true", help="print one document")
    command.add_argument("--seed", type=int, default=0, help="another one makes other calls")
    command.add_argument(
        "--calls",
        type=int,
        default=CALLS,
        help="changed calls of each tool that are carried out, at most",
    )
    return parser


def _takes_folder(command: argparse.ArgumentParser, run: Run) -> None:
    command.set_defaults(run=run)
    command.add_argument("folder", metavar="DIR", help="a library, or one domain's folder")
    command.add_argument("--domain", action="append", help="only this domain (may be repeated)")


def pinned(folder: DomainFolder, spec: EnvironmentSpec) -> Bundle:
    """An environment of a folder with its pin, made here where the folder has none."""
    bundle = folder.bundle(spec)
    if bundle.manifest.pin is not None:
        return bundle
    manifest = bundle.manifest.model_copy(update={"pin": pin(bundle)})
    return replace(bundle, manifest=manifest)


def records_at_rest(folder: DomainFolder) -> dict[str, list[Finding]]:
    """Findings about every row of each records set that an environment uses: rows that no plan touches too."""
    users = {spec.records: spec for spec in folder.all_environments()}
    found: dict[str, list[Finding]] = {}
    for slug, spec in users.items():
        try:
            found[f"{folder.slug}/records/{slug}"] = all_record_findings(World(folder.bundle(spec)))
        except RecordsInvalid:
            continue  # a finding of every environment that uses it
    return found


def _said(form: str, reported: list[Reported], statuses: Mapping[str, str]) -> str:
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
        f"{name}: unproven: no plan shows a way; a round searches for one"
        for name, status in statuses.items()
        if status == "unproven"
    ]
    return "\n".join([*lines, f"{counted(len(statuses), 'environment')}: {summary}"])


class Locator:
    """Where a finding stands among a folder's files."""

    def __init__(self, folder: DomainFolder) -> None:
        self.folder = folder

    def __call__(self, finding: Finding) -> Location:
        """File and line; line 1 where no better one is known."""
        file = self.folder.file(finding.kind, finding.component)
        if file is None:
            return self.folder.slug, 1
        return file.path, self._line(file, finding) or 1

    def _line(self, file: File[Any], finding: Finding) -> int | None:
        if finding.kind == "toolserver":
            first = file.line("source") or 1
            line = finding.evidence.get("line")
            return first + line - 1 if isinstance(line, int) else first
        if finding.kind == "records":
            return file.line(*self._row(file, finding.evidence))
        if finding.kind == "rule" and finding.place.startswith("clauses."):
            clause = finding.place.removeprefix("clauses.")
            return file.line("clauses", self._clause(file, clause))
        return file.line(*_location(finding.place))

    def _row(self, file: File[Any], evidence: Mapping[str, Any]) -> tuple[str | int, ...]:
        table = str(evidence.get("table", ""))
        if table not in self.folder.domain.body.tables:
            return ("tables",)
        key = self.folder.domain.body.tables[table].key
        rows = file.body.tables.get(table, [])
        keys = [row.get(key) for row in rows]
        return ("tables", table, keys.index(evidence["key"]))

    def _clause(self, file: File[Any], clause: str) -> int:
        return [item.id for item in file.body.clauses].index(clause)


def _location(place: str) -> tuple[str | int, ...]:
    """`goal.require[0]` → `("goal", "require", 0)`."""
    return tuple(int(part) if part.isdigit() else part for part in STEP.findall(place))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
