from __future__ import annotations

from tests.triage.proposers.sourceedits.shop import best, made, shop
from triage.proposers.sourceedits.clocks import clocks


def test_time_comes_from_the_clock_of_the_records() -> None:
    source = shop("""
        def now() -> str:
            return datetime.now(timezone.utc).isoformat()
    """)
    assert "return clock.utc(clock.now()).isoformat()" in best(clocks, source).source


def test_a_set_is_gone_through_in_order() -> None:
    source = shop("""
        def names(rows: list) -> str:
            return ", ".join({r["name"] for r in rows})
    """)
    assert '", ".join(sorted({r["name"] for r in rows}))' in best(clocks, source).source


def test_a_set_of_which_only_the_size_matters_is_let_be() -> None:
    assert (
        made(clocks, shop("def many(rows: list) -> int:\n    return len({r for r in rows})\n"))
        == []
    )
