"""`manage.py codes`."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.management import call_command

from tests.triage.shop import Shop
from tests.triage.test_labelling import labelled, run_round
from triage.models import Finding
from worlds.findings import CODES


def run(**options: Any) -> str:
    out = StringIO()
    call_command("codes", stdout=out, **options)
    return out.getvalue()


def row(code: str, **options: Any) -> dict[str, Any]:
    rows = json.loads(run(json=True, **options))
    assert [one["code"] for one in rows] == list(CODES)
    (found,) = [one for one in rows if one["code"] == code]
    assert isinstance(found, dict)
    return found


def test_prints_each_code_with_what_it_found_and_its_precision(shop: Shop, reviewer: User) -> None:
    shop.refused("a")
    run_round()
    found = Finding.objects.get(code="plan-refused")
    assert row("plan-refused") == {
        "code": "plan-refused",
        "stage": "controls",
        "severity": "blocking",
        "demoted": False,
        "findings": 1,
        "not_counted": 0,
        "right": 0,
        "wrong": 0,
        "precision": None,
        "interval": None,
    }
    labelled(found, reviewer, "plan-refused", right=5, wrong=15)
    after = row("plan-refused")
    assert (after["demoted"], after["findings"], after["not_counted"]) == (True, 0, 1)
    assert after["precision"] == 0.25
    (line,) = [one for one in run().splitlines() if one.startswith("plan-refused")]
    assert "advice, demoted from blocking" in line
    assert "0 +1 not counted" in line
    assert line.endswith("25.0%      11.2% to 46.9%")


def test_counts_the_findings_that_the_actor_may_see(shop: Shop, viewer: User) -> None:
    shop.refused("a")
    run_round()
    assert row("plan-refused", actor="viewer")["findings"] == 1
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert row("plan-refused", actor="viewer")["findings"] == 0
    assert row("plan-refused")["findings"] == 1
