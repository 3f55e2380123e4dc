"""`--only PATTERN`: commands look at the environments that were asked for, and say so where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worlds.shop import written
from worlds.commands.chosen import NothingChosen, choose
from worlds.library import read


def names(root: Path, *patterns: str) -> list[str]:
    return [
        each.name(spec) for each in choose(str(root), read(root), patterns) for spec in each.specs
    ]


@pytest.mark.parametrize("pattern", ["first", "shop/first", "f*", "*/first", "fir?t"])
def test_a_name_may_be_given_with_its_domain_and_with_stars(tmp_path: Path, pattern: str) -> None:
    assert names(written(tmp_path), pattern) == ["shop/first"]


def test_without_a_pattern_all_are_chosen(tmp_path: Path) -> None:
    assert names(written(tmp_path)) == ["shop/first"]


def test_a_pattern_that_fits_nothing_is_an_error_that_names_what_is_near(tmp_path: Path) -> None:
    with pytest.raises(NothingChosen, match=r"no environment is called 'fist'.*near it are first"):
        names(written(tmp_path), "first", "fist")
