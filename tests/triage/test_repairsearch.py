"""Which candidates are tried in which order, and when a search ends; the ladder is played by a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from triage.ladder import Climbed, Ladder
from triage.models.repair import Fate
from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.repairsearch import Search
from worlds.rule import Rule

FIRST = Spot("rule", "one", score=0.7)
SECOND = Spot("rule", "two", score=0.2)


def candidate(spot: Spot, says: str, likelihood: float, authority: str = "a clause") -> Candidate:
    return Candidate("table", {spot.name: Rule(text=says)}, says, authority, likelihood)


class Table:
    """Says of candidates how far they come."""

    def __init__(self, works: Sequence[str]) -> None:
        self.works = works
        self.asked: list[str] = []

    def climbed(self, one: Candidate) -> Climbed:
        self.asked.append(one.says)
        if one.says in self.works:
            return Climbed(Fate.OUTRANKED, cured=["a"], tried=1)
        return Climbed(Fate.FAILING, "a: the plan is not rewarded")


def search(
    offered: Mapping[str, Sequence[Candidate]],
    works: Sequence[str] = (),
    weak: Sequence[str] = (),
    seconds: float = 30.0,
) -> tuple[Search, Table]:
    def propose(_: Case, spot: Spot) -> Iterator[Candidate]:
        yield from offered.get(spot.slug, ())

    def weigh(one: Candidate, _: Climbed) -> tuple[bool, bool]:
        return one.says in weak, False

    table = Table(works)
    made = Search(
        Case("d", [], [FIRST, SECOND]), cast("Ladder", table), weigh, seconds, {"table": propose}
    )
    for _ in made:
        pass
    return made, table


def says(found: Sequence[Any]) -> list[str]:
    return [each.candidate.says for each in found]


def test_the_likeliest_are_tried_first_whoever_is_suspected() -> None:
    _, table = search(
        {
            "one": [candidate(FIRST, "a", 0.1), candidate(FIRST, "b", 0.9)],
            "two": [candidate(SECOND, "c", 0.9)],
        }
    )
    assert table.asked[:3] == ["b", "c", "a"]


def test_a_search_ends_where_what_is_left_is_much_less_likely_than_what_works() -> None:
    made, table = search(
        {"one": [candidate(FIRST, "good", 0.6), candidate(FIRST, "poor", 0.1)]}, ["good"]
    )
    assert table.asked == ["good"]
    assert [one.says for _, one in made.left] == ["poor"]
    assert made.counts == {"outranked": 1, "untried": 1}


def test_what_weakens_the_verifier_ends_no_search_and_ranks_last() -> None:
    made, table = search(
        {"one": [candidate(FIRST, "weak", 0.9), candidate(FIRST, "right", 0.1)]},
        ["weak", "right"],
        ["weak"],
    )
    assert table.asked == ["weak", "right"]
    assert says(made.working) == ["right", "weak"]


def test_what_rests_on_an_authority_ranks_above_what_does_not() -> None:
    made, _ = search(
        {"one": [candidate(FIRST, "bare", 0.6, ""), candidate(FIRST, "cited", 0.5)]},
        ["bare", "cited"],
    )
    assert says(made.working) == ["cited", "bare"]


def test_the_same_said_twice_is_tried_once() -> None:
    _, table = search({"one": [candidate(FIRST, "a", 0.5), candidate(FIRST, "a", 0.4)]})
    assert table.asked == ["a"]


def test_less_likely_suspects_are_asked_when_nothing_better_is_left() -> None:
    _, table = search(
        {"one": [candidate(FIRST, "a", 0.9)], "two": [candidate(SECOND, "b", 0.9)]}, ["a"]
    )
    assert table.asked == ["a"]
    _, table = search({"one": [], "two": [candidate(SECOND, "b", 0.9)]})
    assert table.asked == ["b"]


def test_no_time_is_no_search() -> None:
    made, table = search({"one": [candidate(FIRST, "a", 0.9)]}, seconds=0.0)
    assert (table.asked, made.counts) == ([], {})


def test_what_is_as_good_as_certain_is_tried_at_once_and_ends_the_thinking() -> None:
    thought = []

    def propose(_: Case, spot: Spot) -> Iterator[Candidate]:
        for says, likelihood in (("poor", 0.1), ("sure", 0.9), ("never", 0.9)):
            thought.append(says)
            yield candidate(spot, says, likelihood)

    table = Table(["sure"])
    made = Search(
        Case("d", [], [FIRST]),
        cast("Ladder", table),
        lambda *_: (False, False),
        30.0,
        {"table": propose},
    )
    list(made)
    assert (table.asked, thought) == (["sure"], ["poor", "sure"])


def test_the_same_said_by_another_who_thinks_more_of_it_moves_up() -> None:
    _, table = search(
        {
            "one": [
                candidate(FIRST, "a", 0.1),
                candidate(FIRST, "b", 0.2),
                candidate(FIRST, "a", 0.3),
            ]
        }
    )
    assert table.asked == ["a", "b"]


def test_where_nothing_works_alone_two_components_are_mended_together() -> None:
    made, table = search(
        {"one": [candidate(FIRST, "a", 0.5)], "two": [candidate(SECOND, "b", 0.5)]}, ["a; b"]
    )
    assert table.asked == ["a", "b", "a; b"]
    (both,) = made.working
    assert set(both.candidate.changes) == {FIRST.name, SECOND.name}
    assert both.candidate.authority == "a clause; a clause"
