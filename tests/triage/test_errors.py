"""Why checks ended in error, in short."""

import pytest

from tests.triage.shop import Shop
from triage.errors import error_texts, in_short
from triage.models.check import State
from triage.rounds import create_round

TRACEBACK = """Traceback (most recent call last):
  File "a.py", line 1, in <module>
ValueError: odd
"""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("no server\nits log: …", "no server"),
        (TRACEBACK, "ValueError: odd"),
        (TRACEBACK[10:], "ValueError: odd"),
        ("", "it does not say why"),
    ],
)
def test_the_line_that_says_most_stands_for_an_error(error: str, said: str) -> None:
    assert in_short(error) == said


def test_equal_lines_are_counted_and_the_most_frequent_is_first(shop: Shop) -> None:
    for slug in "abcd":
        shop.sound(slug)
    made = create_round(None, queue=False)
    for check, error in zip(made.checks.order_by("pk"), ["x", "y\n1", "y\n2"], strict=False):
        made.checks.filter(pk=check.pk).update(state=State.ERROR, error=error)
    assert error_texts(made.pk) == [("y", 2), ("x", 1)]
