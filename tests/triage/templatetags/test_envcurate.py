from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from triage.templatetags import envcurate as tags

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=20,
)


@given(st.lists(JSON))
def test_pretty_json_says_the_same(value: Any) -> None:
    assert json.loads(tags.pretty(value)) == value


def test_pretty_json_breaks_only_what_does_not_fit_a_line() -> None:
    assert tags.pretty({"a": [1, 2]}) == '{"a": [1, 2]}'
    assert tags.pretty(["x" * 60, "y" * 60]).count("\n") == 3
    assert tags.pretty("as it is") == "as it is"


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, "–"), (0, "0%"), (1, "100%"), (0.5, "50.0%"), (0.9999, "99.9%"), (0.0001, "0.1%")],
)
def test_a_share_is_never_rounded_to_all_or_nothing(share: float | None, text: str) -> None:
    assert tags.percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        ("", "–"),
        (0.0834, "83 ms"),
        (3.21, "3.2 s"),
        (250, "4 min 10 s"),
        (7500, "2 h 5 min"),
    ],
)
def test_lengths_of_time(seconds: Any, text: str) -> None:
    assert tags.span(seconds) == text


@pytest.mark.parametrize(
    ("passed", "text"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(minutes=12), "12 min ago"),
        (timedelta(hours=30), "30 h ago"),
        (timedelta(days=3), "3 d ago"),
    ],
)
def test_times_are_relative_and_exact_on_hover(passed: timedelta, text: str) -> None:
    shown = tags.ago(timezone.now() - passed)
    assert f">{text}</time>" in shown
    assert " UTC" in shown


def test_a_stack_fills_its_bar_in_order() -> None:
    pieces = tags.stack([("solvable", 3), ("broken", 0), ("error", 1)])
    assert pieces == [("solvable", 3, "0.00%", "75.00%"), ("error", 1, "75.00%", "25.00%")]
    assert tags.stack([("solvable", 0)]) == []


@pytest.mark.parametrize(
    ("sort", "name", "sign"),
    [
        ("kind", "intent", "◆"),
        ("kind", "rule", "§"),
        ("kind", "records", "▤"),
        ("kind", "toolserver", "⚙"),
        ("kind", "agent", "●"),
        ("status", "solvable", "✓"),
        ("status", "broken", "✕"),
        ("status", "unproven", "?"),
        ("status", "error", "!"),
        ("status", "unverified", "○"),
    ],
)
def test_each_kind_and_status_has_its_sign_and_a_word(sort: str, name: str, sign: str) -> None:
    shown = tags.badge(sort, name)
    assert sign in shown
    assert f"{sort}-{name}" in shown
    assert tags.badge(sort, name, word=False).count("unseen") == 1


def test_an_unknown_status_is_text() -> None:
    assert "&lt;b&gt;" in tags.badge("status", "<b>")
