"""The parts of the page on attribution, from a document made by hand."""

from __future__ import annotations

import time
from typing import Any

import pytest

from benchmarks.attribution import said
from benchmarks.faults.attribution_page import BLOCKS
from tests.benchmarks.faults.test_suspected import FOUND, LOST

TASK = {"domain": "retail", "task": "1", "code": "row-invalid", "reading": "toolserver/retail"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    tasks = [TASK | {"named": ["intent/task-1"], "first": 0.0}, TASK | {"named": [], "first": 1.0}]
    return said(time.perf_counter(), 1, [FOUND, LOST], [], tasks)


@pytest.mark.parametrize("name", BLOCKS)
def test_every_part_is_a_table(document: dict[str, Any], name: str) -> None:
    assert "| --- |" in BLOCKS[name](document)


def test_what_was_missed_is_listed_with_who_was_named(document: dict[str, Any]) -> None:
    found = BLOCKS["missed"](document)
    assert "| heldout | clinic | two | x | intent/c | rule/b 0.60 |" in found
    assert "| one |" not in found


def test_where_readers_disagree_is_listed(document: dict[str, Any]) -> None:
    found = BLOCKS["tasks"](document)
    assert found.startswith("1 of 2 confirmed defects: the same component stands first.")
    assert "| retail | 1 | row-invalid | toolserver/retail | intent/task-1 |" in found


def test_rankings_stand_side_by_side(document: dict[str, Any]) -> None:
    found = BLOCKS["shares"](document)
    assert "| heldout | all | with swaps | 2 | 0.5 | 0.5 | 0.5 |" in found
    assert "| heldout | all | Ochiai alone | 2 | 0.25 | 0.5 | 0.375 |" in found
