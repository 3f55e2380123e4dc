"""environments.yaml: environments written out, and matrices that environments are composed from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from typing import Annotated, Any, Literal

from pydantic import Field

from worlds.body import Kind, Part

SLUG = re.compile(r"[A-Za-z0-9_-]{1,120}")
"""How components and compositions may be named."""
ENVIRONMENT_SLUG = re.compile(r"[A-Za-z0-9_.+-]{1,300}")

KIND_WORDS: dict[Kind, str] = {
    "intent": "intent",
    "rule": "rule",
    "records": "records set",
    "toolserver": "tool server",
}

MOST_COMPOSED = 20_000
"""How many environments one composition may make."""

Seed = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]


class Matrix(Part):
    """A composition: one environment for each intent, records set, group of tool servers and seed."""

    intents: list[str] | Literal["*"]
    """`*` = all intents of the domain."""
    rules: list[str] = []
    records: list[str]
    toolservers: list[list[str]]
    seeds: list[Seed] = [0]

    def content(self) -> dict[str, Any]:
        """As plain JSON, defaults left out."""
        return self.model_dump(mode="json", exclude_defaults=True)


class Entry(Part):
    """One environment written out."""

    intent: str
    rules: list[str] = []
    records: str
    toolservers: list[str]
    seed: Seed = 0


class EnvironmentsFile(Part):
    """All of environments.yaml."""

    compositions: dict[str, Matrix] = {}
    environments: dict[str, Entry] = {}


@dataclass(frozen=True)
class EnvironmentSpec:
    """An environment by the slugs of its parts."""

    slug: str
    intent: str
    rules: tuple[str, ...]
    records: str
    toolservers: tuple[str, ...]
    seed: int = 0
    composition: str | None = None
    """The composition that made it; None = written out by hand."""

    @classmethod
    def of(cls, slug: str, entry: Entry) -> EnvironmentSpec:
        """The environment that an entry of the file describes."""
        return cls(
            slug,
            entry.intent,
            tuple(entry.rules),
            entry.records,
            tuple(entry.toolservers),
            entry.seed,
        )

    def entry(self) -> dict[str, Any]:
        """As in environments.yaml, defaults left out."""
        return Entry(
            intent=self.intent,
            rules=list(self.rules),
            records=self.records,
            toolservers=list(self.toolservers),
            seed=self.seed,
        ).model_dump(mode="json", exclude_defaults=True)

    def parts(self) -> Iterator[tuple[str, str, int]]:
        """(kind, slug, position) of every component that it uses."""
        yield "intent", self.intent, 0
        yield "records", self.records, 0
        yield from (("rule", slug, position) for position, slug in enumerate(self.rules))
        yield from (("toolserver", slug, place) for place, slug in enumerate(self.toolservers))


def composed(
    slug: str, matrix: Mapping[str, Any], intents: Iterable[str]
) -> Iterator[EnvironmentSpec]:
    """The environments that a composition makes; `intents` are those of the domain, for `*`."""
    chosen = sorted(intents) if matrix["intents"] == "*" else matrix["intents"]
    choices = product(chosen, matrix["records"], matrix["toolservers"], matrix.get("seeds", [0]))
    for intent, records, toolservers, seed in choices:
        name = f"{intent}.{records}.{'+'.join(toolservers)}.{seed}"
        rules = tuple(matrix.get("rules", ()))
        yield EnvironmentSpec(name, intent, rules, records, tuple(toolservers), seed, slug)


def composed_count(matrix: Matrix, intents: int) -> int:
    """How many environments a composition makes in a domain of so many intents."""
    chosen = intents if matrix.intents == "*" else len(matrix.intents)
    return chosen * len(matrix.records) * len(matrix.toolservers) * len(matrix.seeds)


Misfit = tuple[tuple[str | int, ...], str]
"""A location in environments.yaml, and what is wrong there."""


def misfits(file: EnvironmentsFile, slugs: Mapping[Kind, Collection[str]]) -> Iterator[Misfit]:
    """What does not fit together: components that do not exist, names that cannot be, environments made twice."""
    for slug, entry in file.environments.items():
        at = ("environments", slug)
        if not ENVIRONMENT_SLUG.fullmatch(slug):
            yield at, "an environment is named with up to 300 of A-Z a-z 0-9 _ . + -"
        yield from _unknown("intent", slugs, [entry.intent], (*at, "intent"))
        yield from _unknown("rule", slugs, entry.rules, (*at, "rules"))
        yield from _unknown("records", slugs, [entry.records], (*at, "records"))
        yield from _servers(slugs, entry.toolservers, (*at, "toolservers"))
    for slug, matrix in file.compositions.items():
        yield from _matrix_misfits(slug, matrix, slugs)
    yield from _made_twice(file, slugs["intent"])


def _matrix_misfits(
    slug: str, matrix: Matrix, slugs: Mapping[Kind, Collection[str]]
) -> Iterator[Misfit]:
    at = ("compositions", slug)
    if not SLUG.fullmatch(slug):
        yield at, "a composition is named with up to 120 of A-Z a-z 0-9 _ -"
    if matrix.intents != "*":
        yield from _unknown("intent", slugs, matrix.intents, (*at, "intents"))
    yield from _unknown("rule", slugs, matrix.rules, (*at, "rules"))
    yield from _unknown("records", slugs, matrix.records, (*at, "records"))
    for number, servers in enumerate(matrix.toolservers):
        yield from _servers(slugs, servers, (*at, "toolservers", number))
    if len(set(matrix.seeds)) < len(matrix.seeds):
        yield (*at, "seeds"), "a seed stands here twice"


def _servers(
    slugs: Mapping[Kind, Collection[str]], named: list[str], at: tuple[str | int, ...]
) -> Iterator[Misfit]:
    if not named:
        yield at, "an environment needs a tool server"
    yield from _unknown("toolserver", slugs, named, at)


def _unknown(
    kind: Kind, slugs: Mapping[Kind, Collection[str]], named: list[str], at: tuple[str | int, ...]
) -> Iterator[Misfit]:
    for number, slug in enumerate(named):
        where = at if at[-1] == kind else (*at, number)
        if slug not in slugs[kind]:
            near = get_close_matches(slug, slugs[kind], 1)
            hint = f"did you mean {near[0]!r}?" if near else "add its file or take the name out"
            yield where, f"there is no {KIND_WORDS[kind]} {slug!r}; {hint}"
        elif slug in named[:number]:
            yield where, f"{slug!r} stands here twice"


def _made_twice(file: EnvironmentsFile, intents: Collection[str]) -> Iterator[Misfit]:
    owners = dict.fromkeys(file.environments, "environments")
    for slug, matrix in file.compositions.items():
        at = ("compositions", slug)
        if composed_count(matrix, len(intents)) > MOST_COMPOSED:
            yield at, f"it makes more than {MOST_COMPOSED} environments: split it"
            continue
        for spec in composed(slug, matrix.content(), intents):
            other = owners.setdefault(spec.slug, slug)
            if not ENVIRONMENT_SLUG.fullmatch(spec.slug):
                yield at, f"the name {spec.slug!r} of what it makes is longer than 300"
            elif other != slug:
                yield at, f"it makes the environment {spec.slug!r}, which {other!r} has too"
