"""The progress bar."""

import io

import pytest

from triage.bar import Bar, duration, text
from triage.rounds import Progress
from triage.table import aligned


class Screen(io.StringIO):
    """Takes what a command's `stderr` takes."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str = "", *, ending: str | None = "\n") -> int:
        return super().write(text + (ending or ""))


def progress(done: int, left: float | None = 2.0) -> Progress:
    return {"done": done, "total": 10, "rate": 4.0, "seconds_left": left}


def test_a_line_says_how_far_how_fast_and_how_long() -> None:
    assert text(progress(5)) == "[###############---------------]  5/10  4.0/s  2 s left"
    assert text(progress(0, None)).endswith("waiting for the first")
    known: Progress = {"done": 8, "total": 10, "rate": 0.0, "seconds_left": None}
    assert text(known).endswith(
        "  8/10  8 known from earlier rounds, waiting for the first of the other 2"
    )
    all_known: Progress = {"done": 9, "total": 9, "rate": 0.0, "seconds_left": 0.0}
    assert text(all_known).endswith("9/9  all known from earlier rounds")
    empty: Progress = {"done": 0, "total": 0, "rate": 0.0, "seconds_left": 0.0}
    assert text(empty).startswith("[##############################] 0/0")


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (59.4, "59 s"), (200, "3 min 20 s"), (3900, "1 h 05 min")]
)
def test_times_are_said_in_units_that_fit(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_on_a_terminal_the_line_is_drawn_over_and_left_standing_in_the_end() -> None:
    screen = Screen(terminal=True)
    with Bar(screen) as bar:
        bar.show(progress(1))
        bar.show(progress(1))
        bar.show(progress(2))
    assert screen.getvalue().count("\r") == 2
    assert screen.getvalue().endswith("\n")


def test_in_a_log_there_is_a_line_now_and_then_and_always_the_last() -> None:
    screen = Screen(terminal=False)
    with Bar(screen) as bar:
        for done in range(11):
            bar.show(progress(done))
    lines = screen.getvalue().splitlines()
    assert len(lines) == 2
    assert "10/10" in lines[-1]
    assert "\r" not in screen.getvalue()


def test_the_columns_of_a_table_stand_under_each_other() -> None:
    assert aligned(["a", "b"], [["long", "1"], ["x", ""]]) == ["a     b", "long  1", "x"]
    assert aligned(["a", "b"], []) == ["a  b"]
