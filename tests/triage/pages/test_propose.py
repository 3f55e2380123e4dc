from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.browser import seed
from tests.browser.seed import Library
from tests.triage import proposalcast
from triage.models import Proposal, Trial
from triage.proposalfolder import MOST_ARCHIVE
from worlds.toolserver_body import ToolServerBody

EVIL = "</textarea><script>alert(1)</script>"


@pytest.fixture
def writer(client: Client, reviewer: User) -> Client:
    """A browser in which somebody is logged in who may propose."""
    client.force_login(reviewer)
    return client


def form(made: Library, text: str | None = None, **more: Any) -> dict[str, Any]:
    server = proposalcast.server_of(made)
    said = proposalcast.source() if text is None else text
    words = {"title": "Give it back", "reason": "why", "authority": "clause", "do": "save"}
    return {"component": [server.pk], f"text-{server.pk}": said, **words, **more}


def send(client: Client, path: str, data: dict[str, Any]) -> tuple[int, str]:
    answer = client.post(path, data)
    return answer.status_code, answer.content.decode()


def test_begins_with_the_text_that_is_current(writer: Client, shop: Library) -> None:
    text = writer.get("/proposals/new/?component=shop/toolserver/shop-api").content.decode()
    assert "def cancel_order(" in text
    assert "It says what v1 says" in text


def test_a_fault_offers_its_suspects(writer: Client, shop: Library) -> None:
    row = proposalcast.fault(shop)
    assert f"?fault={row.pk}&amp;component=shop/toolserver/shop-api" in (
        writer.get("/proposals/new/").content.decode()
    )
    text = writer.get(f"/proposals/new/?fault={row.pk}").content.decode()
    assert 'value="add:toolserver/shop-api"' in text
    _, added = send(
        writer, "/proposals/new/", {"fault": row.pk, "do": "add:toolserver/shop-api", "title": "t"}
    )
    assert "def cancel_order(" in added
    assert 'value="t"' in added


def test_keeps_a_proposal_and_tries_it(writer: Client, reviewer: User, shop: Library) -> None:
    row = proposalcast.fault(shop)
    answer = writer.post("/proposals/new/", form(shop, fault=row.pk, do="try"))
    made = Proposal.objects.get()
    assert answer["Location"] == f"/proposals/{made.pk}/"
    assert (made.fault, made.author, made.title) == (row, reviewer, "Give it back")
    assert made.changes.get().body.content["source"] == proposalcast.source()
    assert Trial.objects.get().proposals.get() == made


def test_what_cannot_be_read_is_kept_on_the_page_with_its_line(
    writer: Client, shop: Library
) -> None:
    broken = proposalcast.source("return (")
    status, text = send(writer, "/proposals/new/", form(shop, broken + EVIL))
    assert status == 422
    assert not Proposal.objects.exists()
    assert EVIL not in text
    assert "alert(1)" in text
    assert "return (" in text
    assert 'data-line="' in text
    status, text = send(writer, "/proposals/new/", form(shop, title=""))
    assert status == 422
    assert "refund" in text


def test_tells_while_one_types(writer: Client, shop: Library) -> None:
    server = proposalcast.server_of(shop)
    data = {**form(shop, "def x(:\n"), "check": server.pk}
    status, text = send(writer, "/proposals/check/", data)
    assert status == 200
    assert f'data-line="1" data-of="text-{server.pk}"' in text
    _, text = send(writer, "/proposals/check/", {**form(shop), "check": server.pk})
    assert "It can be kept" in text
    assert "<ins>" in text


def test_a_viewer_writes_nothing_and_nobody_writes_where_he_may_not_read(
    client: Client, viewer: User, reviewer: User, shop: Library, secret: Library
) -> None:
    row = proposalcast.proposal(shop)
    client.force_login(viewer)
    for path in ("/proposals/new/", f"/proposals/{row.pk}/edit/"):
        assert client.get(path).status_code == 403, path
        assert client.post(path, form(shop)).status_code == 403, path
    assert client.post("/proposals/check/", form(shop)).status_code == 403
    client.force_login(reviewer)
    assert client.get("/proposals/new/?component=secret/toolserver/shop-api").status_code == 404
    assert client.post("/proposals/new/", form(secret)).status_code == 404


def test_edits_one_and_keeps_its_trial_where_the_words_alone_change(
    writer: Client, shop: Library
) -> None:
    row, _ = proposalcast.tried(shop)
    path = f"/proposals/{row.pk}/edit/"
    assert "refund" in writer.get(path).content.decode()
    send(writer, path, form(shop, revision=1, title="In other words"))
    row.refresh_from_db()
    assert (row.title, row.revision, row.state) == ("In other words", 2, "waiting")
    send(writer, path, form(shop, proposalcast.source("None"), revision=2))
    row.refresh_from_db()
    assert (row.revision, row.state) == (3, "draft")


