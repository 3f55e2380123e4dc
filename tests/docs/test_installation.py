"""docs/installation.md says of every setting what the code does with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from envcurate import demo
from envcurate.home import BASE_DIR
from worlds.servers import SHIPPED, VARIABLE, Servers

TEXT = (BASE_DIR / "docs" / "installation.md").read_text()
ROW = re.compile(r"^\| `(?P<name>[A-Z_]+)` \| (?P<meaning>.+) \| (?P<default>.+) \|$", re.MULTILINE)
ROWS = {row["name"]: row["default"] for row in ROW.finditer(TEXT)}

READ = re.compile(
    r"(?:environ\.get|boolean|choice|whole|words|database|broker)"
    r'\(\s*"(?P<name>[A-Z_]+)"(?:, \[[^\]]+\])?(?:, default=(?P<default>[^)]+))?\)'
)
SHELLS = {"PATH"}
"""Read too, and no setting of ours."""
SOURCES = [path.read_text() for path in sorted((BASE_DIR / "envcurate").rglob("*.py"))]
WORDS = {"False": "off", "[]": "none", "FIRST_PORT": str(demo.FIRST_PORT)}


def defaults() -> dict[str, str]:
    """Each variable that the code reads → its default as the source writes it; empty where it is no literal."""
    found = [match for text in SOURCES for match in READ.finditer(text)]
    read = {m["name"]: m["default"] or "" for m in found if m["name"] not in SHELLS}
    return {**read, VARIABLE: ""}


def test_the_tool_servers_file_is_the_shipped_one_unless_told_otherwise() -> None:
    assert ROWS[VARIABLE] == f"none but `{SHIPPED.relative_to(BASE_DIR)}`"


def test_every_variable_that_is_read_is_in_the_table_and_no_other() -> None:
    assert set(defaults()) == set(ROWS)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_default_is_the_one_in_the_code(name: str) -> None:
    default = defaults()[name]
    if re.fullmatch(r"\d+|False|\[\]|FIRST_PORT", default):
        assert ROWS[name] == WORDS.get(default, default)


def test_the_commands_without_compose_are_those_of_compose() -> None:
    services = yaml.safe_load((BASE_DIR / "docker" / "compose.yaml").read_text())["services"]
    for name in ("migrate", "worker", "beat"):
        line = " ".join(services[name]["command"]).replace("/tmp/", "/var/lib/envcurate/")
        assert f"\n{line}\n" in TEXT, name


def test_what_compose_must_be_told_is_told() -> None:
    compose = (BASE_DIR / "docker" / "compose.yaml").read_text()
    must = set(re.findall(r"\$\{(\w+):\?", compose))
    assert must == set(re.findall(r"^([A-Z_]+)=", TEXT, re.MULTILINE))


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_an_image_with_tool_servers_replaces_ours_everywhere_and_runs_as_our_user() -> None:
    services = yaml.safe_load((BASE_DIR / "docker" / "compose.yaml").read_text())["services"]
    ours = {name for name, service in services.items() if service["image"] == "envcurate"}
    servers, compose = map(yaml.safe_load, blocks("yaml"))
    assert set(compose["services"]) == ours
    assert {service["image"] for service in compose["services"].values()} == {"envcurate-tools"}
    (dockerfile,) = blocks("dockerfile")
    assert dockerfile.startswith("FROM envcurate\n")
    assert dockerfile.endswith("USER envcurate\n")
    assert Servers.model_validate(servers).named("crm").capabilities["snapshot"]


def test_every_file_that_is_named_exists() -> None:
    named = set(re.findall(r"(?:docker|library)/[\w./-]+", TEXT)) - {"docker/.env"}
    assert [name for name in sorted(named) if not Path(BASE_DIR, name).exists()] == []
