"""What a changed environment costs its verifier, told by what was played in it before and after."""

from __future__ import annotations

from collections.abc import Sequence

from components.bundles import bundle
from triage.hypotheses import Shown
from triage.models import Result
from worlds import step, strength
from worlds.drift import drift
from worlds.records import RecordsInvalid
from worlds.servers import ServerUnavailable
from worlds.toolsession import ToolSession
from worlds.world import World


def weakens(before: Shown, after: Shown) -> bool:
    """Whether fewer wrong episodes are rejected, or one is accepted that was not. Raises as worlds do."""
    one, other = (World(bundle(each.hypothesis.manifest)) for each in (before, after))
    said = strength.Evidence(_episodes(before.result), _episodes(after.result))
    with ToolSession() as session:
        found = strength.strengths(one, other, said, session)
    if found.before is None or found.after is None:
        return False
    return found.after < found.before or bool(found.weakened)


def redefines(before: Shown, after: Shown) -> bool:
    """Whether it asks for something else, of other rows, or with another effect."""
    try:
        one, other = (World(bundle(each.hypothesis.manifest)) for each in (before, after))
        plans = _reference(before.result), _reference(after.result)
        return bool(drift(one, other, plans))
    except (RecordsInvalid, ServerUnavailable):
        return False


def _episodes(result: Result | None) -> list[step.Episode]:
    if result is None:
        return []
    return [step.Episode.model_validate(row.document) for row in result.episodes.all()]


def _reference(result: Result | None) -> step.Episode | None:
    played: Sequence[step.Episode] = _episodes(result)
    return next((each for each in played if each.agent == "reference"), None)
