"""What moved between two rounds of the small shop, and what moved it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.contrib.auth.models import Group, User

from components.models import Component, Environment, Part, Pin
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_rounds import finish
from triage.labelling import label
from triage.models import Change, Check, Finding, Proposal, Round
from triage.models.proposal import ProposalState
from triage.moves import Moves, moves, previous
from triage.rounds import create_round
from triage.scope import Scope
from worlds.intent import Intent
from worlds.toolserver_body import ToolServerBody

Queries = Callable[[int], AbstractContextManager[None]]
FORGETS = SOURCE.replace(
    'return db.update("notes", note_id, {"text": text})', 'return {"id": note_id, "text": text}'
)
"""A pen that forgets to save."""


def checked() -> Round:
    """A round over everything."""
    return finish(create_round(None, queue=False))


def forgetful(shop: Shop) -> Component:
    """The pen, forgetting to save."""
    return shop.component("pen", ToolServerBody(source=FORGETS))


def approved(shop: Shop, component: Component, source: str) -> Proposal:
    """A proposal, as its approval leaves it: with a version of the component that it made."""
    base = component.current
    assert base is not None
    proposal = Proposal.objects.create(
        domain=shop.domain, title="Save what is written", state=ProposalState.APPROVED
    )
    made = shop.component(component.slug, ToolServerBody(source=source)).current
    assert made is not None
    Change.objects.create(
        proposal=proposal, component=component, base=base, body=made.body, version=made
    )
    return proposal


def told(found: Moves) -> list[tuple[str, int, int, int]]:
    """Each group: what moved it, how many were fixed and broken, and how many neither."""
    return [(one.key, one.fixed, one.broken, one.other) for one in found.groups]


def dismissed(by: User, slug: str) -> None:
    """Every blocking finding of an environment's newest check, labelled wrong."""
    check = Check.objects.filter(environment__slug=slug).order_by("-pk")[0]
    for one in Finding.objects.filter(result=check.result, severity="blocking"):
        label(by, one, is_right=False, reason="as it should be")


def test_nothing_moves_where_nothing_changed(shop: Shop) -> None:
    shop.sound("a")
    shop.refused("b")
    found = moves(checked(), checked(), None)
    assert found.groups == ()
    assert found.table == {("solvable", "solvable"): 1, ("broken", "broken"): 1}


def test_an_approval_moves_what_uses_the_component(shop: Shop) -> None:
    for slug in ("a", "b"):
        shop.sound(slug)
    shop.refused("c")
    pen = forgetful(shop)
    before = checked()
    proposal = approved(shop, pen, SOURCE)
    found = moves(before, checked(), None)
    (group,) = found.groups
    assert told(found) == [(f"proposal-{proposal.pk}", 2, 0, 0)]
    assert group.text == f"proposal {proposal.pk} (pen v3)"
    assert [(one.environment.slug, one.before, one.after) for one in group.moves] == [
        ("a", "broken", "solvable"),
        ("b", "broken", "solvable"),
    ]
    assert found.table[("broken", "solvable")] == 2


def test_a_load_moves_too_and_backwards_it_is_the_same_version(shop: Shop) -> None:
    shop.sound("a")
    before = checked()
    version = forgetful(shop).current
    assert version is not None
    after = checked()
    assert told(moves(before, after, None)) == [(f"version-{version.pk}", 0, 1, 0)]
    assert moves(before, after, None).groups[0].text == "pen v2"
    assert told(moves(after, before, None)) == [(f"version-{version.pk}", 1, 0, 0)]


def test_all_versions_between_are_causes_together(shop: Shop) -> None:
    shop.sound("a")
    before = checked()
    pen = forgetful(shop)
    first = pen.current
    proposal = approved(shop, pen, FORGETS + "\n# Nobody saves here.\n")
    assert first is not None
    found = moves(before, checked(), None)
    assert told(found) == [(f"proposal-{proposal.pk}+version-{first.pk}", 0, 1, 0)]
    assert found.groups[0].text == f"proposal {proposal.pk} (pen v3) and pen v2"


def test_a_version_that_was_restored_is_the_newest_of_its_body(shop: Shop) -> None:
    shop.sound("a")
    checked()
    forgetful(shop)
    broken = checked()
    restored = shop.component("pen", ToolServerBody(source=SOURCE)).current
    assert restored is not None
    assert told(moves(broken, checked(), None)) == [(f"version-{restored.pk}", 1, 0, 0)]


def test_a_dismissal_moves_although_both_rounds_count_it_now(shop: Shop, reviewer: User) -> None:
    shop.vacuous("a")
    shop.sound("b")
    before = checked()
    dismissed(reviewer, "a")
    found = moves(before, checked(), None)
    assert told(found) == [("labels", 1, 0, 0)]
    assert found.table == {("broken", "solvable"): 1, ("solvable", "solvable"): 1}


