from __future__ import annotations

import csv
import io
from datetime import timedelta
from html import unescape

from django.contrib.auth.models import User
from django.test import Client

from components.models import AuditEntry
from tests.browser import seed
from tests.browser.seed import Library


def entry(action: str, user: User | None = None, **more: object) -> AuditEntry:
    return AuditEntry.objects.create(actor=user, action=action, target=f"t-{action}", **more)


def listed(client: Client, query: str = "") -> list[str]:
    answer = client.get(f"/audit/?format=csv&{query}")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    return [row["action"] for row in csv.DictReader(io.StringIO(text))]


def test_shows_the_newest_first_without_domains_kept_for_others(
    reader: Client, shop: Library, secret: Library
) -> None:
    entry("first", domain=shop.domain)
    entry("hidden", domain=secret.domain)
    entry("last")
    assert listed(reader) == ["last", "first"]
    text = reader.get("/audit/").content.decode()
    assert text.index("t-last") < text.index("t-first")
    assert "t-hidden" not in text


def test_an_act_on_several_domains_is_one_row_with_all_that_it_says(
    reader: Client, shop: Library
) -> None:
    small = seed.library("small", 1)
    for made in (shop, small):
        entry("round.create", domain=made.domain, detail={"of": made.domain.slug})
    again = entry("round.create", domain=small.domain)
    AuditEntry.objects.filter(pk=again.pk).update(at=again.at + timedelta(minutes=1))
    entry("round.cancel", domain=shop.domain)
    text = unescape(reader.get("/audit/").content.decode())
    assert text.count("<tr data-row>") == 3
    assert text.count(">shop, small</span>") == 1
    assert '{"of": "small"}</pre>' in text
    assert '{"of": "shop"}</pre>' in text
    assert len(listed(reader)) == 4


def test_filters_by_action_person_and_words(reader: Client, viewer: User) -> None:
    entry("round.create", viewer)
    entry("library.load")
    assert listed(reader, "action=round.create") == ["round.create"]
    assert listed(reader, "actor=viewer") == ["round.create"]
    assert listed(reader, "actor=command+line") == ["library.load"]
    assert listed(reader, "actor=command+line&actor=viewer") == ["library.load", "round.create"]
    assert listed(reader, "q=t-lib") == ["library.load"]


def test_an_empty_log_says_what_will_write_it(reader: Client) -> None:
    assert "writes the first entry" in reader.get("/audit/").content.decode()
