"""What an installation sets by environment variables is read strictly."""

import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from envcurate import environment
from envcurate.home import BASE_DIR

NAME = "ENVCURATE_TRIED"


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("Yes", True), (" on ", True), ("0", False), ("off", False)]
)
def test_a_boolean_has_several_spellings(
    monkeypatch: pytest.MonkeyPatch, text: str, value: bool
) -> None:
    monkeypatch.setenv(NAME, text)
    assert environment.boolean(NAME, default=not value) is value


@pytest.mark.parametrize("text", ["ture", "2", "yes please"])
def test_a_misspelt_boolean_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(NAME, text)
    with pytest.raises(ImproperlyConfigured, match=f"{NAME} is '{text}'"):
        environment.boolean(NAME, default=False)


@pytest.mark.parametrize(("text", "value"), [("after-rounds", "after-rounds"), (" ", "")])
def test_a_choice_is_one_of_its_words_or_nothing(
    monkeypatch: pytest.MonkeyPatch, text: str, value: str
) -> None:
    monkeypatch.setenv(NAME, text)
    assert environment.choice(NAME, ["after-rounds"]) == value


def test_a_misspelt_choice_is_refused_with_what_could_be_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(NAME, "after-round")
    with pytest.raises(
        ImproperlyConfigured, match=f"{NAME} is 'after-round': write after-rounds, or leave it out"
    ):
        environment.choice(NAME, ["after-rounds"])


@pytest.mark.parametrize("text", ["ten", "0", "-1", "1.5"])
def test_a_number_must_be_whole_and_large_enough(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv(NAME, text)
    with pytest.raises(ImproperlyConfigured, match="whole number of at least 1"):
        environment.whole(NAME, default=1)


def test_what_is_not_set_has_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "")
    assert environment.boolean(NAME, default=True) is True
    assert environment.whole(NAME, default=7) == 7
    assert environment.words(NAME, default=["a"]) == ["a"]
    assert environment.database(NAME) is None
    assert environment.broker(NAME) is None


def test_a_list_is_written_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "a.example, b.example,")
    assert environment.words(NAME, default=[]) == ["a.example", "b.example"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://me:p%40ss@db.example:5433/data?sslmode=require", ("db.example", 5433)),
        ("postgres://me:p%40ss@[::1]/data?sslmode=require", ("::1", "")),
        ("postgresql://me:p%40ss@%2FRun%2Fpg:5432/data?sslmode=require", ("/Run/pg", 5432)),
    ],
)
def test_a_database_address_is_taken_apart(
    monkeypatch: pytest.MonkeyPatch, url: str, expected: tuple[str, object]
) -> None:
    monkeypatch.setenv(NAME, url)
    found = environment.database(NAME)
    assert found is not None
    assert (found["HOST"], found["PORT"]) == expected
    assert (found["NAME"], found["USER"], found["PASSWORD"]) == ("data", "me", "p@ss")
    assert found["OPTIONS"] == {"sslmode": "require"}


@pytest.mark.parametrize(
    "url",
    ["mysql://host/name", "postgresql://me:hidden@host:port/name", "postgresql://host", "host"],
)
def test_a_malformed_database_address_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv(NAME, url)
    with pytest.raises(ImproperlyConfigured, match=NAME) as refusal:
        environment.database(NAME)
    assert "hidden" not in str(refusal.value)


@pytest.mark.parametrize("url", ["amqp://host", "redis://", "redis://:hidden@host:x/0"])
def test_a_malformed_broker_address_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv(NAME, url)
    with pytest.raises(ImproperlyConfigured, match=NAME):
        environment.broker(NAME)


def test_a_misspelt_setting_stops_a_command_with_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        check=False,
        capture_output=True,
        text=True,
        cwd=BASE_DIR,
        env={"ENVCURATE_DEBUG": "ture", "ENVCURATE_SECRET_KEY": "any"},
    )
    assert done.returncode == 2
    assert done.stderr.startswith("envcurate: ENVCURATE_DEBUG is 'ture'")
    assert done.stderr.count("\n") == 1
