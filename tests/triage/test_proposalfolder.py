"""An edited library folder as a proposal: what differs, and nothing that an archive may smuggle."""

from __future__ import annotations

import stat
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from components.dump import dump
from tests.triage.repairs import policy
from tests.triage.shop import SOURCE, Shop
from triage import proposalfolder
from triage.proposalfolder import MOST_FILES, from_archive, from_folder
from triage.proposals import ProposalInvalid, propose
from worlds.library import write
from worlds.rule import Rule
from worlds.source import LibraryInvalid


@pytest.fixture
def folder(shop: Shop, tmp_path: Path) -> Path:
    """The domain's folder as a dump writes it."""
    policy(shop)
    shop.sound("task")
    return write(dump(shop.domain), tmp_path)


def archive(files: dict[str, str]) -> bytes:
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return written.getvalue()


def packed(folder: Path, within: str = "notes/") -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {f"{within}{path.relative_to(folder)}": path.read_text() for path in files}


RULE = "rules/policy.yaml"


@pytest.mark.parametrize("within", ["notes/", "", "./notes/"])
def test_the_components_that_differ_become_a_proposal(
    shop: Shop, folder: Path, reviewer: User, within: str
) -> None:
    files = packed(folder, within)
    files[f"{within}{RULE}"] = "text: Be brief.\n"
    files[f"{within}toolservers/pen.py"] = SOURCE + "\n\nA = 1\n"
    files |= {"__MACOSX/._x": "x", f"{within}README.md": "x", f"{within}.DS_Store": "x"}
    said = from_archive(shop.domain, archive(files))
    assert [component.slug for component, _ in said] == ["policy", "pen"]
    made = propose(reviewer, shop.domain, said, "Mend both")
    assert made.changes.filter(body=Rule(text="Be brief.").digest).count() == 1


def test_a_part_of_the_folder_is_enough(shop: Shop, folder: Path) -> None:
    said = from_archive(shop.domain, archive({RULE: "text: Be brief.\n"}))
    assert [(component.slug, body) for component, body in said] == [
        ("policy", Rule(text="Be brief."))
    ]


def test_a_folder_or_a_library_is_read_where_it_stands(shop: Shop, folder: Path) -> None:
    (folder / RULE).write_text("text: Be brief.\n")
    assert from_folder(shop.domain, folder) == from_folder(shop.domain, folder.parent)
    with pytest.raises(ProposalInvalid, match="there is no such folder"):
        from_folder(shop.domain, folder / "none")


def test_what_differs_in_nothing_or_in_too_much_is_told(shop: Shop, folder: Path) -> None:
    with pytest.raises(ProposalInvalid, match="every file says what its component says now"):
        from_archive(shop.domain, archive(packed(folder)))
    files = packed(folder)
    for number in range(4):
        shop.component(f"rule-{number}", Rule(text="a"))
        files[f"notes/rules/rule-{number}.yaml"] = "text: b\n"
    with pytest.raises(ProposalInvalid, match=r"4 components differ .*rule/rule-0, rule/rule-1"):
        from_archive(shop.domain, archive(files))


def test_all_problems_of_the_files_are_told_with_their_lines(shop: Shop, folder: Path) -> None:
    files = {
        RULE: "text: a\ntxt: b\n",
        "rules/new.yaml": "text: a\n",
        "toolservers/pen.yaml": "server: far\n",
        "intents/task.txt": "",
    }
    with pytest.raises(LibraryInvalid) as refusal:
        from_archive(shop.domain, archive(files))
    found = sorted(str(problem) for problem in refusal.value.problems)
    assert [line.partition(" ")[0] for line in found] == [
        "rules/new.yaml:",
        "rules/policy.yaml:2:",
        "task.txt:",
        "toolservers/pen.yaml:",
    ]
    assert "has no rule 'new': a new one comes with a load" in found[0]
    assert "stands in toolservers/pen.py: keep it there" in found[3]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../domain.yaml", "leads out of the archive"),
        ("/etc/domain.yaml", "leads out of the archive"),
        ("notes/rules/../../x.yaml", "leads out of the archive"),
        ("rules\\..\\x.yaml", "leads out of the archive|does not belong here"),
        ("C:/rules/x.yaml", "leads out of the archive"),
        ("other/domain.yaml", "does not belong here"),
        ("notes/rules/deep/x.yaml", "does not belong here"),
        ("notes", "does not belong here"),
        ("rules", "does not belong here"),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(
    shop: Shop, tmp_path: Path, name: str, why: str
) -> None:
    with pytest.raises(ProposalInvalid, match=why):
        from_archive(shop.domain, archive({name: "x"}))


def test_links_are_refused(shop: Shop) -> None:
    written = BytesIO()
    with zipfile.ZipFile(written, "w") as made:
        entry = zipfile.ZipInfo(RULE)
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(entry, "/etc/passwd")
    with pytest.raises(ProposalInvalid, match="is no plain file"):
        from_archive(shop.domain, written.getvalue())


def test_too_much_is_refused(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    many = {f"rules/r{number}.yaml": "text: a" for number in range(MOST_FILES + 1)}
    with pytest.raises(ProposalInvalid, match="201 files are too many"):
        from_archive(shop.domain, archive(many))
    monkeypatch.setattr(proposalfolder, "MOST_UNPACKED", 1000)
    with pytest.raises(ProposalInvalid, match="more than 1000 bytes"):
        from_archive(shop.domain, archive({RULE: "a" * 600, "rules/b.yaml": "a" * 600}))
    monkeypatch.setattr(proposalfolder, "MOST_ARCHIVE", 10)
    with pytest.raises(ProposalInvalid, match="bytes are too many"):
        from_archive(shop.domain, archive({RULE: "a"}))


def test_what_is_no_archive_or_is_damaged_is_refused(shop: Shop) -> None:
    whole = archive({RULE: "text: Be brief.\n" * 50})
    middle = len(whole) // 3
    for data in (
        b"",
        b"PK\x03\x04",
        whole[:-30],
        whole[:middle] + b"\x00" * 20 + whole[middle + 20 :],
    ):
        with pytest.raises(ProposalInvalid, match="no zip archive that can be read"):
            from_archive(shop.domain, data)


def test_a_file_that_stands_there_twice_is_refused(shop: Shop) -> None:
    with pytest.raises(ProposalInvalid, match="stands in the archive twice"):
        from_archive(shop.domain, archive({RULE: "text: a\n", f"notes/{RULE}": "text: b\n"}))
