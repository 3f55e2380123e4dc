"""The parts of the page on repairs, from a document made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.faults.repair_page import BLOCKS
from benchmarks.repair import Setting, said
from tests.benchmarks.faults.test_mended import ROWS, SECRET


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return said(1, Setting(), ROWS)


@pytest.mark.parametrize("name", BLOCKS)
def test_every_part_is_a_table(document: dict[str, Any], name: str) -> None:
    assert "| --- |" in BLOCKS[name](document)


def test_both_searches_stand_side_by_side(document: dict[str, Any]) -> None:
    found = BLOCKS["kinds"](document)
    assert "| heldout | toolserver | 2 of 3 | 0.208–0.939 | 1 | 1 of 2 | 3 |" in found


def test_development_faults_that_were_not_repaired_are_listed_and_no_others(
    document: dict[str, Any],
) -> None:
    found = BLOCKS["missed"](document)
    assert f"| d | mine | {SECRET} | no proposal |" in found
    assert found.count("\n") == 2


def test_reasons_are_told_with_what_was_at_hand(document: dict[str, Any]) -> None:
    assert "| heldout | nothing sound at hand | keys | 1 |" in BLOCKS["reasons"](document)
