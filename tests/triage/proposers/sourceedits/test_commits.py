"""Writes that nobody commits."""

from __future__ import annotations

import pytest

from triage.proposers.sourceedits.commits import commits
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.domain import Domain

DOMAIN = Domain.parse({"tables": {}})
SIBLING = "def g(c):\n    c.execute('DELETE FROM t')\n    c.commit()\n"


def made(text: str, *neighbours: str) -> list[str]:
    return [each.source for each in commits(SourceCode(text, DOMAIN, {"f": 1.0}, {}, neighbours))]


def test_what_was_written_is_committed_after_the_last_write() -> None:
    text = (
        "def f(c, x):\n    c.execute('SELECT 1')\n    c.execute('UPDATE t SET a = ?', (x,))\n"
        "    return {'a': x}\n"
    )
    assert made(text) == [
        text.replace("    return", "    c.commit()\n    return"),
    ]
    (edit,) = commits(SourceCode(text + "\n\n" + SIBLING, DOMAIN, {"f": 1.0}))
    assert edit.authority == "`c.commit()`, as elsewhere in the file"
    assert edit.likelihood > 0.5


def test_a_transaction_that_only_ever_is_taken_back_is_committed_at_its_end() -> None:
    text = (
        "def f(open):\n    with open() as c:\n        c.execute('BEGIN')\n        try:\n"
        "            yield c\n        except BaseException:\n            c.execute('ROLLBACK')\n"
        "            raise\n"
    )
    assert made(text) == [text + '        c.execute("COMMIT")\n']


@pytest.mark.parametrize(
    "text",
    [
        "def f(c):\n    c.execute('DELETE FROM t')\n    c.commit()\n",
        "def f(c):\n    with c:\n        c.execute('DELETE FROM t')\n",
        "def f(c):\n    c.execute('BEGIN')\n    c.execute('DELETE FROM t')\n    c.execute('COMMIT')\n",
        "def f(c):\n    c.execute('SELECT 1')\n",
        "def f(c):\n    return c.execute('DELETE FROM t').rowcount\n",
        "def g(c):\n    c.execute('DELETE FROM t')\n",
    ],
)
def test_what_is_committed_or_writes_nothing_stays(text: str) -> None:
    assert made(text) == []


def test_a_connection_that_commits_at_once_needs_no_commit() -> None:
    text = "def f(c):\n    c.execute('DELETE FROM t')\n"
    assert made(text, "sqlite3.connect(path, isolation_level=None)\n") == []
    assert made(text) != []
