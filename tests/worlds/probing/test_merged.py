"""What several groups showed, as one: numbers are summed, and what one group saw counts."""

from __future__ import annotations

from worlds.probing.found import Example, NotProbed, Probed, Probes, ToolTried
from worlds.probing.merged import merged
from worlds.step import Call


def example(key: str) -> Example:
    return Example(environment="a", call=Call(tool="close", args={"id": key}), message="")


def row(tried: int, applied: int, accepted: int, key: str = "", unseen: str = "") -> Probed:
    return Probed(
        server="desk",
        tool="close",
        line=3,
        kind="clause",
        name="states/open",
        text="",
        tried=tried,
        applied=applied,
        accepted=accepted,
        unseen=[unseen] if unseen else [],
        example=example(key) if key else None,
    )


def tool(carried_out: int, *, failed: str = "") -> ToolTried:
    failure = example(failed) if failed else None
    return ToolTried(
        server="desk", tool="close", carried_out=carried_out, refused=2, failure=failure
    )


def test_numbers_are_summed_and_the_smallest_example_stays() -> None:
    (whole,) = merged(
        [Probes(rows=[row(5, 4, 1, "longer")]), Probes(rows=[row(2, 1, 1, "W1")])]
    ).rows
    assert (whole.tried, whole.applied, whole.accepted) == (7, 5, 2)
    assert whole.example == example("W1")


def test_a_tool_that_one_group_did_not_use_is_observed_where_another_did() -> None:
    (whole,) = merged([Probes(tools=[tool(0, failed="W1")]), Probes(tools=[tool(14)])]).tools
    assert whole.is_observed
    assert (whole.carried_out, whole.refused, whole.failure) == (14, 4, example("W1"))


def test_a_clause_is_not_probed_only_where_no_group_has_a_row_of_it() -> None:
    gaps = [NotProbed(name=name, why="no call came under it") for name in ("states/open", "else")]
    whole = merged([Probes(not_probed=gaps), Probes(rows=[row(1, 1, 0)]), Probes(not_probed=gaps)])
    assert whole.not_probed == [gaps[1]]


def test_a_finding_of_one_group_is_not_lost_beside_one_where_no_tool_is_told() -> None:
    whole = merged([Probes(rows=[row(1, 1, 1, "W1", "actor")]), Probes(rows=[row(1, 1, 1, "W2")])])
    assert [each.is_finding for each in whole.rows] == [False, True]


def test_time_that_ran_out_in_one_group_is_told() -> None:
    assert merged([Probes(), Probes(cut=True)]).cut
