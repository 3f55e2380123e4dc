"""`manage.py library`: files in, files out, errors as lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from components.models import Domain, Version
from envcurate.home import BASE_DIR
from tests.shop import shop
from worlds.library import write


@pytest.fixture
def library(tmp_path: Path) -> Path:
    for slug in ("shop", "zoo"):
        write(shop(slug), tmp_path / "library")
    return tmp_path / "library"


def run(*words: Any, **options: Any) -> Any:
    out = StringIO()
    call_command("library", *map(str, words), json=True, stdout=out, **options)
    return json.loads(out.getvalue())


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.django_db
def test_load_says_what_it_came_to_and_who_did_it(library: Path, curator: User) -> None:
    assert run("load", library, actor="curator") == {
        "domains": 2,
        "components": 10,
        "versions_created": 10,
        "environments": 4,
    }
    assert set(Version.objects.values_list("author", flat=True)) == {curator.pk}


@pytest.mark.django_db
@pytest.mark.parametrize("domain", ["shop", ["shop"]])
def test_domain_says_which(library: Path, tmp_path: Path, domain: Any) -> None:
    assert run("load", library, domain=domain)["domains"] == 1
    assert [str(found) for found in Domain.objects.all()] == ["shop"]


@pytest.mark.django_db
def test_dump_writes_a_folder_for_each_domain(library: Path, tmp_path: Path) -> None:
    run("load", library)
    assert run("dump", tmp_path / "out") == {
        "domains": 2,
        "components": 10,
        "versions_created": 0,
        "environments": 4,
    }
    run("dump", tmp_path / "one", domain=["zoo"])
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["zoo"]
    assert contents(tmp_path / "one" / "zoo") == contents(tmp_path / "out" / "zoo")
    assert set(contents(tmp_path / "out")) == {
        *contents(library),
        "shop/pins.json",
        "zoo/pins.json",
    }


@pytest.mark.django_db
def test_a_domain_that_is_not_there_is_named(library: Path, tmp_path: Path) -> None:
    for act, folder, domain, words in [
        ("load", library, "shp", "no domain 'shp' here; there is shop, zoo"),
        ("load", tmp_path / "nowhere", None, "nowhere: there is no such folder"),
        ("dump", tmp_path / "out", "shop", "no domain 'shop'; there is none"),
    ]:
        with pytest.raises(CommandError, match=words) as raised:
            run(act, folder, domain=domain)
        assert raised.value.returncode == 2


@pytest.mark.django_db
def test_a_half_written_library_loads_nothing(library: Path) -> None:
    (library / "zoo" / "environments.yaml").write_text("environments:\n  one: {intent: can")
    with pytest.raises(CommandError, match=r"zoo/environments.yaml:\d: not YAML"):
        run("load", library)
    assert not Domain.objects.exists()


def test_format_needs_no_database(library: Path) -> None:
    path = library / "shop" / "rules" / "policy.yaml"
    before = contents(library)
    path.write_text(f"# a remark\n{path.read_text()}")
    assert run("format", library)["components"] == 10
    assert contents(library) == before


def manage(*words: Any, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "library", *map(str, words)],
        cwd=BASE_DIR,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_from_a_shell_errors_are_lines_and_a_status(
    library: Path, transactional_db: None, services: dict[str, str]
) -> None:
    done = manage("load", library, "--json", **services)
    assert (done.returncode, json.loads(done.stdout)["domains"], done.stderr) == (0, 2, "")
    for words in (["lod", library], ["dump", library, "--prune"], ["load", library, "--as", "x"]):
        wrong = manage(*words, **services)
        assert (wrong.returncode, wrong.stdout) == (2, "")
    edited = library / "zoo" / "rules" / "policy.yaml"
    edited.write_text("txt: a\n")
    failed = manage("load", library, **services)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.splitlines() == [
        f"{edited}:1: the key 'text' is missing",
        f"{edited}:1: unknown key 'txt'; did you mean 'text'?",
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("act", ["load", "format"])
def test_a_folder_without_a_domain_is_a_wrong_call(tmp_path: Path, act: str) -> None:
    with pytest.raises(CommandError, match=f"{tmp_path}: there is no domain here") as caught:
        run(act, tmp_path)
    assert caught.value.returncode == 2


@pytest.mark.django_db
def test_people_are_told_how_many_of_each(library: Path) -> None:
    out = StringIO()
    call_command("library", "load", str(library / "shop"), stdout=out)
    assert out.getvalue() == "1 domain, 5 components (5 new versions), 2 environments\n"
