"""Bundles of environments as they stand: current versions, in order, with their pins."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from components.bundles import PARSED, ParsedBodies, bundle, digests, manifests
from components.load import load
from components.models import Body, Environment, Pin
from tests.shop import cancel, shop, with_body
from worlds.bundle import BundleInvalid
from worlds.environments import EnvironmentSpec
from worlds.recordset import Recordset
from worlds.rule import Rule

pytestmark = pytest.mark.django_db


def test_a_manifest_is_that_of_the_folder_with_the_pin() -> None:
    folder = shop(intents=2)
    load([folder], None, source="library")
    found = manifests(Environment.objects.order_by("slug"))
    assert list(found) == list(Environment.objects.order_by("slug").values_list("pk", flat=True))
    for spec, manifest in zip(folder.all_environments(), found.values(), strict=True):
        assert manifest.pin is not None
        assert manifest == folder.bundle(spec, manifest.pin).manifest


def test_rules_stand_in_the_order_of_the_environment() -> None:
    folder = shop()
    for slug in ("first", "another"):
        with_body(folder, "rules", slug, Rule(text=slug))
    rules = ("policy", "first", "another")
    folder.environments["ordered"] = EnvironmentSpec(
        "ordered", "cancel-0", rules, "small", ("desk",)
    )
    load([folder], None, source="library")
    (manifest,) = manifests(Environment.objects.filter(slug="ordered")).values()
    assert tuple(ref.slug for ref in manifest.rules) == rules


def test_a_manifest_follows_the_current_version() -> None:
    load([shop()], None, source="library")
    environments = Environment.objects.filter(slug="lawless")
    (before,) = manifests(environments).values()
    load([with_body(shop(), "intents", "cancel-0", cancel(open=[]))], None, source="library")
    (after,) = manifests(environments).values()
    assert after.intent.body == cancel(open=[]).digest != before.intent.body
    assert after.pin == before.pin


def test_manifests_cost_three_queries_however_many() -> None:
    load([shop(intents=20)], None, source="library")
    for environments in (Environment.objects.all()[:1], Environment.objects.all()):
        with CaptureQueriesContext(connection) as queries:
            manifests(environments)
        assert len(queries) == 3


def test_digests_are_those_of_the_manifests_whatever_changes() -> None:
    """Those remembered from before too: seed, pin and versions all tell."""
    load([shop(intents=2)], None, source="library")
    everything = Environment.objects.all()
    lawless = Environment.objects.get(slug="lawless")
    seen = set()
    for change in (None, "seed", "pin", "unpinned", "version"):
        if change == "seed":
            lawless.seed = 7
        elif change == "pin":
            lawless.pin = Pin.objects.create(environment=lawless, binding={"order": "o2"})
        elif change == "unpinned":
            lawless.pin = None
        elif change == "version":
            load([with_body(shop(), "intents", "cancel-0", cancel(open=[]))], None, source="test")
            lawless.refresh_from_db()
        lawless.save()
        expected = {pk: manifest.digest for pk, manifest in manifests(everything).items()}
        assert digests(everything) == expected
        seen.add(expected[lawless.pk])
    assert len(seen) == 5


def test_digests_cost_three_queries_however_many() -> None:
    load([shop(intents=20)], None, source="library")
    for environments in (Environment.objects.all()[:1], Environment.objects.all()):
        with CaptureQueriesContext(connection) as queries:
            digests(environments)
        assert len(queries) == 3


def test_bodies_are_fetched_and_parsed_once_a_process() -> None:
    load([shop()], None, source="library")
    PARSED.clear()
    one, other = manifests(Environment.objects.order_by("slug")).values()
    with CaptureQueriesContext(connection) as queries:
        first, second = bundle(one), bundle(other)
    assert len(queries) == 1
    assert first.records is second.records
    assert first.manifest == one
    assert first.digest == one.digest


def test_a_body_that_is_gone_is_named() -> None:
    load([shop()], None, source="library")
    PARSED.clear()
    (manifest,) = manifests(Environment.objects.filter(slug="lawless")).values()
    lost = manifest.model_copy(
        update={"intent": manifest.intent.model_copy(update={"body": "0" * 64})}
    )
    with pytest.raises(BundleInvalid, match=r"lacks the body 0+ \(intent\)"):
        bundle(lost)
    assert Body.objects.exists()


def test_few_records_are_kept_and_those_used_last() -> None:
    kept = ParsedBodies(most=10, most_records=2)
    bodies = {str(n): Recordset.parse({"tables": {"t": [{"n": n}]}}) for n in range(3)}
    kept.keep({"0": bodies["0"], "1": bodies["1"]})
    assert kept.get({"0": "records"}) == {"0": bodies["0"]}
    kept.keep({"2": bodies["2"]})
    assert set(kept.get(dict.fromkeys("012", "records"))) == {"0", "2"}
