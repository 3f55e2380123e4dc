from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from components.models import AuditEntry
from tests.browser import seed
from tests.browser.seed import Library
from triage.models import Round


def test_lists_rounds_newest_first_and_only_visible_domains(
    reader: Client, done: Round, shop: Library, secret: Library
) -> None:
    later = seed.finished_round([shop])
    hidden = seed.finished_round([secret])
    text = reader.get("/rounds/").content.decode()
    assert text.index(f">round {later.pk}<") < text.index(f">round {done.pk}<")
    assert f">round {hidden.pk}<" not in text
    assert "secret" not in text


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
