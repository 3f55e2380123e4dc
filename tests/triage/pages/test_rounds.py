from __future__ import annotations

import re
from html import unescape

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from components.models import AuditEntry, Environment
from tests.browser import seed
from tests.browser.seed import Library
from triage.models import Finding, Round
from triage.rounds import create_round
from triage.scope import Scope


def test_lists_rounds_newest_first_and_only_visible_domains(
    reader: Client, done: Round, shop: Library, secret: Library
) -> None:
    later = seed.finished_round([shop])
    hidden = seed.finished_round([secret])
    text = reader.get("/rounds/").content.decode()
    assert text.index(f">round {later.pk}<") < text.index(f">round {done.pk}<")
    assert f">round {hidden.pk}<" not in text
    assert "secret" not in text


def test_it_says_that_statuses_follow_labels_given_since(reader: Client, done: Round) -> None:
    for path in ("/rounds/", f"/rounds/{done.pk}/"):
        text = reader.get(path).content.decode()
        assert "statuses by labels as they stand now" in text, path


def test_who_may_starts_a_round_and_is_taken_to_it(
    client: Client, curator: User, shop: Library
) -> None:
    client.force_login(curator)
    answer = client.post("/rounds/run/", {"domain": "shop", "sample": "3"})
    made = Round.objects.get()
    assert answer["Location"] == f"/rounds/{made.pk}/"
    assert made.author == curator
    assert made.checks.count() == 3
    assert AuditEntry.objects.filter(actor=curator, action="round.create").exists()


def test_one_environment_is_checked_again_from_its_page(
    client: Client, curator: User, viewer: User, shop: Library
) -> None:
    row = shop.environments[5]
    client.force_login(viewer)
    assert "Check now" not in client.get(f"/environments/shop/{row.slug}/").content.decode()
    refused = client.post("/rounds/run/", {"environment": f"shop/{row.slug}"})
    assert refused.status_code == 403
    client.force_login(curator)
    page = client.get(f"/environments/shop/{row.slug}/").content.decode()
    (form,) = re.findall(r'<form class="run".*?</form>', page, re.DOTALL)
    assert "Check now" in form
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]+)"', form))
    answer = client.post("/rounds/run/", fields)
    made = Round.objects.get()
    assert answer["Location"] == f"/rounds/{made.pk}/"
    assert list(made.checks.values_list("environment", flat=True)) == [row.pk]
    entry = AuditEntry.objects.get(actor=curator, action="round.create")
    assert entry.detail["environments"] == [f"shop/{row.slug}"]
    assert f"over shop: shop/{row.slug}" in client.get(answer["Location"]).content.decode()


def test_a_sample_is_said_in_the_list_where_there_is_no_room_for_its_scope(
    reader: Client, shop: Library
) -> None:
    create_round(None, Scope(sample=3), queue=False)
    text = reader.get("/rounds/").content.decode()
    assert '<span class="tag narrow-only">sample of 3</span>' in text
    assert ">a sample of 3 of shop</span>" in text


def test_the_list_of_environments_starts_a_round_over_what_it_shows(
    client: Client, curator: User, done: Round
) -> None:
    client.force_login(curator)
    found = Finding.objects.filter(severity="blocking", component__domain__slug="shop")
    code = found.order_by("code")[0].code
    page = client.get(f"/environments/?code={code}&q=shop&sort=-took").content.decode()
    (form,) = re.findall(r'<form class="run".*?</form>', page, re.DOTALL)
    assert "Run a round over these" in form
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]+)"', form))
    answer = client.post("/rounds/run/listed/", fields)
    made = Round.objects.latest("pk")
    assert answer["Location"] == f"/rounds/{made.pk}/"
    assert made.author == curator
    assert made.scope["filters"] == {"code": [code], "q": ["shop"]}
    shown = re.search(r"over these (\d+)", form)
    assert shown
    assert made.checks.count() == int(shown[1])
    text = client.get(answer["Location"]).content.decode()
    assert f"over shop: those containing shop, with a finding {code}" in unescape(text)
    assert AuditEntry.objects.get(action="round.create", actor=curator).detail["filters"]


def test_without_a_filter_the_list_starts_a_round_over_all_that_one_may_see(
    client: Client, curator: User, done: Round
) -> None:
    client.force_login(curator)
    assert "Run a round over all 12" in client.get("/environments/").content.decode()
    client.post("/rounds/run/listed/", {})
    made = Round.objects.latest("pk")
    assert made.scope == {"domains": ["shop"], "sample": None, "seed": 0}


