"""Lines that only failing environments execute."""

from __future__ import annotations

from collections.abc import Collection

from tests.triage.shop import SOURCE, Shop
from tests.triage.test_counterexamples import checked
from tests.triage.trying import SAVES
from triage.linecover import line_evidence
from triage.models import Episode
from triage.observations import Evidence, Location, Observation
from triage.observed import observed
from worlds.toolserver_body import ToolServerBody

WRITE = Location("toolserver", "pen", "write")
LONG = f"""if len(text) > 3:
        kept = _shortened(text)
        return {{"id": note_id, "text": kept}}
    {SAVES}


def _shortened(text: str) -> str:
    return text[:3]"""
"""A pen that forgets what is longer than three letters."""
SPOILT = SOURCE.replace(SAVES, LONG)
NUMBERS = [number for number, line in enumerate(SPOILT.splitlines(), 1) if "kept" in line]


def seen(shop: Shop, *slugs: str) -> list[Observation]:
    shop.component("pen", ToolServerBody(source=SPOILT))
    for slug in slugs:
        shop.sound(slug)
    return observed(checked(), shop.domain)


def told(at: Location, made: Collection[Observation], version: int | None = None) -> list[Evidence]:
    group = [(each, each.signs) for each in made if each.fails]
    return list(line_evidence(at, group, [each for each in made if not each.fails], version))


def test_the_branch_that_forgets_is_named_with_where_it_stands(shop: Shop) -> None:
    made = seen(shop, "ab", "abc", "abcd", "abcde", "abcdef")
    assert [each.fails for each in made] == [False, False, True, True, True]
    (found,) = told(WRITE, made, version=7)
    lines = ", ".join(map(str, NUMBERS))
    assert found.text == (
        f"Lines {lines} of `write` run in all of 3 failing attempts, and in none of 2 sound ones."
    )
    assert found.cites == {"version": 7, "line": NUMBERS[0]}
    assert told(WRITE, made)[0].cites == {}
    (helper,) = told(Location("toolserver", "pen", "_shortened"), seen_there(made))
    assert helper.text.startswith("Line ")
    assert "of `_shortened`" in helper.text


def seen_there(made: Collection[Observation]) -> list[Observation]:
    """As if the helper had been exercised in all of them."""
    more = Location("toolserver", "pen", "_shortened")
    return [Observation(**{**vars(each), "exercised": each.exercised | {more}}) for each in made]


def test_a_function_that_only_failing_ones_use_differs_in_no_line(shop: Shop) -> None:
    made = seen(shop, "ab", "abcd")
    assert told(Location("toolserver", "pen", "look"), made) == []
    assert told(WRITE, [each for each in made if each.fails]) == []
    assert told(WRITE, [each for each in made if not each.fails]) == []


def test_only_functions_of_tool_servers_have_lines(shop: Shop) -> None:
    made = seen(shop, "ab", "abcd")
    assert told(Location("toolserver", "pen"), made) == []
    assert told(Location("records", "desk", "notes/N1"), made) == []


def test_an_attempt_that_is_not_kept_tells_nothing(shop: Shop) -> None:
    made = seen(shop, "ab", "abcd", "abcde")
    assert told(WRITE, made)
    Episode.objects.filter(results__checks__environment__slug="abcd").delete()
    assert told(WRITE, made) == []
