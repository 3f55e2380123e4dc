"""Suspects weighed: by what findings say, and by who takes part where it fails and where it does not."""

from __future__ import annotations

import math
from typing import get_args

from hypothesis import assume, given

from tests.triage.observing import CLAUSE, misses, observation, rounds, sign, tool
from triage.observations import Location, Observation, Weighed
from triage.pointers import unproven
from triage.weighing import FITTED, Features, Group, Part, Spectrum, probabilities, weighed
from worlds.body import Kind


def grouped(made: list[Observation]) -> Group:
    """All that fails, as if it had one cause."""
    return [(each, each.signs or (unproven(each),)) for each in made if each.fails]


def by_component(found: tuple[Weighed, ...]) -> dict[tuple[str, str], Weighed]:
    return {each.location.component: each for each in found}


def test_who_takes_part_only_where_it_fails_has_the_largest_coefficient() -> None:
    write, look = tool("write"), tool("look")
    failing = [observation(n, [misses(f"intent-{n}")], [write, look]) for n in range(3)]
    sound = [observation(n, uses=[look]) for n in range(3, 9)]
    found = by_component(weighed(grouped(failing), Spectrum([*failing, *sound])))
    best = found["toolserver", "pen"]
    assert (best.location, best.spectrum) == (write, 1.0)
    assert found["records", "desk"].spectrum == 3 / math.sqrt(3 * (3 + 6))
    said = [each.text for each in best.evidence]
    assert said == [
        "`write` takes part in 3 of the 3 environments that show this, and in 0 of the 6 that are sound (Ochiai 1.00)."
    ]
    assert best.evidence[0].cites == {"environment": 0}


def test_a_clause_that_sound_environments_satisfy_is_less_suspected_than_the_plan() -> None:
    breaks = sign(
        "plan-breaks-rule", "intent", "a", "x", evidence={"clause": "policy/pending-only"}
    )
    failing = observation(1, [breaks], [CLAUSE, tool("write")], intent="a", rules=["policy"])
    sound = [observation(n, uses=[CLAUSE, tool("write")], rules=["policy"]) for n in range(2, 62)]
    alone = by_component(weighed(grouped([failing]), Spectrum([failing])))
    found = by_component(weighed(grouped([failing]), Spectrum([failing, *sound])))
    assert alone["rule", "policy"].score > alone["intent", "a"].score
    assert found["rule", "policy"].score < found["intent", "a"].score
    assert found["intent", "a"].score == max(each.score for each in found.values())


def test_an_intent_that_passes_with_another_server_is_all_but_cleared() -> None:
    failing = observation(1, [misses("a")], [tool("write")], intent="a")
    elsewhere = observation(2, uses=[tool("write", "quill")], intent="a", server="quill")
    alone = by_component(weighed(grouped([failing]), Spectrum([failing])))
    found = by_component(weighed(grouped([failing]), Spectrum([failing, elsewhere])))
    assert found["intent", "a"].score < alone["intent", "a"].score / 2
    assert found["toolserver", "pen"].score == max(each.score for each in found.values())


def test_odd_calls_are_told_with_an_environment_to_look_at() -> None:
    why = "answers success and saves nothing"
    failing = [
        observation(
            n,
            [misses(f"intent-{n}")],
            [tool("write")],
            tools={"write": "pen"},
            odd={"write": why},
        )
        for n in (1, 2)
    ]
    best = weighed(grouped(failing), Spectrum(failing))[0]
    assert best.location == tool("write")
    assert best.evidence[0].text == f"`write` {why}, in 2 of the 2 environments that show this."
    assert best.evidence[0].cites == {"environment": 1}


def test_a_goal_that_is_met_in_another_way_is_told_of_the_intent() -> None:
    failing = observation(1, [misses("a")], intent="a", is_solved_otherwise=True)
    found = by_component(weighed(grouped([failing]), Spectrum([failing])))
    told = {
        component: [each.text for each in one.evidence if each.text.startswith("Another way")]
        for component, one in found.items()
    }
    assert [component for component, texts in told.items() if texts] == [("intent", "a")]


def test_findings_that_blame_a_suspect_are_counted_and_the_first_is_cited() -> None:
    crash = [sign("tool-crash", "toolserver", "pen", "write", finding=n) for n in (7, 8)]
    failing = [observation(n, [crash[n]], [tool("write"), tool("look")]) for n in (0, 1)]
    best = weighed(grouped(failing), Spectrum(failing))[0]
    assert (best.location, best.direct) == (tool("write"), 1.0)  # of equals, the one that is named
    assert best.evidence[0].text == "2 findings of tool-crash blame it: tool-crash at write."
    assert best.evidence[0].cites == {"finding": 7}
    alone = weighed(grouped(failing[:1]), Spectrum(failing[:1]))[0]
    assert alone.evidence[0].text.startswith("A finding of tool-crash blames it:")


def test_what_takes_no_part_may_be_suspected_and_has_no_coefficient() -> None:
    mine = sign("tool-crash", "toolserver", "gone", "write")
    gone = by_component(weighed(grouped([observation(1, [mine])]), Spectrum([])))
    assert gone["toolserver", "gone"].location == Location("toolserver", "gone", "write")
    mine = sign("of-tomorrow", "intent", "other", "goal")
    (found,) = weighed(grouped([observation(1, [mine])]), Spectrum([]))
    assert (found.location, found.spectrum) == (Location("intent", "other"), 0.0)


def test_every_kind_has_its_weights() -> None:
    kinds = set(get_args(Kind))
    assert FITTED.kind.keys() == FITTED.sound.keys() == kinds


def test_however_much_speaks_for_suspects_probabilities_are_numbers() -> None:
    def of(pointed: float, ochiai: float, sound: int) -> Features:
        part = Part(Location("records", "desk"), 1, sound, ochiai)
        return Features(("records", "desk"), pointed, 1.0, 1.0, part)

    found = probabilities([of(1.0, 1.0, 0), of(0.0, 0.0, 10**9), of(1.0, 1.0, 0)])
    assert found[0] == found[2]
    assert math.isclose(sum(found), 1.0)
    assert not probabilities([])


@given(rounds())
def test_probabilities_lie_between_nought_and_one_and_sum_to_one(made: list[Observation]) -> None:
    group = grouped(made)
    found = weighed(group, Spectrum(made))
    assert all(0 <= each.score <= 1 and 0 <= each.spectrum <= 1 + 1e-9 for each in found)
    assert all(0 <= each.direct <= 1 for each in found)
    assert sum(each.score for each in found) <= 1 + 1e-9
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    evidence = [each for one in found for each in one.evidence]
    assert all(each.cites.keys() <= {"finding", "environment"} for each in evidence)


@given(rounds(), rounds())
def test_one_more_sound_environment_never_raises_the_coefficient_of_whom_it_uses(
    made: list[Observation], others: list[Observation]
) -> None:
    sound = [each for each in others if not each.fails]
    assume(sound)
    group = grouped(made)
    before = by_component(weighed(group, Spectrum(made)))
    after = by_component(weighed(group, Spectrum([*made, sound[0]])))
    assert before.keys() == after.keys()
    assert all(after[name].spectrum <= before[name].spectrum + 1e-9 for name in before)
    untouched = before.keys() - set(sound[0].parts)
    assert all(after[name].spectrum == before[name].spectrum for name in untouched)
