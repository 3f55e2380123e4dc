"""`manage.py audit_sample`."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from tests.triage.shop import Shop
from tests.triage.test_counterexamples import checked
from triage.models import AuditItem


@pytest.fixture
def certified(shop: Shop) -> Shop:
    """Three certified environments."""
    for number in range(3):
        shop.sound(f"task-{number}")
    checked()
    return shop


def call(*arguments: str) -> str:
    out = io.StringIO()
    call_command("audit_sample", *arguments, stdout=out)
    return out.getvalue()


def document(*arguments: str) -> Any:
    return json.loads(call(*arguments, "--json"))


def test_one_is_drawn_shown_and_labelled(certified: Shop, curator: User, reviewer: User) -> None:
    made = document("create", "--size", "2", "--seed", "5", "--name", "spring", "--as", "curator")
    assert (made["sample"], made["seed"], made["size"], made["said"]) == (
        "spring",
        5,
        2,
        "nothing read yet",
    )
    item = made["items"][0]
    assert item["verdict"] is None
    said = document("label", str(item["item"]), "defective", "--note", "twice", "--as", "reviewer")
    assert (said["items"][0]["verdict"], said["items"][0]["note"], said["items"][0]["by"]) == (
        "defective",
        "twice",
        "reviewer",
    )
    assert (said["read"], said["defective"], said["rate"], said["high"]) == (1, 1, 1.0, 1.0)
    assert document("show") == document("show", "--name", "spring") == said
    text = call("show")
    assert "spring (seed 5): 1 defective of 1 read: 100%, between 5.0% and 100%" in text
    assert "twice" in text


def test_it_says_when_fewer_are_certified_than_were_asked_for(certified: Shop) -> None:
    said = "500 were asked for, and 3 drawn: no more are certified"
    assert said in call("create", "--size", "500")
    made = document("create", "--size", "500")
    assert (made["asked"], made["size"]) == (500, 3)
    assert "asked for" not in call("create", "--size", "2")
    assert "asked for" not in call("show")


@pytest.mark.parametrize(
    ("arguments", "words", "status"),
    [
        (["create"], "--size N is missing", 2),
        (["create", "--size", "0"], "at least 1", 1),
        (["create", "--size", "2", "--domain", "x"], "there is no domain x", 1),
        (["show"], "there is no audit sample: `audit_sample create", 2),
        (["show", "--name", "x"], "there is no audit sample x", 2),
        (["label", "7"], "say which item, and whether it is sound", 2),
        (["label", "7", "sound"], "is what a person says: name one with --as USER", 2),
        (["label", "7", "sound", "--as", "reviewer"], "there is no item of that number", 2),
        (["label", "7", "fine"], "invalid choice", 2),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    certified: Shop, reviewer: User, arguments: list[str], words: str, status: int
) -> None:
    with pytest.raises(CommandError, match=words) as raised:
        call(*arguments)
    assert raised.value.returncode == status


def test_viewers_only_look(certified: Shop, viewer: User) -> None:
    with pytest.raises(CommandError, match="may not draw an audit sample"):
        call("create", "--size", "2", "--as", "viewer")
    call("create", "--size", "2")
    item = AuditItem.objects.all()[0]
    with pytest.raises(CommandError, match="may not label"):
        call("label", str(item.pk), "sound", "--as", "viewer")
    assert len(document("show", "--as", "viewer")["items"]) == 2
