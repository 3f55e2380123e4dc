"""`manage.py certificate`."""

from __future__ import annotations

import io
import json

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command

from tests.triage.shop import Shop
from tests.triage.test_counterexamples import checked


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
    with pytest.raises(CommandError, match="it stands broken"):
        call("b")
    with pytest.raises(CommandError, match="there is no environment") as at:
        call("c")
    assert at.value.returncode == 2


def test_an_environment_that_one_may_not_see_is_not_there(shop: Shop, viewer: User) -> None:
    shop.sound("a")
    checked()
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    with pytest.raises(CommandError, match="there is no environment"):
        call("a", "--as", "viewer")
