"""Which signs have one cause."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.triage.observing import CLAUSE, ROWS, misses, observation, rounds, sign, tool
from triage.causes import causes
from triage.observations import Location, Observation


def test_nothing_that_fails_has_no_cause() -> None:
    assert causes([]) == []
    assert causes([observation(1), observation(2)]) == []


def test_a_shared_function_is_found_though_each_finding_blames_an_intent_of_its_own() -> None:
    failing = [observation(n, [misses(f"intent-{n}")], [tool("write")]) for n in range(6)]
    sound = [observation(n, uses=[tool("look")]) for n in range(6, 12)]
    (found,) = causes([*failing, *sound])
    assert found.signs.keys() == {each.check for each in failing}
    assert found.suspects[0].location == tool("write")
    assert found.suspects[0].score > 0.5


def test_two_faults_at_once_are_told_apart() -> None:
    crash = {name: sign("tool-crash", "toolserver", "pen", name) for name in ("write", "look")}
    writes = [observation(n, [crash["write"]], [tool("write")]) for n in range(4)]
    looks = [observation(n, [crash["look"]], [tool("look")]) for n in range(4, 7)]
    sound = [observation(n) for n in range(7, 15)]
    one, other = causes([*writes, *looks, *sound])
    assert [one.suspects[0].location, other.suspects[0].location] == [tool("write"), tool("look")]
    assert (len(one.signs), len(other.signs)) == (4, 3)


def test_an_environment_with_two_faults_shows_each_by_its_own_signs() -> None:
    crash = sign("tool-crash", "toolserver", "pen", "write")
    row = sign("row-invalid", "records", "desk", "notes.text")
    both = observation(6, [crash, row], [tool("write"), ROWS[0]])
    one, other = causes(
        [
            *(observation(n, [crash], [tool("write")]) for n in range(4)),
            *(observation(n, [row], [ROWS[0]], server="quill") for n in (4, 5)),
            both,
            *(observation(n) for n in range(7, 15)),
        ]
    )
    assert one.suspects[0].location.component == ("toolserver", "pen")
    assert other.suspects[0].location.component == ("records", "desk")
    assert one.signs[both.check] == (crash,)
    assert other.signs[both.check] == (row,)


def test_a_broken_row_and_a_broken_clause_are_two_causes() -> None:
    row = sign("slot-rebound", "intent", "x", "slots.note")
    clause = sign("clause-uncovered", "rule", "policy", "pending-only")
    failing = [
        *(observation(n, [row], [ROWS[0]]) for n in range(3)),
        *(observation(n, [clause], [CLAUSE], rules=["policy"]) for n in range(3, 5)),
    ]
    found = {each.suspects[0].location: each.signs.keys() for each in causes(failing)}
    assert found == {ROWS[0]: {1000, 1001, 1002}, CLAUSE: {1003, 1004}}


def test_what_nobody_solved_has_a_cause_without_a_finding() -> None:
    found = causes([observation(1, status="unproven", intent="a"), observation(2)])
    (signs,) = [each.signs for each in found]
    assert [one.code for one in signs[1001]] == ["goal-unreachable"]
    assert ("intent", "a") in {each.location.component for each in found[0].suspects[:2]}


def test_what_blames_no_component_is_a_cause_without_suspects() -> None:
    ours = sign("state-leak", "", "", "sandbox")
    (found,) = causes([observation(n, [ours]) for n in (1, 2)])
    assert set(found.signs) == {1001, 1002}
    assert not found.suspects


def test_the_cause_that_shows_most_often_is_first() -> None:
    crash = sign("tool-crash", "toolserver", "pen", "look")
    made = [
        observation(1, [crash], [tool("look")]),
        *(observation(n, [misses("a")], intent="a", server="quill") for n in (2, 3)),
    ]
    assert [len(each.signs) for each in causes(made)] == [2, 1]


@given(rounds(), st.data())
def test_the_order_of_observations_does_not_matter(
    made: list[Observation], data: st.DataObject
) -> None:
    assert causes(data.draw(st.permutations(made))) == causes(made)


@given(rounds())
def test_every_sign_is_explained_exactly_once(made: list[Observation]) -> None:
    explained: Counter[tuple[int, int]] = Counter()
    for each in causes(made):
        explained.update(
            (check, one.finding) for check, signs in each.signs.items() for one in signs
        )
    there = {(each.check, one.finding) for each in made for one in each.signs}
    there |= {(each.check, 0) for each in made if each.fails and not each.signs}
    assert explained == dict.fromkeys(there, 1)


@given(rounds())
def test_suspects_are_parts_of_what_they_may_have_broken_or_are_named_there(
    made: list[Observation],
) -> None:
    for each in causes(made):
        mine = [one for one in made if one.check in each.signs]
        parts = {part for one in mine for part in one.parts}
        named = {sign.blamed.component for signs in each.signs.values() for sign in signs}
        cited = {("rule", "policy"), ("rule", "other")}
        assert {one.location.component for one in each.suspects} <= parts | named | cited
        assert sum(one.score for one in each.suspects) <= 1 + 1e-9


def test_a_location_without_a_symbol_is_the_component_as_a_whole() -> None:
    each = observation(1, uses=[tool("write")])
    assert Location("toolserver", "pen") in each.locations
    assert tool("write") in each.locations
