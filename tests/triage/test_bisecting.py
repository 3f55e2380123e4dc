"""Which version brought a fault in."""

from __future__ import annotations

from math import ceil, log2

from hypothesis import given
from hypothesis import strategies as st

from components.bundles import manifests
from components.models import Environment
from tests.triage.shop import SOURCE, Shop
from triage.bisecting import BroughtIn, brought_in, narrowed
from triage.hypotheses import Hypothesis
from triage.models import Result, Round
from triage.rounds import create_round
from triage.work import work_off
from worlds.toolserver_body import ToolServerBody

FORGETS = SOURCE.replace(
    'return db.update("notes", note_id, {"text": text})', 'return {"id": note_id, "text": text}'
)


@given(st.data())
def test_of_a_history_that_broke_once_the_version_is_found_in_few_steps(
    data: st.DataObject,
) -> None:
    last = data.draw(st.integers(1, 200))
    first_bad = data.draw(st.integers(0, last))
    known = data.draw(st.sets(st.integers(0, last)))
    asked: list[int] = []

    def passes(number: int) -> bool:
        asked.append(number)
        return number < first_bad

    found = narrowed(last, {number: number < first_bad for number in known}, passes)
    assert (found and (found.passes, found.fails, found.failed_before)) == (
        (first_bad - 1, first_bad, ()) if first_bad else None
    )
    assert len(asked) == len(set(asked))
    assert not known & set(asked)
    assert len(asked) <= 1 + ceil(log2(last + 1))


@given(st.lists(st.sampled_from([True, False, None]), max_size=40), st.data())
def test_whatever_the_history_what_is_said_of_it_is_true(
    history: list[bool | None], data: st.DataObject
) -> None:
    history = [*history, False]
    told = [number for number, passed in enumerate(history) if passed is not None]
    known = {
        number: history[number] is True for number in data.draw(st.sets(st.sampled_from(told)))
    }
    found = narrowed(len(history) - 1, known, history.__getitem__)
    if found is None:
        assert not any(known.values())
        return
    assert history[found.passes] is True
    assert history[found.fails] is False
    assert not any(passed is not None for passed in history[found.passes + 1 : found.fails])
    assert all(history[number] is False and number < found.passes for number in found.failed_before)
    newest = max((number for number, passed in known.items() if passed), default=0)
    earlier = {number for number, passed in known.items() if not passed and number < newest}
    assert earlier <= set(found.failed_before)


def pen(shop: Shop, *sources: str) -> None:
    for number, source in enumerate(sources):
        shop.component("pen", ToolServerBody(source=f"{source}\n# {number}\n"))


def looked_for(shop: Shop, made: Environment) -> BroughtIn | None:
    manifest = manifests(Environment.objects.all())[made.pk]
    asker = Round.objects.create(recipe="x")
    return brought_in(shop.server, Hypothesis(made, manifest), asker)


def test_the_version_that_forgets_to_save_is_found_between_those_before_and_after(
    shop: Shop,
) -> None:
    made = shop.sound("a")
    shop.server.refresh_from_db()
    pen(shop, SOURCE, SOURCE, FORGETS, FORGETS)
    found = looked_for(shop, made)
    assert found is not None
    assert (found.before.number, found.version.number) == (3, 4)
    assert [each.text for each in found.evidence] == [
        "The environment passes with pen v3.",
        "It fails with pen v4.",
    ]
    stored = set(Result.objects.values_list("pk", flat=True))
    assert {each.cites["result"] for each in found.evidence} <= stored
    assert looked_for(shop, made) == found
    assert set(Result.objects.values_list("pk", flat=True)) == stored  # nothing was run again


def test_where_every_version_fails_none_brought_it_in(shop: Shop) -> None:
    made = shop.refused("a")
    assert looked_for(shop, made) is None
    pen(shop, SOURCE, FORGETS)
    assert looked_for(shop, made) is None


def test_a_fault_that_came_back_is_told_as_such_where_rounds_have_seen_it(shop: Shop) -> None:
    made = shop.sound("a")
    for source in (FORGETS, SOURCE, FORGETS):
        pen(shop, source)
        first = create_round(None, queue=False)
        list(work_off(list(first.checks.values_list("pk", flat=True)), "here"))
    found = looked_for(shop, made)
    assert found is not None
    assert (found.before.number, found.version.number) == (3, 4)
    assert found.evidence[-1].text == (
        "It failed with v2 already, and passed after it: this is the last time, not the only one."
    )
