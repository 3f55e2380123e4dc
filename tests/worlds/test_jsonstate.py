"""Rows in a JSON file: whatever stands in its place, and however quickly it is written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import shop
from worlds import jsonstate
from worlds.exchange import NotJson
from worlds.jsonstate import JsonFile
from worlds.records import base_of
from worlds.servers import ServerUnavailable


@pytest.fixture
def state(tmp_path: Path) -> JsonFile:
    made = JsonFile(tmp_path / "state.json", "", base_of(shop.bundle()))
    made.settle()
    return made


def tables(state: JsonFile) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(state.path.read_text())
    return found


def test_a_pipe_or_a_device_in_its_place_is_not_waited_for(state: JsonFile) -> None:
    state.path.unlink()
    os.mkfifo(state.path)
    with pytest.raises(ServerUnavailable, match="is no file"):
        state.read()
    state.path.unlink()
    state.path.symlink_to("/dev/zero")
    with pytest.raises(ServerUnavailable, match="is no file"):
        state.read()


def test_no_more_is_read_than_can_be_worked_with(
    state: JsonFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonstate, "MOST_BYTES", 99)
    with pytest.raises(ServerUnavailable, match="is larger than 99 bytes"):
        state.read()


def test_a_write_is_seen_that_leaves_size_and_time_as_they_were(state: JsonFile) -> None:
    rows = tables(state)
    state.read()
    before = state.path.stat()
    rows["orders"]["W1"]["status"] = "gnidnep"
    with state.path.open("r+") as file:
        file.write(json.dumps(rows))
    os.utime(state.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert state.read()["orders", "W1"] == rows["orders"]["W1"]


@pytest.mark.parametrize("key", [[1], {}, None])
def test_a_row_without_its_key_can_be_no_record(state: JsonFile, key: Any) -> None:
    state.path.write_text(json.dumps({**tables(state), "orders": [{"order_id": key}]}))
    with pytest.raises(NotJson, match="a row of 'orders' has no 'order_id'"):
        state.read()
