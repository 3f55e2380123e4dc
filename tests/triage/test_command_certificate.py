"""`manage.py certificate`."""

from __future__ import annotations

import io
import json

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command

from tests.triage.shop import Shop
from tests.triage.test_certificates import planless
from tests.triage.test_counterexamples import attempt, checked
from triage.counterexamples import make
from triage.models import Certificate


def call(*arguments: str) -> str:
    out = io.StringIO()
    call_command("certificate", *arguments, stdout=out)
    return out.getvalue()


def test_it_prints_what_was_looked_at(shop: Shop) -> None:
    shop.sound("a")
    made = checked()
    said = json.loads(call("a", "--json"))
    assert (said["domain"], said["environment"], said["witness"]) == ("notes", "a", "plan")
    assert (said["recipe"], said["outdated"], said["unobserved"]) == (made.recipe, False, [])
    assert sorted(said["agents"]) == sorted(made.panel)
    text = call("notes/a")
    assert "notes/a: solvable, witness plan" in text
    assert "unobserved: nothing" in text


def test_without_one_it_fails_and_says_why(shop: Shop) -> None:
    shop.refused("b")
    with pytest.raises(
        CommandError, match="notes/b has no certificate: it stands unverified"
    ) as at:
        call("b")
    assert at.value.returncode == 1
    checked()
    with pytest.raises(CommandError, match="it stands broken, by plan-refused at intent/b plans"):
        call("b")
    with pytest.raises(CommandError, match="there is no environment") as at:
        call("c")
    assert at.value.returncode == 2


def test_a_refusal_names_the_counterexample_that_is_open(shop: Shop, reviewer: User) -> None:
    shop.sound("a")
    checked()
    row = make(reviewer, attempt(), 0, "wrong note")
    why = (
        f"stands broken, by counterexample {row.pk} that is open: "
        "reviewer says that reference should have failed: wrong note"
    )
    with pytest.raises(CommandError, match=why):
        call("a")


def test_a_refusal_tells_trouble_of_ours_and_a_check_without_certificate(shop: Shop) -> None:
    shop.astray("a")
    shop.sound("b")
    made = checked()
    with pytest.raises(CommandError, match=r"stands error, as its check in round .*'far'"):
        call("a")
    Certificate.objects.all().delete()
    with pytest.raises(CommandError, match=f"stands solvable, but round {made.pk} made none"):
        call("b")


def test_a_search_is_told_with_what_did_not_run(shop: Shop) -> None:
    planless(shop, "a")
    checked()
    text = call("a")
    assert "witness search" in text
    assert "\nprover  search " in text
    assert "\n  stage soundness: no plan won" in text


def test_an_environment_that_one_may_not_see_is_not_there(shop: Shop, viewer: User) -> None:
    shop.sound("a")
    checked()
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    with pytest.raises(CommandError, match="there is no environment"):
        call("a", "--as", "viewer")
