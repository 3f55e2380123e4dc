"""docs/findings.md is what its examples show, and each example shows its code."""

from pathlib import Path

import pytest

from examples.findings.__main__ import PAGE, page
from examples.findings.example import SOUND, Example, examples, reported
from worlds.findings import CODES


def test_the_sound_domain_has_no_finding_at_all() -> None:
    assert reported(SOUND) == []


@pytest.mark.parametrize("code", CODES)
def test_the_edited_domain_shows_the_code(code: str) -> None:
    assert code in {item.finding.code for item in Example.of(code).findings}


def test_every_code_is_explained() -> None:
    assert [each.code for each in examples()] == list(CODES)
    assert all(each.culprit and each.repair and each.edits for each in examples())


def test_the_page_says_what_the_examples_show_today() -> None:
    assert PAGE.read_text() == page(), "python -m examples.findings writes it anew"


def test_an_edit_whose_words_are_gone_says_so(tmp_path: Path) -> None:
    example = Example.of("goal-vacuous")
    edit = example.edits[0]
    with pytest.raises(ValueError, match="0 times, not once"):
        edit.made("other words")
    assert not tmp_path.exists() or not list(tmp_path.iterdir())
