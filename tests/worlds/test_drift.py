"""worlds.drift"""

from __future__ import annotations

from typing import Any

from agents import PANEL
from agents.pinning import pin
from tests.worlds.shop import DOMAIN, RECORDS, SOURCE, Whole, bundle
from worlds.bundle import Bundle, Pin
from worlds.drift import drift
from worlds.episode import play
from worlds.step import Episode
from worlds.toolsession import ToolSession
from worlds.world import World

TALK: dict[str, Any] = {"user": {"opens": "Hi.", "brief": "You are in a hurry.", "script": []}}
PLANNED: dict[str, Any] = {"goal": Whole({"matches_plan": True})}


def drifted(before: Bundle, after: Bundle) -> list[str]:
    return [each.what for each in drift(World(before), World(after))]


def rows(**changed: Any) -> dict[str, Any]:
    orders = [
        {**row, **changed} if row["order_id"] == "W1" else row
        for row in RECORDS["tables"]["orders"]
    ]
    return {"tables": {**RECORDS["tables"], "orders": orders}}  # fmt: skip


def test_the_same_world_does_not_drift() -> None:
    assert drifted(bundle(), bundle()) == []


def test_other_words_of_the_instruction_are_drift_with_both_texts() -> None:
    after = bundle(intent={"instruction": "I am {user.name}. Cancel {order.order_id}."})
    (each,) = drift(World(bundle()), World(after))
    assert each.what == "instruction"
    order = World(bundle()).binding["order"]
    assert each.before.endswith(f"Cancel order {order}: I no longer need it.")
    assert each.after.endswith(f"Cancel {order}.")


def test_a_template_that_is_filled_in_with_the_same_is_no_drift() -> None:
    after = bundle(intent={"instruction": "I am {user.name}. Cancel order {order.order_id}: I no longer need it."
                           .replace("{user.name}", World(bundle()).rows["user"]["name"])})  # fmt: skip
    assert drifted(bundle(), after) == []


def test_what_a_row_says_changes_what_is_read() -> None:
    named = {"tables": {**RECORDS["tables"], "users": [
        {"user_id": "ann", "name": "Anna"}, {"user_id": "bob", "name": "Bobby"}]}}  # fmt: skip
    assert drifted(bundle(), bundle(records=named)) == ["instruction"]


def test_what_a_row_says_that_broke_the_contract_was_nothing_to_ask_for() -> None:
    told = {"instruction": "Cancel order {order.order_id}, worth {order.total}."}
    valid, wrong = rows(total=20), rows(total="20 dollars")
    assert drifted(bundle(records=wrong, intent=told), bundle(records=valid, intent=told)) == []
    assert drifted(
        bundle(records=rows(total=21), intent=told), bundle(records=valid, intent=told)
    ) == ["instruction"]


def test_where_the_schema_is_none_no_row_breaks_it() -> None:
    told = {"instruction": "Cancel order {order.order_id}, worth {order.total}."}
    none = {**DOMAIN["tables"]["orders"], "schema": {"type": "thing"}}
    domain = {"tables": {**DOMAIN["tables"], "orders": none}}
    before = bundle(records=rows(total="20 dollars"), intent=told, domain=domain)
    assert drifted(before, bundle(records=rows(total=20), intent=told, domain=domain)) == [
        "instruction"
    ]


def test_the_same_row_by_another_field_is_no_drift() -> None:
    tables = {**DOMAIN["tables"], "refunds": {"key": "number"}}
    refunds = {"refunds": [{"number": "1", "refund_id": "R1"}]}
    records = {"tables": {**RECORDS["tables"], **refunds}}
    slots = {"paid": {"table": "refunds", "match": {}}}
    before = bundle(records=records, intent={"slots": slots})
    after = bundle(records=records, intent={"slots": slots}, domain={"tables": tables})
    assert World(before).binding != World(after).binding
    assert drifted(before, after) == []


def test_brief_and_opening_are_part_of_what_is_said() -> None:
    changed = {"user": {**TALK["user"], "brief": "You have all the time in the world."}}
    assert drifted(bundle(intent=TALK), bundle(intent=changed)) == ["instruction"]


def test_a_plan_or_a_goal_says_nothing_to_anybody() -> None:
    assert drifted(bundle(), bundle(intent={"goal": {"changes": []}})) == []


def test_a_slot_that_finds_another_row_is_drift() -> None:
    pinned = Pin(binding={"order": "W1", "user": "ann"})
    before, after = bundle(pinned=pinned), bundle(pinned=pinned, records=rows(status="delivered"))
    assert drifted(before, after) == ["instruction", "binding"]


def test_back_to_the_pinned_row_is_no_drift_of_the_binding() -> None:
    pinned = Pin(binding={"order": "W1", "user": "ann"})
    before, after = bundle(pinned=pinned, records=rows(status="delivered")), bundle(pinned=pinned)
    assert drifted(before, after) == ["instruction"]


def test_an_expectation_that_was_pinned_anew_is_drift() -> None:
    before = bundle(intent=PLANNED)
    assert before.manifest.pin is not None
    other = bundle(intent=PLANNED, pinned=Pin(binding=before.manifest.pin.binding, effect=[]))
    assert drifted(before, other) == ["effect"]


def test_a_tool_that_saves_now_leads_to_what_was_pinned_and_is_no_drift() -> None:
    saves = 'db.update("orders", order_id, {"status": "cancelled", "reason": reason})'
    pinned = pin(bundle(intent=PLANNED))
    broken = bundle(intent=PLANNED, source=SOURCE.replace(saves, "order"), pinned=pinned)
    assert drifted(broken, bundle(intent=PLANNED, pinned=pinned)) == []


def test_without_a_pinned_effect_the_plan_shows_what_is_expected() -> None:
    loose = Pin(binding={"order": "W1", "user": "ann"})
    before = bundle(intent=PLANNED, pinned=loose)
    plan = [{"call": "set_status", "args": {"order_id": "W1", "status": "cancelled"}}]
    after = bundle(intent={**PLANNED, "plans": {"default": plan}}, pinned=loose)
    plans = (reference(before), reference(after))
    found = drift(World(before), World(after), plans)
    assert [each.what for each in found] == ["effect"]
    assert drift(World(before), World(before), (plans[0], plans[0])) == []


def reference(made: Bundle) -> Episode:
    world = World(made)
    with ToolSession() as session:
        return play(world, PANEL["reference"](world), session)


def test_the_same_words_at_another_moment_are_no_drift_and_other_words_are() -> None:
    def talk(when: str, says: str) -> dict[str, Any]:
        return {"user": {**TALK["user"], "script": [{"when": when, "says": says}]}}

    before = bundle(intent=talk("refused('cancel_order')", "Then not."))
    assert drifted(before, bundle(intent=talk("called('cancel_order')", "Then not."))) == []
    assert drifted(before, bundle(intent=talk("refused('cancel_order')", "Why?"))) == [
        "instruction"
    ]
