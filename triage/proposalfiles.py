"""What people write of a component, as the text of its file, made a body of; and the file's text of a body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from components.bundles import parsed_bodies
from components.models import Component, Domain, Version
from triage.newfindings import NewFindings, new_findings
from worlds.body import Body
from worlds.componentfile import component_file, json_source, most_bytes
from worlds.domain import Domain as Contract
from worlds.folder import OUTSIDE, PLACES, File
from worlds.libraryreader import unkeyed
from worlds.librarywriter import file_text
from worlds.recordset import Recordset
from worlds.source import UNSTORABLE, FileProblem, LibraryInvalid, Source, place, unstorable
from worlds.toolserver import ToolServer
from worlds.toolserver_body import OutsideBody, ToolServerBody

Form = Literal["file", "rows"]
"""A whole file, or of a records set a few rows: `{table: {key: row, or null to take it out}}`."""


@dataclass(frozen=True)
class Problem:
    """Why a text is no body, and where."""

    line: int | None
    message: str
    column: int | None = None

    def document(self) -> dict[str, Any]:
        """As pages and the API tell it."""
        where = {"line": self.line} | ({} if self.column is None else {"column": self.column})
        return {**where, "message": self.message}


@dataclass(frozen=True)
class Checked:
    """What can be told of a text without running anything."""

    problems: list[Problem] = field(default_factory=list)
    """Why it cannot be proposed."""
    file: File[Any] | None = None
    """What it says, where it can be proposed."""
    is_changed: bool = False
    """Whether that differs from what the component says now."""
    new: NewFindings = field(default_factory=NewFindings)
    """What a check would find that it does not find now, as far as can be told."""

    @property
    def body(self) -> Body | None:
        """To be proposed."""
        return self.file.body if self.file else None

    @property
    def body_digest(self) -> str:
        """Of the body; empty without one."""
        return self.file.digest if self.file else ""


def text_of(version: Version) -> str:
    """The text of a version's file as `library dump` writes it, without the about block, which is of no version."""
    return text_of_body(version.component, version.body.parsed())


def text_of_body(component: Component, body: Body) -> str:
    """The text of the component's file if it said `body`."""
    return file_text(File(component.slug, body), contract_of(component.domain))


def path_of(component: Component) -> str:
    """Where the component's file stands in its domain's folder."""
    is_outside = isinstance(_said(component), OutsideBody)
    return (OUTSIDE if is_outside else PLACES[_kind(component)]).format(slug=component.slug)


def contract_of(domain: Domain) -> Contract:
    """The domain's contract as it is now; raises Component.DoesNotExist for a domain without one."""
    row = Component.objects.contracts().select_related("current").get(domain=domain)
    said = _said(row)
    if not isinstance(said, Contract):
        raise Component.DoesNotExist(f"the domain {domain} has no contract: load it first")
    return said


def validate(component: Component, text: str, form: Form = "file") -> Checked:
    """Look at a text of the component's file without running anything."""
    try:
        file = read(component, text, form)
    except LibraryInvalid as error:
        return Checked([Problem(one.line, one.message) for one in error.problems])
    is_changed = component.current is None or file.digest != component.current.body_id
    if problems := _source_problems(file):
        return Checked(problems)
    new = new_findings(component, file, contract_of(component.domain)) if is_changed else None
    return Checked([], file, is_changed, new or NewFindings())


def read(component: Component, text: str, form: Form = "file") -> File[Any]:
    """The file that a text is; raises LibraryInvalid with every problem."""
    path = path_of(component)
    text = _storable(text, path)
    if form == "rows":
        return _with_rows(component, text, path)
    file = component_file(_kind(component), component.slug, text, path)
    if isinstance(file.body, Recordset):
        _demand_keys(contract_of(component.domain), file)
    return file


