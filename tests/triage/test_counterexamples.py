"""Counterexamples: made, judged again with every new bundle, retired; what blocks and what does not."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from pytest_django.fixtures import DjangoAssertNumQueries

from components.models import AuditEntry, Environment
from tests.triage.shop import SOURCE, Shop
from triage import counterexamples
from triage.counterexamples import CounterexampleInvalid, make, retire
from triage.models import Check, Counterexample, Episode, Judgement, Round
from triage.models.counterexample import blocks_check
from triage.rounds import create_round
from triage.standing import latest_checks
from triage.work import work_off
from worlds import check as checking
from worlds import counterexample as said
from worlds.intent import Intent
from worlds.toolserver_body import ToolServerBody


def checked() -> Round:
    """A round over everything, worked off."""
    made = create_round(None, queue=False)
    list(work_off(list(made.checks.order_by("pk").values_list("pk", flat=True)), "here"))
    return made


def attempt(agent: str = "reference", environment: Environment | None = None) -> Episode:
    """The newest episode of an agent."""
    episodes = Episode.objects.filter(agent__name=agent)
    if environment is not None:
        episodes = episodes.filter(results__checks__environment=environment)
    return episodes.order_by("-created", "-attempt")[0]


def state(row: Counterexample) -> str:
    found = counterexamples.with_state(Counterexample.objects.filter(pk=row.pk)).get()
    return str(found.state)


def blocking() -> list[Counterexample]:
    """Those that make an environment broken as it is now."""
    checks = list(latest_checks(Environment.objects.all()).values_list("pk", flat=True))
    return [one for found in counterexamples.doubts(checks).values() for one in found]


def says(shop: Shop, slug: str, require: list[str]) -> None:
    """Let the intent of an environment ask for something else, by the same plan."""
    goal = {"require": require, "changes": ["notes/N1#text"]}
    shop.component(
        slug, Intent.parse({"instruction": "x", "goal": goal, "plans": {"default": plan(slug)}})
    )


def plan(slug: str) -> list[dict[str, Any]]:
    """What `Shop.sound` does."""
    write = {"call": "write", "args": {"note_id": "N1", "text": slug}}
    return [write, {"finish": {"outcome": "done"}}]


def wide(shop: Shop) -> Environment:
    """An environment whose goal lets every note change."""
    return shop.environment("a", plan("a"), ["get('notes', 'N1').text == 'a'"], ["notes/*"])


@pytest.fixture
def sound(shop: Shop) -> Environment:
    """A solvable environment that was checked."""
    made = shop.sound("a")
    checked()
    return made


def test_a_persons_counterexample_is_open_at_once_and_blocks(
    sound: Environment, reviewer: User
) -> None:
    row = make(reviewer, attempt(), 0, "it wrote to the wrong note")
    assert (row.environment, row.component.slug, row.label) == (sound, "a", "person")
    assert row.version == row.component.current
    assert (row.code, row.severity, row.should, state(row)) == ("goal-blind", "blocking", 0, "open")
    assert blocking() == [row]
    assert Check.objects.filter(blocks_check()).exists()
    entry = AuditEntry.objects.get(action="counterexample.create")
    assert (entry.actor, entry.domain) == (reviewer, sound.domain)
    assert entry.detail["reason"] == "it wrote to the wrong note"


def test_a_failure_that_was_right_is_a_narrow_goal(sound: Environment) -> None:
    row = make(None, attempt("noop"), 1, "nothing was to be done")
    assert (row.code, state(row)) == ("goal-narrow", "open")


def test_a_known_result_is_taken_and_the_counterexample_judged_by_a_worker(
    sound: Environment,
) -> None:
    row = make(None, attempt(), 0, "wrong")
    assert Judgement.objects.get().key == ""
    made = checked()
    check = made.checks.get()
    assert (check.was_known, check.state, check.attempt) == (True, "done", 1)
    assert Judgement.objects.get().key != ""
    assert state(row) == "open"
    again = create_round(None, queue=False)
    assert again.finished is not None


def test_it_is_closed_by_a_goal_that_judges_as_it_should_and_opens_again(
    shop: Shop, sound: Environment
) -> None:
    row = make(None, attempt(), 0, "the text should be upper case")
    says(shop, "a", ["get('notes', 'N1').text == 'A'"])
    checked()
    assert state(row) == "closed"
    assert blocking() == []
    says(shop, "a", ["get('notes', 'N1').text == 'a'"])
    assert state(row) == "closed"  # as it was last asked, until the next check
    assert blocking() == []
    checked()
    assert state(row) == "open"


def test_an_earlier_bundle_restored_is_judged_as_before(shop: Shop, sound: Environment) -> None:
    row = make(None, attempt(), 0, "wrong")
    checked()
    current = row.component.current
    says(shop, "a", ["false"])
    checked()
    assert state(row) == "closed"
    type(row.component).objects.filter(pk=row.component_id).update(current=current)
    assert state(row) == "open"


def test_it_is_not_applicable_where_its_calls_end_otherwise(shop: Shop, sound: Environment) -> None:
    row = make(None, attempt(), 0, "wrong")
    refusing = SOURCE.replace("return db.update(", 'raise ValueError("no")\n    return db.update(')
    shop.component("pen", ToolServerBody(source=refusing))
    checked()
    assert state(row) == "not-applicable"


def test_nothing_replays_where_nothing_can_be_played(shop: Shop, sound: Environment) -> None:
    row = make(None, attempt(), 0, "wrong")
    shop.component("pen", ToolServerBody(source="import os\n"))
    checked()
    assert Check.objects.order_by("-pk")[0].state == "done"
    assert state(row) == "not-applicable"


def test_only_the_environment_in_which_it_was_found_judges_it(shop: Shop) -> None:
    shop.sound("a")
    shop.sound("b")
    checked()
    make(None, attempt(environment=Environment.objects.get(slug="a")), 0, "wrong")
    checked()
    assert Judgement.objects.count() == 1


def test_retired_it_blocks_nothing_and_is_judged_no_more(
    shop: Shop, sound: Environment, reviewer: User
) -> None:
    row = make(None, attempt(), 0, "wrong")
    retire(reviewer, row, "it was right after all")
    assert (state(row), row.retired_by, row.retired_because) == (
        "retired",
        reviewer,
        "it was right after all",
    )
    assert blocking() == []
    assert not Check.objects.filter(blocks_check()).exists()
    assert create_round(None, queue=False).finished is not None
    assert AuditEntry.objects.get(action="counterexample.retire").actor == reviewer
    with pytest.raises(CounterexampleInvalid, match="is retired already"):
        retire(None, row, "twice")


def test_made_again_after_it_was_retired_it_counts_again(sound: Environment) -> None:
    row = make(None, attempt(), 0, "wrong")
    with pytest.raises(CounterexampleInvalid, match=f"is kept as counterexample {row.pk} already"):
        make(None, attempt(), 0, "wrong")
    retire(None, row, "no")
    assert make(None, attempt(), 0, "yes it is").pk == row.pk
    assert state(row) == "open"
    assert Counterexample.objects.get().reason == "yes it is"


def test_what_is_no_counterexample_is_refused_in_a_sentence(sound: Environment) -> None:
    passed, failed = attempt(), attempt("noop")
    for episode, should, reason, said_so in [
        (passed, 1, "x", "has the reward 1 already"),
        (failed, 0, "x", "has the reward 0 already"),
        (passed, 0, " ", "give one"),
    ]:
        with pytest.raises(CounterexampleInvalid, match=said_so):
            make(None, episode, should, reason)
    failed.document |= {"ended": "cut", "cut": "too long"}
    with pytest.raises(CounterexampleInvalid, match="cut off before it finished"):
        make(None, failed, 1, "x")
    passed.document |= {"verdict": None}
    with pytest.raises(CounterexampleInvalid, match="was not scored"):
        make(None, passed, 0, "x")
    with pytest.raises(CounterexampleInvalid, match="give a reason"):
        retire(None, make(None, attempt("refuser"), 1, "x"), "")


def test_viewers_neither_make_nor_retire(sound: Environment, viewer: User, stranger: User) -> None:
    for user in (viewer, stranger):
        with pytest.raises(PermissionDenied):
            make(user, attempt(), 0, "wrong")
    row = make(None, attempt(), 0, "wrong")
    with pytest.raises(PermissionDenied):
        retire(viewer, row, "no")
    assert state(row) == "open"
    assert AuditEntry.objects.filter(action__startswith="counterexample").count() == 1


def test_who_may_not_see_the_domain_cannot_doubt_what_happened_in_it(
    sound: Environment, reviewer: User
) -> None:
    row = make(None, attempt("noop"), 1, "wrong")
    sound.domain.readers.add(Group.objects.create(name="insiders"))
    with pytest.raises(CounterexampleInvalid, match="belongs to no check"):
        make(reviewer, attempt(), 0, "wrong")
    assert not Counterexample.objects.visible_to(reviewer).exists()
    reviewer.groups.add(Group.objects.get(name="insiders"))
    assert list(Counterexample.objects.visible_to(reviewer)) == [row]


def test_of_two_environments_each_check_has_its_own(shop: Shop) -> None:
    first, other = shop.sound("a"), shop.sound("b")
    made = checked()
    row = make(None, attempt(environment=first), 0, "wrong")
    checks = {one.environment_id: one.pk for one in made.checks.all()}
    later = {one.environment_id: one.pk for one in checked().checks.all()}
    found = counterexamples.doubts([*checks.values(), *later.values()])
    assert found == {checks[first.pk]: [row], later[first.pk]: [row]}
    assert other.pk in checks


# What relations find


def found(should: int = 0) -> said.Counterexample:
    """As the goal soundness stage makes them."""
    return said.Counterexample.model_validate(
        {
            "label": "relation",
            "name": "stray-write",
            "should": should,
            "actions": [
                {"tool": "write", "args": {"note_id": "N1", "text": "a"}},
                {"tool": "write", "args": {"note_id": "N2", "text": "\x00stray"}},
                {"outcome": "done"},
            ],
            "statuses": ["ok", "ok"],
        }
    )


@pytest.fixture
def finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every check of a bundle find one."""
    whole = checking.check

    def check(*args: Any, **asked: Any) -> checking.CheckResult:
        shown = whole(*args, **asked)
        return checking.CheckResult(**{**vars(shown), "counterexamples": [found(), found()]})

    monkeypatch.setattr(checking, "check", check)


