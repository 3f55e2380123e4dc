"""New versions one at a time: on what is current, or not at all; beside loads and beside each other."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from time import sleep
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction

from components.load import load
from components.models import AuditEntry, Component, Version
from components.versions import AlreadySays, Moved, ReasonMissing, adopt, hold, keep, restore
from tests.shop import shop, with_body
from worlds.bundle import Bundle, Pin
from worlds.rule import Rule

pytestmark = pytest.mark.django_db


def pinless(_: Bundle) -> Pin:
    return Pin()


def loaded(text: str = "") -> None:
    """The shop, whose policy says `text`."""
    folder = with_body(shop(), "rules", "policy", Rule(text=text)) if text else shop()
    load([folder], None, source="library", pinning=pinless)


def policy() -> Component:
    return Component.objects.select_related("domain", "current").get(slug="policy")


def current() -> Version:
    found = policy().current
    assert found is not None
    return found


def adopted(text: str, base: Version | None = None) -> Version:
    with transaction.atomic():
        row = policy()
        hold([row.domain_id])
        body = keep(Rule(text=text)).pk
        return adopt(row, base or current(), body, None, "better", "proposal 1")


def numbers() -> list[int]:
    found = Version.objects.filter(component__slug="policy").order_by("number")
    return list(found.values_list("number", flat=True))


def test_a_new_version_follows_its_base_and_stands_in_the_audit_log() -> None:
    loaded()
    before = current()
    made = adopted("New.")
    assert (made.number, made.parent, made.body.parsed()) == (2, before, Rule(text="New."))
    assert (made.reason, made.source, current()) == ("better", "proposal 1", made)
    entry = AuditEntry.objects.get(action="version.create", target="shop/rule/policy v2")
    assert entry.detail == {"body": made.body_id, "source": "proposal 1", "reason": "better"}


def test_a_base_that_is_not_current_is_refused_and_nothing_is_written() -> None:
    loaded()
    old = current()
    now = adopted("New.")
    with pytest.raises(Moved, match=r"shop/policy is at v2 now: make the change anew") as refusal:
        adopted("Late.", old)
    assert (refusal.value.now, numbers()) == (now, [1, 2])


def test_restoring_makes_a_new_version_of_the_old_body(curator: User) -> None:
    loaded()
    old = current()
    adopted("New.")
    made = restore(curator, old, "it was right")
    assert (made.number, made.body_id, made.author) == (3, old.body_id, curator)
    assert (made.reason, made.source, numbers()) == ("it was right", "restored from v1", [1, 2, 3])
    with pytest.raises(AlreadySays, match="v3 says what shop/policy v1 says"):
        restore(curator, old, "again")


def test_restoring_needs_a_reason(curator: User) -> None:
    loaded()
    old = current()
    adopted("New.")
    with pytest.raises(ReasonMissing, match="shop/policy v1 is restored with a reason"):
        restore(curator, old, " ")
    assert numbers() == [1, 2]


def test_restoring_needs_the_permission_and_the_domain(reviewer: User, curator: User) -> None:
    loaded()
    old = current()
    adopted("New.")
    with pytest.raises(PermissionDenied, match="reviewer may not restore versions"):
        restore(reviewer, old, "it was right")
    policy().domain.readers.add(Group.objects.create(name="secret"))
    with pytest.raises(PermissionDenied, match="curator may not restore"):
        restore(curator, old, "it was right")
    assert numbers() == [1, 2]


def beside(work: Callable[[], Any], meanwhile: Callable[[], Any]) -> Future[Any]:
    """`meanwhile` in a connection of its own, begun while the transaction in which `work` runs is open."""
    begun = Event()

    def run() -> Any:
        try:
            connection.ensure_connection()
            begun.set()
            return meanwhile()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            work()
            told = pool.submit(run)
            assert begun.wait(20)
            sleep(0.3)
            assert not told.done()
        told.exception(60)
    return told


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_makes_a_version_and_the_other_is_told() -> None:
    loaded()
    base = current()
    told = beside(lambda: adopted("One."), lambda: adopted("Two.", base))
    assert isinstance(told.exception(), Moved)
    assert (numbers(), current().body.parsed()) == ([1, 2], Rule(text="One."))


@pytest.mark.django_db(transaction=True)
def test_a_load_waits_for_a_new_version_and_follows_it() -> None:
    loaded()
    told = beside(lambda: adopted("One."), lambda: loaded("Loaded."))
    assert told.exception() is None
    assert (numbers(), current().body.parsed()) == ([1, 2, 3], Rule(text="Loaded."))
    assert Version.objects.get(number=3).parent == Version.objects.get(number=2)
    assert Component.objects.filter(kind="rule").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_new_version_waits_for_a_load_and_is_refused_where_that_moved_its_base() -> None:
    loaded()
    base = current()
    told = beside(lambda: loaded("Loaded."), lambda: adopted("One.", base))
    assert isinstance(told.exception(), Moved)
    assert (numbers(), current().body.parsed()) == ([1, 2], Rule(text="Loaded."))
