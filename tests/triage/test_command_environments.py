"""`manage.py environments`."""

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command

from components.models import Environment
from tests.triage.shop import Shop
from tests.triage.test_counterexamples import attempt
from triage.counterexamples import make
from triage.labelling import label
from triage.models import Finding
from triage.rounds import create_round
from triage.work import work_off


@pytest.fixture
def checked(shop: Shop) -> None:
    """A sound, a refused and a vacuous environment, checked, and one that came later."""
    shop.sound("a")
    shop.refused("b")
    shop.vacuous("c")
    made = create_round(None, queue=False)
    list(work_off(list(made.checks.values_list("pk", flat=True)), "here"))
    shop.sound("later")


def call(*arguments: str) -> str:
    out = io.StringIO()
    call_command("environments", *arguments, stdout=out)
    return out.getvalue()


def rows(*arguments: str) -> list[dict[str, Any]]:
    parsed: list[dict[str, Any]] = json.loads(call("--json", *arguments))
    return parsed


def slugs(*arguments: str) -> list[str]:
    return [row["environment"] for row in rows(*arguments)]


def test_each_environment_is_listed_with_status_and_findings(checked: None) -> None:
    a, b, _, later = rows()
    assert a == {
        "environment": "a",
        "domain": "notes",
        "status": "solvable",
        "findings": [],
        "counterexamples": [],
    }
    assert later["status"] == "unverified"
    found, unreachable = b["findings"]
    assert (unreachable["code"], unreachable["severity"]) == ("goal-unreachable", "warning")
    said = ["code", "severity", "component", "kind", "message", "place", "id", "not_counted"]
    assert list(found) == said
    assert (found["code"], found["severity"], found["component"], found["kind"]) == (
        "plan-refused",
        "blocking",
        "b",
        "intent",
    )
    assert "there is no note N9" in found["message"]
    assert found["place"] == "plans.default[0]"


def test_an_environment_that_stands_as_error_says_why(shop: Shop) -> None:
    shop.astray("a")
    shop.sound("b")
    made = create_round(None, queue=False)
    list(work_off(list(made.checks.values_list("pk", flat=True)), "here"))
    a, b = rows()
    assert (a["status"], a["findings"]) == ("error", [])
    assert a["error"].startswith("no tool server 'far' in the settings")
    assert "error" not in b
    line = next(line for line in call("--status", "error").splitlines() if "notes/a" in line)
    assert line.endswith(a["error"].splitlines()[0])


def test_people_who_ask_for_a_code_see_no_other(shop: Shop) -> None:
    shop.environment(
        "b",
        [{"call": "write", "args": {"note_id": "N9", "text": "b"}}],
        ["get('notes', 'N2').text == ''"],
    )
    made = create_round(None, queue=False)
    list(work_off(list(made.checks.values_list("pk", flat=True)), "here"))
    codes = {finding["code"] for finding in rows("--code", "plan-refused")[0]["findings"]}
    assert codes == {"plan-refused", "goal-vacuous"}
    said = call("--code", "plan-refused")
    assert "plan-refused" in said
    assert "goal-vacuous" not in said


def test_they_are_filtered_by_domain_status_and_code(checked: None) -> None:
    Shop("more").sound("d")
    assert slugs("--domain", "more") == ["d"]
    assert slugs("--status", "broken") == ["b", "c"]
    assert slugs("--status", "unverified", "--domain", "notes") == ["later"]
    assert slugs("--code", "goal-vacuous") == ["c"]
    assert slugs("--code", "tool-crash") == []


def test_people_get_an_aligned_table_that_ends_in_the_counts(checked: None) -> None:
    lines = call().splitlines()
    head = ["environment", "status", "finding", "severity", "code", "component", "message"]
    assert lines[0].split() == head
    column = lines[0].index("severity")
    assert [line[column:].split()[:1] for line in lines[1:6]] == [
        [],
        ["blocking"],
        ["warning"],
        ["blocking"],
        [],
    ]
    assert lines[-1] == "4 environments: 2 broken, 1 solvable, 1 unverified"


def test_environments_that_one_may_not_see_are_not_listed(checked: None, viewer: User) -> None:
    hidden = Shop("hidden")
    hidden.sound("x")
    hidden.domain.readers.add(Group.objects.create(name="insiders"))
    assert slugs("--as", "viewer") == ["a", "b", "c", "later"]
    with pytest.raises(CommandError, match="there is no domain of that name"):
        call("--as", "viewer", "--domain", "hidden")


@pytest.mark.parametrize(
    "arguments", [["--domain", "nowhere"], ["--code", "odd"], ["--status", "odd"]]
)
def test_an_unknown_domain_code_or_status_is_a_wrong_call(shop: Shop, arguments: list[str]) -> None:
    with pytest.raises(CommandError) as raised:
        call(*arguments)
    assert raised.value.returncode == 2
    assert arguments[1] in str(raised.value)


def test_an_empty_installation_says_so(db: None) -> None:
    assert rows() == []
    assert call().splitlines()[-1] == "no environments"


def test_what_does_not_count_is_listed_with_the_reason(checked: None, reviewer: User) -> None:
    found = Finding.objects.get(code="plan-refused")
    label(reviewer, found, is_right=False, reason="a slip")
    (row,) = [one for one in rows() if one["environment"] == "b"]
    assert row["status"] == "unproven"
    said, other = row["findings"]
    assert (said["id"], said["not_counted"]) == (found.pk, ["dismissed"])
    assert (other["code"], other["not_counted"]) == ("goal-unreachable", [])
    assert f"{found.pk}" in call()
    assert "dismissed blocking" in call()


def test_what_a_person_alone_breaks_says_who_and_why(checked: None, reviewer: User) -> None:
    row = make(reviewer, attempt(environment=Environment.objects.get(slug="a")), 0, "wrong note")
    a = rows("--status", "broken")[0]
    assert (a["environment"], a["findings"]) == ("a", [])
    assert a["counterexamples"] == [
        {
            "id": row.pk,
            "code": "goal-blind",
            "should": 0,
            "reason": "wrong note",
            "author": "reviewer",
            "message": f"counterexample {row.pk}: "
            "reviewer says that reference should have failed: wrong note",
        }
    ]
    line = next(line for line in call("--code", "goal-blind").splitlines() if "notes/a" in line)
    assert line.endswith("reviewer says that reference should have failed: wrong note")
    assert slugs("--code", "goal-blind") == ["a"]
