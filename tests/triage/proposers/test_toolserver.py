"""Repairs of a tool server's source: where it is looked at, and which edits come first."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.triage.proposers.brokenshop import broken, first, proposed
from tests.worlds.shop import SOURCE
from triage.proposers.case import Case, Spot
from triage.proposers.toolserver import localized, propose
from worlds.toolserver_body import ToolServerBody

BEFORE, CANCEL, AFTER = re.split(r"(?=def cancel_order)|(?=def set_status)", SOURCE)
RENAMED = BEFORE + re.sub(r'(?<!")order_id(?!")', "orderId", CANCEL) + AFTER


def suspected(source: str, symbol: str = "") -> Case:
    """The shop with another source, its server suspected."""
    case = broken("toolserver", source=source)
    slug = case.seen[0].bundle.manifest.toolservers[0].slug
    return replace(case, spots=[Spot("toolserver", slug, symbol, 0.9)])


def test_a_tool_that_takes_no_such_argument_is_looked_at_whoever_else_is_named() -> None:
    case = suspected(RENAMED, "list_users")
    body = case.body(case.spots[0].name)
    assert isinstance(body, ToolServerBody)
    focus = localized(case, case.spots[0], body).focus
    assert focus["cancel_order"] == focus["list_users"] == 1.0


def test_a_renamed_parameter_is_called_again_as_plans_call_it() -> None:
    said = first(propose, suspected(RENAMED))
    assert said["source"].strip() == SOURCE.strip()


def test_a_constant_that_attempts_ran_into_is_likelier_than_one_that_none_did() -> None:
    source = SOURCE.replace('!= "pending"', '!= "delivered"')
    found = proposed(propose, suspected(source, "cancel_order"))
    assert found
    assert not any("`list_users`" in each.says for each in found[:5])


def test_nothing_is_proposed_for_what_is_no_source() -> None:
    case = broken("toolserver", source=SOURCE.replace('"pending"', '"delivered"'))
    assert not list(propose(case, Spot("toolserver", "elsewhere", "", 0.9)))
