"""`manage.py counterexamples` and `manage.py counterexample`."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command

from tests.triage.shop import Shop
from tests.triage.test_counterexamples import attempt, checked
from triage.models import Counterexample


@pytest.fixture
def key(shop: Shop) -> str:
    """Of an episode that passed."""
    shop.sound("a")
    checked()
    return attempt().pk


def call(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def document(*arguments: str) -> Any:
    return json.loads(call(*arguments, "--json"))


def test_one_is_made_listed_and_retired(key: str, reviewer: User) -> None:
    said = document(
        "counterexample", key[:12], "fail", "--as", "reviewer", "--reason", "wrong note"
    )
    row = Counterexample.objects.get()
    assert said == {"counterexample": row.pk, "environment": "notes/a", "state": "open"}
    (listed,) = document("counterexamples", "--domain", "notes", "--state", "open")
    assert listed["found"]
    assert {name: listed[name] for name in listed if name != "found"} == {
        "id": row.pk,
        "domain": "notes",
        "environment": "a",
        "intent": "a",
        "label": "person",
        "name": "reference",
        "should": 0,
        "code": "goal-blind",
        "severity": "blocking",
        "state": "open",
        "reason": "wrong note",
        "retired_because": "",
        "author": "reviewer",
    }
    assert "wrong note" in call("counterexamples")
    said = document(
        "counterexample", "retire", str(row.pk), "--as", "reviewer", "--reason", "mistaken"
    )
    assert said["state"] == "retired"
    (listed,) = document("counterexamples")
    assert (listed["reason"], listed["retired_because"]) == ("wrong note", "mistaken")
    assert "wrong note · retired: mistaken" in call("counterexamples")
    assert document("counterexamples", "--state", "open") == []
    assert "0 counterexamples" in call("counterexamples", "--state", "closed")


@pytest.mark.parametrize(
    ("arguments", "words", "status"),
    [
        (["00000000", "fail"], "there is no such episode", 2),
        (["abc", "fail"], "at least its first 8 letters", 2),
        (["retire", "7"], "there is no counterexample of that number", 2),
        (["retire", "x"], "there is no counterexample of that number", 2),
        (["KEY", "maybe"], "should pass or fail", 2),
        (["KEY", "pass"], "has the reward 1 already", 1),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    key: str, reviewer: User, arguments: list[str], words: str, status: int
) -> None:
    given = [key if one == "KEY" else one for one in arguments]
    with pytest.raises(CommandError, match=words) as raised:
        call("counterexample", *given, "--as", "reviewer", "--reason", "x")
    assert raised.value.returncode == status


def test_without_a_person_nothing_is_said(key: str) -> None:
    for what in ([key, "fail"], ["retire", "1"]):
        with pytest.raises(CommandError, match="is what a person says: name one with --as USER"):
            call("counterexample", *what, "--reason", "x")
    assert not Counterexample.objects.exists()


def test_viewers_make_none_and_see_none_of_domains_kept_for_others(
    shop: Shop, key: str, viewer: User, reviewer: User
) -> None:
    with pytest.raises(CommandError, match="may not say that a verdict is wrong"):
        call("counterexample", key, "fail", "--as", "viewer", "--reason", "x")
    call("counterexample", key, "fail", "--as", "reviewer", "--reason", "x")
    assert len(document("counterexamples", "--as", "viewer")) == 1
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert document("counterexamples", "--as", "viewer") == []
    with pytest.raises(CommandError, match="there is no such episode"):
        call("counterexample", key, "fail", "--as", "viewer", "--reason", "x")
    with pytest.raises(CommandError, match="there is no domain of that name"):
        call("counterexamples", "--as", "viewer", "--domain", "notes")
