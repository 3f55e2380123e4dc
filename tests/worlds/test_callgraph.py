"""What a server's source tells of its functions, without running it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from tests.worlds.shop import SOURCE
from worlds.callgraph import CallGraph, callgraph
from worlds.library import read
from worlds.servers import Servers, ServerSettings
from worlds.toolserver import ToolServer
from worlds.toolserver_body import OutsideBody, ToolServerBody

LIBRARY = Path(__file__).parents[2] / "library"


def graph(source: str) -> CallGraph:
    return callgraph(ToolServerBody(source=dedent(source)))


@pytest.fixture(autouse=True)
def _installed() -> Iterator[None]:
    yield
    Servers.install(None)


def test_a_tool_reaches_itself_and_its_helpers_with_the_tables_that_each_names() -> None:
    made = graph(SOURCE)
    assert made.reached("cancel_order") == {"cancel_order", "find_order"}
    assert made.reached("find_order") == {"find_order"}
    assert made.functions["cancel_order"].writes == {"orders", "refunds"}
    assert made.functions["cancel_order"].reads == set()
    assert made.functions["find_order"].reads == {"orders"}
    assert not made.functions["find_order"].can_write


def test_helpers_are_reached_through_constants_and_what_stands_inside_them_too() -> None:
    made = graph("""
        def tool(kind: str) -> int:
            return HANDLERS[kind]()

        def _save() -> int:
            def inside() -> None:
                db.put(table="orders", row={})
            return inside()

        def other() -> int:
            _save = 1
            return _save

        HANDLERS = {"save": _save}
    """)
    assert made.reached("tool") == {"tool", "_save", "inside"}
    assert made.functions["tool"].can_write
    assert made.functions["_save"].writes == {"orders"}
    assert made.reached("other") == {"other"}  # a name of its own


def test_nothing_is_known_of_a_source_that_cannot_be_read() -> None:
    for source in ("def tool(:\n", "x = " + "(" * 300, "a\0"):
        assert graph(source) == CallGraph()
    assert graph("").reached("tool") == frozenset()


def test_nothing_of_a_source_is_executed() -> None:
    assert graph("raise SystemExit\ndef tool(): ...\n").reached("tool") == {"tool"}


def test_an_outside_server_is_known_where_the_settings_tell_its_source(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "server.py").write_text("def book():\n    return check()\n")
    (tmp_path / "app" / "rules.py").write_text("def check():\n    return True\n")
    (tmp_path / "app" / "broken.py").write_text("def (:\n")
    known = ServerSettings(command=["x"], source="app", home=str(tmp_path))
    Servers.install(Servers(servers={"far": known, "dark": ServerSettings(command=["x"])}))
    assert callgraph(OutsideBody(server="far")).reached("book") == {"book", "check"}
    for name in ("dark", "nowhere"):
        assert callgraph(OutsideBody(server=name)) == CallGraph()


def test_in_the_library_a_function_writes_a_table_only_where_its_tool_is_known_to_write() -> None:
    for folder in read(LIBRARY, ["meetings", "helpdesk"]):
        for file in folder.toolservers.values():
            if not isinstance(file.body, ToolServerBody):
                continue
            made = callgraph(file.body)
            for tool in ToolServer.of(file.body).tools.values():
                reached = [made.functions[name] for name in made.reached(tool.name)]
                assert tool.name in made.reached(tool.name)
                assert tool.writes == any(each.can_write for each in reached)
                assert tool.writes or not any(each.writes for each in reached)
