"""The imports run one way: training, doors → triage → components → agents → worlds."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from envcurate.home import BASE_DIR

MAY_IMPORT: dict[str, set[str]] = {
    "worlds": set(),
    "agents": {"worlds"},
    "components": {"agents", "worlds"},
    "triage": {"components", "agents", "worlds"},
    "training": {"triage", "components", "agents", "worlds"},
    "doors": {"triage", "components", "agents", "worlds"},
}
OURS = {*MAY_IMPORT, "envcurate", "benchmarks"}
PURE = {"worlds", "agents"}
WEB = {"django", "rest_framework", "drf_spectacular", "celery"}


def violations(root: Path) -> list[str]:
    """Every import under `root` that runs against the arrow, as `file:line imports module`."""
    return [
        f"{path.relative_to(root)}:{line} imports {module}"
        for package in MAY_IMPORT
        for path in sorted((root / package).rglob("*.py"))
        for line, module in _imports(path)
        if not _allowed(path.relative_to(root), module.split(".")[0])
    ]


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(), path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.lineno, node.module


def _allowed(path: Path, imported: str) -> bool:
    package = path.parts[0]
    if imported in WEB:
        return package not in PURE
    if imported not in OURS or imported == package:
        return True
    return imported in MAY_IMPORT[package] | _entry_point_may_import(path)


def _entry_point_may_import(path: Path) -> set[str]:
    """Entry points put the parts together: `python -m worlds` runs agents."""
    if path.name == "__main__.py" or path.parts[:2] == ("worlds", "commands"):
        return {"agents"}
    is_command = path.parts[1:3] == ("management", "commands")
    return {"envcurate", "benchmarks"} if is_command else set()


def test_no_import_runs_against_the_arrow() -> None:
    assert violations(BASE_DIR) == []


@pytest.mark.parametrize(
    ("path", "statement"),
    [
        ("worlds/records.py", "import agents.search"),
        ("worlds/records.py", "from django.db import models"),
        ("agents/search.py", "def late() -> None:\n    from rest_framework import views"),
        ("agents/search.py", "from components.models import Version"),
        ("components/load.py", "import triage"),
        ("components/models.py", "from envcurate.home import home"),
        ("triage/tasks.py", "from training import loop"),
        ("training/loop.py", "import doors"),
        ("worlds/__main__.py", "import triage"),
        ("worlds/commands/pin.py", "import triage"),
        ("triage/management/commands/round.py", "import doors"),
        ("triage/rounds.py", "from benchmarks import tau2"),
    ],
)
def test_a_planted_violation_is_caught(tmp_path: Path, path: str, statement: str) -> None:
    _plant(tmp_path, path, statement)
    assert len(violations(tmp_path)) == 1


@pytest.mark.parametrize(
    ("path", "statement"),
    [
        ("worlds/__main__.py", "from agents import reference"),
        ("worlds/commands/pin.py", "from agents.pinning import pin"),
        ("triage/management/commands/demo.py", "from envcurate import demo"),
        ("triage/management/commands/benchmark.py", "from benchmarks import tau2"),
        ("triage/tasks.py", "from celery import shared_task\nfrom worlds import bundle"),
        ("agents/search.py", "from worlds.records import Records\nimport agents.reference"),
        ("doors/mcp.py", "from . import sessions\nimport triage.models"),
    ],
)
def test_an_import_along_the_arrow_passes(tmp_path: Path, path: str, statement: str) -> None:
    _plant(tmp_path, path, statement)
    assert violations(tmp_path) == []


def _plant(root: Path, path: str, statement: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True)
    file.write_text(f"{statement}\n")
