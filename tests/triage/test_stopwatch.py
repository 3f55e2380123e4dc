"""How long agents act."""

from __future__ import annotations

import agents
from components.bundles import bundle, manifests
from components.models import Environment
from tests.triage.shop import Shop
from triage.rounds import create_round
from triage.stopwatch import Stopwatch
from triage.work import work_off
from worlds.check import check


def test_watched_agents_act_the_same_and_each_attempt_has_its_seconds(shop: Shop) -> None:
    shop.sound("a", rounds=200_000)
    (manifest,) = manifests(Environment.objects.all()).values()
    watch = Stopwatch()
    seen = check(bundle(manifest), watch.panel(agents.panel()))
    plain = check(bundle(manifest), agents.panel())
    assert seen.episodes == plain.episodes
    assert (seen.status, seen.findings) == (plain.status, plain.findings)
    attempts = {name: len(seconds) for name, seconds in watch.seconds.items()}
    assert attempts == {"reference": 1, "noop": 1, "refuser": 2, "parrot": 1}
    (reference,) = watch.seconds["reference"]
    assert 0 < reference < seen.seconds
    assert reference > max(watch.seconds["refuser"])  # it called a tool that ponders


def test_a_result_keeps_what_its_first_check_took(shop: Shop) -> None:
    shop.sound("a")
    first, second = (create_round(None, queue=False) for _ in range(2))
    for made in (first, second):
        list(work_off(list(made.checks.values_list("pk", flat=True)), "here"))
    one, other = first.checks.get().result, second.checks.get().result
    assert one is not None
    assert one == other
    assert set(one.times) == set(agents.PANEL)
    assert len(one.times["refuser"]) == 2
    assert sum(map(sum, one.times.values())) < one.seconds
