"""Print what production needs of requirements.lock, with hashes: no test tools, no embedded services.

Run by the Python that is to be installed into; its pip finds out which of the locked packages those are.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
EXTRAS = ("tau2",)
"""`manage.py import_tau2` reads the published tasks from there."""

ENTRY = re.compile(r"(?P<pin>(?P<name>[A-Za-z0-9._-]+)==[^\\]*)")


def wanted() -> list[str]:
    """What pyproject.toml asks for, as it says it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for name in EXTRAS for line in project["optional-dependencies"][name]]
    return [*project["dependencies"], *extras]


def entries() -> list[tuple[str, str, str]]:
    """Of each entry of the lock: the package's name, its pin with markers, and its whole text."""
    texts = re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text().strip())
    found = [(ENTRY.match(text), text) for text in texts]
    return [(normal(entry["name"]), entry["pin"].strip(), text) for entry, text in found if entry]


def normal(name: str) -> str:
    """A package's name as an index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def resolved(requirements: list[str], pins: list[str]) -> set[str]:
    """The names of all packages that the requirements lead to, under these pins; nothing is installed."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write("\n".join(pins))
        constraints.flush()
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed"]
        command += ["--quiet", "--disable-pip-version-check", "--report", "-"]
        command += ["--constraint", constraints.name, *requirements]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    report: dict[str, Any] = json.loads(done.stdout)
    return {normal(item["metadata"]["name"]) for item in report["install"]}


def main() -> None:
    """Print the entries, as the lock has them."""
    locked = entries()
    try:
        needed = resolved(wanted(), [pin for _, pin, _ in locked])
    except subprocess.CalledProcessError as error:
        sys.exit(
            f"pip cannot resolve pyproject.toml within requirements.lock (status {error.returncode})"
        )
    missing = needed - {name for name, _, _ in locked}
    if missing:
        sys.exit(f"requirements.lock lacks {', '.join(sorted(missing))}: run `make lock`")
    sys.stdout.write("\n".join(text for name, _, text in locked if name in needed) + "\n")


if __name__ == "__main__":
    main()
