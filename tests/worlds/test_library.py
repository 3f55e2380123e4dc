"""Domain folders: what fits together is read, what does not is told, all of it, and writing is canonical."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.shop import shop
from tests.worlds.folders import folders
from worlds.bundle import Pin
from worlds.folder import DomainFolder, File
from worlds.library import LibraryInvalid, format_folders, read, write
from worlds.toolserver_body import ToolServerBody

Library = Path


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A library with the domain `shop`, its files as `write` leaves them."""
    write(shop(), tmp_path)
    return tmp_path


def problems(path: Path, root: Path | None = None) -> list[str]:
    """What is said against the library, paths from `root` (or from the library)."""
    with pytest.raises(LibraryInvalid) as raised:
        read(path)
    return [line.replace(f"{root or path}/", "") for line in str(raised.value).splitlines()]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def said(folder: DomainFolder) -> list[Any]:
    """All that a folder says; the order of rows says nothing."""
    components = [(file.kind, file.slug, file.digest, file.about) for file in folder.files()]
    return [folder.slug, components, folder.compositions, folder.environments, folder.pins]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# Reading and writing


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(folders())
def test_a_written_folder_is_read_back_and_written_again_the_same(
    tmp_path_factory: pytest.TempPathFactory, folder: DomainFolder
) -> None:
    root = tmp_path_factory.mktemp("law")
    write(folder, root)
    (found,) = read(root)
    assert said(found) == said(folder)
    again = root / "again"
    write(found, again)
    assert contents(again / "wild") == contents(root / "wild")


def test_a_folder_written_by_hand_says_the_same_after_formatting(library: Path) -> None:
    policy = library / "shop" / "rules" / "policy.yaml"
    policy.write_text(
        "clauses: []\ntext: 'Only pending orders\n  can be cancelled.'\nabout: {title:   P}\n"
    )
    before = read(library)
    format_folders(library)
    assert policy.read_text() == "about:\n  title: P\ntext: Only pending orders can be cancelled.\n"
    assert read(library) == before


def test_one_domain_is_formatted_where_it_stands(library: Path) -> None:
    before = contents(library)
    (library / "shop" / "rules" / "policy.yaml").write_text("{text: a}")
    format_folders(library / "shop")
    assert contents(library) == before | {"shop/rules/policy.yaml": b"text: a\n"}


def test_records_stand_one_row_a_line_by_key(library: Path) -> None:
    assert (library / "shop" / "records" / "small.json").read_text() == (
        '{"tables": {\n'
        '  "orders": [\n'
        '   {"order_id": "o1", "status": "pending", "total": 25.5, "user_id": "ann"},\n'
        '   {"order_id": "o2", "status": "done", "total": 10, "user_id": "ann"}],\n'
        '  "users": [\n'
        '   {"name": "Ann", "user_id": "ann"}]}}\n'
    )


def test_a_tool_server_keeps_its_about_block_as_comments(library: Path) -> None:
    path = library / "shop" / "toolservers" / "desk.py"
    assert path.read_text().startswith("# about:\n#   authority: given\n\ndef cancel_order(")
    (found,) = read(library)
    assert found.toolservers["desk"].about == {"authority": "given"}
    assert found.toolservers["desk"].line("source") == 4


@pytest.mark.parametrize("notes", ["a\nb\n", "a\nb", "a\n\nb\n\n", "word " * 40 + "end\n", "x\n"])
@pytest.mark.parametrize("source", ["x = 1\n", "\nx = 1", "# about:\n#   title: x\n", ""])
def test_any_notes_stand_before_any_source(tmp_path: Path, notes: str, source: str) -> None:
    folder = shop()
    body = ToolServerBody(source=source)
    folder.toolservers["desk"] = File("desk", body, {"notes": notes})
    write(folder, tmp_path)
    (found,) = read(tmp_path)
    assert found.toolservers["desk"] == folder.toolservers["desk"]


def test_a_component_knows_the_line_of_every_place(library: Path) -> None:
    (found,) = read(library)
    text = (library / "shop" / "intents" / "cancel-0.yaml").read_text().splitlines()
    line = found.intents["cancel-0"].line("plans", "default", 0, "args", "order_id")
    assert line is not None
    assert "cancel_order" in text[line - 1]
    assert found.records["small"].line("tables", "orders", 1) == 4


def test_a_domain_is_read_from_its_own_folder_too(library: Path) -> None:
    assert read(library / "shop") == read(library)