def _storable(text: str, path: str) -> str:
    """With plain newlines."""
    if unstorable(text):
        raise LibraryInvalid([FileProblem(path, None, UNSTORABLE)])
    if (size := len(text.encode())) > (most := most_bytes(path)):
        message = f"{size} bytes are too many: a file may have {most}"
        raise LibraryInvalid([FileProblem(path, None, message)])
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _source_problems(file: File[Any]) -> list[Problem]:
    """What keeps a source from running."""
    if not isinstance(file.body, ToolServerBody):
        return []
    before = (file.line("source") or 1) - 1
    problems = ToolServer.of(file.body).problems
    return [Problem(before + one.line, one.message, one.column) for one in problems]


def _demand_keys(contract: Contract, file: File[Recordset]) -> None:
    if problems := unkeyed(contract, file):
        raise LibraryInvalid(problems)


def _with_rows(component: Component, text: str, path: str) -> File[Recordset]:
    """The records set as it is now, with the rows of an overlay instead of its own of the same keys."""
    now, contract = _said(component), contract_of(component.domain)
    if not isinstance(now, Recordset):
        message = f"single rows are of records sets, and {component} is a {component.kind}"
        raise LibraryInvalid([FileProblem(path, None, message)])
    source = json_source(text, path, levels=2)
    _demand_rows(source, now, contract, path)
    tables = {**now.tables, **{table: now.tables.get(table, []) for table in source.value}}
    for table, rows in source.value.items():
        tables[table] = _overlaid(tables[table], rows, contract.tables[table].key)
    made = now.model_copy(update={"tables": tables})
    file = File(component.slug, made, path=path, lines=_row_lines(source, tables, contract))
    _demand_keys(contract, file)
    return file


def _overlaid(
    rows: list[dict[str, Any]], others: Mapping[str, dict[str, Any] | None], key: str
) -> list[dict[str, Any]]:
    kept = [row for row in rows if row.get(key) not in others]
    return [*kept, *({key: name, **row} for name, row in others.items() if row is not None)]


def _demand_rows(source: Source, now: Recordset, contract: Contract, path: str) -> None:
    """Raises LibraryInvalid with what keeps the overlay from being one."""
    problems = [
        FileProblem(path, source.line(at), message)
        for at, message in _row_problems(source.value, now, contract)
    ]
    if problems:
        raise LibraryInvalid(problems)


def _row_problems(value: Any, now: Recordset, contract: Contract) -> Any:
    if not isinstance(value, dict) or not all(isinstance(rows, dict) for rows in value.values()):
        yield (), "rows are an object {table: {key: row, or null to take it out}}"
        return
    for table, rows in value.items():
        if table not in contract.tables:
            known = ", ".join(sorted(contract.tables))
            yield (table,), f"the domain has no table {table!r}; it has {known}"
            continue
        field_ = contract.tables[table].key
        there = {row.get(field_) for row in now.tables.get(table, [])}
        for key, row in rows.items():
            if row is None and key not in there:
                yield (table, key), f"{table} has no row {key!r} to take out"
            elif row is not None and not isinstance(row, dict):
                yield (table, key), f"a row is an object, or null to take it out, not {row!r:.40}"
            elif row is not None and row.get(field_, key) != key:
                yield (table, key), f"the row says {field_} {row[field_]!r}, and stands at {key!r}"


def _row_lines(
    source: Source, tables: Mapping[str, list[dict[str, Any]]], contract: Contract
) -> dict[str, int]:
    """The overlay's lines by the place of its rows in the whole set."""
    lines = {}
    for table in source.value:
        for number, row in enumerate(tables[table]):
            key = str(row.get(contract.tables[table].key))
            if (line := source.lines.get(place((table, key)))) is not None:
                lines[place(("tables", table, number))] = line
    return lines


def _said(component: Component) -> Body | None:
    """What the component says now."""
    if component.current is None:
        return None
    digest = component.current.body_id
    return parsed_bodies({digest: _kind(component)}).get(digest)


def _kind(component: Component) -> Any:
    return component.kind  # a CharField is str, and the kinds are literals
