from __future__ import annotations

import re

from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from components.models import Environment
from tests.browser import seed
from tests.browser.seed import Library
from triage.models import Check, Finding, Round


def page(client: Client, slug: str, domain: str = "shop") -> str:
    answer = client.get(f"/environments/{domain}/{slug}/")
    assert answer.status_code == 200
    return answer.content.decode()


def broken(made: Library) -> Check:
    return Check.objects.filter(environment__domain=made.domain, result__status="broken")[0]


def test_names_every_component_with_version_and_digest(reader: Client, done: Round) -> None:
    text = page(reader, "reorder-005")
    for kind, slug in [
        ("domain", "domain"),
        ("intent", "reorder-005"),
        ("rule", "refunds"),
        ("records", "spring"),
        ("toolserver", "shop-api"),
    ]:
        assert f'href="/components/shop/{kind}/{slug}/"' in text
        assert f'href="/components/shop/{kind}/{slug}/?version=1"' in text


def test_shows_findings_worst_first_with_place_and_evidence(
    reader: Client, done: Round, shop: Library
) -> None:
    check = broken(shop)
    assert check.result is not None
    Finding.objects.filter(result=check.result).delete()
    seed.finding(check.environment, check.result, "plan-refused", severity="warning")
    seed.finding(check.environment, check.result, "tool-crash", "it fell over")
    text = page(reader, check.environment.slug)
    assert text.index("it fell over") < text.index('class="code" href="/environments/?code=plan-r')
    assert "A tool failed with an exception that is no business refusal." in text
    assert re.search(r'href="/episodes/\w+/\?step=2#step-2">Open step 2 of reference', text)
    assert re.search(r'href="/components/shop/\w+/[\w-]+/\?version=1#', text)


def test_a_finding_about_a_clause_leads_to_it(reader: Client, done: Round, shop: Library) -> None:
    check = broken(shop)
    assert check.result is not None
    evidence = {"agent": "reference", "step": 2, "clause": "refunds/pending-only"}
    seed.finding(check.environment, check.result, "plan-breaks-rule", evidence=evidence)
    link = 'href="/components/shop/rule/refunds/#clauses.pending-only">Open the clause'
    assert link in page(reader, check.environment.slug)
    rule = reader.get("/components/shop/rule/refunds/").content.decode()
    assert 'id="clauses.pending-only"' in rule


def test_a_finding_about_an_invariant_leads_to_it(
    reader: Client, done: Round, shop: Library
) -> None:
    check = broken(shop)
    assert check.result is not None
    evidence = {"table": "orders", "key": "#W1003", "invariant": "total-positive"}
    seed.finding(check.environment, check.result, "row-invalid", evidence=evidence)
    link = 'href="/components/shop/domain/domain/#invariants.total-positive">Open the invariant'
    assert link in page(reader, check.environment.slug)
    contract = reader.get("/components/shop/domain/domain/").content.decode()
    assert 'id="invariants.total-positive"' in contract


def test_a_finding_about_a_tool_leads_to_its_line_and_to_the_row_if_the_records_have_it(
    reader: Client, done: Round, shop: Library
) -> None:
    check = broken(shop)
    assert check.result is not None
    server = check.environment.components.get(kind="toolserver")
    for key in ("#W1003", "#NEW"):
        seed.finding(
            check.environment,
            check.result,
            "row-invalid",
            evidence={"table": "orders", "key": key, "line": 31},
        )
    Finding.objects.filter(result=check.result, code="row-invalid").update(
        kind="toolserver", component=server, version=server.current, place="cancel_order"
    )
    text = page(reader, check.environment.slug)
    assert text.count('href="/components/shop/toolserver/shop-api/?version=1#L31"') == 2
    row = "/components/shop/records/spring/?table=orders&amp;row=%23W1003"
    assert f'href="{row}">Open the row orders/#W1003' in text
    assert "Open the row orders/#NEW" not in text


def test_fills_the_instruction_from_the_pinned_rows(reader: Client, shop: Library) -> None:
    text = page(reader, "exchange-003")
    assert 'title="user.name.first">Zoë 3</span>' in text
    assert 'title="order.order_id">#W1003</span>' in text


