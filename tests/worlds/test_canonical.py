"""Canonical JSON and digests: one text for one value."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.values import json_values
from worlds.canonical import NotCanonical, canonical, digest


@given(json_values)
def test_reading_canonical_text_and_writing_it_again_changes_nothing(value: Any) -> None:
    text = canonical(value)
    assert canonical(json.loads(text)) == text


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=5), st.randoms())
def test_key_order_does_not_matter(value: dict[str, Any], random: Any) -> None:
    items = list(value.items())
    random.shuffle(items)
    try:
        assert digest(dict(items)) == digest(value)
    except NotCanonical:
        assert len({unicodedata.normalize("NFC", key) for key in value}) < len(value)


@given(st.integers(-(2**53), 2**53))
def test_an_integral_float_is_its_integer(number: int) -> None:
    assert canonical(float(number)) == canonical(number)


def test_composed_and_decomposed_text_are_the_same() -> None:
    assert digest({"café": "é"}) == digest({"cafe\u0301": "e\u0301"})


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {1: 2}, {"a": {1, 2}}, b"x", object()]
)
def test_what_json_cannot_say_is_refused(value: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical(value)


def test_two_keys_that_are_one_after_normalisation_are_refused() -> None:
    with pytest.raises(NotCanonical, match="two keys"):
        canonical({"é": 1, "e\u0301": 2})


def test_true_is_not_one() -> None:
    assert digest(True) != digest(1)


def test_another_process_with_another_hash_seed_gives_the_same_digest() -> None:
    value = {"b": [1, 2.5, {"ü": None}], "a": {"x": True, "y": "z"}}
    code = f"from worlds.canonical import digest; print(digest({value!r}))"
    for seed in ("1", "77"):
        out = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        )
        assert out.stdout.strip() == digest(value)
