"""The figures and lists in the docs are those of the JSON files, which the benchmarks write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.names import NAMES
from benchmarks.page import BLOCK, DOCS, PAGES, PARTS, rendered

TEXT = (DOCS / "benchmarks.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_says_what_the_json_files_say(page: Path) -> None:
    text = page.read_text()
    assert rendered(text) == text, "run `python -m benchmarks.page`"


@pytest.mark.parametrize("name", sorted({*NAMES} - {"repair", "rounds"}))  # not run yet
def test_each_benchmark_has_its_place_on_the_page(name: str) -> None:
    assert name in {found["name"] for found in BLOCK.finditer(TEXT)}


def test_each_part_of_a_report_has_its_place() -> None:
    pages = "".join(page.read_text() for page in PAGES)
    found = [(each["name"], each["part"]) for each in BLOCK.finditer(pages) if each["part"]]
    assert sorted(found) == sorted((name, part) for name in PARTS for part in PARTS[name])


def test_a_block_is_written_from_its_file_and_the_rest_of_the_page_stays(tmp_path: Path) -> None:
    document = {
        "name": "toy",
        "machine": {
            "system": "Linux",
            "processor": "arm",
            "cores": 2,
            "load_before": 0.1,
            "python": "3.11.7",
        },
        "seconds": 1.5,
        "headline": {"calls_per_second": 1234.5},
        "rows": [{"size": "small", "rows": 12345, "checks_per_second": None, "ms": 0.25}],
    }
    (tmp_path / "toy.json").write_text(json.dumps(document))
    assert rendered("Before\n\n<!-- toy -->\nold\n<!-- end -->\n\nAfter\n", tmp_path) == (
        "Before\n\n<!-- toy -->\n"
        "`make bench NAME=toy`: 1.5 s on 2 cores, Linux arm, Python 3.11.7; load before it: 0.1.\n\n"
        "|  | toy |\n| --- | --- |\n| calls per second | 1,234 |\n\n"
        "| size | rows | checks per second | ms |\n| --- | --- | --- | --- |\n"
        "| small | 12,345 | – | 0.25 |\n\n<!-- end -->\n\nAfter\n"
    )


def test_a_block_without_a_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.json"):
        rendered("<!-- nothing -->\n<!-- end -->", tmp_path)
