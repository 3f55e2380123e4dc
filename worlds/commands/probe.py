"""`python -m worlds probe DIR`: what the tools accept that a rule forbids, or write that an invariant does."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from agents.reference import Reference
from worlds.commands.chosen import Chosen
from worlds.findings import Finding
from worlds.locator import Locator
from worlds.probing import Limits, Probes, probe
from worlds.probing.report import document, groups, joined, outside, summary
from worlds.report import Reported, as_json, as_text, gathered, has_blocking


def run(options: argparse.Namespace, chosen: Sequence[Chosen]) -> int:
    """Print what was let through; exit status 1 where a blocking finding counts."""
    reported: list[Reported] = []
    documents = []
    for folder in (each.folder for each in chosen):
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
    return int(has_blocking(reported))
