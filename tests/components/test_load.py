"""Loading: all or nothing, one after another, in a few queries, with versions only where bodies differ."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db import DataError, connection, connections
from django.test.utils import CaptureQueriesContext

from components.load import LoadReport, load
from components.models import AuditEntry, Body, Component, Domain, Environment, Part, Version
from components.models import Pin as PinRow
from tests.shop import cancel, shop, with_body
from worlds.bundle import Bundle, Pin
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder, File
from worlds.rule import Rule

pytestmark = pytest.mark.django_db


def loaded(folder: DomainFolder, actor: User | None = None, *, prune: bool = False) -> LoadReport:
    return load([folder], actor, source="library", prune=prune)


def numbers(kind: str, slug: str) -> list[int]:
    versions = Version.objects.filter(component__kind=kind, component__slug=slug)
    return sorted(versions.values_list("number", flat=True))


def actions() -> list[tuple[str, str]]:
    return list(AuditEntry.objects.order_by("id").values_list("action", "target"))


def test_a_first_load_makes_everything(curator: User) -> None:
    report = loaded(shop(intents=2), curator)
    assert report.document() == {
        "domains": 1,
        "components": 6,
        "versions_created": 6,
        "environments": 3,
    }
    version = Version.objects.get(component__slug="cancel-0")
    assert (version.number, version.parent, version.author) == (1, None, curator)
    assert version.source == "library shop/intents/cancel-0.yaml"
    assert version.body.parsed() == shop().intents["cancel-0"].body
    environment = Environment.objects.get(slug="cancel-1.small.desk.0")
    assert environment.composition is not None
    assert environment.composition.slug == "all"
    assert [(part.component.kind, part.component.slug) for part in environment.parts.all()] == [
        ("intent", "cancel-1"),
        ("records", "small"),
        ("rule", "policy"),
        ("toolserver", "desk"),
    ]
    assert Component.objects.get(slug="desk").is_given


def test_environments_without_a_pin_are_pinned_by_running_their_plan() -> None:
    loaded(shop())
    pin = Environment.objects.get(slug="cancel-0.small.desk.0").pin
    assert pin is not None
    assert pin.binding == {"order": "o1", "user": "ann"}
    assert pin.effect == [
        {
            "table": "orders",
            "key": "o1",
            "op": "update",
            "fields": {"status": {"before": "pending", "after": "cancelled"}},
        }
    ]
    assert pin.reason == "pinned when composed"


def test_loading_the_same_again_changes_nothing() -> None:
    loaded(shop())
    before = [list(model.objects.order_by("pk").values()) for model in (Component, PinRow, Part)]
    assert loaded(shop()).versions_created == 0
    assert before == [
        list(model.objects.order_by("pk").values()) for model in (Component, PinRow, Part)
    ]


def test_a_changed_body_makes_a_version_and_a_changed_about_block_does_not() -> None:
    loaded(shop())
    folder = with_body(shop(), "rules", "policy", Rule(text="New."))
    folder.intents["cancel-0"] = File("cancel-0", folder.intents["cancel-0"].body, {"owner": "Bo"})
    assert loaded(folder).versions_created == 1
    assert numbers("rule", "policy") == [1, 2]
    assert numbers("intent", "cancel-0") == [1]
    policy = Component.objects.get(slug="policy")
    assert policy.current is not None
    assert policy.current.parent is not None
    assert (policy.current.number, policy.current.parent.number) == (2, 1)
    assert Component.objects.get(slug="cancel-0").about == {"owner": "Bo"}


def test_an_old_body_that_comes_back_makes_a_new_version_of_the_old_body() -> None:
    loaded(shop())
    loaded(with_body(shop(), "rules", "policy", Rule(text="New.")))
    assert loaded(shop()).versions_created == 1
    assert numbers("rule", "policy") == [1, 2, 3]
    assert Body.objects.filter(kind="rule").count() == 2


def test_a_pin_stays_until_the_files_say_another() -> None:
    loaded(shop())
    kept = Environment.objects.get(slug="lawless").pin
    folder = with_body(shop(), "intents", "cancel-0", cancel(instruction="Please."))
    loaded(folder)
    assert Environment.objects.get(slug="lawless").pin == kept
    folder.pins["lawless"] = Pin(binding={"order": "o2", "user": "ann"})
    loaded(folder)
    pin = Environment.objects.get(slug="lawless").pin
    assert pin is not None
    assert (pin.binding["order"], pin.reason) == ("o2", "given in pins.json")
    assert PinRow.objects.filter(environment__slug="lawless").count() == 2


def test_an_environment_whose_parts_change_is_changed_in_place() -> None:
    loaded(shop())
    before = Environment.objects.get(slug="lawless").pk
    folder = shop()
    folder.environments["lawless"] = EnvironmentSpec(
        "lawless", "cancel-0", ("policy",), "small", ("desk",), 5
    )
    loaded(folder)
    after = Environment.objects.get(slug="lawless")
    assert (after.pk, after.seed) == (before, 5)
    assert after.components.filter(kind="rule").count() == 1


def test_nothing_is_deleted_unless_asked_for() -> None:
    loaded(shop(intents=2))
    folder = shop()
    folder.environments = {}
    loaded(folder)
    assert Component.objects.filter(slug="cancel-1").exists()
    assert Environment.objects.count() == 3


def test_pruning_deletes_what_the_files_lack_and_nothing_uses() -> None:
    loaded(shop(intents=2))
    folder = shop()
    folder.environments = {}
    loaded(folder, prune=True)
    assert not Component.objects.filter(slug="cancel-1").exists()
    assert [str(row) for row in Environment.objects.all()] == ["shop/cancel-0.small.desk.0"]
    assert ("component.delete", "shop/intent/cancel-1") in actions()
    assert ("environment.delete", "shop/environment/lawless") in actions()


def test_an_environment_taken_out_of_its_composition_survives_the_pruning() -> None:
    loaded(shop())
    folder = shop()
    (made,) = [spec for spec in folder.all_environments() if spec.composition]
    folder.compositions = {}
    folder.environments[made.slug] = EnvironmentSpec(
        made.slug, made.intent, made.rules, made.records, made.toolservers
    )
    before = Environment.objects.get(slug=made.slug)
    loaded(folder, prune=True)
    after = Environment.objects.get(slug=made.slug)
    assert (after.pk, after.pin, after.composition) == (before.pk, before.pin, None)


def test_every_load_and_every_version_is_in_the_audit_log(curator: User) -> None:
    loaded(shop(), curator)
    assert actions() == [
        ("library.load", "shop"),
        ("version.create", "shop/domain/domain v1"),
        ("version.create", "shop/intent/cancel-0 v1"),
        ("version.create", "shop/rule/policy v1"),
        ("version.create", "shop/records/small v1"),
        ("version.create", "shop/toolserver/desk v1"),
    ]
    entry = AuditEntry.objects.get(action="library.load")
    assert entry.actor == curator
    assert entry.detail == {
        "components created": 5,
        "versions created": 5,
        "compositions created": 1,
        "environments created": 2,
        "pins created": 2,
    }


def test_viewers_and_reviewers_may_not_load(viewer: User, reviewer: User) -> None:
    for user in (viewer, reviewer):
        with pytest.raises(PermissionDenied, match=r"may not load components: .*add_version"):
            loaded(shop(), user)
    assert not Domain.objects.exists()


def test_a_domain_kept_for_others_is_refused(curator: User) -> None:
    loaded(shop())
    Domain.objects.get().readers.add(Group.objects.create(name="secret"))
    with pytest.raises(PermissionDenied, match="curator may not load into the domain 'shop'"):
        loaded(with_body(shop(), "rules", "policy", Rule(text="Mine.")), curator)
    assert numbers("rule", "policy") == [1]


def test_a_load_that_fails_half_way_leaves_nothing() -> None:
    broken = shop("zoo")
    broken.environments["x" * 301] = EnvironmentSpec("x" * 301, "cancel-0", (), "small", ("desk",))
    with pytest.raises(DataError):
        load([shop(), broken], None, source="library")
    for model in (Domain, Component, Body, Version, Environment, PinRow, AuditEntry):
        assert not model.objects.exists()


def pinless(_: Bundle) -> Pin:
    return Pin()


def queries_to_load(folder: DomainFolder) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        load([folder], None, source="library", pinning=pinless)
    return len(queries)


def test_the_number_of_queries_does_not_grow_with_the_components() -> None:
    first = (queries_to_load(shop("small")), queries_to_load(shop("large", intents=60)))
    assert first[0] == first[1] < 30
    changes: list[Callable[[DomainFolder], DomainFolder]] = [
        lambda folder: folder,
        lambda folder: [
            with_body(folder, "intents", slug, cancel(instruction=slug)) for slug in folder.intents
        ][-1],
    ]
    for change in changes:
        few = queries_to_load(change(shop("small")))
        assert few == queries_to_load(change(shop("large", intents=60))) < 30


def test_a_domain_can_be_deleted_whole() -> None:
    loaded(with_body(shop(), "rules", "policy", Rule(text="Old.")))
    loaded(shop())
    Domain.objects.get().delete()
    assert not Component.objects.exists()
    assert not PinRow.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_loads_at_once_go_one_after_the_other() -> None:
    start = Barrier(2)
    errors: list[BaseException] = []

    def run(folders: list[DomainFolder]) -> None:
        try:
            start.wait()
            load(folders, None, source="library", pinning=pinless)
        except BaseException as error:  # noqa: BLE001  # told by the test's own thread
            errors.append(error)
        finally:
            connections.close_all()

    other = with_body(shop(), "rules", "policy", Rule(text="Other."))
    runs = [[shop(), shop("zoo")], [shop("zoo"), other]]
    threads = [Thread(target=run, args=(folders,)) for folders in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert numbers("rule", "policy") == [1, 1, 2]
    assert Component.objects.filter(domain__slug="shop").count() == 5
    assert Environment.objects.count() == 4
    assert AuditEntry.objects.filter(action="library.load").count() == 4
