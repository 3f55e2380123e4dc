"""What several groups of environments of one domain showed, as one: what one group saw, the domain's tools did."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from worlds.probing.found import NotProbed, Probed, Probes, ToolTried

T = TypeVar("T")


def merged(several: Sequence[Probes]) -> Probes:
    """Numbers of one tool, and of one tool and condition, are summed, and the smallest example stays. Not probed is
    only what no group has a row of."""
    rows = _by(
        (row for each in several for row in each.rows),
        # What a clause asks of that no tool is told depends on the rules beside it.
        lambda row: (row.server, row.tool, row.kind, row.name, tuple(row.unseen)),
    )
    tools = _by(
        (tool for each in several for tool in each.tools), lambda tool: (tool.server, tool.tool)
    )
    return Probes(
        tools=[_tool(same) for same in tools],
        rows=[_row(same) for same in rows],
        not_probed=_not_probed(several),
        cut=any(each.cut for each in several),
    )


def _by(items: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    found: dict[Hashable, list[T]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return list(found.values())


def _tool(same: Sequence[ToolTried]) -> ToolTried:
    names = ("carried_out", "refused", "misfit", "stopped", "failed")
    sums = {name: sum(getattr(each, name) for each in same) for name in names}
    failures = [each.failure for each in same if each.failure]
    smallest = min(failures, key=lambda each: each.rank, default=None)
    return same[0].model_copy(update={**sums, "failure": smallest})


def _row(same: Sequence[Probed]) -> Probed:
    sums = {
        name: sum(getattr(each, name) for each in same) for name in ("tried", "applied", "accepted")
    }
    examples = [each.example for each in same if each.example]
    smallest = min(examples, key=lambda each: each.rank, default=None)
    return same[0].model_copy(update={**sums, "example": smallest})


def _not_probed(several: Iterable[Probes]) -> list[NotProbed]:
    several = list(several)
    seen = {row.name for each in several for row in each.rows}
    open_ = (one for each in several for one in each.not_probed if one.name not in seen)
    return list({(one.name, one.why): one for one in open_}.values())
