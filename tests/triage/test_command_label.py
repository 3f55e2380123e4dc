"""`manage.py label`."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from components.commands import UsageError
from components.models import AuditEntry
from tests.triage.shop import Shop
from tests.triage.test_labelling import run_round
from triage.models import Finding, Label


@pytest.fixture
def found(shop: Shop) -> Finding:
    """What a check found in an environment that is broken."""
    shop.refused("a")
    run_round()
    return Finding.objects.get(code="plan-refused")


def run(*arguments: Any, **options: Any) -> str:
    out = StringIO()
    call_command("label", *arguments, stdout=out, **options)
    return out.getvalue()


def test_labels_a_finding_and_says_so(found: Finding, reviewer: User) -> None:
    text = run(found.pk, "wrong", reason="a slip", actor="reviewer")
    assert text == f"plan-refused at {found.place} is wrong, says reviewer: a slip\n"
    document = json.loads(run(found.pk, "right", actor="reviewer", json=True))
    assert document == {
        "finding": found.pk,
        "code": "plan-refused",
        "place": found.place,
        "label": "right",
        "reason": "",
        "author": "reviewer",
    }
    assert Label.objects.get().is_right


def test_who_may_not_and_what_may_not_be_is_told(
    found: Finding, viewer: User, reviewer: User
) -> None:
    with pytest.raises(CommandError, match="viewer may not label findings"):
        run(found.pk, "right", actor="viewer")
    with pytest.raises(CommandError, match="needs a reason"):
        run(found.pk, "wrong", actor="reviewer")


@pytest.mark.parametrize(
    ("arguments", "options", "why"),
    [
        ([1, "right"], {}, "name one with --as USER"),
        ([0, "right"], {"actor": "reviewer"}, "there is no finding 0"),
        ([1], {"actor": "reviewer"}, "give FINDING and right or wrong, or --import FILE"),
        ([], {"actor": "reviewer"}, "give FINDING"),
        ([1, "right"], {"actor": "reviewer", "file": Path("x")}, "give FINDING"),
    ],
)
def test_a_wrong_call_is_told(
    arguments: list[Any], options: dict[str, Any], why: str, reviewer: User
) -> None:
    with pytest.raises(UsageError, match=why):
        run(*arguments, **options)


def line(found: Finding, **changes: Any) -> str:
    """A line about what was found in the environment `a`."""
    said = {
        "environment": "notes/a",
        "code": found.code,
        "component": found.slug,
        "kind": found.kind,
        "place": found.place,
        "fingerprint": found.fingerprint,
        "label": "wrong",
        "why": "the note comes later",
    }
    return json.dumps({**said, **changes}) + "\n"


def test_imports_labels_made_by_hand_and_counts_what_fits_nothing(
    found: Finding, reviewer: User, tmp_path: Path
) -> None:
    file = tmp_path / "labels.jsonl"
    others = [{"environment": "notes/b"}, {"place": "elsewhere"}, {"fingerprint": "0"}]
    file.write_text(line(found) + "\n" + "".join(line(found, **one) for one in others))
    document = json.loads(run(file=file, actor="reviewer", json=True))
    assert document == {"labelled": 1, "unmatched": 3}
    assert Label.objects.get().reason == "the note comes later"
    assert run(file=file, actor="reviewer") == "1 labelled, 3 unmatched\n"
    assert AuditEntry.objects.filter(action="finding.label").count() == 1


def test_an_import_labels_what_the_newest_check_of_the_environment_blames(
    found: Finding, reviewer: User, tmp_path: Path, shop: Shop
) -> None:
    assert found.component is not None
    assert found.version is not None
    body = found.version.body.parsed().model_copy(update={"open": ["write.text"]})
    shop.component(found.component.slug, body)
    run_round()
    file = tmp_path / "labels.jsonl"
    file.write_text(line(found))
    run(file=file, actor="reviewer")
    version = Label.objects.get().version
    assert version is not None
    assert version.number == found.version.number + 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", r"labels\.jsonl:2: no JSON"),
        ("[]", r"labels\.jsonl:2: the line: "),
        ("[" * 100_000, r"labels\.jsonl:2: no JSON"),
        ('{"place": ' + "9" * 5_000 + "}", r"labels\.jsonl:2: no JSON"),
        ('{"environment": "notes/a"}', r"labels\.jsonl:2: code: Field required"),
    ],
)
def test_a_line_that_says_nothing_clear_stops_the_import(
    found: Finding, reviewer: User, tmp_path: Path, text: str, why: str
) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(line(found) + text)
    with pytest.raises(CommandError, match=why):
        run(file=file, actor="reviewer")
    file.write_text(line(found) + line(found, why=""))
    with pytest.raises(CommandError, match=r"labels\.jsonl:2: .*needs a reason"):
        run(file=file, actor="reviewer")
    assert not Label.objects.exists()


def test_a_file_that_is_not_there_is_named(reviewer: User, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"none\.jsonl: No such file"):
        run(file=tmp_path / "none.jsonl", actor="reviewer")


def test_what_json_may_hold_is_imported_and_what_is_no_text_is_named(
    found: Finding, reviewer: User, tmp_path: Path
) -> None:
    file = tmp_path / "labels.jsonl"
    odd = line(found, fingerprint="a\x00\ud800")
    file.write_text("\ufeff" + odd + line(found, why="a-b").replace("a-b", "a\u2028b"))
    assert run(file=file, actor="reviewer") == "1 labelled, 1 unmatched\n"
    assert Label.objects.get().reason == "a\u2028b"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(CommandError, match=r"labels\.jsonl is no UTF-8 text"):
        run(file=file, actor="reviewer")
