"""Fixed sequences of calls: enough, each once, through every tool, and compared where agents look."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.harm import Sound, server_of
from benchmarks.faults.sequences import COUNT, Given, compared, outcomes, read_sequences
from tests.library.workplace import DOMAINS
from worlds.canonical import canonical
from worlds.library import read
from worlds.toolsession import ToolSession


@pytest.mark.parametrize("domain", DOMAINS)
def test_there_are_five_hundred_of_each_domain_none_twice(domain: str) -> None:
    found = [canonical(each.model_dump(mode="json")) for each in read_sequences(domain)]
    assert len(found) == len(set(found)) == COUNT


@pytest.mark.parametrize("domain", DOMAINS)
def test_they_go_well_in_every_tool_and_are_refused_often_enough(domain: str) -> None:
    sound = Sound(read(LIBRARY, [domain])[0])
    servers = {slug: server_of(file.body) for slug, file in sound.folder.toolservers.items()}
    went, well = Counter[str](), set[str]()
    ordered = sorted(read_sequences(domain), key=lambda each: (each.toolservers, each.records))
    with ToolSession() as session:
        for each in ordered:
            acting = [servers[slug] for slug in each.toolservers]
            *said, diff = outcomes(sound.base(each.records), acting, each.calls, session)
            went["wrote"] += bool(diff)
            for (status, _), (tool, _) in zip(said, each.calls, strict=True):
                went[status] += 1
                well |= {tool} if status == "ok" else set()
    assert well == {name for server in servers.values() for name in server.tools}
    assert went["ok"] > went["refused"] > 50
    assert went["wrote"] > COUNT / 2
    assert not went["crashed"]
    assert not went["limit"]


def test_only_what_agents_go_by_is_compared_of_a_result_and_all_of_what_is_stored() -> None:
    calls: list[Given] = [("find", {})]
    places = {"find": {".rows[0].id", ".total"}}

    def text(rows: object, stored: list[object]) -> str:
        return compared([["ok", {"rows": rows, "total": 2}], stored], calls, places).says

    base = text([{"id": "A", "note": "x"}, {"id": "B"}], [])
    assert text([{"id": "A", "note": "y"}], []) == base
    assert text([{"id": "B"}, {"id": "A"}], []) != base
    assert text([{"id": "A", "note": "x"}], [{"table": "t"}]) != base
    assert text([], []) != base


def test_a_call_that_goes_otherwise_is_another_thing() -> None:
    calls: list[Given] = [("find", {})]
    assert compared([["ok", 1], []], calls, {}) != compared([["refused", None], []], calls, {})
    assert compared([["ok", 1], []], calls, {}) == compared([["ok", 2], []], calls, {})
