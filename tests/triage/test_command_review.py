"""`manage.py review`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from components.commands import UsageError
from components.models import AuditEntry, Version
from tests.triage.repairs import repair, says, source, tried, waiting
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_command_round import until
from triage.models import Fault, Proposal
from triage.review import approve
from worlds.toolserver_body import ToolServerBody


def run(*arguments: Any, **options: Any) -> str:
    out = StringIO()
    call_command("review", *arguments, stdout=out, **options)
    return out.getvalue()


def test_approves_and_prints_what_it_made(shop: Shop, reviewer: User) -> None:
    made = waiting(reviewer, shop)
    assert json.loads(run(made.pk, "approve", actor="reviewer", comment="good", json=True)) == {
        "proposal": made.pk,
        "state": "approved",
        "versions": [{"component": "notes/pen", "kind": "toolserver", "version": 2}],
    }
    assert Proposal.objects.get().comment == "good"


def test_rejects_and_defers(shop: Shop, reviewer: User) -> None:
    made = waiting(reviewer, shop)
    assert run(made.pk, "defer", actor="reviewer") == f"proposal {made.pk} deferred\n"
    text = run(made.pk, "reject", actor="reviewer", comment="no", json=True)
    assert json.loads(text) == {"proposal": made.pk, "state": "rejected", "versions": []}
    with pytest.raises(CommandError, match="was rejected by reviewer"):
        run(made.pk, "approve", actor="reviewer")


def test_an_override_is_asked_for(shop: Shop, reviewer: User) -> None:
    made = repair(reviewer, shop)
    tried(made, regressed=1)
    with pytest.raises(CommandError, match="1 environment that it breaks"):
        run(made.pk, "approve", actor="reviewer")
    text = run(made.pk, "approve", actor="reviewer", override="known")
    assert text == f"proposal {made.pk} approved: notes/pen v2\n"


def test_by_itself_it_lists_what_it_approved(shop: Shop, reviewer: User) -> None:
    fault = Fault.objects.create(domain=shop.domain, code="tool-crash", title="It breaks")
    made = repair(reviewer, shop, fault=fault)
    tried(made)
    (told,) = json.loads(run(auto=True, actor="reviewer", json=True))
    assert (told["fault"], told["proposal"], told["state"]) == (fault.pk, made.pk, "approved")
    assert run(auto=True, actor="reviewer") == "0 proposals approved\n"


@pytest.mark.parametrize(
    ("arguments", "options", "why"),
    [
        ([1, "approve"], {}, "name one with --as USER"),
        ([0, "approve"], {"actor": "reviewer"}, "there is no proposal 0"),
        ([], {"actor": "reviewer"}, "give ID and approve, reject or defer"),
        ([1], {"actor": "reviewer"}, "give ID and approve, reject or defer"),
        ([1], {"actor": "reviewer", "auto": True}, "or --auto alone"),
        ([1, "approve"], {"actor": "reviewer", "auto": True}, "or --auto alone"),
        ([1, "reject"], {"actor": "reviewer"}, "reject needs --comment T"),
        ([1, "defer"], {"actor": "reviewer", "override": "a"}, "--override goes with approve"),
    ],
)
def test_a_wrong_call_is_told(
    arguments: list[Any], options: dict[str, Any], why: str, reviewer: User
) -> None:
    with pytest.raises(UsageError, match=why):
        run(*arguments, **options)


HANG = """
CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$;
CREATE TRIGGER hang BEFORE INSERT ON components_auditentry FOR EACH ROW
    WHEN (NEW.action = 'proposal.approve') EXECUTE FUNCTION hang();
SELECT pg_advisory_lock(4711);
"""
GO_ON = """
SELECT pg_advisory_unlock(4711);
DROP TRIGGER hang ON components_auditentry;
DROP FUNCTION hang();
"""
HANGS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@contextmanager
def hanging() -> Iterator[None]:
    """Whoever approves hangs meanwhile, when all is written but the approval's own entry."""
    with connection.cursor() as cursor:
        cursor.execute(HANG)
        try:
            yield
        finally:
            cursor.execute(GO_ON)


def hangs() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(HANGS)
        return bool(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_killed_in_the_middle_it_leaves_nothing_and_the_next_approves(
    shop: Shop, reviewer: User, services: dict[str, str]
) -> None:
    made = waiting(reviewer, shop)
    command = [sys.executable, "manage.py", "review", str(made.pk), "approve", "--as", "reviewer"]
    with hanging():
        process = subprocess.Popen(
            command, env=os.environ | services, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        until(hangs)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    assert says(shop.server) == ToolServerBody(source=SOURCE)
    assert Version.objects.filter(component=shop.server).count() == 1
    assert Proposal.objects.get().state == "waiting"
    assert not AuditEntry.objects.filter(action__in=["version.create", "proposal.approve"]).exists()
    (version,) = approve(reviewer, made, 1)
    assert (version.number, says(shop.server)) == (2, source("better"))
