"""Patches: what was made is applied exactly, and anything else is refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.patch import UNENDED, Patch, PatchInvalid, is_patchable, patch_of

LINE = st.text(st.sampled_from("ab \t\r\x0c\u2028é+-@\\"), max_size=4)
TEXT = st.builds(
    lambda lines, ended: "\n".join(lines) + ("\n" if ended and lines else ""),
    st.lists(LINE, max_size=12),
    st.booleans(),
)
FILES = st.dictionaries(
    st.sampled_from(["a.py", "b.sql", "sub/c.py"]), TEXT.filter(bool), max_size=3
)


@given(FILES, FILES)
def test_a_patch_makes_of_one_what_it_was_made_from(
    before: dict[str, str], after: dict[str, str]
) -> None:
    text = patch_of(before, after)
    if not text:
        assert before == after
    else:
        assert Patch.parse(text).applied(before) == after


@given(FILES, FILES)
def test_the_same_is_said_each_time(before: dict[str, str], after: dict[str, str]) -> None:
    assert patch_of(before, after) == patch_of(dict(reversed(before.items())), after)


@given(TEXT.filter(bool), TEXT.filter(bool), st.text("ab\n", min_size=1, max_size=2))
def test_what_says_something_else_where_a_hunk_stands_is_not_patched(
    before: str, after: str, more: str
) -> None:
    text = patch_of({"a.py": before}, {"a.py": after})
    if text:
        other = more + before
        try:
            made = Patch.parse(text).applied({"a.py": other})["a.py"]
        except PatchInvalid:
            return
        # It fitted after all: then every line that it knew stood where it said.
        hunk = Patch.parse(text).files[0].hunks[0]
        at = hunk.start
        lines = [f"{line}\n" for line in other.split("\n")]
        assert [each.rstrip("\n") for each in hunk.before] == [
            each.rstrip("\n") for each in lines[at : at + len(hunk.before)]
        ]
        assert made != other


@given(st.text())
def test_any_text_is_a_patch_or_refused(text: str) -> None:
    try:
        found = Patch.parse(text)
    except PatchInvalid:
        return
    assert all(map(is_patchable, found.paths))


GOOD = patch_of({"a.py": "one\ntwo\n"}, {"a.py": "one\n2\n"})


@given(st.integers(0, len(GOOD) - 1), st.sampled_from(["", "\n", "x", "-", "+", " ", "@"]))
def test_a_patch_with_one_character_changed_never_gives_what_it_did_not_say(
    at: int, instead: str
) -> None:
    text = GOOD[:at] + instead + GOOD[at + 1 :]
    try:
        made = Patch.parse(text).applied({"a.py": "one\ntwo\n"})
    except PatchInvalid:
        return
    again = patch_of({"a.py": "one\ntwo\n"}, made)
    assert Patch.parse(again).applied({"a.py": "one\ntwo\n"}) == made


HUNK = "@@ -1 +1 @@\n-one\n+two\n"


@pytest.mark.parametrize(
    "name",
    [
        "../a.py",
        "/etc/a.py",
        "sub/../../a.py",
        "sub//a.py",
        "./a.py",
        ".hidden.py",
        "sub/.git/a.py",
        "__pycache__/a.py",
        "a.so",
        "a",
        "a.py\t2026-01-01",
        '"a.py"',
        "sub\\a.py",
        "a b.py",
        "c:/a.py",
        "",
    ],
)
def test_a_path_that_leads_elsewhere_or_to_no_text_is_refused(name: str) -> None:
    with pytest.raises(PatchInvalid, match="is no text file of the source folder"):
        Patch.parse(f"--- a/{name}\n+++ b/{name}\n{HUNK}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "whose last line ends"),
        ("--- a/a.py\n+++ b/a.py\n" + HUNK[:-1], "whose last line ends"),
        (f"--- a/a.py\n+++ b/b.py\n{HUNK}", "renames none"),
        (f"--- /dev/null\n+++ /dev/null\n{HUNK}", "renames none"),
        (f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n{HUNK}", "'---' and a path"),
        (f"--- a.py\n+++ a.py\n{HUNK}", "is no text file"),
        ("--- a/a.py\n+++ b/a.py\nGIT binary patch\n", "nothing that can be done"),
        ("--- a/a.py\n+++ b/a.py\n", "nothing that can be done"),
        ("--- a/a.py\n+++ b/a.py\n@@ -1,9 +1 @@\n-one\n+two\n", "ends in the middle"),
        (
            "--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n-one\n-two\n+two\n+x\n",
            "other lines than it says",
        ),
        ("--- a/a.py\n+++ b/a.py\n@@ -1 +7 @@\n-one\n+two\n", "where it says"),
        (f"--- a/a.py\n+++ b/a.py\n@@ -5 +5 @@\n-one\n+two\n{HUNK}", "where it says"),
        (f"--- a/a.py\n+++ b/a.py\n{HUNK}--- a/a.py\n+++ b/a.py\n{HUNK}", "patched twice"),
        (f"--- /dev/null\n+++ b/a.py\n{HUNK}", "nothing that can be done"),
        (f"--- a/a.py\n+++ b/a.py\n{HUNK}rename to b.py\n", "'---' and a path"),
        ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-on\x00e\n+two\n", "a patch is text"),
        ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+" + "x" * 200_000 + "\n", "too many"),
        (
            "".join(f"--- a/{n}.py\n+++ b/{n}.py\n{HUNK}" for n in range(21)),
            "more than 20 files",
        ),
    ],
)
def test_what_is_no_patch_of_ours_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(PatchInvalid, match=said):
        Patch.parse(text)


def test_a_file_comes_and_another_goes() -> None:
    before, after = {"a.py": "one\n", "b.py": "two"}, {"a.py": "one\n", "c.py": "three"}
    text = patch_of(before, after)
    assert UNENDED in text
    assert [(each.path, each.is_new, each.is_gone) for each in Patch.parse(text).files] == [
        ("b.py", False, True),
        ("c.py", True, False),
    ]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"b.py": "two"}, "c.py is there already"),
        ({}, "b.py is not there"),
        ({"b.py": "two, and more"}, "says something else from line 1 on"),
        ({"b.py": "two\n"}, "says something else from line 1 on"),
    ],
)
def test_a_file_that_is_not_as_it_was_is_not_touched(texts: dict[str, str], said: str) -> None:
    text = patch_of({"b.py": "two"}, {"c.py": "three"})
    with pytest.raises(PatchInvalid, match=said):
        Patch.parse(text).applied({"c.py": "x", **texts} if "already" in said else texts)


def test_a_file_that_holds_more_than_the_patch_knows_is_not_deleted() -> None:
    gone = Patch.parse("--- a/b.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-two\n")
    with pytest.raises(PatchInvalid, match="holds more than the patch knows"):
        gone.applied({"b.py": "two\nthree\n"})


def test_what_a_store_would_give_back_in_other_characters_is_no_patch() -> None:
    with pytest.raises(PatchInvalid, match="NFC"):
        patch_of({"a.py": "e\u0301\n"}, {"a.py": "e\u0301 \n"})


def test_an_empty_file_cannot_be_said_to_come() -> None:
    with pytest.raises(PatchInvalid):
        patch_of({}, {"a.py": ""})


def test_git_applies_it_in_the_source_folder(tmp_path: Path) -> None:
    before = {"a.py": "".join(f"{n}\n" for n in range(30)), "sub/b.sql": "x", "gone.py": "y\n"}
    after = {"a.py": before["a.py"].replace("7\n", "seven\n"), "sub/b.sql": "z", "new.py": "n\n"}
    for path, text in before.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    told = "# Some words before it.\n" + patch_of(before, after)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=told, text=True, check=True)
    made = {
        str(path.relative_to(tmp_path)): path.read_text()
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    assert made == after
