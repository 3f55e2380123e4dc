"""Which lines of a tool server only failing environments execute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from components.bundles import bundle
from triage.models import Check, Episode
from triage.observations import Evidence, Location, Observation
from triage.weighing import Group
from worlds import step
from worlds.bundle import Manifest
from worlds.coverage import Line, covered
from worlds.replay import actions_of
from worlds.world import World

LOOKED_AT = 4
"""Failing environments, and as many sound ones, whose attempts are played anew to see which lines they execute."""
MOST_LINES = 5


def line_evidence(
    at: Location, group: Group, sound: Sequence[Observation], version: int | None = None
) -> Iterator[Evidence]:
    """Where in a tool server's function failing environments differ from sound ones; nothing where they do not.
    `version` is the id of the stored one that they have."""
    if at.kind != "toolserver" or not at.symbol:
        return
    fails = [each for each, _ in group if at in each.exercised][:LOOKED_AT]
    passes = [each for each in sound if at in each.exercised][:LOOKED_AT]
    if not fails or not passes:
        return
    failing, passing = (_executed(at, some) for some in (fails, passes))
    only = [line for line, count in failing.items() if count == len(fails) and not passing[line]]
    if only:
        numbers = sorted(line.line for line in only)[:MOST_LINES]
        lines = f"Line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
        text = (
            f"{lines} of `{at.symbol}` run in all of {len(fails)} failing attempts, and in none of "
            f"{len(passes)} sound ones."
        )
        cites = {} if version is None else {"version": version, "line": numbers[0]}
        yield Evidence("spectrum", text, cites)


def _executed(at: Location, observations: Sequence[Observation]) -> Counter[Line]:
    """Lines of the function, with how many of the references' attempts execute them."""
    rows = Check.objects.filter(pk__in=[each.check for each in observations])
    found: Counter[Line] = Counter()
    for row in rows:
        played = Episode.objects.filter(
            results=row.result_id, agent__name="reference", attempt=0
        ).first()
        if played is None:
            continue
        episode = step.Episode.model_validate(played.document)
        world = World(bundle(Manifest.model_validate(row.manifest)))
        lines = covered(world, actions_of(episode.steps))
        found.update(line for line in lines if (line.server, line.function) == (at.slug, at.symbol))
    return found
