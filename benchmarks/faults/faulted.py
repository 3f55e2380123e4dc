"""A domain with something planted in it: one component changed, and only the environments that use it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from agents.pinning import pin
from worlds.body import Kind
from worlds.bundle import PARSERS, Bundle, Pin
from worlds.canonical import NotCanonical
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder, File
from worlds.libraryreader import unkeyed
from worlds.records import RecordsInvalid
from worlds.servers import Servers, ServerSettings
from worlds.toolserver_body import OutsideBody, ToolServerBody
from worlds.world import World


class Refused(ValueError):
    """The changed files cannot be loaded; says why."""


@contextmanager
def planted(
    folder: DomainFolder, kind: Kind, component: str, content: Any
) -> Iterator[DomainFolder]:
    """The domain with other content of one component; of an outside server its source, for as long as the block lasts.

    Raises Refused where `library load` would refuse the files.
    """
    slug, _, file = component.partition("/")
    if kind == "toolserver" and file:
        with changed_source(folder.toolservers[slug].body, file, content):
            yield folder
        return
    yield with_component(folder, kind, slug, content)


def with_component(folder: DomainFolder, kind: Kind, slug: str, content: Any) -> DomainFolder:
    """The domain with other content of a component (a document, or a tool server's source). Raises Refused."""
    before = folder.file(kind, slug)
    if before is None:
        raise KeyError(f"{folder.slug} has no {kind} {slug}")
    try:
        body = (
            ToolServerBody(source=content) if isinstance(content, str) else PARSERS[kind](content)
        )
    except (ValidationError, NotCanonical) as error:
        raise Refused(str(error)) from error
    file: File[Any] = File(slug, body, before.about, before.path)
    changed = replace(folder)
    if kind == "domain":
        changed.domain = file
    else:
        shelf = {"intent": "intents", "rule": "rules", "toolserver": "toolservers"}.get(kind, kind)
        setattr(changed, shelf, {**getattr(folder, shelf), slug: file})
    if kind in ("records", "domain"):
        problems = [
            each for one in changed.records.values() for each in unkeyed(changed.domain.body, one)
        ]
        if problems:
            raise Refused(problems[0].message)
    return changed


@contextmanager
def changed_source(body: Any, file: str, text: str) -> Iterator[None]:
    """Have an outside server run from a copy of its source in which one file is another."""
    installed = Servers.installed()
    settings = installed.named(body.server) if isinstance(body, OutsideBody) else None
    if settings is None or settings.source_path is None:
        raise KeyError(f"the source of {body} is not here")
    with tempfile.TemporaryDirectory(prefix="envcurate-server-") as made:
        copied = _copied(settings, settings.source_path, Path(made))
        (Path(made) / settings.source / file).write_text(text)
        with meaning(installed.with_more(Servers(servers={body.server: copied}))):
            yield


@contextmanager
def meaning(servers: Servers) -> Iterator[None]:
    """Have the names of outside servers mean this, for as long as the block lasts."""
    before = Servers.installed()
    Servers.install(servers)
    try:
        yield
    finally:
        Servers.install(before)


def _copied(settings: ServerSettings, source: Path, target: Path) -> ServerSettings:
    """Settings by which the server runs from a copy of its source under `target`."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(source, target / settings.source, ignore=ignored)
    for parent in Path(settings.source).parents:
        (target / parent / "__init__.py").touch()
    return settings.model_copy(update={"home": str(target), "folder": "."})


def users(folder: DomainFolder, kind: Kind, slug: str) -> list[EnvironmentSpec]:
    """The environments that use a component; of the contract all."""
    return [
        spec
        for spec in folder.all_environments()
        if kind == "domain" or (kind, slug) in {(each, name) for each, name, _ in spec.parts()}
    ]


def cut_down(
    folder: DomainFolder,
    specs: Collection[EnvironmentSpec],
    known: Mapping[str, Pin] = MappingProxyType({}),
) -> DomainFolder:
    """The domain with these environments and what they use, pinned as if it were composed now: see `pinned_anew`.
    `known` are pins that were made so before."""
    used = {(kind, slug) for spec in specs for kind, slug, _ in spec.parts()}
    shelves: dict[str, Mapping[str, File[Any]]] = {
        name: {
            slug: file for slug, file in getattr(folder, name).items() if (file.kind, slug) in used
        }
        for name in ("intents", "rules", "records", "toolservers")
    }
    alone = {spec.slug: replace(spec, composition=None) for spec in specs}
    pins = {spec.slug: known.get(spec.slug) or pinned_anew(folder, spec) for spec in specs}
    return DomainFolder(folder.slug, folder.domain, **shelves, environments=alone, pins=pins)  # type: ignore[arg-type]


def pinned_anew(folder: DomainFolder, spec: EnvironmentSpec) -> Pin:
    """The pin of an environment in a faulted library. It tells nothing of the sound one: the rows bound there stay
    bound where they still fit, as composing might have chosen them, else others are chosen; the effect is today's."""
    bundle = folder.bundle(spec)
    given = folder.pins.get(spec.slug, Pin())
    fits = _fits(bundle)
    if fits and not bundle.intent.goal.matches_plan:
        return Pin(binding=given.binding)
    made = pin(bundle)
    return Pin(binding=given.binding if fits else made.binding, effect=made.effect)


def _fits(bundle: Bundle) -> bool:
    try:
        world = World(bundle)
    except RecordsInvalid:
        return False
    pinned = bundle.manifest.pin
    return (
        bool(pinned) and not world.rebound and world.binding == pinned.binding if pinned else False
    )