def test_a_dismissal_of_before_the_earlier_round_moves_nothing(shop: Shop, reviewer: User) -> None:
    shop.vacuous("a")
    checked()
    dismissed(reviewer, "a")
    assert told(moves(checked(), checked(), None)) == []


def test_a_dismissal_that_is_taken_back_moves_the_other_way(
    shop: Shop, reviewer: User, curator: User
) -> None:
    shop.vacuous("a")
    checked()
    dismissed(reviewer, "a")
    before = checked()
    for one in Finding.objects.filter(severity="blocking"):
        label(curator, one, is_right=True)
    assert told(moves(before, checked(), None)) == [("labels", 0, 1, 0)]


def test_what_a_dismissal_and_an_approval_moved_is_one_group(shop: Shop, reviewer: User) -> None:
    shop.vacuous("a")
    shop.sound("b")
    pen = forgetful(shop)
    before = checked()
    dismissed(reviewer, "a")
    proposal = approved(shop, pen, SOURCE)
    found = moves(before, checked(), None)
    by_key = {group.key: [one.environment.slug for one in group.moves] for group in found.groups}
    assert by_key == {
        f"proposal-{proposal.pk}": ["b"],
        f"labels+proposal-{proposal.pk}": ["a"],
    }


def missed(shop: Shop, slug: str) -> None:
    """The intent of `shop.sound(slug)` asks for what its plan does not do."""
    row = Component.objects.get(slug=slug).current
    assert row is not None
    body = row.body.content
    body["goal"]["require"] = ["get('notes', 'N1').text == 'else'"]
    shop.component(slug, Intent.parse(body))


def test_trouble_of_ours_says_nothing_of_an_environment(shop: Shop) -> None:
    shop.sound("a")
    before = checked()
    Check.objects.filter(round=before).update(state="error")
    assert told(moves(before, checked(), None)) == [("error", 0, 0, 1)]


def test_a_pin_other_parts_and_a_seed_are_told_apart(shop: Shop) -> None:
    made = [shop.sound(slug) for slug in ("alpha", "beta", "gamma")]
    before = checked()
    pin = Pin.objects.create(environment=made[0], reason="test")
    Environment.objects.filter(pk=made[0].pk).update(pin=pin)
    second = shop.component("second", ToolServerBody(source="def nap() -> None:\n    pass\n"))
    Part.objects.create(environment=made[1], component=second, position=1)
    Environment.objects.filter(pk=made[2].pk).update(seed=7)
    for one in made:
        missed(shop, one.slug)
    found = moves(before, checked(), None)
    keys = {one.environment.slug: one.key.split("-")[0] for one in found.moves}
    assert keys == {"alpha": "pin+version", "beta": "parts+version", "gamma": "parts+version"}


def test_another_panel_is_another_recipe(shop: Shop) -> None:
    shop.vacuous("a")
    before = finish(create_round(None, panel=["reference"], queue=False))
    assert told(moves(before, checked(), None)) == [("recipe", 0, 1, 0)]


def test_what_only_one_of_the_rounds_holds_is_neither_fixed_nor_broken(shop: Shop) -> None:
    shop.sound("a")
    before = checked()
    shop.refused("b")
    after = checked()
    assert told(moves(before, after, None)) == [("new", 0, 0, 1)]
    assert told(moves(after, before, None)) == [("removed", 0, 0, 1)]


def test_a_reader_is_told_of_the_domains_that_may_be_read(shop: Shop, viewer: User) -> None:
    shop.sound("a")
    hidden = Shop("hidden")
    hidden.sound("b")
    hidden.domain.readers.add(Group.objects.create(name="insiders"))
    before = checked()
    forgetful(shop)
    forgetful(hidden)
    after = checked()
    assert len(moves(before, after, None).moves) == 2
    assert [one.environment.slug for one in moves(before, after, viewer).moves] == ["a"]


def test_the_round_before_is_one_over_the_same_domains_that_went_to_its_end(
    shop: Shop, viewer: User
) -> None:
    shop.sound("a")
    first = checked()
    other = Shop("other")
    other.sound("b")
    both = checked()
    going, cancelled, last = (create_round(None, Scope(["notes"]), queue=False) for _ in range(3))
    Round.objects.filter(pk=going.pk).update(finished=None)
    Round.objects.filter(pk=cancelled.pk).update(cancelled=cancelled.finished)
    assert previous(last, viewer) == first
    assert previous(first, viewer) is None
    assert previous(both, viewer) is None


@pytest.mark.parametrize("size", [1, 6])
def test_as_many_queries_whatever_moved(
    shop: Shop, size: int, reviewer: User, django_assert_num_queries: Queries
) -> None:
    for number in range(size):
        shop.sound(f"a{number}")
        shop.vacuous(f"b{number}")
    pen = forgetful(shop)
    before = checked()
    for number in range(size):
        dismissed(reviewer, f"b{number}")
    approved(shop, pen, SOURCE)
    after = checked()
    with django_assert_num_queries(13):
        found = moves(before, after, None)
    assert len(found.moves) >= size
