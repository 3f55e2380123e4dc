"""What all commands share: who acts, what is printed, and how a failure reads."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.db import OperationalError, ProgrammingError

from components.actor import Actor
from components.commands import Command, UsageError
from worlds.source import FileProblem, LibraryInvalid


class Echo(Command):
    """Gives back who acts, or fails as told."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.out, self.err = StringIO(), StringIO()
        super().__init__(stdout=self.out, stderr=self.err)

    def work(self, actor: Actor, **options: Any) -> Any:
        if self.failure:
            raise self.failure
        return {"actor": actor and actor.username, "price": "5 €"}

    def show(self, document: Any) -> None:
        self.stdout.write(f"acting: {document['actor']}")

    def run(self, **options: Any) -> str:
        call_command(self, **options)
        return self.out.getvalue()


@pytest.mark.django_db
def test_as_says_who_acts(viewer: User) -> None:
    assert Echo().run(actor="viewer") == "acting: viewer\n"


def test_without_as_the_command_line_acts() -> None:
    assert Echo().run() == "acting: None\n"


def test_json_prints_one_document_and_nothing_else() -> None:
    text = Echo().run(json=True)
    assert json.loads(text) == {"actor": None, "price": "5 €"}
    assert "€" in text


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["nobody", "gone"])
def test_an_unknown_or_inactive_user_is_a_wrong_call(name: str) -> None:
    User.objects.create_user("gone", is_active=False)
    with pytest.raises(UsageError, match=f"--as {name}: there is no active user") as raised:
        Echo().run(actor=name)
    assert raised.value.returncode == 2


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (PermissionDenied("ann may not load"), "ann may not load"),
        (LibraryInvalid([FileProblem("a.yaml", 3, "bad")] * 2), "a.yaml:3: bad\na.yaml:3: bad"),
        (PermissionError(13, "Permission denied", "/out"), "/out: Permission denied"),
        (OperationalError("refused\nhint"), "the database does not answer: refused"),
        (
            ProgrammingError('relation "x" does not exist\nLINE 1'),
            (
                'the database lacks a table or column (relation "x" does not exist): '
                "run manage.py migrate"
            ),
        ),
    ],
)
def test_what_goes_wrong_by_no_fault_of_ours_is_told_in_a_line(
    failure: Exception, said: str
) -> None:
    with pytest.raises(CommandError) as raised:
        Echo(failure).run()
    assert str(raised.value) == said
    assert raised.value.returncode == 1


def test_a_fault_of_ours_keeps_its_traceback() -> None:
    with pytest.raises(ProgrammingError):
        Echo(ProgrammingError("syntax error")).run()


@pytest.mark.parametrize(
    ("failure", "status"), [(CommandError("no luck"), 1), (UsageError("no luck"), 2)]
)
def test_on_the_command_line_an_error_is_its_message_and_a_status(
    failure: CommandError, status: int
) -> None:
    echo = Echo(failure)
    with pytest.raises(SystemExit) as raised:
        echo.run_from_argv(["manage.py", "echo"])
    assert raised.value.code == status
    assert echo.err.getvalue() == "no luck\n"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--verbosity", "7"], "argument -v/--verbosity: invalid choice: 7 (choose from "),
        (["--nothing"], "unrecognized arguments: --nothing"),
    ],
)
def test_a_wrong_option_is_told_in_one_line_without_the_usage(
    argv: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        Echo().run_from_argv(["manage.py", "echo", *argv])
    assert raised.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith(f"manage.py echo: {said}")
    assert err.count("\n") == 1


def test_a_wrong_option_in_a_call_from_code_is_a_wrong_call_too() -> None:
    with pytest.raises(UsageError, match="invalid choice: 7"):
        call_command(Echo(), "--verbosity", "7")


def test_work_that_failed_prints_its_document_and_then_why() -> None:
    class Half(Echo):
        def trouble(self, document: Any) -> str:
            return f"half done at {document['price']}"

    half = Half()
    with pytest.raises(CommandError, match="half done at 5 €") as raised:
        half.run()
    assert raised.value.returncode == 1
    assert half.out.getvalue() == "acting: None\n"
