"""The prover: what it finds, what it must not find, and that it does the same each time."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from agents import finishes
from agents.search import prove
from tests.worlds import outside, shop
from tests.worlds.shop import Whole, bundle
from worlds.check import check
from worlds.servers import Servers
from worlds.solving import Proof
from worlds.step import Episode
from worlds.toolsession import ToolSession
from worlds.world import World

NO_PLAN: dict[str, Any] = {"plans": Whole()}
PARCELS: dict[str, Any] = {
    "tables": {
        "parcels": {
            "key": "parcel_id",
            "schema": {"type": "object", "required": ["parcel_id"]},
        }
    }
}
ROWS: list[dict[str, Any]] = [
    {"parcel_id": "P1", "owner": "Ann", "content": "lamp", "weight": 3, "price": 1250.5},
    {"parcel_id": "P2", "owner": "Ann", "content": "rug", "weight": 9, "price": 800.25},
    {"parcel_id": "P3", "owner": "Bob", "content": "vase", "weight": 4, "price": 1999.0},
]
READ = '''
from dataclasses import dataclass
from typing import Literal


def list_parcels(owner: str) -> list[dict]:
    """List the parcels of somebody."""
    return db.find("parcels", {"owner": owner})

'''


def parcels(source: str, instruction: str, goal: dict[str, Any], **user: Any) -> Proof:
    """What is proved of a depot with parcels, a tool to list them and those of `source`."""
    told: dict[str, Any] = {"instruction": instruction, "slots": Whole(), "goal": Whole(goal)}
    told |= {"actor": None, **NO_PLAN, **({"user": user} if user else {})}
    tables = Whole(parcels=ROWS)
    made = bundle(
        domain={"tables": Whole(PARCELS["tables"])},
        records={"clock": {"now": "2026-03-18T09:00:00+00:00"}, "tables": tables},
        rule={"text": "Be kind.", "clauses": []},
        intent=told,
        source=READ + source,
    )
    return proof(World(made))


def proof(world: World, **bounds: Any) -> Proof:
    with ToolSession() as session:
        return prove(world, session, **bounds)


def won(found: Proof) -> Episode:
    assert found.episode is not None
    assert found.episode.verdict is not None
    assert found.episode.verdict.reward == 1
    return found.episode


def last_call(found: Proof) -> dict[str, Any]:
    return [step for step in won(found).steps if step.kind == "call"][-1].args


def test_it_finds_calls_and_answer_and_leaves_an_episode_like_any_other() -> None:
    episode = won(proof(World(bundle(intent=NO_PLAN))))
    assert (episode.agent, episode.ended) == ("search", "finished")
    assert [step.tool for step in episode.steps] == ["find_order", "cancel_order", ""]
    assert episode.steps[-1].args == {"refund": 20}


def test_it_cannot_know_what_nobody_told() -> None:
    """The order's number stands in slots, goal and records alone: nothing that an agent may see has it."""
    untold = {**NO_PLAN, "instruction": "I am {user.name}. Cancel my order: I no longer need it."}
    found = proof(World(bundle(intent=untold)))
    assert found.episode is None


def test_an_answer_that_no_result_holds_is_not_made_up() -> None:
    found = parcels("", "I am Ann. How many sheep are there?", {"answer": {"n": answer("41")}})
    assert found.episode is None


def test_two_numbers_that_make_the_answer_by_chance_are_no_way_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ann's parcels weigh 3 and 9: their product is no count of sheep."""
    monkeypatch.setattr(finishes, "COMBINE_EVERY", 1)
    found = parcels("", "I am Ann. How many sheep are there?", {"answer": {"n": answer("27")}})
    assert found.episode is None


def test_a_number_of_the_request_is_no_answer_to_it() -> None:
    told = "I am Ann. I have 7 sheep. How many goats are there?"
    assert parcels("", told, {"answer": {"goats": answer("7")}}).episode is None


def answer(equals: str, kind: str = "integer") -> dict[str, Any]:
    return {"type": kind, "equals": equals}


def test_a_check_takes_it_as_a_witness() -> None:
    result = check(bundle(intent=NO_PLAN), {}, prove)
    assert (result.status, result.witness) == ("solvable", "search")
    assert [episode.agent for episode in result.episodes] == ["search"]


