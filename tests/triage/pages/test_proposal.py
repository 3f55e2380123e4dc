from __future__ import annotations

from django.test import Client
from tests.browser.seed import Library
from tests.triage import proposalcast


def test_smoke(reader: Client, shop: Library) -> None:
    row, done = proposalcast.tried(shop)
    for path in (f"/proposals/{row.pk}/", "/proposals/", f"/trials/{done.pk}/", "/", f"/proposals/?format=csv", f"/trials/{done.pk}/?format=csv"):
        answer = reader.get(path)
        assert answer.status_code == 200, path
        if "csv" in path: print(b"".join(answer.streaming_content).decode())
    assert reader.get(f"/proposals/new/").status_code == 403

def test_smoke2(client: Client, reviewer, shop: Library) -> None:
    row, done = proposalcast.tried(shop)
    client.force_login(reviewer)
    for path in (f"/proposals/{row.pk}/", "/proposals/", f"/trials/{done.pk}/", f"/proposals/{row.pk}/edit/", "/proposals/new/", f"/proposals/new/?fault={row.fault_id}&component=shop/toolserver/shop-api&component=shop/records/spring"):
        answer = client.get(path)
        assert answer.status_code == 200, path
