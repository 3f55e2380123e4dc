"""worlds.scriptnames"""

from __future__ import annotations

import pytest

from tests.worlds.shop import INTENT, SOURCE, bundle
from worlds.scriptnames import script_findings
from worlds.world import World

KNOWS = {"why I cancel": "I changed my mind."}


def unknown(when: str, source: str = SOURCE, define: dict[str, str] | None = None) -> list[str]:
    user = {"knows": KNOWS, "script": [{"when": when, "says": "Then not."}]}
    world = World(bundle(intent={"user": user, "define": define or {}}, source=source))
    found = list(script_findings(world))
    place = "user.script[0].when"
    assert {(item.code, item.severity, item.place) for item in found} <= {
        ("name-unknown", "warning", place)
    }
    return [item.message for item in found]


def test_a_line_that_waits_for_a_tool_that_is_not_there_is_found() -> None:
    assert unknown("refused('cancel_ordr')") == [
        "The line waits for what is not there: there is no tool 'cancel_ordr'."
    ]


@pytest.mark.parametrize(
    "when",
    [
        "called('gone')",
        "called('gone') || refused('lost')",
        "refused('gone') && said_like('cancelled')",
        "history.exists(each, each.tool == 'gone')",
        "asked('my name')",
        "asked('my name') || called('gone')",
    ],
)
def test_where_nothing_that_is_named_is_there_it_is_found(when: str) -> None:
    assert len(unknown(when)) == 1


@pytest.mark.parametrize(
    "when",
    [
        "true",
        "said_like('gone')",
        "called('cancel_order')",
        "called('gone') || refused('cancel_order')",
        "history.exists(each, each.tool == 'cancel_order')",
        "called('ask_user')",
        "asked('Why_I_cancel')",
        "asked('my name') || called('cancel_order')",
        "order.status == 'gone'",
    ],
)
def test_one_that_is_there_is_enough(when: str) -> None:
    assert unknown(when) == []


def test_a_tool_of_another_server_is_one_that_a_plan_calls() -> None:
    user = {"script": [{"when": "called('gone')", "says": "Then not."}]}
    plans = {**INTENT["plans"], "other": [{"call": "gone"}]}
    assert list(script_findings(World(bundle(intent={"user": user, "plans": plans})))) == []


def test_where_the_tools_cannot_be_read_nothing_is_said() -> None:
    assert unknown("called('gone')", source="import os\n") == []
