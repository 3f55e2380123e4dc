from __future__ import annotations

import re
from typing import Any

from django.template.loader import render_to_string
from django.test import Client

from tests.browser.seed import Library
from triage.models import Episode, Round
from triage.pages.episode import Walk, row_changes


def attempt(made: Library, *, solved: bool) -> Episode:
    return Episode.objects.filter(
        agent__name="reference",
        reward=int(solved),
        results__checks__environment__domain=made.domain,
    )[0]


def page(client: Client, episode: Episode, step: str = "") -> str:
    answer = client.get(f"/episodes/{episode.key}/?step={step}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_shows_every_step_with_arguments_result_and_how_it_went(
    reader: Client, done: Round, shop: Library
) -> None:
    text = page(reader, attempt(shop, solved=False))
    assert text.count('class="step step--') == 8
    assert "Hi, I need help with an order." in text
    assert "find_user_id" in text
    assert "⊘" in text
    assert "this one is delivered" in text
    assert 'href="/components/shop/toolserver/shop-api/#L31"' in text


def test_a_link_opens_one_step_with_the_rows_that_it_wrote(
    reader: Client, done: Round, shop: Library
) -> None:
    text = page(reader, attempt(shop, solved=True), "6")
    assert re.search(r'id="step-6".*?aria-current="step"', text, re.DOTALL)
    assert 'change__before">' in text
    assert "no longer needed" in text
    assert 'href="?step=5" rel="prev"' in text
    assert 'href="?step=7" rel="next"' in text
    assert "This step wrote nothing." in page(reader, attempt(shop, solved=True), "3")


def test_the_end_shows_all_that_differs_from_the_start(
    reader: Client, done: Round, shop: Library
) -> None:
    assert "State in the end" in page(reader, attempt(shop, solved=True), "end")
    assert "Nothing differs" in page(reader, attempt(shop, solved=False), "end")


def test_the_verdict_says_what_was_not_met_and_why(
    reader: Client, done: Round, shop: Library
) -> None:
    text = page(reader, attempt(shop, solved=False))
    assert text.count("assertion--unmet") == 2
    assert "says status &#x27;delivered&#x27;" in text
    assert re.search(r'href="/components/shop/intent/[\w-]+/#goal.require%5B0%5D"', text)


def test_a_clause_that_was_asked_leads_to_its_rule(
    reader: Client, done: Round, shop: Library
) -> None:
    episode = attempt(shop, solved=False)
    asked = {
        "kind": "clause",
        "place": "refunds/pending-only",
        "text": "Only pending",
        "met": False,
    }
    episode.document["verdict"]["assertions"].append(asked)
    episode.save()
    text = page(reader, episode)
    assert 'href="/components/shop/rule/refunds/#clauses.pending-only"' in text


def test_what_was_not_scored_is_not_called_a_zero(
    reader: Client, done: Round, shop: Library
) -> None:
    episode = attempt(shop, solved=True)
    Episode.objects.filter(pk=episode.pk).update(
        reward=None, progress=None, document=episode.document | {"verdict": None}
    )
    text = page(reader, episode)
    assert "not scored" in text
    assert "not solved" not in text.split("head__others")[0]


def test_an_episode_cut_off_by_us_says_why(reader: Client, done: Round, shop: Library) -> None:
    episode = attempt(shop, solved=True)
    cut = episode.document | {"ended": "cut", "cut": "more than 200 steps", "steps": []}
    Episode.objects.filter(pk=episode.pk).update(document=cut, length=0)
    text = page(reader, episode)
    assert "cut off: more than 200 steps" in text
    assert "did nothing at all" in text


def test_nobody_opens_an_episode_of_a_domain_kept_for_others(
    reader: Client, done: Round, secret: Library
) -> None:
    hidden = Episode.objects.filter(results__checks__environment__domain=secret.domain)[0]
    assert reader.get(f"/episodes/{hidden.key}/").status_code == 404
    assert reader.get("/episodes/nonsense/").status_code == 404


def test_a_walk_goes_from_the_first_step_to_the_end_and_back() -> None:
    document: dict[str, Any] = {"steps": [{"changes": []}, {"changes": []}], "diff": []}
    forth, at = [], "0"
    while at:
        forth.append(at)
        at = Walk(document, at).later
    back, at = [], forth[-1]
    while at:
        back.append(at)
        at = Walk(document, at).earlier
    assert forth == ["0", "1", "end"]
    assert back == forth[::-1]


def test_nonsense_opens_the_first_step_and_too_much_the_last() -> None:
    document: dict[str, Any] = {"steps": [{"changes": []}, {"changes": []}], "diff": []}
    assert [Walk(document, asked).open for asked in ("", "x", "-1", "²", "9" * 30)] == [0] * 5
    assert Walk(document, "7").open == 1


def test_a_side_that_is_not_there_is_absent_and_null_is_not() -> None:
    (row,) = row_changes(
        [{"table": "t", "key": "k", "op": "update", "fields": {"a": {"after": None}}}]
    )
    assert (row.fields[0].had_before, row.fields[0].has_after) == (False, True)


def test_a_long_side_of_a_change_is_folded_together_with_the_other() -> None:
    def folded(before: str, after: str) -> int:
        fields = {"note": {"before": before, "after": after}}
        change = {"table": "t", "key": "k", "op": "update", "fields": fields}
        (row,) = row_changes([change])
        return render_to_string("parts/change.html", {"row": row}).count("<details")

    assert folded("x" * 2000, "short") == folded("short", "x" * 2000) == 2
    assert folded("short", "shorter") == 0
