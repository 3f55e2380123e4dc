"""Entries of a goal's `changes` for what the contract calls volatile: how much changes there is never counted."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.changes import Allowance, ChangesInvalid
from worlds.findings import Finding, finding
from worlds.world import World


def uncounted_findings(world: World) -> Iterator[Finding]:
    """One for each entry that names a volatile table, or a volatile field."""
    for number, entry in enumerate(world.bundle.intent.goal.changes or ()):
        try:
            allowance = Allowance.of(entry)
        except ChangesInvalid:
            continue  # a finding of its own
        ignored = next(_ignored(allowance, world.bundle.domain.volatile), None)
        if ignored is not None:
            place = f"goal.changes[{number}]"
            yield finding(
                "criteria-unused",
                "intent",
                world.bundle.manifest.intent.slug,
                place=place,
                symbol=place,
                message=f"goal.changes lets {entry!r} change, and nothing counts how: the domain calls {ignored}"
                " volatile, so that any other change there passes as well.",
                evidence={"entry": entry, "volatile": ignored},
            )


def _ignored(allowance: Allowance, volatile: list[str]) -> Iterator[str]:
    """The entries of `volatile` that take away what an allowance names."""
    for each in volatile:
        table, _, rest = each.partition("/")
        field = rest.partition("#")[2]
        if (table == allowance.table and not field) or (
            table in ("*", allowance.table) and field in allowance.fields
        ):
            yield each
