"""What a call of a tool of an outside server may run, told by its source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.worlds.outside import install
from triage.proposers.outsidesource import FARTHEST, OutsideSource
from worlds.servers import Servers, ServerSettings
from worlds.toolserver_body import OutsideBody

TOOLS = '''
from crm.book import Book

@tool
def book_room(room: str) -> dict:
    """Book it."""
    return Book(room).reserve(MOST)


def list_rooms() -> list:
    return [1]
'''
BOOK = """
MOST = 5


class Base:
    def shared(self):
        return helper()


class Book(Base):
    seats: int = 1

    def __init__(self, room):
        self.room = room

    def reserve(self, most):
        return self.shared()

    def cancel(self):
        return 1


def helper():
    return 2
"""


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    yield
    Servers.install(None)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "crm").mkdir()
    (tmp_path / "crm" / "tools.py").write_text(TOOLS)
    (tmp_path / "crm" / "book.py").write_text(BOOK)
    return tmp_path


def named(home: Path, **said: Any) -> OutsideBody:
    meant = {"command": ["x"], "source": "crm", "repair": True, "home": str(home), **said}
    install(crm=ServerSettings.model_validate(meant))
    return OutsideBody(server="crm")


def read(home: Path) -> OutsideSource:
    found = OutsideSource.of(named(home))
    assert found is not None
    return found


def test_functions_methods_and_constants_are_reached_with_their_distance(home: Path) -> None:
    reached = read(home).reached("book_room")
    steps = {f"{unit.outer}.{unit.name}": far for unit, far in reached.items()}
    assert steps == {
        "book_room.book_room": 0,
        "Book.Book": 1,
        "Book.reserve": 1,
        ".MOST": 1,
        "Base.Base": 2,
        "Base.shared": 2,
        "helper.helper": 3,
    }
    assert {unit.path for unit in reached} == {"tools.py", "book.py"}
    assert read(home).reached("cancel") == {}, "a method is no tool"


def test_it_does_not_go_on_for_ever(home: Path) -> None:
    chain = "".join(f"def f{n}():\n    return f{n + 1}()\n\n\n" for n in range(20))
    (home / "crm" / "tools.py").write_text(chain)
    assert len(read(home).reached("f0")) == FARTHEST + 1


def test_where_it_may_not_be_repaired_or_is_not_here_there_is_none(home: Path) -> None:
    assert OutsideSource.of(named(home, repair=False)) is None
    assert OutsideSource.of(named(home, source="gone")) is None
    assert OutsideSource.of(OutsideBody(server="unknown")) is None


def test_what_no_patch_could_be_of_is_not_read(home: Path) -> None:
    folder = home / "crm"
    (folder / ".hidden.py").write_text("x = 1\n")
    (folder / "crlf.py").write_bytes(b"x = 1\r\n")
    (folder / "binary.py").write_bytes(b"\xff\x00")
    (folder / "nfd.py").write_text("x = 'e\u0301'\n")
    (folder / "long.py").write_text("x = 1\n" * 100_000)
    (folder / "link.py").symlink_to(folder / "book.py")
    (folder / "broken.py").write_text("def f(:\n")
    found = read(home)
    assert set(found.texts) == {"tools.py", "book.py", "broken.py"}
    assert {unit.path for unit in found.units} == {"tools.py", "book.py"}
