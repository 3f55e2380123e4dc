"""The demo's parts; the whole of it runs in `make demo`."""

import socket

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError
from django.test import Client

from benchmarks.faults.demonstration import selection
from components.models import Component, Domain, Environment, Version
from envcurate import demo
from envcurate.home import secret


def test_a_port_that_is_taken_is_passed_over() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert demo.free_port(port) > port


def test_no_free_port_is_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "PORTS_TRIED", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(CommandError, match="set PORT"):
            demo.free_port(taken.getsockname()[1])


def test_the_demo_user_can_log_in_and_is_made_once(client: Client, db: None) -> None:
    Group.objects.get_or_create(name="admin")
    for _ in range(2):
        demo.make_demo_user()
    assert User.objects.filter(username="demo").count() == 1
    assert client.login(username="demo", password=secret("demo-password"))


def test_the_library_is_loaded_with_faults_and_says_so_and_published_tasks_as_they_are(
    db: None,
) -> None:
    Group.objects.get_or_create(name="admin")
    demo.make_demo_user()
    demo.load_library()
    planted = {slug for slug, names in selection().items() if names}
    contracts = Component.objects.filter(kind="domain").select_related("domain")
    notes = {row.domain.slug: row.about.get("notes", "") for row in contracts}
    assert {slug for slug, said in notes.items() if "planted here on purpose" in said} == planted
    assert sum(map(len, selection().values())) == 12
    assert {"tau2-retail", "tau2-airline"} <= notes.keys()
    assert not Environment.objects.filter(pin=None).exists()
    assert set(Version.objects.values_list("number", flat=True)) == {1}


def test_a_library_in_which_people_have_worked_is_left_as_it_is(db: None) -> None:
    Group.objects.get_or_create(name="admin")
    demo.make_demo_user()
    demo.load_library()
    versions = Version.objects.count()
    component = Component.objects.get(kind="records", slug="desk-small")
    component.about = {"title": "Mended"}
    component.save(update_fields=["about"])
    demo.load_library()
    component.refresh_from_db()
    assert component.about == {"title": "Mended"}
    assert Version.objects.count() == versions


def test_rounds_never_add_our_own_environments_to_published_ones(db: None) -> None:
    Domain.objects.bulk_create([Domain(slug=slug) for slug in ("clinic", "tau2-retail", "shop")])
    assert demo.sorts() == [["clinic", "shop"], ["tau2-retail"]]
    Domain.objects.filter(slug="tau2-retail").delete()
    assert demo.sorts() == [["clinic", "shop"]]