def test_what_a_check_finds_is_kept_once_and_blocks_nothing(
    shop: Shop, finds: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide(shop)
    checked()
    row = Counterexample.objects.get()
    assert (row.label, row.name, row.code, row.severity) == (
        "relation",
        "stray-write",
        "goal-blind",
        "warning",
    )
    assert (row.author, state(row)) == (None, "open")
    assert blocking() == []
    assert create_round(None, queue=False).finished is not None  # it was judged where it was found
    monkeypatch.undo()
    says(shop, "a", ["get('notes', 'N1').text == 'a'", "get('notes', 'N2').text == ''"])
    checked()
    assert (Counterexample.objects.count(), state(row)) == (1, "closed")


def test_edits_that_no_tool_wrote_are_replayed_too(shop: Shop) -> None:
    environment = wide(shop)
    made = checked()
    fields = {"text": {"before": "", "after": "stray"}}
    edit = {"table": "notes", "key": "N2", "op": "update", "fields": fields}
    one = found().model_copy(
        update={"actions": [*found().actions[:1], found().actions[2]], "statuses": ["ok"]}
    )
    one = one.model_copy(update={"edits": [edit]})
    check = made.checks.select_related("environment__domain").get()
    counterexamples.store_found(check, [(one, "")], {})
    says(shop, "a", ["get('notes', 'N2').text == ''"])
    checked()
    assert state(Counterexample.objects.get(environment=environment)) == "closed"


def test_the_number_of_queries_does_not_grow(
    shop: Shop, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for slug in ("a", "b", "c"):
        shop.sound(slug)
    checked()
    sizes = []
    for slug in ("a", "b", "c"):
        make(None, attempt(environment=Environment.objects.get(slug=slug)), 0, "wrong")
        checked()
        bundles: counterexamples.Judged = {
            one.environment_id: (one.bundle, {}) for one in Check.objects.order_by("pk")
        }
        with django_assert_num_queries(2):
            assert counterexamples.unjudged(bundles) == {}
        with django_assert_num_queries(4):
            sizes.append(len(counterexamples.with_state(Counterexample.objects.all())))
    assert sizes == [1, 2, 3]