def test_who_edits_what_somebody_edited_sees_both_texts_and_loses_nothing(
    writer: Client, shop: Library
) -> None:
    row, _ = proposalcast.tried(shop)
    path = f"/proposals/{row.pk}/edit/"
    send(writer, path, form(shop, proposalcast.source("'theirs'"), revision=1))
    mine = form(shop, proposalcast.source("'mine'"), revision=1, title="My title")
    status, text = send(writer, path, mine)
    assert status == 409
    assert "Revision 2 beside your text" in text
    assert "<del>theirs</del>" in text
    assert "<ins>mine</ins>" in text
    assert 'value="My title"' in text
    assert 'name="revision" value="2"' in text
    assert send(writer, path, {**mine, "revision": 2})[0] == 302


def test_a_decided_one_is_not_edited(writer: Client, shop: Library) -> None:
    row = proposalcast.proposal(shop)
    Proposal.objects.update(state="approved")
    assert writer.get(f"/proposals/{row.pk}/edit/")["Location"] == f"/proposals/{row.pk}/"


def test_records_are_edited_row_by_row(writer: Client, shop: Library) -> None:
    records = shop.parts[1]
    pk = records.pk
    base: dict[str, Any] = {"component": [pk], "title": "Mend a row", "authority": "schema"}
    found = {**base, f"q-{pk}": "#W1003", f"table-{pk}": "orders", "do": "find"}
    _, text = send(writer, "/proposals/new/", found)
    assert f'value="open:{pk}:orders/#W1003"' in text
    _, text = send(writer, "/proposals/new/", {**base, "do": f"open:{pk}:orders/#W1003"})
    assert "&quot;order_id&quot;: &quot;#W1003&quot;" in text
    places = ["orders/#W1003", "orders/#W1004"]
    broken = {**base, f"place-{pk}": places, f"row-{pk}": ["{", "x"], f"gone-{pk}": places[1]}
    status, text = send(writer, "/proposals/new/", {**broken, "do": "save"})
    assert status == 422
    assert "orders/#W1003, line 1" in text
    row = '{"order_id": "#W1003", "user_id": "user-3", "total": 7}'
    whole = {**broken, f"row-{pk}": [row, "x"], "do": "save"}
    assert send(writer, "/proposals/new/", whole)[0] == 302
    made = Proposal.objects.get()
    rows = made.changes.get().body.content["tables"]["orders"]
    keyed = {one["order_id"]: one for one in rows}
    assert keyed["#W1003"]["total"] == 7
    assert "#W1004" not in keyed
    text = writer.get(f"/proposals/{made.pk}/edit/").content.decode()
    assert text.count('class="rowedit"') == 2


def test_takes_what_differs_from_a_zipped_folder(writer: Client, shop: Library) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("shop/toolservers/shop-api.py", proposalcast.source("None"))
    row = proposalcast.fault(shop)
    data = {"fault": row.pk, "do": "upload"}
    file = SimpleUploadedFile("shop.zip", packed.getvalue())
    _, text = send(writer, "/proposals/new/", {**data, "folder": file})
    assert "return None" in text
    junk = SimpleUploadedFile("shop.zip", b"no zip")
    _, text = send(writer, "/proposals/new/", {**data, "folder": junk})
    assert "Nothing was taken from shop.zip" in text
    large = SimpleUploadedFile("shop.zip", bytes(MOST_ARCHIVE + 9))
    _, text = send(writer, "/proposals/new/", {**data, "folder": large})
    assert f"{MOST_ARCHIVE + 1} bytes are too many" in text
    assert "Choose the zipped folder" in send(writer, "/proposals/new/", data)[1]


def test_changes_three_components_at_most(writer: Client, shop: Library) -> None:
    named = "&".join(
        f"component=shop/{one.kind}/{one.slug}" for one in shop.domain.components.order_by("pk")[:5]
    )
    text = writer.get(f"/proposals/new/?{named}").content.decode()
    assert text.count('name="component"') == 3
    server = proposalcast.server_of(shop)
    _, text = send(
        writer,
        "/proposals/new/",
        form(shop, do=f"take:{server.pk}", fault=proposalcast.fault(shop).pk),
    )
    assert 'name="component"' not in text


def test_an_old_version_is_restored(client: Client, curator: User, shop: Library) -> None:
    client.force_login(curator)
    seed.version(shop.domain, "shop-api", ToolServerBody(source=proposalcast.source()), 2)
    path = "/components/shop/toolserver/shop-api/"
    assert "Restore v1" in client.get(f"{path}?version=1").content.decode()
    assert "Restore v" not in client.get(path).content.decode()
    client.post(f"{path}restore/", {"version": "1", "reason": "the money was never due"})
    component = proposalcast.server_of(shop)
    assert component.current is not None
    assert component.current.number == 3
    answer = client.post(f"{path}restore/", {"version": "1", "reason": "again"}, follow=True)
    assert "Nothing was restored" in answer.content.decode()
    assert client.post(f"{path}restore/", {"version": "9"}).status_code == 404
