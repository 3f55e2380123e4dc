"""Suspects swapped alone, and what that says of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.bundles import manifests
from components.models import Component, Environment
from tests.triage.shop import Shop
from tests.triage.test_counterexamples import checked
from tests.triage.trying import FORGETS, WRITES, intent_of
from triage.counterfactuals import Failing, Swap, states, swaps
from triage.hypotheses import Hypothesis, Shown
from triage.models import Result, Round
from triage.models.attribution import SuspectState
from triage.standins import Sort, Sources, Standin

LEAST = 0.05
PEN = Component(pk=1, kind="toolserver", slug="pen")
DESK = Component(pk=2, kind="records", slug="desk")
INTENT = Component(pk=3, kind="intent", slug="a")
RULE = Component(pk=4, kind="rule", slug="policy")

SHOWN = Shown(cast("Hypothesis", None), Result(key="f" * 64))


def swap(
    component: Component, sort: Sort, cured: int = 0, same: int = 0, of: int = 2, **more: Any
) -> Swap:
    standin = Standin(sort, f"{component.slug} otherwise", {}, component.slug, {})
    return Swap(component, standin, more.pop("is_alone", True), [SHOWN] * of, cured, same, **more)


def cures(component: Component, sort: Sort = "parent", **more: Any) -> Swap:
    return swap(component, sort, cured=2, **more)


def in_vain(component: Component, sort: Sort = "parent") -> Swap:
    return swap(component, sort, same=2)


def judged(*tried: Swap, rivals: Sequence[Component] = ()) -> dict[str, str]:
    """Slug → state, of all suspects that were swapped and of rivals that were not."""
    by_component: dict[Component, list[Swap]] = {each: [] for each in rivals}
    for one in tried:
        by_component.setdefault(one.component, []).append(one)
    found = states(dict.fromkeys(by_component, 0.3), by_component, LEAST)
    return {each.slug: state.value for each, state in found.items()}


def test_an_earlier_version_with_which_all_passes_confirms_whatever_was_not_tried() -> None:
    assert judged(cures(PEN), rivals=[DESK]) == {"pen": "confirmed", "desk": "untestable"}


def test_where_two_swaps_do_it_neither_is_confirmed() -> None:
    assert judged(cures(PEN), cures(DESK)) == {"pen": "consistent", "desk": "consistent"}


def test_a_sibling_confirms_only_beside_rivals_that_are_cleared() -> None:
    mended = cures(PEN, "sibling")
    assert judged(mended, in_vain(DESK)) == {"pen": "confirmed", "desk": "cleared"}
    assert judged(mended, rivals=[DESK])["pen"] == "consistent"
    assert judged(cures(PEN, "sibling", is_alone=False), in_vain(DESK))["pen"] == "consistent"
    unlikely = states({PEN: 0.9, DESK: LEAST / 2}, {PEN: [mended]}, LEAST)
    assert unlikely[PEN] == SuspectState.CONFIRMED


def test_a_minimal_edit_confirms_records_and_not_the_plan() -> None:
    assert judged(cures(DESK, "minimal-edit"), rivals=[PEN])["desk"] == "confirmed"
    assert judged(cures(INTENT, "minimal-edit"), rivals=[PEN])["a"] == "consistent"


def test_a_neutral_stand_in_clears_and_never_confirms() -> None:
    assert judged(in_vain(RULE, "neutral")) == {"policy": "cleared"}
    assert judged(cures(RULE, "neutral")) == {"policy": "untestable"}


def test_a_neutral_goal_clears_no_intent() -> None:
    assert judged(in_vain(INTENT, "neutral")) == {"a": "untestable"}
    assert judged(in_vain(INTENT), in_vain(INTENT, "neutral")) == {"a": "cleared"}


def test_some_that_pass_are_consistent_and_no_more() -> None:
    assert judged(swap(PEN, "parent", cured=1, same=1)) == {"pen": "consistent"}
    assert judged(in_vain(PEN), swap(PEN, "sibling", cured=1, same=1)) == {"pen": "consistent"}


def test_what_passes_because_less_is_asked_confirms_nothing() -> None:
    weaker = cures(RULE, weakens=True)
    assert judged(weaker) == {"policy": "consistent"}
    assert weaker.evidence().text == (
        "With policy otherwise, 2 of 2 failing environments pass, and wrong episodes are accepted that were not."
    )


def test_what_could_not_be_checked_says_nothing() -> None:
    nothing = swap(PEN, "parent", of=0)
    assert judged(nothing) == {"pen": "untestable"}
    assert (nothing.is_fix, nothing.is_in_vain) == (False, False)
    said = nothing.evidence()
    assert said.text == "With pen otherwise, no failing environment could be checked."
    assert not said.cites


def test_evidence_is_a_sentence_with_a_result_to_open() -> None:
    texts = [
        each.evidence().text
        for each in (
            cures(PEN, is_alone=False),
            in_vain(PEN),
            swap(PEN, "parent"),
        )
    ]
    assert texts == [
        "With pen otherwise, 2 of 2 failing environments pass, by another plan.",
        "With pen otherwise, all of the 2 failing environments fail as before.",
        "With pen otherwise, 0 of 2 failing environments pass; some fail otherwise.",
    ]
    assert cures(PEN).evidence().cites == {"result": "f" * 64}


SWAPS = st.builds(
    lambda component, sort, cured, same, is_alone, weakens: swap(
        component, sort, cured, min(same, 2 - cured), is_alone=is_alone, weakens=weakens
    ),
    st.sampled_from([PEN, DESK, INTENT, RULE]),
    st.sampled_from(["parent", "sibling", "other-records", "minimal-edit", "neutral"]),
    st.integers(0, 2),
    st.integers(0, 2),
    st.booleans(),
    st.booleans(),
)


@given(st.lists(SWAPS, max_size=8), st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_whatever_the_swaps_one_at_most_is_confirmed_and_by_what_is_sound(
    tried: list[Swap], scores: list[float]
) -> None:
    suspects = dict(zip([PEN, DESK, INTENT, RULE], scores, strict=True))
    by_component: Mapping[Component, list[Swap]] = {
        each: [one for one in tried if one.component == each] for each in suspects
    }
    found = states(suspects, by_component, LEAST)
    assert found.keys() == suspects.keys()
    confirmed = [each for each, state in found.items() if state == SuspectState.CONFIRMED]
    assert len(confirmed) <= 1
    fixing = {one.component for one in tried if one.is_fix}
    if confirmed:
        assert fixing == set(confirmed)
    for each, state in found.items():
        mine = by_component[each]
        if state == SuspectState.CLEARED:
            assert mine
            assert not any(one.cured for one in mine)
        if all(one.standin.is_neutral for one in mine):
            assert state in (SuspectState.CLEARED, SuspectState.UNTESTABLE)


# With the real sandbox


@pytest.fixture
def forgetful(shop: Shop) -> Shop:
    """Environments that were sound with the pen's first version, and are not with its second."""
    for slug in "ab":
        shop.sound(slug)
    checked()
    shop.component("pen", FORGETS)
    checked()
    return shop


