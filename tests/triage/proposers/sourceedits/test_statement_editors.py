from __future__ import annotations

from pathlib import Path

import pytest

from tests.triage.proposers.sourceedits.shop import made, shop
from triage.proposers.sourceedits import EDITORS

SOURCE = Path("library/meetings/toolservers/reception.py").read_text()
ODD = [
    "",
    "x = (",
    "def f():\n    pass\n",
    "def f(a=1): return a; b = 2\n",
    "def ü(é):\n    é['ß'] = 1\n    return é\n",
]


@pytest.mark.parametrize("name", sorted(EDITORS))
def test_edits_of_a_real_server_parse_and_are_the_same_each_time(name: str) -> None:
    first = made(EDITORS[name], shop(SOURCE))
    assert first == made(EDITORS[name], shop(SOURCE))
    assert SOURCE not in first


@pytest.mark.parametrize("name", sorted(EDITORS))
def test_odd_sources_raise_nothing(name: str) -> None:
    for text in ODD[2:]:
        made(EDITORS[name], shop(text))


@pytest.mark.parametrize("name", sorted(EDITORS))
def test_nothing_is_edited_where_nothing_is_suspected(name: str) -> None:
    source = shop(SOURCE)
    assert not list(EDITORS[name](type(source)(source.text, source.domain)))
