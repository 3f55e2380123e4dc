"""Parameters that a function takes and never reads."""

from __future__ import annotations

import pytest

from triage.proposers.sourceedits.ignored import ignored
from triage.proposers.sourceedits.sourcecode import SourceCode
from worlds.domain import Domain

DOMAIN = Domain.parse({"tables": {}})


def made(text: str) -> dict[str, float]:
    edits = ignored(SourceCode(text, DOMAIN, {"f": 1.0}))
    return {each.source: each.likelihood for each in edits}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("g(kind=Kind.OPEN)", "g(kind=kind)"),
        ("return {'kind': 'open'}", "return {'kind': kind}"),
        ("row['kind'] = 'open'", "row['kind'] = kind"),
        ("row.kind = 1", "row.kind = kind"),
    ],
)
def test_it_is_used_where_something_of_its_name_is_wanted(wrong: str, right: str) -> None:
    text = f"def f(row, kind: Kind = Kind.OPEN):\n    print(row)\n    {wrong}\n"
    found = made(text)
    assert max(found, key=lambda code: found[code]) == text.replace(wrong, right)


def test_it_is_used_where_something_of_its_kind_is_wanted() -> None:
    text = "def f(kind: Kind):\n    g(Kind.OPEN, Other.X)\n"
    assert list(made(text)) == [text.replace("Kind.OPEN", "kind")]


@pytest.mark.parametrize(
    "text",
    [
        "def f(kind):\n    g(kind=1)\n    return kind\n",
        "def f(_kind):\n    g(_kind=1)\n",
        "def f(self):\n    g(self=1)\n",
        "def g(kind):\n    h(kind=1)\n",
    ],
)
def test_what_is_read_or_not_suspected_stays(text: str) -> None:
    assert made(text) == {}


def test_what_is_said_of_it_is_the_authority() -> None:
    hinted = "def f(kind: Annotated[str, Field(description='who may see it.')]):\n    g(kind=1)\n"
    told = 'def f(kind: str):\n    """Do.\n\n    kind: who may see it.\n    """\n    g(kind=1)\n'
    for text in (hinted, told):
        (edit,) = ignored(SourceCode(text, DOMAIN, {"f": 1.0}))
        assert edit.authority == "kind: who may see it."
        assert (edit.function, edit.line) == ("f", text.count("\n"))
