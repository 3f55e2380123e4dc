from __future__ import annotations

import csv
import io
import re

from django.test import Client

from tests.browser import seed
from tests.browser.seed import Library
from triage.models import Round

ROW = re.compile(r'href="/environments/[^"/]+/([^"]+)/" data-open')


def test_lists_the_checks_that_the_reader_may_see(reader: Client, done: Round) -> None:
    text = reader.get(f"/rounds/{done.pk}/").content.decode()
    assert len(ROW.findall(text)) == 12
    assert "secret" not in text


def test_filters_checks_by_status_state_and_words(reader: Client, done: Round) -> None:
    def listed(query: str) -> list[str]:
        return ROW.findall(reader.get(f"/rounds/{done.pk}/?{query}").content.decode())

    by_status = [listed(f"status={name}") for name in ("solvable", "broken", "unproven", "error")]
    assert sum(map(len, by_status)) == 12
    assert listed("q=reorder-005") == ["reorder-005"]
    assert listed("state=error") == listed("status=error")
    assert listed("sort=-environment") == sorted(listed(""), reverse=True)


def test_the_download_says_how_each_check_ended(reader: Client, done: Round) -> None:
    answer = reader.get(f"/rounds/{done.pk}/?format=csv&status=broken")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows
    assert {row["status"] for row in rows} == {"broken"}
    assert all(int(row["findings"]) >= 1 for row in rows)


def test_a_round_without_a_finished_check_has_no_rates(reader: Client, shop: Library) -> None:
    row = seed.running_round([shop], done=0)
    text = reader.get(f"/rounds/{row.pk}/").content.decode()
    assert "0 of 12" in text
    assert "None yet." in text


def test_a_round_that_never_was_is_not_found(reader: Client, db: None) -> None:
    assert reader.get("/rounds/99999999999999999999/").status_code == 404
