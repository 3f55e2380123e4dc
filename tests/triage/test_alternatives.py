"""Diffs of long texts that are alike at both ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.alternatives import unified

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30)


def applied(before: list[str], diff: list[str]) -> list[str]:
    """What a unified diff makes of a text, by the plain reading of the format."""
    out: list[str] = []
    at = 0
    for line in diff[2:]:
        if line.startswith("@@"):
            mark = line.split()[1][1:]
            first, _, size = mark.partition(",")
            start = int(first) - (0 if size == "0" else 1)
            out += before[at:start]
            at = start
        elif line.startswith("-"):
            assert before[at] == line[1:]
            at += 1
        elif line.startswith("+"):
            out.append(line[1:])
        else:
            assert before[at] == line[1:]
            out.append(before[at])
            at += 1
    return out + before[at:]


@given(LINES, LINES, LINES, LINES)
def test_a_diff_tells_what_was_changed_and_where(
    head: list[str], one: list[str], other: list[str], tail: list[str]
) -> None:
    before, after = head + one + tail, head + other + tail
    diff = list(unified("x", before, after))
    assert (applied(before, diff) == after) if diff else (before == after)


def test_it_counts_lines_from_the_start_of_the_whole_text() -> None:
    before = [f"line {number}" for number in range(100)]
    after = [*before[:50], "new", *before[51:]]
    diff = list(unified("records/x", before, after))
    assert diff[:3] == [
        "--- records/x (as it is)",
        "+++ records/x (proposed)",
        "@@ -48,7 +48,7 @@",
    ]
