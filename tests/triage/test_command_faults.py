"""`manage.py faults`."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command

from tests.triage.seen import by_fingerprint, seen
from tests.triage.shop import Shop
from triage import faults
from triage.faultcare import archive
from triage.labelling import label
from triage.models import Fault, Finding, Round


@pytest.fixture(autouse=True)
def grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "causes", by_fingerprint())


def call(*arguments: str) -> str:
    out = io.StringIO()
    call_command("faults", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def document(*arguments: str) -> Any:
    return json.loads(call(*arguments, "--json"))


def refused(*arguments: str) -> tuple[int, str]:
    with pytest.raises(CommandError) as raised:
        call(*arguments)
    return raised.value.returncode, str(raised.value)


def gathered(shop: Shop, **shows: list[str]) -> Round:
    made = seen(shop, shows)
    faults.gather(made)
    return made


def test_the_document_has_what_faults_are_and_who_is_suspected(shop: Shop) -> None:
    gathered(shop, b=["write"], a=["write"])
    assert document() == [
        {
            "id": Fault.objects.get().pk,
            "domain": "notes",
            "code": "tool-crash",
            "title": "`write` crashes: KeyError: 'id'",
            "status": "new",
            "environments": ["a", "b"],
            "suspects": [
                {
                    "component": "pen",
                    "kind": "toolserver",
                    "version": 1,
                    "score": 0.9,
                    "state": "",
                },
                {"component": "desk", "kind": "records", "version": 1, "score": 0.45, "state": ""},
            ],
        }
    ]


def test_people_get_a_table(shop: Shop) -> None:
    assert call() == "0 faults\n"
    gathered(shop, a=["write"])
    head, row, tally = call().splitlines()
    assert head.split() == ["id", "domain", "status", "environments", "code", "suspect", "title"]
    assert "notes   new     1             tool-crash  toolserver/pen v1 90%  `write` crash" in row
    assert tally == "1 fault"


def test_a_suspect_that_is_no_component_is_named_by_what_it_is(shop: Shop) -> None:
    gathered(shop, a=["write"])
    Fault.objects.get().suspects.update(component=None, version=None, party="agent")
    assert [one["kind"] for one in document()[0]["suspects"]] == ["agent", "agent"]
    assert " agent " in call()
    Fault.objects.get().suspects.all().delete()
    assert " – " in call()


def test_open_ones_come_first_and_big_ones_among_them(shop: Shop) -> None:
    gathered(shop, a=["write", "ponder"], b=["write", "other"], c=["look"], d=["look"], e=["look"])
    gathered(shop, b=[])
    archive(None, Fault.objects.get(symptoms__symbol="look"), "not ours")
    rows = [(row["title"].split()[0], row["status"], row["environments"]) for row in document()]
    assert rows == [
        ("`write`", "new", ["a"]),
        ("`ponder`", "new", ["a"]),
        ("`other`", "fixed", []),
        ("`look`", "archived", ["c", "d", "e"]),
    ] or rows == [
        ("`ponder`", "new", ["a"]),
        ("`write`", "new", ["a"]),
        ("`other`", "fixed", []),
        ("`look`", "archived", ["c", "d", "e"]),
    ]
    assert [row["status"] for row in document("--status", "fixed")] == ["fixed"]


def test_of_a_round_it_lists_what_that_showed(shop: Shop) -> None:
    first = gathered(shop, a=["write"], b=["write"])
    second = gathered(shop, a=["look"], b=[])
    (row,) = document("--round", str(first.pk))
    assert (row["status"], row["environments"]) == ("fixed", ["a", "b"])
    (row,) = document("--round", str(second.pk))
    assert (row["status"], row["environments"]) == ("new", ["a"])


def test_what_was_dismissed_since_is_shown_in_no_environment(shop: Shop, reviewer: User) -> None:
    gathered(shop, a=["write"])
    label(reviewer, Finding.objects.get(), is_right=False, reason="on purpose")
    assert document()[0]["environments"] == []


def test_a_wrong_call_is_told_so(shop: Shop) -> None:
    assert refused("--domain", "nothing") == (
        2,
        "--domain nothing: there is no domain of that name",
    )
    assert refused("--round", "7")[0] == 2
    assert refused("--status", "gone")[0] == 2


def test_a_round_that_is_not_gathered_yet_has_no_faults_to_list(shop: Shop) -> None:
    made = seen(shop, {"a": ["write"]})
    code, said = refused("--round", str(made.pk))
    assert code == 1
    assert "is not gathered into faults yet" in said


def test_domains_kept_for_others_are_left_out(shop: Shop, viewer: User) -> None:
    made = gathered(shop, a=["write"])
    assert len(document("--as", "viewer", "--domain", "notes")) == 1
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert document("--as", "viewer") == []
    assert refused("--as", "viewer", "--domain", "notes")[0] == 2
    assert refused("--as", "viewer", "--round", str(made.pk)) == (
        2,
        f"--round {made.pk}: there is no round of that number",
    )
