"""`python -m worlds pin DIR`: pins are made without a database, and nothing else in the folder changes."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.worlds.shop import written
from worlds.__main__ import main
from worlds.bundle import Pin
from worlds.commands.pin import merged


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return written(tmp_path)


def pins(shop: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((shop / "shop/pins.json").read_text())
    return read


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_an_environment_without_a_pin_gets_one(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pin", str(shop)]) == 0
    assert capsys.readouterr().out == "shop: 1 pin, 1 of them new or changed\n"
    assert set(pins(shop)["first"]["binding"]) == {"order", "user"}


def test_a_comment_in_a_file_survives(shop: Path) -> None:
    path = shop / "shop/domain.yaml"
    path.write_text("# ours\n" + path.read_text())
    before = {file: file.read_bytes() for file in shop.rglob("*.*") if file.is_file()}
    main(["pin", str(shop / "shop")])
    after = {file: file.read_bytes() for file in before}
    assert after == before


def test_a_pin_stays_although_another_row_would_be_chosen_now(shop: Path) -> None:
    main(["pin", str(shop)])
    path = shop / "shop/pins.json"
    other = {"first": {**pins(shop)["first"], "binding": {"order": "W2", "user": "ann"}}}
    path.write_text(json.dumps(other))
    assert main(["pin", str(shop)]) == 0
    assert pins(shop) == other
    assert main(["pin", str(shop), "--anew"]) == 0
    assert pins(shop) != other


def test_pinning_twice_changes_nothing(shop: Path) -> None:
    main(["pin", str(shop), "--anew"])
    once = (shop / "shop/pins.json").read_bytes()
    main(["pin", str(shop), "--anew"])
    assert (shop / "shop/pins.json").read_bytes() == once


def test_the_pin_of_an_environment_that_is_no_more_goes(shop: Path) -> None:
    main(["pin", str(shop)])
    edit(shop / "shop/environments.yaml", "first:", "second:")
    main(["pin", str(shop)])
    assert set(pins(shop)) == {"second"}


def test_all_pins_of_environments_that_are_no_more_go_at_once(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["pin", str(shop)])
    mine = pins(shop)
    path = shop / "shop/pins.json"
    path.write_text(json.dumps({"gone.0": mine["first"], **mine, "gone.1": mine["first"]}))
    capsys.readouterr()
    assert main(["pin", str(shop)]) == 0
    assert pins(shop) == mine
    assert f"{path}: 2 pins of environments that are no more taken out\n" in capsys.readouterr().out


def test_a_slot_that_no_row_fits_is_named_and_nothing_is_pinned(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(shop / "shop/intents/cancel.yaml", "status: pending", "status: lost")
    assert main(["pin", str(shop)]) == 1
    assert "shop/first: not pinned: no row fits order" in capsys.readouterr().err
    assert not (shop / "shop/pins.json").exists()


def test_pins_that_another_call_wrote_meanwhile_stay(shop: Path) -> None:
    main(["pin", str(shop)])
    edit(shop / "shop/pins.json", '"first"', '"theirs"')
    ours = Pin.model_validate(pins(shop)["theirs"])
    together, new = merged(shop / "shop", {"ours": ours})
    assert (set(together), new) == ({"ours", "theirs"}, 1)
    assert set(pins(shop)) == {"ours", "theirs"}
    merged(shop / "shop", {"theirs": None})
    assert set(pins(shop)) == {"ours"}


def test_nothing_is_written_while_another_call_writes(shop: Path) -> None:
    folder = os.open(shop / "shop", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    waiting = Thread(target=main, args=(["pin", str(shop)],))
    waiting.start()
    waiting.join(3)
    is_waiting, is_written = waiting.is_alive(), (shop / "shop/pins.json").exists()
    os.close(folder)
    waiting.join(60)
    assert (is_waiting, is_written) == (True, False)
    assert set(pins(shop)) == {"first"}


@contextmanager
def no_room_for_files() -> Iterator[None]:
    """Every write to a file fails, for the superuser, too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_folder_that_cannot_be_written_is_named_in_one_line(shop: Path) -> None:
    call = [sys.executable, "-B", "-m", "worlds", "pin", str(shop)]
    with no_room_for_files():
        done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{shop / 'shop'}: pins cannot be written: File too large\n"
    assert [path for path in (shop / "shop").iterdir() if "pins" in path.name] == []
