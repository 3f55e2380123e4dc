"""The files that the image and the services are made from: nothing unsafe by default, nothing that does not fit."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

from envcurate.home import BASE_DIR
from tests.docker.files import (
    COMPOSE,
    DOCKER,
    DOCKERFILE,
    INSTALL,
    OURS,
    SERVICES,
    VARIABLE,
    filled,
)

SECRET = re.compile("PASSWORD|KEY|TOKEN")


def test_nothing_runs_as_root() -> None:
    users = re.findall(r"^USER (\S+)", DOCKERFILE, re.MULTILINE)
    assert users[-1] == "envcurate"
    last_stage = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER envcurate$", last_stage, re.MULTILINE)
    for name, service in SERVICES.items():
        user = "envcurate" if name in OURS else service["user"]
        assert user not in ("root", "0"), name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert not service.get("privileged"), name


def test_images_are_named_without_a_registry() -> None:
    named = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    images = [*named, *(service["image"] for service in SERVICES.values())]
    assert [image for image in images if "." in image.partition("/")[0].partition(":")[0]] == []
    assert not re.search(r"https?://(?!127\.0\.0\.1)", DOCKERFILE + INSTALL.read_text())


def test_the_image_is_built_with_the_install_script_and_holds_no_secret() -> None:
    assert "/tmp/source/docker/install.sh /opt/envcurate" in DOCKERFILE
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text().splitlines()
    assert "*" in ignored  # only what is named goes into the build
    named = {line[1:] for line in ignored if line.startswith("!")}
    copied = re.search(r"for part in (.*?); do", INSTALL.read_text().replace("\\\n", ""))
    assert copied
    assert named == {*copied[1].split(), "docker", "requirements.lock"}


def test_what_is_secret_has_no_default() -> None:
    found = list(VARIABLE.finditer((DOCKER / "compose.yaml").read_text()))
    secret = {match["name"]: match["kind"] for match in found if SECRET.search(match["name"])}
    assert secret == {
        "POSTGRES_PASSWORD": ":?",
        "VALKEY_PASSWORD": ":?",
        "ENVCURATE_SECRET_KEY": ":?",
    }
    assert not re.search(r"(PASSWORD|SECRET_KEY): (?!\$\{)", (DOCKER / "compose.yaml").read_text())


def test_every_variable_that_compose_sets_is_one_that_the_settings_read() -> None:
    sources = [*(BASE_DIR / "envcurate").rglob("*.py"), BASE_DIR / "worlds" / "servers.py"]
    read = set(re.findall(r'"([A-Z][A-Z_]+)"', "\n".join(path.read_text() for path in sources)))
    for service in OURS.values():
        assert set(service["environment"]) <= read


def test_what_compose_sets_unless_told_otherwise_are_the_defaults_of_the_settings() -> None:
    given = {name: filled(text, {}) for name, text in OURS["web"]["environment"].items()}
    numbers = [name for name in given if name.endswith("_SECONDS")]
    assert {name: int(given[name]) for name in numbers} == {
        name: getattr(settings, name) for name in numbers
    }
    grace = SERVICES["worker"]["stop_grace_period"]
    assert int(grace.removesuffix("s")) > settings.ENVCURATE_TASK_SECONDS


def test_every_service_is_watched_and_waits_for_what_it_needs() -> None:
    for name, service in SERVICES.items():
        if name == "migrate":  # it ends
            continue
        assert "healthcheck" in service, name
        for needed, how in service.get("depends_on", {}).items():
            ends = SERVICES[needed].get("healthcheck") is None
            assert how["condition"] == (
                "service_completed_successfully" if ends else "service_healthy"
            )
    assert set(COMPOSE["volumes"]) == {"postgres"}


@pytest.mark.parametrize("service", ["postgres", "valkey"])
def test_no_port_of_a_service_that_holds_data_is_published(service: str) -> None:
    assert "ports" not in SERVICES[service]
    published = SERVICES["web"]["ports"]
    assert all(port.startswith("127.0.0.1:") for port in published)
