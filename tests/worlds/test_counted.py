"""Numbers of things as people say them."""

from __future__ import annotations

import pytest

from worlds.counted import counted


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 checks"), (1, "1 check"), (2, "2 checks"), (-1, "-1 checks")]
)
def test_only_one_is_singular(number: int, said: str) -> None:
    assert counted(number, "check") == said
