from __future__ import annotations

from django.test import Client

from tests.browser import seed
from tests.browser import shop as goods
from tests.browser.seed import Library
from triage.models import Check, Round
from worlds.servers import Servers, ServerSettings
from worlds.toolserver_body import OutsideBody, ToolServerBody


def page(client: Client, path: str, query: str = "") -> str:
    answer = client.get(f"/components/{path}/?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_numbers_every_line_of_source_with_an_anchor(reader: Client, shop: Library) -> None:
    text = page(reader, "shop/toolserver/shop-api")
    for number in range(1, goods.SOURCE.count("\n") + 1):
        assert f'id="L{number}"' in text
    assert "only a pending order can be cancelled" in text


def test_anchors_every_place_of_an_intent(reader: Client, shop: Library) -> None:
    text = page(reader, "shop/intent/reorder-005")
    for place in (
        "goal",
        "goal.require[0]",
        "plans.default[2]",
        "slots.order.match",
        "user.script[0].says",
    ):
        assert f'id="{place}"' in text


def test_shows_what_the_latest_checks_found_at_its_place(
    reader: Client, done: Round, shop: Library
) -> None:
    check = Check.objects.filter(environment__domain=shop.domain).exclude(result=None)[0]
    assert check.result is not None
    found = seed.finding(check.environment, check.result, "goal-vacuous", "look here")
    assert found.component is not None
    text = page(reader, f"shop/{found.kind}/{found.component.slug}")
    assert text.count("look here") == 2  # in the list, and where it points
    assert "1 environment<" in text


def test_of_an_old_version_says_so(reader: Client, shop: Library) -> None:
    source = goods.SOURCE.replace("Show an order", "Print an order")
    seed.version(shop.domain, "shop-api", ToolServerBody(source=source), 2)
    assert "Print an order" in page(reader, "shop/toolserver/shop-api")
    old = page(reader, "shop/toolserver/shop-api", "version=1")
    assert "Show an order" in old
    assert "not current" in old


def outside_page(reader: Client, shop: Library, server: str) -> str:
    body = OutsideBody(server=server, hidden={"tenant": "north"}, result="/value")
    seed.version(shop.domain, "shop-api", body, 2)
    return page(reader, "shop/toolserver/shop-api")


def test_an_outside_server_shows_what_can_be_done_with_it_and_no_secret_of_its_settings(
    reader: Client, shop: Library
) -> None:
    state = {"export": "dump"}
    said = {"command": ["crm", "--key=hunter2"], "env": {"KEY": "hunter2"}, "state": state}
    Servers.install(Servers(servers={"crm": ServerSettings.model_validate(said)}))
    text = outside_page(reader, shop, "crm")
    Servers.install(None)
    assert "It is reached as a process" in text
    assert "hunter2" not in text
    assert text.count("✕ unobserved") == 3
    assert "✓ its state is read" in text
    assert (
        "Give a state that can be written: sqlite, json, or a tool as import beside export" in text
    )
    assert text.count("Add source: a folder or file that is there") == 1
    assert text.count("Add source, and repair: true") == 1
    assert "<dt>hidden tenant</dt><dd><code>north</code>" in text


def test_an_outside_server_that_the_settings_lack_says_what_to_do(
    reader: Client, shop: Library
) -> None:
    text = outside_page(reader, shop, "nobody")
    assert "The settings of this installation do not name it" in text
    assert "ENVCURATE_TOOL_SERVERS" in text
    assert "A check now ends in error" not in text
    assert "unobserved" not in text


def test_how_environments_stand_whose_server_is_gone_is_said_to_be_of_before(
    reader: Client, shop: Library
) -> None:
    seed.version(shop.domain, "shop-api", OutsideBody(server="nobody"), 2)
    seed.finished_round([shop])
    assert "A check now ends in error" in page(reader, "shop/toolserver/shop-api")
    Servers.install(Servers(servers={"nobody": ServerSettings(command=["crm"])}))
    text = page(reader, "shop/toolserver/shop-api")
    Servers.install(None)
    assert "A check now ends in error" not in text


def test_a_version_that_never_was_is_not_found(reader: Client, shop: Library) -> None:
    for version in ("9", "nonsense", "-1"):
        url = f"/components/shop/toolserver/shop-api/?version={version}"
        assert reader.get(url).status_code == 404


def test_shows_fifty_rows_of_records_at_a_time(reader: Client, shop: Library) -> None:
    text = page(reader, "shop/records/spring", "table=orders")
    assert text.count("<tr data-row>") == 50
    assert "1–50 of 240" in text
    assert '<a href="/components/shop/records/spring/?table=users">users' in text


def test_searches_rows_and_opens_one(reader: Client, shop: Library) -> None:
    found = page(reader, "shop/records/spring", "table=users&q=user7%40example")
    assert found.count("<tr data-row>") == 1
    row = page(reader, "shop/records/spring", "table=orders&row=%23W1003")
    assert "<code>orders/#W1003</code>" in row
    missing = page(reader, "shop/records/spring", "table=orders&row=nothing")
    assert "has no row" in missing


def test_counts_the_environments_that_use_it_by_status(reader: Client, done: Round) -> None:
    text = page(reader, "shop/rule/refunds")
    assert "/environments/?component=shop/rule/refunds&amp;status=broken" in text


def test_of_a_domain_kept_for_others_there_is_no_page(reader: Client, secret: Library) -> None:
    assert reader.get("/components/secret/rule/refunds/").status_code == 404
