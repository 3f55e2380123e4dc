"""What the files in docker/ say."""

from __future__ import annotations

import re
from typing import Any

import yaml

from envcurate.home import BASE_DIR

DOCKER = BASE_DIR / "docker"
INSTALL = DOCKER / "install.sh"
DOCKERFILE = (DOCKER / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "envcurate"}

VARIABLE = re.compile(r"(?<!\$)\$\{(?P<name>\w+)(?P<kind>:[-?])(?P<rest>[^}]*)\}")


def filled(text: str, values: dict[str, str]) -> str:
    """A text of compose.yaml as compose would fill it in."""
    known = VARIABLE.sub(lambda found: values.get(found["name"], found["rest"]), text)
    return known.replace("$$", "$")
