"""Which environments of a folder a command is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase

from agents.pinning import pin
from worlds.bundle import Bundle
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder


class NothingChosen(ValueError):
    """There is no environment to look at; the message says why and what to do."""


@dataclass(frozen=True)
class Chosen:
    """A folder, and those of its environments that were asked for."""

    folder: DomainFolder
    specs: tuple[EnvironmentSpec, ...]
    is_all: bool = True

    def name(self, spec: EnvironmentSpec) -> str:
        """As reports say it."""
        return f"{self.folder.slug}/{spec.slug}"

    def pinned(self, spec: EnvironmentSpec) -> Bundle:
        """An environment with its pin, made here where the folder has none."""
        bundle = self.folder.bundle(spec)
        if bundle.manifest.pin is not None:
            return bundle
        manifest = bundle.manifest.model_copy(update={"pin": pin(bundle)})
        return replace(bundle, manifest=manifest)


def choose(root: str, folders: Sequence[DomainFolder], patterns: Sequence[str]) -> list[Chosen]:
    """The environments whose name, with or without its domain, fits one of the `patterns` (`*` and `?` stand for
    anything); without patterns all. Raises NothingChosen."""
    every = [Chosen(folder, tuple(folder.all_environments())) for folder in folders]
    if not any(each.specs for each in every):
        raise NothingChosen(_no_environment(root, folders))
    if not patterns:
        return every
    found = [_fitting(each, patterns) for each in every]
    names = {each.name(spec) for each in found for spec in each.specs}
    for pattern in patterns:
        if not any(_fits(name, pattern) for name in names):
            raise NothingChosen(_no_match(root, pattern, every))
    return found


def _fitting(every: Chosen, patterns: Sequence[str]) -> Chosen:
    names = [(spec, every.name(spec)) for spec in every.specs]
    kept = [spec for spec, name in names if any(_fits(name, pattern) for pattern in patterns)]
    return Chosen(every.folder, tuple(kept), is_all=False)


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(name.partition("/")[2], pattern)


def _no_match(root: str, pattern: str, every: Sequence[Chosen]) -> str:
    names = [name for each in every for spec in each.specs for name in (spec.slug, each.name(spec))]
    near = get_close_matches(pattern.replace("*", ""), names, n=3, cutoff=0.4)
    hint = f"; near it are {', '.join(near)}" if near else ""
    return f"{root}: no environment is called {pattern!r}: `*` stands for any letters{hint}"


def _no_environment(root: str, folders: Sequence[DomainFolder]) -> str:
    """That no environment is there, and how to come by some."""
    domains = ", ".join(folder.slug for folder in folders)
    return (
        f"{root}: no environment here, so nothing was looked at: no environments.yaml makes any (of {domains}); "
        "write one, or, for published τ² tasks, bring them by manage.py import_tau2 and check them by a round"
    )
