"""Suspicious passes for tests: an agent `llm` that wrote more than it should, and passed."""

from __future__ import annotations

from components import bundles
from components.models import Environment
from tests.triage.shop import ASIDE, Shop
from tests.triage.test_counterexamples import checked
from triage.models import AgentProfile, Check, Episode, Result, Suspicion
from triage.suspicions import scan
from worlds.bundle import Manifest
from worlds.canonical import digest
from worlds.intent import Finish
from worlds.replay import replay
from worlds.step import Call
from worlds.toolsession import ToolSession
from worlds.world import World


def strays(check: Check, attempt: int = 0) -> Episode:
    """A pass of `llm` in the result of a check of `Shop.lenient`: it writes to the next note too."""
    made = bundles.bundle(Manifest.model_validate(check.manifest))
    texts = {"N1": check.environment.slug, "N2": ASIDE}
    write = [Call(tool="write", args={"note_id": n, "text": text}) for n, text in texts.items()]
    with ToolSession() as session:
        played = replay(World(made), session, [*write, Finish(outcome="done")], agent="llm")
    assert played.verdict is not None
    agent, _ = AgentProfile.objects.get_or_create(digest=digest("llm"), defaults={"name": "llm"})
    row = Episode.objects.create(
        key=digest([check.pk, "llm", attempt]),
        bundle=check.bundle,
        agent=agent,
        seed=0,
        attempt=attempt,
        reward=played.verdict.reward,
        progress=played.verdict.progress,
        length=len(played.steps),
        calls=2,
        document=played.model_copy(update={"attempt": attempt}).model_dump(mode="json"),
    )
    assert check.result is not None
    check.result.episodes.add(row)
    return row


def suspected(shop: Shop, *slugs: str) -> list[Suspicion]:
    """Environments, each with a stray pass, looked at."""
    for slug in slugs:
        shop.lenient(slug)
    made = checked()
    for check in made.checks.filter(environment__slug__in=slugs).select_related(
        "environment", "result"
    ):
        strays(check)
    scan(Result.objects.all())
    return list(Suspicion.objects.order_by("environment__slug"))


def spoilt(shop: Shop) -> Environment:
    """An environment whose plan spoils what doing nothing keeps."""
    write = {"call": "write", "args": {"note_id": "N2", "text": "x"}}
    return shop.environment(
        "spoilt", [write, {"finish": {"outcome": "done"}}], ["get('notes', 'N2').text == ''"]
    )