def test_what_it_cannot_reach_is_a_warning() -> None:
    goal = {"require": ["get('orders', order.order_id).total == 999.0"], "changes": None}
    result = check(bundle(intent={**NO_PLAN, "goal": goal}), {}, prove)
    assert [(item.code, item.severity) for item in result.findings] == [
        ("goal-unreachable", "warning")
    ]


LISTS = '''
def load(parcel_ids: list[str]) -> dict:
    """Load parcels, in one go."""
    for parcel_id in parcel_ids:
        db.update("parcels", parcel_id, {"loaded": True})
    return {"loaded": len(parcel_ids)}
'''


def test_lists_are_put_together_from_results() -> None:
    goal = {
        "require": ["count('parcels', {'loaded': true}) == 2"],
        "changes": ["parcels/P1#loaded", "parcels/P2#loaded"],
    }
    found = parcels(LISTS, "I am Ann. Load all parcels of mine.", goal)
    assert sorted(last_call(found)["parcel_ids"]) == ["P1", "P2"]


NESTED = '''
@dataclass
class Address:
    street: str
    city: str
    floor: int = 0


def send(parcel_id: str, to: Address) -> dict:
    """Send a parcel somewhere."""
    return db.update("parcels", parcel_id, {"to": [to.street, to.city, to.floor]})
'''


def test_objects_are_filled_field_by_field() -> None:
    goal = {"require": ["get('parcels', 'P1').to == ['Elm Street', 'Oslo', 7.0]"]}
    told = "I am Ann. Send parcel P1 to street 'Elm Street', city 'Oslo', floor 7."
    found = parcels(NESTED, told, goal)
    assert last_call(found)["to"] == {"street": "Elm Street", "city": "Oslo", "floor": 7}


OPTIONAL = '''
def wrap(parcel_id: str, paper: Literal["plain", "striped"] = "plain", fragile: bool = False) -> dict:
    """Wrap a parcel."""
    return db.update("parcels", parcel_id, {"paper": paper, "fragile": fragile})
'''


def test_what_may_be_left_out_is_given_where_it_is_asked_for() -> None:
    goal = {"require": ["get('parcels', 'P3').paper == 'striped' && get('parcels', 'P3').fragile"]}
    found = parcels(OPTIONAL, "I am Bob. Wrap parcel P3 in striped paper; it is fragile.", goal)
    assert last_call(found) == {"parcel_id": "P3", "paper": "striped", "fragile": True}


DATES = '''
def deliver(parcel_id: str, day: str, at: str) -> dict:
    """Have a parcel delivered.

    Args:
        parcel_id: the parcel.
        day: YYYY-MM-DD.
        at: HH:MM.
    """
    return db.update("parcels", parcel_id, {"day": day, "at": at})
'''


@pytest.mark.parametrize(
    ("said", "day", "at"),
    [
        ("on Friday 27 March at 3 pm", "2026-03-27", "15:00"),
        ("tomorrow at 10:30", "2026-03-19", "10:30"),
        ("in two weeks at noon", "2026-04-01", "12:00"),
        ("on April 3rd at 9:15", "2026-04-03", "09:15"),
        ("next Monday at 8 am", "2026-03-30", "08:00"),
    ],
)
def test_days_and_times_are_read_as_people_write_them(said: str, day: str, at: str) -> None:
    goal = {
        "require": [f"get('parcels', 'P1').day == '{day}' && get('parcels', 'P1').at == '{at}'"]
    }
    found = parcels(DATES, f"I am Ann. Deliver parcel P1 {said}.", goal)
    assert last_call(found) == {"parcel_id": "P1", "day": day, "at": at}


