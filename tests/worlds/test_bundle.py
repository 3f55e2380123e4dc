"""Manifests: the identity of what an environment is made of."""

from __future__ import annotations

from tests.worlds import shop
from worlds.bundle import Ref


def test_a_changed_copy_has_an_identity_of_its_own_whoever_asked_the_first_for_its() -> None:
    manifest = shop.bundle().manifest
    before = manifest.digest
    other = manifest.model_copy(update={"records": Ref(slug="small", body="0" * 64)})
    assert other.digest != before
    assert manifest.digest == before


def test_a_copy_with_nothing_changed_is_the_same() -> None:
    manifest = shop.bundle().manifest
    assert manifest.model_copy().digest == manifest.digest
