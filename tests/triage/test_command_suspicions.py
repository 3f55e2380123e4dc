"""`manage.py suspicions`."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command

from tests.triage.shop import Shop
from tests.triage.suspects import suspected
from triage.models import Suspicion


def call(*arguments: str) -> str:
    out = io.StringIO()
    call_command("suspicions", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def document(*arguments: str) -> Any:
    return json.loads(call(*arguments, "--json"))


def test_it_lists_clusters(shop: Shop) -> None:
    (row,) = suspected(shop, "a")
    expected = {
        "fingerprint": row.fingerprint,
        "kind": "other-effect",
        "agent": "llm",
        "domain": "notes",
        "intent": "a",
        "episodes": 1,
        "environments": 1,
        "unread": 1,
        "right": 0,
        "wrong": 0,
        "explanation": "Only it changed notes/N2#text.",
    }
    assert document("--domain", "notes", "--kind", "other-effect") == [expected]
    assert document("--kind", "unread") == []
    text = call()
    assert "notes/a" in text
    assert text.endswith("1 cluster\n")


def test_a_scan_finds_them_in_what_is_stored(shop: Shop, viewer: User, reviewer: User) -> None:
    suspected(shop, "a")
    Suspicion.objects.all().delete()
    assert document() == []
    with pytest.raises(CommandError, match="may not look for suspicious passes"):
        call("--scan", "--as", "viewer")
    assert len(document("--scan", "--as", "reviewer")) == 1


def test_domains_kept_for_others_are_left_out(shop: Shop, viewer: User) -> None:
    suspected(shop, "a")
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert document("--as", "viewer") == []
    with pytest.raises(CommandError, match="there is no domain of that name"):
        call("--domain", "notes", "--as", "viewer")