def test_filters_of_status_and_domain_are_kept_as_such(
    client: Client, curator: User, done: Round
) -> None:
    client.force_login(curator)
    client.post("/rounds/run/listed/", {"status": ["broken", "error"], "domain": "shop"})
    made = Round.objects.latest("pk")
    assert made.scope["statuses"] == ["error", "broken"]
    assert (
        made.checks.count()
        == Environment.objects.filter(
            checks__round=done, domain__slug="shop", checks__result__status="broken"
        ).count()
        + Environment.objects.filter(
            checks__round=done, domain__slug="shop", checks__state="error"
        ).count()
    )


def test_a_list_of_an_earlier_round_is_run_as_that_round_saw_it(
    client: Client, curator: User, done: Round
) -> None:
    client.force_login(curator)
    client.post("/rounds/run/listed/", {"round": str(done.pk), "status": "broken"})
    made = Round.objects.latest("pk")
    assert made.scope["filters"] == {"round": [str(done.pk)], "status": ["broken"]}
    broken = done.checks.filter(result__status="broken", environment__domain__slug="shop")
    assert set(made.checks.values_list("environment")) == set(broken.values_list("environment"))


def test_a_list_that_is_empty_by_now_starts_nothing_and_says_so(
    client: Client, curator: User, shop: Library
) -> None:
    client.force_login(curator)
    for fields in ({"status": "broken"}, {"q": "nothing-like-that"}, {"domain": "nowhere"}):
        answer = client.post("/rounds/run/listed/", fields, follow=True)
        assert "No round was started: " in answer.content.decode()
        assert answer.redirect_chain[0][0].startswith("/environments/?")
    assert not Round.objects.exists()


def test_who_may_not_run_a_list_has_no_button_and_is_refused(reader: Client, done: Round) -> None:
    assert "Run a round over" not in reader.get("/environments/").content.decode()
    answer = reader.post("/rounds/run/listed/", {"q": "nothing-like-that"})
    assert answer.status_code == 403
    assert "viewer may not run a round" in answer.content.decode()
    assert reader.get("/rounds/run/listed/").status_code == 405


def test_readers_of_one_domain_read_that_part_of_a_scope(
    reader: Client, shop: Library, secret: Library
) -> None:
    names = [f"{one.domain.slug}/{one.environments[0].slug}" for one in (shop, secret)]
    made = create_round(None, Scope(environments=names), queue=False)
    for path in ("/rounds/", f"/rounds/{made.pk}/"):
        text = reader.get(path).content.decode()
        assert f"shop: {names[0]}" in text
        assert "secret" not in text


def test_who_may_not_is_refused_in_words_and_nothing_is_made(reader: Client, shop: Library) -> None:
    answer = reader.post("/rounds/run/")
    assert answer.status_code == 403
    assert "viewer may not run a round" in answer.content.decode()
    assert not Round.objects.exists()


def test_a_domain_kept_for_others_cannot_be_run(
    client: Client, curator: User, secret: Library
) -> None:
    client.force_login(curator)
    answer = client.post("/rounds/run/", {"domain": "secret"}, follow=True)
    assert "No round was started: there is no domain secret" in answer.content.decode()
    assert not Round.objects.exists()


def test_a_link_starts_nothing(client: Client, curator: User, shop: Library) -> None:
    client.force_login(curator)
    assert client.get("/rounds/run/").status_code == 405


def test_without_a_token_of_the_form_nothing_starts(curator: User, shop: Library) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(curator)
    assert strict.post("/rounds/run/").status_code == 403
    assert not Round.objects.exists()


def test_the_top_of_every_page_tells_of_rounds_at_work(reader: Client, shop: Library) -> None:
    row = seed.running_round([shop], done=3)
    text = reader.get("/rounds/running/").content.decode()
    assert f"/rounds/{row.pk}/" in text
    assert "3/12" in text
    page = reader.get("/audit/").content.decode()
    assert f'href="/rounds/{row.pk}/"><span class="running__name">round {row.pk}' in page


def test_progress_is_asked_for_until_the_round_is_done(reader: Client, shop: Library) -> None:
    row = seed.running_round([shop], done=3)
    going = reader.get(f"/rounds/{row.pk}/progress/")
    assert "3 of 12" in going.content.decode()
    assert "data-poll" in going.content.decode()
    assert "HX-Refresh" not in going
    Round.objects.filter(pk=row.pk).update(finished=timezone.now())
    over = reader.get(f"/rounds/{row.pk}/progress/")
    assert "data-poll" not in over.content.decode()
    assert over["HX-Refresh"] == "true"


def test_nobody_sees_a_round_of_domains_kept_for_others(reader: Client, secret: Library) -> None:
    row = seed.running_round([secret])
    assert reader.get(f"/rounds/{row.pk}/").status_code == 404
    assert reader.get(f"/rounds/{row.pk}/progress/").status_code == 404
    assert f"round {row.pk}" not in reader.get("/rounds/running/").content.decode()