def test_a_definition_that_takes_a_name_of_the_language_is_told_with_its_line(
    library: Library,
) -> None:
    path = library / "shop" / "intents" / "cancel-0.yaml"
    path.write_text(f"define:\n  mine: 1 == 1\n  count: 1 == 1\n{path.read_text()}")
    assert problems(library) == [
        "shop/intents/cancel-0.yaml:3: define.count: 'count' is a function of conditions: choose another name"
    ]


def test_only_the_domains_asked_for_are_read(library: Path) -> None:
    write(shop("other"), library)
    (library / "other" / "domain.yaml").write_text("broken: [")
    assert [folder.slug for folder in read(library, ["shop"])] == ["shop"]
    with pytest.raises(LibraryInvalid, match="no domain 'shp' here; there is other, shop"):
        read(library, ["shp"])


def test_readmes_and_hidden_files_are_left_alone_and_stale_components_go(library: Path) -> None:
    kept = library / "shop" / "README.md"
    kept.write_text("Hello")
    (library / "shop" / ".editorconfig").write_text("root = true")
    (library / "shop" / "rules" / "old.yaml").write_text("text: old\n")
    write(shop(), library)
    assert kept.read_text() == "Hello"
    assert (library / "shop" / ".editorconfig").exists()
    assert not (library / "shop" / "rules" / "old.yaml").exists()
    assert [path.name for path in library.iterdir()] == ["shop"]


def test_nothing_foreign_is_overwritten(library: Path) -> None:
    (library / "shop" / "thesis.tex").write_text("precious")
    with pytest.raises(LibraryInvalid, match="would be lost"):
        write(shop(), library)
    assert (library / "shop" / "thesis.tex").read_text() == "precious"


