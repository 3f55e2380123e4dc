"""Contracts that say the same: lists in another order, descriptions more, invariants in other words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Original, Site, edited, rewrite
from benchmarks.operators.development.contracts import DOMAIN

Place = tuple[str | int, ...]


def _site(original: Original, place: Place, value: Any, name: str) -> Site:
    return Site(DOMAIN, name, partial(edited, original.domain, place, value))


def _swapped(rows: list[Any], index: int) -> list[Any]:
    return [*rows[:index], rows[index + 1], rows[index], *rows[index + 2 :]]


@rewrite("references-reordered", "domain", "References or required fields stand in another order.")
def references_reordered(original: Original) -> Iterator[Site]:
    for table, contract in original.domain["tables"].items():
        rows = contract.get("references", [])
        for index in range(len(rows) - 1):
            place = ("tables", table, "references")
            yield _site(original, place, _swapped(rows, index), f"tables.{table}[{index}]")
        required = contract["schema"].get("required", [])
        if len(required) > 1:
            value = sorted(required, reverse=True)
            at_schema = ("tables", table, "schema", "required")
            yield _site(original, at_schema, value, f"tables.{table}.required")


@rewrite("invariants-reordered", "domain", "Invariants stand in another order.")
def invariants_reordered(original: Original) -> Iterator[Site]:
    rows = original.domain["invariants"]
    for index in range(len(rows) - 1):
        yield _site(original, ("invariants",), _swapped(rows, index), f"invariants[{index}]")


@rewrite("invariant-reworded", "domain", "What an invariant says in words it says in others.")
def invariant_reworded(original: Original) -> Iterator[Site]:
    for index, each in enumerate(original.domain["invariants"]):
        text = f"At any time: {each['text'][0].lower()}{each['text'][1:]}"
        yield _site(original, ("invariants", index, "text"), text, f"invariants[{each['id']}].text")
