"""`python -m worlds check DIR` and `probe DIR` as their users call them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.worlds.shop import written
from worlds.__main__ import main
from worlds.servers import VARIABLE, Servers


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return written(tmp_path)


def edit(path: Path, old: str, new: str) -> int:
    """Replace `old`, and say in which line it stood."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return text[: text.index(old)].count("\n") + 1


def test_a_sound_library_exits_0(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(library)]) == 0
    assert capsys.readouterr().out == "1 environment: 1 solvable, 0 broken, 0 unproven\n"


def test_a_blocking_finding_exits_1_and_stands_at_its_file_and_line(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tool = library / "shop/toolservers/shop.py"
    line = edit(tool, 'order["status"] != "pending"', 'order["state"] != "pending"')
    assert main(["check", str(library)]) == 1
    out = capsys.readouterr().out
    assert f"toolservers/shop.py:{line}: blocking tool-crash: cancel_order crashed" in out
    assert "(shop/first)" in out


def test_a_finding_in_an_intent_stands_at_its_line(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    intent = library / "shop/intents/cancel.yaml"
    line = edit(intent, "get('orders'", "get('ordes'")
    assert main(["check", str(library), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["environments"] == {"shop/first": "broken"}
    unknown = next(f for f in document["findings"] if f["code"] == "name-unknown")
    assert (unknown["line"], unknown["component"]) == (line, "cancel")


def test_a_row_that_no_plan_touches_is_told_of_its_records_with_its_line(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = library / "shop/records/small.json"
    line = edit(records, '"delivered"', '"lost"')
    assert main(["check", str(library)]) == 1
    out = capsys.readouterr().out
    assert f"records/small.json:{line}: blocking row-invalid" in out
    assert "(shop/records/small)" in out
    assert "1 environment: 1 solvable" in out


def test_sarif_names_rule_file_and_line(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = edit(
        library / "shop/rules/cancelling.yaml", "quote: Only pending", "quote: Most pending"
    )
    main(["check", str(library), "--format", "sarif"])
    log = json.loads(capsys.readouterr().out)
    result = log["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]
    assert (log["version"], result["ruleId"], result["level"]) == (
        "2.1.0",
        "quote-missing",
        "error",
    )
    assert place["artifactLocation"]["uri"].endswith("rules/cancelling.yaml")
    assert place["region"]["startLine"] == line


def test_a_malformed_file_exits_2_with_file_and_line(library: Path) -> None:
    edit(library / "shop/intents/cancel.yaml", "instruction:", "instrution:")
    done = subprocess.run(
        [sys.executable, "-m", "worlds", "check", str(library)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "cancel.yaml:" in done.stderr
    assert "did you mean 'instruction'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_not_there_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "/nowhere"]) == 2
    assert "/nowhere" in capsys.readouterr().err


def test_a_folder_without_a_domain_exits_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"{tmp_path}: there is no domain here" in err


@pytest.mark.parametrize("text", [None, "servers: {far: {}}\n"])
def test_settings_of_tool_servers_that_cannot_be_read_are_told_once_and_exit_2(
    library: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    text: str | None,
) -> None:
    settings = tmp_path_factory.mktemp("settings") / "servers.yaml"
    if text is not None:
        settings.write_text(text)
    monkeypatch.setenv(VARIABLE, str(settings))
    monkeypatch.setattr(Servers, "_installed", None)
    assert main(["check", str(library)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert str(settings) in err


def test_a_server_that_cannot_be_had_is_told_and_the_rest_is_checked(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (library / "shop/toolservers/far.yaml").write_text("server: far\n")
    environments = library / "shop/environments.yaml"
    second = environments.read_text().split("environments:\n")[1].replace("first", "second")
    environments.write_text(environments.read_text() + second.replace("shop", "far"))
    assert main(["check", str(library)]) == 1
    out, err = capsys.readouterr()
    assert out == "2 environments: 1 solvable, 0 broken, 0 unproven, 1 error\n"
    assert err.startswith(
        "shop/second: no tool server 'far' in the settings (ENVCURATE_TOOL_SERVERS)"
    )


def accept(library: Path, at: str) -> None:
    """Break the shop's tool, and accept the crash at a place."""
    tool = library / "shop/toolservers/shop.py"
    edit(tool, 'order["status"] != "pending"', 'order["state"] != "pending"')
    entry = f"{{code: tool-crash, at: {at}, reason: an old bug, by: ann}}"
    tool.write_text(f"# about:\n#   accept: [{entry}]\n\n{tool.read_text()}")


def test_an_accepted_finding_is_shown_and_counts_neither_in_status_nor_exit_status(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(library, "cancel_order")
    assert main(["check", str(library)]) == 0
    out = capsys.readouterr().out
    assert "accepted blocking tool-crash: cancel_order crashed" in out
    assert "(shop/first); accepted by ann: an old bug\n" in out
    assert out.endswith(
        "shop/first: unproven: no plan shows a way; a round searches for a way, and so does `python -m worlds prove`\n"
        "1 environment: 0 solvable, 0 broken, 1 unproven\n"
    )


@pytest.mark.parametrize(
    ("plans", "why"),
    [
        ("  desk:", "the intent has plans for desk, none for shop"),
        ("", "the intent has no plan"),
    ],
)
def test_an_environment_without_a_plan_says_for_which_servers_there_are_plans(
    library: Path, capsys: pytest.CaptureFixture[str], plans: str, why: str
) -> None:
    intent = library / "shop/intents/cancel.yaml"
    before, after = intent.read_text().split("plans:\n  default:")
    intent.write_text(before + (f"plans:\n{plans}{after}" if plans else ""))
    assert main(["check", str(library)]) == 0
    assert (
        f"shop/first: unproven: {why}; a round searches for a way, and so does `python -m worlds prove`\n"
        in capsys.readouterr().out
    )


def test_an_acceptance_that_fits_no_finding_is_told(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(library, "find_order")
    main(["check", str(library)])
    told = capsys.readouterr().err
    assert "toolservers/shop.py: accept tool-crash at 'find_order' fits no finding" in told
    source = library / "shop/toolservers/shop.py"
    source.write_text(source.read_text().replace("at: find_order", "at: cancel_order"))
    main(["check", str(library)])
    assert capsys.readouterr().err == ""


def test_what_is_accepted_elsewhere_counts_here(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(library, "find_order")
    assert main(["check", str(library), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["environments"] == {"shop/first": "broken"}
    assert [found["accepted"] for found in document["findings"]] == [None]


def test_sarif_suppresses_what_is_accepted(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(library, "cancel_order")
    main(["check", str(library), "--format", "sarif"])
    result = json.loads(capsys.readouterr().out)["runs"][0]["results"][0]
    assert result["suppressions"] == [
        {
            "kind": "inSource",
            "status": "accepted",
            "justification": "an old bug",
            "properties": {"by": "ann"},
        }
    ]


def test_a_conflict_of_two_clauses_stands_at_the_first_of_them(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = library / "shop/rules/cancelling.yaml"
    clause = (
        "  - {id: ID, quote: Only pending orders, on: end, require: size(history) OPERATOR 2}\n"
    )
    added = [clause.replace("ID", "few").replace("OPERATOR", "<=")]
    added += [clause.replace("ID", "many").replace("OPERATOR", ">")]
    rule.write_text(rule.read_text() + "".join(added))
    line = rule.read_text().split("id: few")[0].count("\n") + 1
    assert main(["check", str(library)]) == 1
    assert f"rules/cancelling.yaml:{line}: blocking rule-conflict" in capsys.readouterr().out


def probed(library: Path, *more: str, seed: str = "0") -> tuple[int, str]:
    """Exit status and output of a probe in a process of its own, whose hashes are shuffled by `seed`."""
    done = subprocess.run(
        [sys.executable, "-m", "worlds", "probe", str(library), *more],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    return done.returncode, done.stdout


def test_a_probe_names_the_tool_the_clause_and_the_line(library: Path) -> None:
    tool = library / "shop/toolservers/shop.py"
    edit(tool, "def set_status", "def _set_status")
    line = edit(tool, "def cancel_order", "def cancel_order")
    edit(tool, 'order["status"] != "pending"', 'order["status"] == "cancelled"')
    status, out = probed(library)
    assert status == 0, "a warning alone"
    assert f"{tool}:{line}: warning rule-unenforced: cancel_order lets through" in out
    assert "1 writing tool, " in out


def test_a_probe_that_finds_unsound_rows_exits_1_and_prints_one_document(library: Path) -> None:
    status, out = probed(library, "--json")
    document = json.loads(out)
    assert status == 1
    assert {item["symbol"] for item in document["findings"]} == {
        "set_status cancelling/pending-only",
        "set_status orders.status",
    }
    rows = {(row["tool"], row.get("clause")): row for row in document["tools"]}
    row = rows["set_status", "cancelling/pending-only"]
    assert (row["domain"], row["server"]) == ("shop", "shop")
    assert row["tried"] >= row["applied"] >= row["accepted"] > 0
    assert row["example"]["call"]["tool"] == "set_status"


def test_a_probe_is_the_same_in_every_process(library: Path) -> None:
    assert probed(library, "--json", seed="1") == probed(library, "--json", seed="2")


def test_a_probe_of_a_sound_library_finds_nothing(library: Path) -> None:
    edit(library / "shop/toolservers/shop.py", "def set_status", "def _set_status")
    status, out = probed(library)
    assert (status, out.count("rule-unenforced")) == (0, 0)
    assert out.endswith(": 0 findings\n")


def test_a_probe_leaves_servers_from_outside_out_and_says_so(library: Path) -> None:
    (library / "shop/toolservers/crm.yaml").write_text("server: crm\n")
    _, out = probed(library)
    assert "not probed, it is a tool server from outside: crm\n" in out


def test_a_probe_names_the_clauses_of_which_no_finding_can_come_and_says_why(
    library: Path,
) -> None:
    rule = library / "shop/rules/cancelling.yaml"
    start = "  - {quote: Only pending orders, "
    said = start + "id: polite, on: say, require: size(said_now) > 0}\n"
    looked = start + "id: looked, on: write, require: size(history) > 9}\n"
    rule.write_text(rule.read_text() + said + looked)
    _, out = probed(library)
    for line in (
        "not probed, it is about what is said: cancelling/polite",
        "never a finding, no tool is told history: cancelling/looked",
        "never a finding, a guard stops what breaks it: cancelling/no-hand-delivery",
    ):
        assert f"\n{line}\n" in out


@pytest.mark.parametrize("command", ["check", "probe"])
def test_a_folder_that_makes_no_environment_exits_2_and_says_the_way_out(
    library: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (library / "shop/environments.yaml").unlink()
    assert main([command, str(library), "--domain", "shop"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"{library}: no environment here, so nothing was looked at: ")
    assert "no environments.yaml makes any (of shop)" in err
    assert "manage.py import_tau2" in err


def test_a_domain_without_environments_beside_one_that_has_some_does_no_harm(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (library / "bare").mkdir()
    (library / "bare/domain.yaml").write_text((library / "shop/domain.yaml").read_text())
    assert main(["check", str(library)]) == 0
    assert capsys.readouterr().out == "1 environment: 1 solvable, 0 broken, 0 unproven\n"
    assert main(["check", str(library), "--domain", "bare"]) == 2
