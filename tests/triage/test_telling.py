"""One check of all that use a records set tells of its rows, whatever its environment touches."""

from __future__ import annotations

from typing import Any

from django.test import Client

from components.models import Environment
from tests.triage.shop import Shop
from triage.models import Finding, Round
from triage.rounds import create_round, summary
from triage.scope import Scope
from triage.telling import tellers
from triage.work import work_off
from worlds.recordset import Recordset

NOTES: list[dict[str, Any]] = [{"id": f"N{number}", "text": ""} for number in range(3)]


def spoil(shop: Shop) -> None:
    """A note that no plan touches says no text."""
    rows = [*NOTES, {"id": "N7", "text": 7}]
    shop.component("desk", Recordset.parse({"tables": {"notes": rows}}))


def run(*environments: str) -> Round:
    made = create_round(None, Scope(environments=list(environments)), queue=False)
    list(work_off(list(made.checks.values_list("pk", flat=True)), "here"))
    return made


def found() -> list[tuple[str, str, str]]:
    rows = Finding.objects.values_list("code", "severity", "place")
    return [(code, severity, place) for code, severity, place in rows]


def test_a_round_warns_once_of_a_row_that_no_environment_touches(shop: Shop) -> None:
    for slug in ("b", "a", "c"):
        shop.sound(slug)
    spoil(shop)
    made = run()
    assert found() == [("row-invalid", "warning", "notes/N7#text")]
    item = Finding.objects.get()
    assert (item.kind, item.component, item.version) == ("records", shop.records, item.version)
    (check,) = item.result.checks.all()
    assert check.environment.slug == "a"
    assert summary(made)["solvable"] == 3


def test_it_is_the_first_by_name_of_the_domain_whatever_is_in_scope(shop: Shop) -> None:
    first, second = shop.sound("a"), shop.sound("b")
    spoil(shop)
    assert tellers(Environment.objects.filter(pk=second.pk)) == {first.pk}
    run("notes/b")
    assert found() == []
    run("notes/a", "notes/b")
    assert len(found()) == 1


def test_who_becomes_the_first_is_checked_anew_and_so_is_who_was(shop: Shop) -> None:
    shop.sound("b")
    spoil(shop)
    run()
    shop.sound("a")
    made = run()
    known = dict(made.checks.values_list("environment__slug", "was_known"))
    assert known == {"a": False, "b": False}
    assert all(check.was_known for check in run().checks.all())


def test_the_records_page_shows_it(shop: Shop, admin_client: Client) -> None:
    shop.sound("a")
    spoil(shop)
    run()
    answer = admin_client.get("/components/notes/records/desk/")
    assert "notes/N7" in answer.content.decode()
    assert "row-invalid" in answer.content.decode()
