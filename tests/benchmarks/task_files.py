"""Small folders of task files, made from the published ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from components.tau2 import installed_data

Task = dict[str, Any]
Change = Callable[[Task], object]


def published(domain: str, *ids: str) -> list[Task]:
    """The published tasks of these ids."""
    tasks: list[Task] = json.loads((installed_data(domain) / "tasks.json").read_text())
    return [task for task in tasks if task["id"] in ids]


def written(folder: Path, domain: str, *ids: str, change: Change = lambda _: None) -> Path:
    """The folder, with a file of these tasks, each changed in place; no database and no policy."""
    folder.mkdir(parents=True, exist_ok=True)
    tasks = published(domain, *ids)
    for task in tasks:
        change(task)
    (folder / "tasks.json").write_text(json.dumps(tasks))
    return folder


def complete(folder: Path, domain: str, *ids: str, change: Change = lambda _: None) -> Path:
    """As `written`, with the published database and policy beside."""
    written(folder, domain, *ids, change=change)
    for name in ("db.json", "policy.md"):
        (folder / name).write_bytes((installed_data(domain) / name).read_bytes())
    return folder


def actions(task: Task) -> list[dict[str, Any]]:
    """The calls of a task's published solution."""
    found: list[dict[str, Any]] = task["evaluation_criteria"]["actions"]
    return found