@pytest.mark.parametrize(
    ("asked", "equals", "kind"),
    [
        ("How many parcels are mine?", "count('parcels', {'owner': 'Ann'})", "integer"),
        ("What are my parcels worth?", "2050.75", "number"),
        ("What is the least that one of my parcels is worth?", "800.25", "number"),
        ("By how much do the prices of my parcels differ?", "450.25", "number"),
        ("What is in my parcels?", "['rug', 'lamp']", "list"),
    ],
)
def test_answers_are_computed_from_results(asked: str, equals: str, kind: str) -> None:
    goal = {"changes": [], "answer": {"wanted": answer(equals, kind)}}
    episode = won(parcels("", f"I am Ann. {asked}", goal))
    assert [step.args for step in episode.steps if step.kind == "call"] == [{"owner": "Ann"}]


REASON = '''
def drop(parcel_id: str, reason: str) -> dict:
    """Give a parcel up."""
    return db.update("parcels", parcel_id, {"dropped": reason})
'''


def test_the_user_is_asked_for_what_only_they_know() -> None:
    goal = {"require": ["get('parcels', 'P2').dropped == 'moths'"]}
    found = parcels(REASON, "Drop parcel P2.", goal, knows={"reason": "moths"})
    calls = [step for step in won(found).steps if step.kind == "call"]
    assert ("ask_user", {"about": "reason"}) in [(step.tool, step.args) for step in calls]


REFUSING = '''
def drop(parcel_id: str, reason: str) -> dict:
    """Give a parcel up."""
    if reason != "storm":
        raise ValueError("Only an act of nature is a reason.")
    return db.update("parcels", parcel_id, {"dropped": reason})
'''


def test_what_is_said_makes_the_user_go_on() -> None:
    goal = {"require": ["get('parcels', 'P2').dropped == 'storm'"]}
    script = [{"when": "said_like('act of nature')", "says": "Then say that it was a 'storm'."}]
    found = parcels(REFUSING, "Drop parcel P2.", goal, script=script)
    assert [step.kind for step in won(found).steps if step.kind in ("say", "hear")] == [
        "say",
        "hear",
    ]


def test_facts_to_be_told_are_told() -> None:
    goal = {"changes": [], "mentions": ["lamp", "rug"]}
    episode = won(parcels("", "I am Ann. What is in my parcels?", goal))
    assert {"lamp", "rug"} <= set(episode.steps[-1].text.split(". "))


def test_the_same_world_gives_the_same_proof() -> None:
    assert proof(World(bundle(intent=NO_PLAN))) == proof(World(bundle(intent=NO_PLAN)))


def test_another_process_gives_the_same_proof() -> None:
    code = (
        "from tests.agents.test_search import NO_PLAN, proof, won\n"
        "from tests.worlds.shop import bundle\nfrom worlds.world import World\n"
        "print(won(proof(World(bundle(intent=NO_PLAN)))).model_dump_json(), end='')"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == won(proof(World(bundle(intent=NO_PLAN)))).model_dump_json()


@pytest.mark.parametrize("calls", [1, 7, 20])
def test_it_makes_no_more_calls_than_it_may(calls: int) -> None:
    goal = {"require": ["get('orders', order.order_id).total == 999.0"], "changes": None}
    found = proof(World(bundle(intent={**NO_PLAN, "goal": goal})), calls=calls)
    assert (found.episode, found.calls, found.exhausted) == (None, calls, False)


def test_a_search_that_ran_out_of_time_says_so_and_concludes_nothing() -> None:
    goal = {"require": ["get('orders', order.order_id).total == 999.0"], "changes": None}
    found = proof(World(bundle(intent={**NO_PLAN, "goal": goal})), seconds=0)
    assert found.episode is None
    assert found.why.startswith("the search was stopped after 0 s")


def test_a_server_whose_state_cannot_be_put_back_is_not_searched_in() -> None:
    outside.install(shop=outside.settings(outside.BLIND))
    try:
        found = proof(World(outside.bundle(intent=NO_PLAN)))
    finally:
        Servers.install(None)
    assert (found.episode, found.calls) == (None, 0)
    assert found.why == "the state of shop cannot be put back"


def test_it_finds_the_way_through_a_server_from_outside() -> None:
    outside.install(shop=outside.settings(outside.TOOLS))
    try:
        episode = won(proof(World(outside.bundle(intent=NO_PLAN))))
    finally:
        Servers.install(None)
    assert episode.diff == won(proof(World(shop.bundle(intent=NO_PLAN)))).diff
