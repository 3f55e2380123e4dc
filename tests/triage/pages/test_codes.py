"""The codes of findings: the table, and a page a code."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser import seed
from tests.browser.seed import Library
from tests.triage.test_labelling import labelled
from triage.labelling import label
from triage.models import Finding, Label, Round
from triage.pages import documentation
from worlds.findings import CODES


@pytest.fixture
def found(shop: Library) -> Finding:
    """The one finding of a round."""
    row = seed.open_round([shop])
    check = seed.finish(seed.queued(row, shop.environments[0]), "solvable")
    assert check.result is not None
    return seed.finding(shop.environments[0], check.result, "tool-crash")


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def rows(text: str) -> list[str]:
    return re.findall(r'href="/codes/([\w-]+)/" data-open', text)


def table(client: Client, query: str = "", path: str = "/codes/") -> list[dict[str, str]]:
    answer = client.get(f"{path}?format=csv{query}")
    assert answer["Content-Disposition"].startswith("attachment")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # a stream
    return list(csv.DictReader(io.StringIO(text)))


def test_every_code_is_listed_with_what_it_found_now(reader: Client, found: Finding) -> None:
    text = page(reader, "/codes/")
    assert rows(text) == sorted(CODES)
    assert 'href="/environments/?code=tool-crash&amp;counted=yes">1</a>' in text


def test_says_how_often_each_is_right(reader: Client, found: Finding, reviewer: User) -> None:
    labelled(found, reviewer, "tool-crash", right=8, wrong=2)
    (line,) = [one for one in table(reader) if one["code"] == "tool-crash"]
    assert (line["right"], line["wrong"], line["precision"]) == ("8", "2", "0.8")
    assert float(line["interval from"]) == pytest.approx(0.4902, abs=1e-4)
    assert float(line["interval to"]) == pytest.approx(0.9433, abs=1e-4)
    assert "49.0%–94.3%" in page(reader, "/codes/")


def test_a_code_that_demoted_itself_says_so_wherever_it_is_shown(
    reader: Client, found: Finding, reviewer: User, shop: Library
) -> None:
    labelled(found, reviewer, "tool-crash", right=5, wrong=15)
    assert "Demoted itself from blocking to advice" in page(reader, "/codes/")
    assert "people found 5 of 20 right" in page(reader, "/codes/tool-crash/")
    (line,) = table(reader, "&demoted=yes")
    assert (line["code"], line["severity"], line["not counted"]) == ("tool-crash", "advice", "1")
    text = page(reader, f"/environments/shop/{shop.environments[0].slug}/")
    assert "The code demoted itself to advice: people found 5 of 20 right (25.0%)." in text
    assert "Reported as blocking." in text


def test_filters_sorts_and_searches_by_its_address(
    reader: Client, found: Finding, reviewer: User
) -> None:
    labelled(found, reviewer, "tool-crash", right=2, wrong=2)
    labelled(found, reviewer, "plan-refused", right=3, wrong=0)
    assert rows(page(reader, "/codes/?stage=solving")) == ["goal-unreachable", "rule-conflict"]
    assert rows(page(reader, "/codes/?q=crash")) == ["tool-crash"]
    assert rows(page(reader, "/codes/?labelled=yes&sort=precision")) == [
        "tool-crash",
        "plan-refused",
    ]
    for order in ("precision", "-precision"):  # what nobody labelled stands last
        assert "body-invalid" not in rows(page(reader, f"/codes/?sort={order}"))[:2]
    assert rows(page(reader, "/codes/?sort=-findings"))[0] == "tool-crash"
    assert [one["code"] for one in table(reader, "&severity=warning&stage=solving")] == [
        "goal-unreachable"
    ]


def test_a_code_of_old_that_the_table_lacks_is_listed_too(
    reader: Client, found: Finding, reviewer: User
) -> None:
    Label.objects.create(
        domain=found.result.checks.all()[0].environment.domain,
        code="long-gone",
        fingerprint="0",
        place="",
        is_right=True,
        author=reviewer,
    )
    assert "long-gone" in rows(page(reader, "/codes/"))
    assert "not in the table of this version" in page(reader, "/codes/long-gone/")
    assert reader.get("/codes/never-was/").status_code == 404


def test_as_many_queries_for_many_findings_as_for_one(
    reader: Client,
    done: Round,
    shop: Library,
    reviewer: User,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_num_queries(QUERIES):
        page(reader, "/codes/")
    for check in done.checks.exclude(result=None).filter(environment__domain=shop.domain):
        assert check.result is not None
        labelled(
            seed.finding(check.environment, check.result, "tool-crash"),
            reviewer,
            f"code-{check.pk}",
            right=1,
            wrong=0,
        )
    with django_assert_num_queries(QUERIES):
        page(reader, "/codes/")


QUERIES = 10
"""Session, user and permissions, rounds at work, environments and their bundles, checks, findings and labels."""


def test_a_codes_page_lists_who_said_what_of_it(
    reader: Client, found: Finding, reviewer: User, secret: Library
) -> None:
    label(reviewer, found, is_right=False, reason="<b>bold</b> claim")
    text = page(reader, "/codes/tool-crash/")
    assert "&lt;b&gt;bold&lt;/b&gt; claim" in text
    assert (
        text.split('id="meaning"')[1].split("</section>")[0].count(CODES["tool-crash"].meaning) == 1
    )
    listed = text.split('aria-labelledby="labels"')[1]
    assert '<a href="/environments/?domain=shop">shop</a>' in listed
    (line,) = table(reader, "&list=labels", "/codes/tool-crash/")
    assert (line["label"], line["author"], line["place"]) == ("wrong", "reviewer", found.place)


def test_labels_of_domains_kept_for_others_are_not_listed(
    reader: Client, found: Finding, reviewer: User, shop: Library
) -> None:
    label(reviewer, found, is_right=False, reason="a slip")
    shop.domain.readers.add(Group.objects.create(name="few"))
    text = page(reader, "/codes/tool-crash/")
    assert "a slip" not in text
    assert "None in the domains that you may see." in text


def test_shows_what_the_documentation_says(
    reader: Client, found: Finding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "findings.md"
    file.write_text(
        "# Findings\n\n## plan-refused\n\nOther.\n\n## `tool-crash`\n\nUsual culprit: the *tool*. See "
        "[refused](#plan-refused).\n\n```python\n# stage: none\n## deeper\nx = 1 < 2\n```\n\n<script>bad()</script>\n\n"
        "[run](javascript:bad())\n\n# controls: what comes next\n\n## Notes on all\n\nlast\n"
    )
    monkeypatch.setattr(documentation, "FILE", file)
    text = page(reader, "/codes/tool-crash/")
    assert "Usual culprit: the <em>tool</em>." in text
    assert 'href="/codes/plan-refused/">refused</a>' in text
    assert "x = 1 &lt; 2" in text
    assert "<script>bad" not in text
    assert 'href="javascript' not in text
    assert "Other." not in text
    assert "controls: what comes next" not in text
    assert (
        CODES["tool-crash"].meaning not in text.split('class="written')[0].split('id="meaning"')[1]
    )
    assert "last" not in text.split('class="written')[1].split("</section>")[0]
    assert "says no more about it" in page(reader, "/codes/body-invalid/")


def test_without_documentation_the_meaning_is_left(
    reader: Client, found: Finding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documentation, "FILE", tmp_path / "none.md")
    assert "says no more about it" in page(reader, "/codes/tool-crash/")


def test_only_for_who_is_logged_in(client: Client) -> None:
    for path in ("/codes/", "/codes/tool-crash/"):
        assert client.get(path).status_code == 302