def failing(shop: Shop) -> list[Failing]:
    made = manifests(Environment.objects.all())
    rows = Environment.objects.filter(domain=shop.domain).select_related("domain").order_by("slug")
    found = []
    for row in rows:
        result = row.checks.order_by("-pk")[0].result
        assert result is not None
        found.append(Failing(Hypothesis(row, made[row.pk]), result))
    return found


def tried(shop: Shop, component: Component, **sources: bool) -> list[Swap]:
    mine = failing(shop)
    codes = {code for each in mine for code in each.result.findings.values_list("code", flat=True)}
    asker = Round.objects.create(recipe="x")
    return list(swaps(component, mine, codes, Sources(**sources), asker))


def test_with_its_earlier_version_all_pass_again(forgetful: Shop) -> None:
    (mended,) = tried(forgetful, forgetful.server)
    assert (mended.standin.sort, mended.cured, mended.same) == ("parent", 2, 0)
    assert mended.is_decisive
    said = mended.evidence()
    assert said.text.startswith("With pen v1, with which 2 environments were solvable in round ")
    assert said.text.endswith(", 2 of 2 failing environments pass.")
    assert Result.objects.get(pk=said.cites["result"]).status == "solvable"


def test_no_check_is_run_twice(forgetful: Shop) -> None:
    tried(forgetful, forgetful.server)
    stored = set(Result.objects.values_list("pk", flat=True))
    (again,) = tried(forgetful, forgetful.server)
    assert again.cured == 2
    assert set(Result.objects.values_list("pk", flat=True)) == stored


def test_without_earlier_versions_nothing_stands_in_for_the_pen(forgetful: Shop) -> None:
    assert tried(forgetful, forgetful.server, parents=False) == []


def test_another_goal_is_met_by_nothing_where_nothing_is_written(forgetful: Shop) -> None:
    made = forgetful.domain.environments.get(slug="a")
    component, _ = intent_of(made)
    assert all(not each.is_fix for each in tried(forgetful, component))


def test_an_intent_that_asks_for_something_else_is_cured_by_what_it_asked_before(
    shop: Shop,
) -> None:
    made = shop.sound("a")
    checked()
    goal = {"require": ["get('notes', 'N1').text == 'other'"], "changes": ["notes/N1#text"]}
    component, said = intent_of(made, goal=goal)
    shop.component(component.slug, said)
    checked()
    first, *others = tried(shop, component)
    assert (first.standin.sort, first.is_fix, first.weakens) == ("parent", True, False)
    assert all(not each.is_fix for each in others)  # neutral ones
    assert judged_of(component, [first, *others]) == SuspectState.CONFIRMED


def test_a_goal_that_asked_nothing_before_is_no_cure(shop: Shop) -> None:
    made = shop.sound("a")
    strict, said = intent_of(made)
    _, lax = intent_of(made, goal={"require": ["get('notes', 'N1').id == 'N1'"]})
    shop.component(strict.slug, lax)
    checked()
    shop.component("pen", FORGETS)
    shop.component(strict.slug, said)
    checked()
    assert all(not each.is_fix for each in tried(shop, strict))


def judged_of(component: Component, tried: list[Swap]) -> SuspectState:
    return states({component: 0.9}, {component: tried}, LEAST)[component]


def test_a_pen_that_was_always_so_has_no_stand_in(shop: Shop) -> None:
    shop.component("pen", WRITES)
    shop.refused("a")
    checked()
    assert tried(shop, shop.server) == []
