"""A domain's rows as a folder: what `load` would take back."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

from django.db import transaction

from components.models import Component, Composition, Domain, Environment, Part
from worlds.bundle import Pin
from worlds.environments import EnvironmentSpec
from worlds.folder import DOMAIN_SLUG, DomainFolder, File


@transaction.atomic(savepoint=False)
def dump(domain: Domain) -> DomainFolder:
    """The domain at its current versions, with the pins of all its environments; five queries.

    A load that is under way is waited for, so that the folder is of one moment.
    Raises Component.DoesNotExist for a domain into which nothing was loaded.
    """
    Domain.objects.select_for_update(no_key=True).get(pk=domain.pk)
    files: dict[str, dict[str, File[Any]]] = defaultdict(dict)
    for component in domain.components.select_related("current__body"):
        if component.current is None:
            continue
        body = component.current.body.parsed()
        files[component.kind][component.slug] = File(component.slug, body, component.about)
    if DOMAIN_SLUG not in files["domain"]:
        raise Component.DoesNotExist(f"the domain {domain} has no contract: load it first")
    folder = DomainFolder(
        domain.slug,
        files["domain"][DOMAIN_SLUG],
        intents=files["intent"],
        rules=files["rule"],
        records=files["records"],
        toolservers=files["toolserver"],
        compositions=dict(Composition.objects.filter(domain=domain).values_list("slug", "matrix")),
    )
    environments = list(domain.environments.select_related("pin", "composition"))
    made = {spec.slug for spec in folder.all_environments()}
    specs = specs_of(environments)
    folder.environments = {
        slug: replace(spec, composition=None) for slug, spec in specs.items() if slug not in made
    }
    folder.pins = {row.slug: pin_of(row.pin) for row in environments if row.pin is not None}
    return folder


def specs_of(environments: list[Environment]) -> dict[str, EnvironmentSpec]:
    """Environments (with their composition fetched) as specs, by slug; one query."""
    parts: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    rows = Part.objects.filter(environment__in=environments).order_by("position")
    for pk, kind, slug in rows.values_list("environment_id", "component__kind", "component__slug"):
        parts[pk][kind].append(slug)
    return {
        row.slug: EnvironmentSpec(
            row.slug,
            intent=parts[row.pk]["intent"][0],
            rules=tuple(parts[row.pk]["rule"]),
            records=parts[row.pk]["records"][0],
            toolservers=tuple(parts[row.pk]["toolserver"]),
            seed=row.seed,
            composition=row.composition.slug if row.composition else None,
        )
        for row in environments
    }


def pin_of(row: Any) -> Pin:
    """A row of pins as the manifest has it."""
    return Pin(binding=row.binding, effect=row.effect)