def test_a_write_that_fails_leaves_the_old_folder_whole(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(library)
    written: list[str] = []

    def full(path: Path, data: bytes) -> int:
        written.append(path.name)
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        return len(data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        write(shop(intents=2), library)
    assert contents(library) == before
    assert [path.name for path in library.iterdir()] == ["shop"]


def test_what_was_swapped_is_whole_even_without_the_systems_exchange(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worlds.librarywriter._exchanged", lambda *_: False)
    write(shop(intents=2), library)
    assert read(library) == read(write(shop(intents=2), library / "fresh").parent)
    assert sorted(path.name for path in library.iterdir()) == ["fresh", "shop"]


# Environments


def test_compositions_make_environments_beside_those_written_out(library: Path) -> None:
    folder = shop(intents=2)
    folder.compositions["all"]["seeds"] = [0, 1]
    assert [spec.slug for spec in folder.all_environments()] == [
        "cancel-0.small.desk.0",
        "cancel-0.small.desk.1",
        "cancel-1.small.desk.0",
        "cancel-1.small.desk.1",
        "lawless",
    ]


def test_a_bundle_names_its_bodies_and_takes_its_pin(library: Path) -> None:
    (folder,) = read(library)
    pins = library / "shop" / "pins.json"
    pins.write_text('{"lawless": {"binding": {"order": "o1"}, "effect": null}}\n')
    (pinned,) = read(library)
    spec = folder.environments["lawless"]
    assert folder.bundle(spec).manifest.pin is None
    bundle = pinned.bundle(spec)
    assert bundle.manifest.pin is not None
    assert bundle.manifest.pin.binding == {"order": "o1"}
    assert bundle.manifest.intent.body == folder.intents["cancel-0"].body.digest
    assert bundle.rules == ()


# Problems


def test_all_problems_of_all_files_are_told_with_line_and_way_out(library: Path) -> None:
    shop_folder = library / "shop"
    edit(shop_folder / "intents" / "cancel-0.yaml", "instruction:", "instrution:")
    edit(shop_folder / "rules" / "policy.yaml", "on: write", "on: wrote")
    (shop_folder / "records" / "small.json").write_text(
        '{"tables": {"orders": [\n{"order_id": "o1"},\n{"order_id": 7},\n{"order_id": "o1"}],\n"user": []}}'
    )
    (shop_folder / "pins.json").write_text(
        '{\n"nowhere": {"binding": {}},\n"lawless": {"bindng": {}}}'
    )
    (shop_folder / "notes.txt").write_text("")
    assert problems(library) == [
        "shop/intents/cancel-0.yaml:1: the key 'instruction' is missing",
        "shop/intents/cancel-0.yaml:1: unknown key 'instrution'; did you mean 'instruction'?",
        (
            "shop/notes.txt: unexpected file: a domain holds domain.yaml, environments.yaml, pins.json, "
            "intents/, rules/, records/, toolservers/; take it out"
        ),
        "shop/pins.json:2: there is no environment 'nowhere': take its pin out, as `python -m worlds pin` does",
        "shop/pins.json:3: unknown key 'bindng'; did you mean 'binding'?",
        (
            "shop/records/small.json:3: row 1 of orders has 7 in its key field 'order_id': "
            "a key is text and not empty"
        ),
        "shop/records/small.json:4: two rows of orders have the key 'o1'",
        "shop/records/small.json:5: the domain has no table 'user'; it has orders, users",
        (
            "shop/rules/policy.yaml:8: clauses[0].on: input should be 'write', 'call', 'say' or 'end', "
            "not 'wrote'"
        ),
    ]


ENVIRONMENTS: list[tuple[str, str]] = [
    (
        "environments:\n  one: {intent: cancel, records: small, toolservers: [desk]}\n",
        "2: environments.one.intent: there is no intent 'cancel'; did you mean 'cancel-0'?",
    ),
    (
        "environments:\n  one: {intent: cancel-0, records: big, toolservers: []}\n",
        "2: environments.one.records: there is no records set 'big'; add its file",
    ),
    (
        "environments:\n  one: {intent: cancel-0, records: small, toolservers: []}\n",
        "2: environments.one.toolservers: an environment needs a tool server",
    ),
    (
        "environments:\n  o/e: {intent: cancel-0, records: small, toolservers: [desk]}\n",
        "2: environments.o/e: an environment is named with",
    ),
    (
        "environments:\n  one: {intent: cancel-0, records: small, toolservers: [desk], seed: -1}\n",
        "2: environments.one.seed: input should be greater than or equal to 0, not -1",
    ),
    (
        (
            "compositions:\n  a:\n    intents: '*'\n    rules: [policy,\n      policy]\n"
            "    records: [small]\n    toolservers: [[desk]]\n"
        ),
        "5: compositions.a.rules[1]: 'policy' stands here twice",
    ),
    (
        "compositions:\n  a: {intents: '+', records: [small], toolservers: [[desk]]}\n",
        "2: compositions.a.intents: input should be",
    ),
    (
        (
            "compositions:\n  a: {intents: '*', records: [small], toolservers: [[desk]]}\n"
            "  b: {intents: [cancel-0], records: [small], toolservers: [[desk]]}\n"
        ),
        "3: compositions.b: it makes the environment 'cancel-0.small.desk.0', which 'a' has too",
    ),
    (
        (
            "environments:\n  cancel-0.small.desk.0: {intent: cancel-0, records: small, toolservers: [desk]}\n"
            "compositions:\n  a: {intents: '*', records: [small], toolservers: [[desk]]}\n"
        ),
        "4: compositions.a: it makes the environment 'cancel-0.small.desk.0', which 'environments'",
    ),
    (
        f"compositions:\n  a: {{intents: '*', records: [small], toolservers: [[desk]], seeds: {list(range(20001))}}}\n",
        "2: compositions.a: it makes more than 20000 environments",
    ),
    ("- a\n", "1: the file: input should be a valid dictionary"),
]


@pytest.mark.parametrize(("text", "said"), ENVIRONMENTS)
def test_environments_that_do_not_fit_are_told(library: Path, text: str, said: str) -> None:
    (library / "shop" / "environments.yaml").write_text(text)
    assert [line for line in problems(library) if said in line]


def _link_out(folder: Path) -> None:
    (folder / "rules" / "out.yaml").symlink_to("/etc/hostname")


def _link_to_itself(folder: Path) -> None:
    (folder / "rules" / "loop.yaml").symlink_to("loop.yaml")


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "rules" / "pipe.yaml")


def _folder(folder: Path) -> None:
    (folder / "rules" / "more").mkdir()


def _commanding_server(folder: Path) -> None:
    text = "server: far\nresult: /value\ncommand: [rm, -rf, /]\n"
    (folder / "toolservers" / "far.yaml").write_text(text)


def _two_of_a_name(folder: Path) -> None:
    (folder / "toolservers" / "desk.yaml").write_text("server: far\n")


def _bad_name(folder: Path) -> None:
    (folder / "rules" / "a b.yaml").write_text("text: x\n")


def _no_contract(folder: Path) -> None:
    (folder / "domain.yaml").unlink()


def _script_of_nothing(folder: Path) -> None:
    (folder / "records" / "large.py").write_text("print('{}')\n")


def _folder_for_script(folder: Path) -> None:
    (folder / "records" / "small.py").mkdir()


def _link_for_script(folder: Path) -> None:
    (folder / "records" / "small.py").symlink_to(folder / "records" / "gone.py")


def _bad_about(folder: Path) -> None:
    (folder / "toolservers" / "desk.py").write_text("# about:\n#   autority: given\n\nx = 1\n")


def _patched_server(folder: Path) -> None:
    said = "server: far\npatch: |\n  --- a/a.py\n  +++ b/a.py\n  @@ -1 +1 @@\n  -one\n  +two\n"
    (folder / "toolservers" / "far.yaml").write_text(said)


def _list_for_intent(folder: Path) -> None:
    (folder / "intents" / "list.yaml").write_text("- 1\n")


def _twins(folder: Path) -> None:
    (folder / "rules" / "twins.yaml").write_text('text: x\n"e\\u0301": 1\n"\\u00e9": 1\n')


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_link_out, "shop/rules/out.yaml: this link leads out of the folder"),
        (_link_to_itself, "shop/rules/loop.yaml: "),
        (_pipe, "shop/rules/pipe.yaml: unexpected here: rules/ holds <slug>.yaml"),
        (_folder, "shop/rules/more: unexpected here"),
        (_commanding_server, "shop/toolservers/far.yaml:3: a component must not say 'command'"),
        (_patched_server, "shop/toolservers/far.yaml:2: a file must not say 'patch'"),
        (_two_of_a_name, "shop/toolservers/desk.yaml: there are two files of the name desk"),
        (_bad_name, "shop/rules/a b.yaml: a component is named with"),
        (_script_of_nothing, "shop/records/large.py: unexpected here: records/ holds <slug>.json"),
        (_folder_for_script, "shop/records/small.py: unexpected here: records/ holds"),
        (_link_for_script, "shop/records/small.py: unexpected here: records/ holds"),
        (_no_contract, "shop/domain.yaml: cannot be read: No such file"),
        (
            _bad_about,
            "shop/toolservers/desk.py:2: unknown key 'autority'; did you mean 'authority'?",
        ),
        (_list_for_intent, "shop/intents/list.yaml:1: keys and values of the intent are wanted"),
        (_twins, "shop/rules/twins.yaml: two keys of one object are both"),
    ],
)
def test_what_does_not_belong_is_told_by_name(
    library: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(library / "shop")
    assert [line for line in problems(library) if line.startswith(said)]


def test_the_script_that_printed_records_stays_beside_them_and_is_never_run(library: Path) -> None:
    script = library / "shop" / "records" / "small.py"
    script.write_text("raise SystemExit(1)\n")
    write(read(library)[0], library)
    assert script.read_text() == "raise SystemExit(1)\n"
    assert "small" in read(library)[0].records


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(LibraryInvalid, match="nowhere: there is no such folder"):
        read(tmp_path / "nowhere")


def test_a_long_list_of_bad_rows_is_cut_short(library: Path) -> None:
    rows = [{"order_id": ""}] * 50
    (library / "shop" / "records" / "small.json").write_text(
        json.dumps({"tables": {"orders": rows}})
    )
    found = problems(library)
    assert len(found) == 21
    assert "shop/records/small.json: and 30 more such rows" in found


def test_an_about_block_may_end_in_text_with_a_newline(library: Path) -> None:
    folder = read(library / "shop")[0]
    name = next(iter(folder.toolservers))
    file = replace(folder.toolservers[name], about={"title": "one line\n"})
    folder.toolservers[name] = file
    write(folder, library)
    assert read(library / "shop")[0].toolservers[name] == file


def test_pins_of_environments_that_are_no_more_are_one_line_a_file(library: Path) -> None:
    gone = [f'"gone.{number}": {{"binding": {{}}}}' for number in range(12)]
    (library / "shop" / "pins.json").write_text(
        "{\n" + ",\n".join(['"lawless": {"binding": {}}', *gone]) + "}"
    )
    (line,) = problems(library)
    assert line == (
        "shop/pins.json:3: 12 pins of environments that are no more, the first 'gone.0': take them out, "
        "as `python -m worlds pin` does"
    )


def test_a_file_that_cannot_be_read_does_not_cost_its_environments_their_pins(
    library: Path,
) -> None:
    folder = read(library)[0]
    folder.pins = {spec.slug: Pin() for spec in folder.all_environments()}
    write(folder, library)
    for slug in folder.intents:
        (library / "shop" / "intents" / f"{slug}.yaml").write_bytes(b"\xff")
    assert all("this is not UTF-8" in line for line in problems(library))


def test_a_pipe_in_a_files_place_is_not_waited_for(library: Path) -> None:
    path = library / "shop" / "domain.yaml"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(LibraryInvalid, match=r"domain.yaml: this is no plain file"):
        read(library / "shop", None)
