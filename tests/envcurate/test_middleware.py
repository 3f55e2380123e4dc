"""Every answer tells the browser to load and run nothing that is not ours."""

import pytest
from django.test import Client


def test_nothing_foreign_and_nothing_inline(client: Client) -> None:
    policy = client.get("/nowhere/").headers["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'self'"
    assert "unsafe" not in policy
    assert "http" not in policy
    assert rules["frame-ancestors"] == "'none'"


@pytest.mark.parametrize(
    "address", ["/episodes/%00/", "/environments/a/%00/", "/api/v1/domains/%00/"]
)
def test_an_address_with_a_nul_leads_nowhere(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404
