"""Dumping: what was loaded comes out as it was, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis.extra.django import TestCase

from components.dump import dump
from components.load import load
from components.models import Component, Domain
from tests.shop import shop
from tests.worlds.folders import folders
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.library import read, write


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def dumped(slug: str, root: Path) -> dict[str, bytes]:
    return contents(write(dump(Domain.objects.get(slug=slug)), root))


class TestLaw(TestCase):
    """hypothesis rolls the database back after each folder."""

    @pytest.fixture(autouse=True)
    def _roots(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        self.roots = tmp_path_factory

    @settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=25)
    @given(folders())
    def test_what_write_wrote_is_dumped_byte_for_byte(self, folder: DomainFolder) -> None:
        root = self.roots.mktemp("law")
        written = contents(write(folder, root / "before"))
        load(read(root / "before"), None, source="library")
        assert dumped("wild", root / "after") == written


@pytest.mark.django_db
def test_a_dump_of_a_load_of_a_dump_is_that_dump(tmp_path: Path) -> None:
    load([shop(intents=3)], None, source="library")
    first = dumped("shop", tmp_path / "first")
    assert "pins.json" in first
    Domain.objects.all().delete()
    load(read(tmp_path / "first"), None, source="library")
    assert dumped("shop", tmp_path / "second") == first


@pytest.mark.django_db
def test_an_environment_that_its_composition_no_longer_makes_is_written_out(tmp_path: Path) -> None:
    load([shop(intents=2)], None, source="library")
    folder = shop(intents=2)
    folder.compositions["all"]["intents"] = ["cancel-0"]
    load([folder], None, source="library")
    assert dump(Domain.objects.get()).environments == {
        "cancel-1.small.desk.0": EnvironmentSpec(
            "cancel-1.small.desk.0", "cancel-1", ("policy",), "small", ("desk",)
        ),
        "lawless": folder.environments["lawless"],
    }


@pytest.mark.django_db
def test_a_dump_costs_five_queries_however_large_the_domain() -> None:
    load([shop(), shop("large", intents=20)], None, source="library")
    for slug in ("shop", "large"):
        domain = Domain.objects.get(slug=slug)
        with CaptureQueriesContext(connection) as queries:
            dump(domain)
        assert len(queries) == 5


@pytest.mark.django_db
def test_a_domain_into_which_nothing_was_loaded_cannot_be_dumped() -> None:
    with pytest.raises(Component.DoesNotExist, match="the domain bare has no contract"):
        dump(Domain.objects.create(slug="bare"))
