from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.browser.shop import SOURCE
from triage.pages.source import source_lines


@given(st.text(max_size=200) | st.sampled_from([SOURCE, SOURCE[:-40], "'''", "\f\n(", "\t x"]))
def test_shows_every_character_of_every_line(source: str) -> None:
    shown = ["".join(text for _, text in line.pieces) for line in source_lines(source)]
    assert "\n".join(shown) == source.removesuffix("\n")


def test_colours_what_python_sees() -> None:
    (line,) = source_lines("if x == 'a': y = 2  # why")
    looks = {look: text for look, text in line.pieces if look}
    assert looks == {"keyword": "if", "string": "'a'", "number": "2", "comment": "# why"}


def test_numbers_lines_as_an_editor_does() -> None:
    assert [line.number for line in source_lines('"""a\nb"""\nc\n')] == [1, 2, 3]
