"""`python -m worlds probe DIR` on environments that do not share tool servers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.worlds.shop import SOURCE, written
from worlds.__main__ import main

STRICT = SOURCE[: SOURCE.index("def set_status")].lstrip()
PENDING = 'if order["status"] != "pending"'
NOTES = 'def note() -> dict:\n    """Note."""\n    return {}\n'
BESIDE = (
    "  second:\n    intent: cancel\n    rules: [cancelling]\n    records: small\n    toolservers: "
)
CLAUSE = "cancelling/pending-only"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """An environment of a strict server."""
    library = written(tmp_path)
    (library / "shop/toolservers/shop.py").write_text(STRICT)
    return library


def beside(library: Path, server: str, source: str, servers: str) -> None:
    """A second server, and a second environment that has `servers`."""
    (library / f"shop/toolservers/{server}.py").write_text(source)
    environments = library / "shop/environments.yaml"
    environments.write_text(environments.read_text() + BESIDE + f"[{servers}]\n")


def test_what_one_group_observed_is_not_said_to_be_unobserved(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # What only a plan says: nobody makes it up.
    (shop / "shop/toolservers/shop.py").write_text(
        STRICT.replace(PENDING, f'{PENDING} or reason != "changed"')
    )
    beside(shop, "notes", NOTES, "shop, notes")
    intent = shop / "shop/intents/cancel.yaml"
    plan = "  notes:\n    - finish: {outcome: refused}\n"
    intent.write_text(intent.read_text().replace("plans:\n", "plans:\n" + plan))
    main(["probe", str(shop), "--calls", "0", "--json"])
    document = json.loads(capsys.readouterr().out)
    observed = {tuple(each["toolservers"]): each["observed"] for each in document["calls"]}
    assert observed == {("shop",): True, ("shop", "notes"): False}, "apart in the document"
    gaps = [each for each in document["not_probed"] if each["name"] == CLAUSE]
    assert [each["toolservers"] for each in gaps] == [["shop", "notes"]]
    assert main(["probe", str(shop), "--calls", "0"]) == 0
    out = capsys.readouterr().out
    assert "unobserved" not in out
    assert CLAUSE not in out
    assert "1 writing tool, " in out


def test_what_no_group_observed_is_said_once(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "shop/toolservers/shop.py").write_text(STRICT.replace(PENDING, "if True"))
    beside(shop, "notes", NOTES, "shop, notes")
    main(["probe", str(shop)])
    out = capsys.readouterr().out
    assert out.count("cancel_order: unobserved") == out.count(CLAUSE) == 1


def test_only_probes_the_environments_of_that_name(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beside(shop, "lax", SOURCE.lstrip(), "lax")
    assert main(["probe", str(shop), "--only", "fir*"]) == 0
    out = capsys.readouterr().out
    assert "set_status" not in out
    assert out.endswith(": 0 findings\n")
    assert main(["probe", str(shop), "--only", "second"]) == 1
    assert "set_status" in capsys.readouterr().out


def test_only_leaves_out_servers_from_outside_that_no_environment_of_that_name_has(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "shop/toolservers/crm.yaml").write_text("server: crm\n")
    main(["probe", str(shop)])
    assert "from outside: crm\n" in capsys.readouterr().out
    main(["probe", str(shop), "--only", "first"])
    assert "crm" not in capsys.readouterr().out


def test_a_pattern_that_fits_nothing_exits_2(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe", str(shop), "--only", "third"]) == 2
    assert "no environment is called 'third'" in capsys.readouterr().err