def test_marks_the_brief_as_never_shown_to_agents(reader: Client, shop: Library) -> None:
    text = page(reader, "exchange-003")
    assert text.index("never shown to agents") < text.index("You are impatient")


def test_shows_what_each_agent_did_and_the_checks_of_every_round(
    reader: Client, shop: Library, done: Round
) -> None:
    later = seed.finished_round([shop], broken=0.0, seed=9)
    text = page(reader, "reorder-005")
    for agent in seed.PANEL:
        assert re.search(rf'href="/episodes/\w+/" data-open>.*{agent}', text)
    first, second = (text.index(f'/rounds/{row.pk}/" data-open') for row in (later, done))
    assert first < second


def test_an_agent_whose_time_nobody_took_has_a_dash(reader: Client, done: Round) -> None:
    check = Check.objects.exclude(result=None).filter(environment__domain__slug="shop")[0]
    assert check.result is not None
    check.result.times = {"noop": [0.012], "static": [0.034], "controls": [0.001]}
    check.result.save()
    text = page(reader, check.environment.slug)
    panel = text[text.index('id="agents"') : text.index('id="parts"')]
    assert panel.count('<td class="number">12 ms</td>') == 1
    assert panel.count('<td class="number">–</td>') == len(seed.PANEL) - 1
    assert "Beside the agents: static 34 ms, controls 1 ms" in panel


def test_an_error_of_ours_is_said_and_concludes_nothing(reader: Client, shop: Library) -> None:
    row = seed.open_round([shop])
    seed.finish(seed.queued(row, shop.environments[0]), "error", message="the disk is full")
    text = page(reader, shop.environments[0].slug)
    assert "the disk is full" in text
    assert "Nothing is concluded" in text


def test_the_checks_of_every_round_say_why_they_ended_in_error(
    reader: Client, shop: Library
) -> None:
    for message in ("short trouble", "long trouble " * 60):
        row = seed.open_round([shop])
        seed.finish(seed.queued(row, shop.environments[0]), "error", message=message)
    seed.finish(seed.queued(seed.open_round([shop]), shop.environments[0]), "solvable")
    text = page(reader, shop.environments[0].slug).split('id="history"')[1]
    assert ">short trouble</span>" in text
    assert '<details class="fold trouble">' in text
    assert "long trouble " * 60 in text


def test_an_environment_never_checked_says_how_to(reader: Client, shop: Library) -> None:
    assert "python manage.py round --domain shop" in page(reader, "reorder-005")


def test_of_a_domain_kept_for_others_there_is_no_page(
    client: Client, viewer: User, secret: Library
) -> None:
    client.force_login(viewer)
    slug = secret.environments[0].slug
    assert client.get(f"/environments/secret/{slug}/").status_code == 404
    viewer.groups.add(Group.objects.get(name="insiders"))
    assert client.get(f"/environments/secret/{slug}/").status_code == 200


def test_names_with_dots_slashes_and_plus_have_a_page(reader: Client, shop: Library) -> None:
    for slug in ("a.b+c.0", "a/b", "ünïcode · 名前", "100%"):
        row = seed.environment(shop, 90 + len(slug), slug.replace("/", "-"))
        Environment.objects.filter(pk=row.pk).update(slug=slug)
        url = seed_url(reader, row.pk)
        assert reader.get(url).status_code == 200


def seed_url(client: Client, pk: int) -> str:
    """How the list links to it."""
    from triage.templatetags.envcurate import environment_url

    return environment_url(Environment.objects.select_related("domain").get(pk=pk))


def test_whatever_the_findings_the_queries_are_as_many(
    reader: Client, done: Round, shop: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    check = broken(shop)
    page(reader, check.environment.slug)  # bodies are read once
    with django_assert_num_queries(QUERIES):
        page(reader, check.environment.slug)
    assert check.result is not None
    named = {"table": "orders", "key": "#W1003", "invariant": "total-positive", "line": 24}
    for _ in range(20):
        seed.finding(check.environment, check.result, "tool-crash", evidence=named)
    with django_assert_num_queries(QUERIES):
        page(reader, check.environment.slug)


QUERIES = 21
