"""Writes a domain's folder in the one canonical form, whole or not at all."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from worlds.about import About
from worlds.body import Body
from worlds.bundle import Pin
from worlds.canonical import normalised
from worlds.domain import Domain
from worlds.environments import Matrix
from worlds.folder import DomainFolder, File
from worlds.librarytree import Listing, is_ignored, is_script
from worlds.recordset import Recordset
from worlds.source import UNSTORABLE, FileProblem, LibraryInvalid
from worlds.toolserver_body import ToolServerBody
from worlds.toolserverfile import joined_source
from worlds.yamltext import yaml_text

B = TypeVar("B", bound=Body)

PINS = "pins.json"


def write(folder: DomainFolder, path: Path | str) -> Path:
    """Write `folder` as `path`/<its slug>/, replacing what was there, and return that folder.

    Only a README.md, hidden files and the scripts beside records are kept. Raises LibraryInvalid when the folder
    holds what is no part of a domain: it would be lost.
    """
    root = Path(path)
    root.mkdir(parents=True, exist_ok=True)
    target = root / folder.slug
    if target.is_dir():
        _refuse_strangers(target)
    draft = root / f".{folder.slug}-{uuid4().hex[:8]}"
    try:
        for place, text in texts(folder):
            file = draft / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(_encoded(text, target / place))
        _keep(target, draft)
        _swap(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def write_pins(pins: dict[str, Pin], path: Path) -> None:
    """Write pins alone into the domain's folder at `path`; without a pin there is no file."""
    if not pins:
        (path / PINS).unlink(missing_ok=True)
        return
    draft = path / f".{PINS}-{uuid4().hex[:8]}"
    try:
        draft.write_bytes(_encoded(_pins_text(pins), path / PINS))
        draft.replace(path / PINS)
    finally:
        draft.unlink(missing_ok=True)


def texts(folder: DomainFolder) -> Iterator[tuple[str, str]]:
    """(place in the domain's folder, text) of every file."""
    for file in folder.files():
        yield file.place, file_text(file, folder.domain.body)
    environments = environments_document(folder)
    if environments:
        yield "environments.yaml", yaml_text(environments)
    if folder.pins:
        yield PINS, _pins_text(folder.pins)


def environments_document(folder: DomainFolder) -> dict[str, Any]:
    """What environments.yaml says, keys in order."""
    compositions = {
        slug: Matrix.model_validate(matrix).content()
        for slug, matrix in sorted(folder.compositions.items())
    }
    environments = {slug: spec.entry() for slug, spec in sorted(folder.environments.items())}
    sections = {"compositions": compositions, "environments": environments}
    return {name: section for name, section in sections.items() if section}


def settled(body: B) -> B:
    """The body as any store gives it back: text in NFC, numbers and the order of free keys normalised."""
    return type(body).parse(json.loads(body.canonical()))


def file_text(file: File[Any], domain: Domain) -> str:
    """The text of a component's file; the contract names the key by which a records set's rows are in order."""
    about = About.model_validate(normalised(file.about)).content()
    about = {"about": about} if about else {}
    body = settled(file.body)
    if isinstance(body, ToolServerBody):
        return joined_source(yaml_text(about) if about else "", body.source)
    if isinstance(body, Recordset):
        return _records_text(about, body, domain)
    return yaml_text({**about, **body.content()})


def _records_text(about: dict[str, Any], recordset: Recordset, domain: Domain) -> str:
    content = recordset.content()
    members = [f'"{name}": {_json(value)}' for name, value in about.items()]
    if "clock" in content:
        members.append(f'"clock": {_json(content["clock"])}')
    tables = []
    for name, rows in sorted(content["tables"].items()):
        key = domain.tables[name].key if name in domain.tables else ""
        lines = [f"\n   {_json(row)}" for row in sorted(rows, key=lambda row: str(row.get(key)))]
        tables.append(f"\n  {_json(name)}: [{','.join(lines)}]")
    members.append(f'"tables": {{{",".join(tables)}}}')
    return "{" + ",\n ".join(members) + "}\n"


def _pins_text(pins: dict[str, Pin]) -> str:
    lines = [
        f"{_json(slug)}: {_json(pin.model_dump(mode='json'))}" for slug, pin in sorted(pins.items())
    ]
    return "{" + ",\n ".join(lines) + "}\n"


def _json(value: Any) -> str:
    return json.dumps(normalised(value), sort_keys=True, ensure_ascii=False, allow_nan=False)


def _encoded(text: str, path: Path) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise LibraryInvalid([FileProblem(str(path), None, UNSTORABLE)]) from error


def _refuse_strangers(target: Path) -> None:
    strangers = [
        FileProblem(problem.path, None, f"it would be lost when the folder is written: {problem}")
        for problem in Listing.of(target).problems
    ]
    if strangers:
        raise LibraryInvalid(strangers)


def _keep(target: Path, draft: Path) -> None:
    """Copy what is not ours and stays: a README, hidden files, and the scripts beside records that stay."""
    for script in filter(is_script, (target / "records").glob("*.py")):
        if (draft / "records" / script.name).with_suffix(".json").exists():
            shutil.copy2(script, draft / "records" / script.name)
    for entry in target.iterdir() if target.is_dir() else ():
        if not is_ignored(entry) or entry.name == "__pycache__":
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, draft / entry.name, symlinks=True)
        else:
            shutil.copy2(entry, draft / entry.name, follow_symlinks=False)


def _swap(draft: Path, target: Path) -> None:
    """Put `draft` where `target` is; what was there is then in `draft`."""
    if not target.exists():
        draft.rename(target)
    elif not _exchanged(draft, target):
        old = draft.with_name(f"{draft.name}-old")
        target.rename(old)
        try:
            draft.rename(target)
        except OSError:
            old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)


AT_FDCWD, RENAME_EXCHANGE = -100, 2


def _exchanged(one: Path, other: Path) -> bool:
    """Swap two names in one step where the system can (Linux); a kill then finds either the old or the new."""
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    names = (os.fsencode(one), os.fsencode(other))
    return bool(renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) == 0)
