"""Repairs of an outside server's source, said as patches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import outside as servers
from tests.worlds import shop
from triage.proposers.case import Case, Seen, Spot
from triage.proposers.outside import MOST_CANDIDATES, fits, outside, suspicions
from triage.proposers.outsidesource import OutsideSource
from worlds.patch import Patch
from worlds.servers import Servers, ServerSettings
from worlds.toolserver_body import OutsideBody

BROKEN = '''
import sqlite3

SCHEMA = "CREATE TABLE orders (order_id TEXT PRIMARY KEY, status TEXT, reason TEXT)"


def cancel_order(c: sqlite3.Connection, order_id: str, reason: str) -> dict:
    """Cancel an order.

    Args:
        reason: why; it is kept with the order.
    """
    found = c.execute("SELECT * FROM order WHERE order_id = ?", (order_id,)).fetchone()
    return stored(c, order_id, reason="none")


def find_order(c: sqlite3.Connection, order_id: str) -> list:
    return c.execute("SELECT * FROM orders WHERE orderid = ?", (order_id,)).fetchall()


def stored(c: sqlite3.Connection, order_id: str, reason: str) -> dict:
    c.execute("UPDATE orders SET status = 'cancelled'", (order_id,))
    return {"reason": reason}
'''
SPOT = Spot("toolserver", "shop", "cancel_order", 0.9)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    """The source folder of the server `shop`."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "tools.py").write_text(BROKEN)
    named(tmp_path)
    yield tmp_path / "src"
    Servers.install(None)


def named(home: Path, **said: Any) -> None:
    meant = {"command": ["x"], "source": "src", "repair": True, "home": str(home), **said}
    servers.install(shop=ServerSettings.model_validate(meant))


def case(body: OutsideBody | None = None) -> Case:
    """The shop's bundle with its server outside, unpinned: nothing is started."""
    made = shop.bundle()
    manifest = made.manifest
    ref = manifest.toolservers[0].model_copy(
        update={"slug": "shop", "body": (body or OutsideBody(server="shop")).digest}
    )
    bodies = {each.digest: each for each in made.bodies()}
    said = body or OutsideBody(server="shop")
    bundle = type(made).assemble(
        manifest.model_copy(update={"toolservers": (ref,)}), bodies | {said.digest: said}
    )
    return Case("shop", [Seen("one", bundle)], [SPOT])


def test_each_candidate_is_the_same_server_with_a_patch_of_one_file_that_fits() -> None:
    found = list(outside(case(), SPOT))
    assert found
    for each in found:
        ((name, body),) = each.changes.items()
        assert name == ("toolserver", "shop")
        assert isinstance(body, OutsideBody)
        assert body.server == "shop"
        after = Patch.parse(body.patch).applied({"tools.py": BROKEN})
        assert set(after) == {"tools.py"}
        assert after["tools.py"] != BROKEN
        assert 0 < each.likelihood <= 1
        assert "(tools.py:" in each.says
    assert len({each.digests for each in found}) == len(found) <= MOST_CANDIDATES


def test_what_is_wrong_by_schema_and_words_comes_first_with_what_says_so() -> None:
    found = list(outside(case(), SPOT))
    first = {each.says: each.authority for each in found[:4]}
    assert any("`orders` instead of `order`" in said for said in first)
    assert (
        first.get(
            'Use `reason`, which `cancel_order` takes and never reads, instead of `"none"` (tools.py:14)'
        )
        == "reason: why; it is kept with the order."
    )
    assert any("`order_id`" in said and "row" in said for said in first)


def test_it_is_the_same_each_time_and_the_source_stays(folder: Path) -> None:
    one, other = (
        [(each.says, each.digests, each.likelihood) for each in outside(case(), SPOT)]
        for _ in range(2)
    )
    assert one == other
    assert (folder / "tools.py").read_text() == BROKEN


def test_what_no_plan_calls_is_left_alone() -> None:
    source = OutsideSource({"tools.py": BROKEN + "\n\ndef never(c):\n    c.execute('BEGIN')\n"})
    weights = suspicions(source, case(), SPOT)
    names = {unit.name: weight for unit, weight in weights.items()}
    assert "never" not in names
    assert names["cancel_order"] > names["stored"] > 0


@pytest.mark.parametrize(
    "body", [OutsideBody(server="other"), OutsideBody(server="shop", result="/x")]
)
def test_a_server_that_is_not_here_has_nothing_proposed(body: OutsideBody) -> None:
    assert bool(list(outside(case(body), SPOT))) is (body.server == "shop")


def test_where_the_settings_do_not_allow_it_nothing_is_proposed(tmp_path: Path) -> None:
    named(tmp_path, repair=False)
    assert not list(outside(case(), SPOT))


def test_other_suspects_are_not_its_matter() -> None:
    ours = Case("shop", [Seen("one", shop.bundle())], [SPOT])
    assert not list(outside(ours, Spot("toolserver", "shop")))
    assert not list(outside(case(), Spot("intent", "cancel")))


KNOWN = frozenset({"c", "execute", "x", "row", "f", "os"})
BEFORE = "import os\n\n\ndef f(c, row):\n    x = 1\n    return c.execute(x)\n"


@pytest.mark.parametrize(
    "after",
    [
        BEFORE.replace("x = 1", "x = len(row)"),
        BEFORE.replace("c.execute(x)", "row.get(x)"),
        BEFORE.replace("x = 1", "x = '; exit()'"),
    ],
)
def test_an_edit_of_names_that_are_there_may_be_tried(after: str) -> None:
    assert fits(BEFORE, after, KNOWN)


@pytest.mark.parametrize(
    "after",
    [
        BEFORE,
        BEFORE.replace("x = 1", "x = db"),
        BEFORE.replace("x = 1", "x = eval('1')"),
        BEFORE.replace("x = 1", "x = os.system('true')"),
        BEFORE.replace("x = 1", "import sys"),
        BEFORE.replace("import os", "import os, subprocess"),
        BEFORE.replace("x = 1", "x = "),
        BEFORE.replace("x = 1", "x = __import__('os')"),
        BEFORE.replace("x = 1", "x = getattr(os, 'x')"),
        BEFORE + "\x00",
    ],
)
def test_what_cannot_run_or_brings_names_in_may_not(after: str) -> None:
    assert not fits(BEFORE, after, KNOWN)
