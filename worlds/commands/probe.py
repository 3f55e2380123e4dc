"""`python -m worlds probe DIR`: what the tools accept that a rule forbids, or write that an invariant does."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from agents.reference import Reference
from worlds.bundle import Bundle
from worlds.commands.chosen import Chosen
from worlds.findings import Finding
from worlds.locator import Locator
from worlds.probing import Limits, Probes, probe
from worlds.probing.merged import merged
from worlds.probing.report import document, groups, joined, outside, summary
from worlds.report import Reported, as_json, as_text, gathered, has_blocking


def run(options: argparse.Namespace, chosen: Sequence[Chosen]) -> int:
    """Print what was let through; exit status 1 where a blocking finding counts. Text is about each domain as a
    whole, `--json` keeps apart the environments that were probed together."""
    reported: list[Reported] = []
    apart, whole = [], []
    for each in chosen:
        limits = Limits(calls=options.calls)
        shown = [
            (bundles, probe(bundles, Reference.of, seed=options.seed, limits=limits))
            for bundles in groups(each.folder, each.specs)
        ]
        left_out = Probes(not_probed=outside(each.folder, _servers(each)))
        apart += [_document(each, bundles, probes) for bundles, probes in shown]
        apart.append(document(each.folder.slug, left_out))
        together = merged([*(probes for _, probes in shown), left_out])
        whole.append(document(each.folder.slug, together))
        reported += _reported(each, together)
    if options.json:
        findings = json.loads(as_json(reported, {}))["findings"]
        print(json.dumps({**joined(apart), "findings": findings}, indent=2))
    else:
        print("\n".join(filter(None, [as_text(reported), summary(joined(whole))])))
    return int(has_blocking(reported))


def _servers(chosen: Chosen) -> set[str]:
    """All of the domain's tool servers, or those of the environments that were asked for."""
    if chosen.is_all:
        return set(chosen.folder.toolservers)
    return {slug for spec in chosen.specs for slug in spec.toolservers}


def _document(chosen: Chosen, bundles: Mapping[str, Bundle], probes: Probes) -> dict[str, Any]:
    manifest = next(iter(bundles.values())).manifest
    servers, rules = ([ref.slug for ref in refs] for refs in (manifest.toolservers, manifest.rules))
    return document(chosen.folder.slug, probes, servers, rules)


def _reported(chosen: Chosen, probes: Probes) -> list[Reported]:
    found: dict[str, list[Finding]] = {}
    for item in probes.findings():
        found.setdefault(item.evidence["environment"], []).append(item)
    return gathered(found, Locator(chosen.folder), chosen.folder.accepts)
