"""worlds.user"""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.orders import DOMAIN, order, view
from worlds.clauses import Moment
from worlds.intent import User
from worlds.template import TemplateUnfilled
from worlds.user import NOT_KNOWN, NOTHING_MORE, ScriptedUser

NAMES = {"order": order(7), "user": {"name": "Ann"}}


def scripted(*lines: tuple[str, str], **more: Any) -> ScriptedUser:
    script = [{"when": when, "says": says} for when, says in lines]
    return ScriptedUser(User.model_validate({"script": script, **more}), NAMES, DOMAIN)


def moment(*history: tuple[str, str], said: tuple[str, ...] = ()) -> Moment:
    calls: list[dict[str, Any]] = [
        {"tool": tool, "args": {}, "result": None, "status": status} for tool, status in history
    ]
    return Moment(view(), history=calls, said=list(said))


def test_it_opens_with_its_own_words_or_the_instruction_as_it_stands() -> None:
    assert scripted(opens="I am {user.name}.").opening("{kept}") == "I am Ann."
    assert scripted().opening("{kept}") == "{kept}"


def test_it_answers_from_what_it_knows() -> None:
    user = scripted(
        knows={"order_id": "{order.order_id}", "Total": "{order.total}", "why": "for {user.name}"}
    )
    assert [user.answer(about) for about in ("order id", "TOTAL", "why", "email")] == [
        "o7",
        "7",
        "for Ann",
        NOT_KNOWN,
    ]


def test_lines_are_said_once_each_in_order_as_soon_as_they_hold() -> None:
    user = scripted(
        ("said_like('address')", "One."), ("true", "Two."), ("said_like('ADDRESS')", "Three.")
    )
    assert [
        user.reply(moment(), text) for text in ("Hi", "Your address?", "address", "address")
    ] == [
        "Two.",
        "One.",
        "Three.",
        NOTHING_MORE,
    ]
    assert user.fired == (1, 0, 2)


def test_an_earlier_moment_can_be_gone_back_to() -> None:
    user = scripted(("true", "One."), ("true", "Two."))
    earlier = user.fired
    assert user.reply(moment(), "a") == "One."
    later = user.fired
    user.fired = earlier
    assert user.reply(moment(), "a") == "One."
    user.fired = later
    assert user.reply(moment(), "a") == "Two."


@pytest.mark.parametrize(
    ("when", "fires"),
    [
        ("refused('cancel')", True),
        ("refused('guarded')", True),
        ("refused('list')", False),
        ("called('list') && called('cancel') && !called('none')", True),
        ("asked('order_id')", True),
        ("asked('Order ID') && !asked('email')", True),
        ("said_like('earlier') && said_like('now')", True),
        ("said_like('never')", False),
        ("order.total > 6.0 && user.name == 'Ann' && count('orders') == 300", True),
        ("history.size() == 4 && said.size() == 2", True),
        ("order.nothing.at.all == 1", False),
    ],
)
def test_lines_look_at_what_happened(when: str, fires: bool) -> None:
    seen = moment(("list", "ok"), ("cancel", "refused"), ("guarded", "guarded"), said=("earlier",))
    seen.history.append(
        {"tool": "ask_user", "args": {"about": "order id"}, "result": "o7", "status": "ok"}
    )
    assert scripted((when, "Yes.")).reply(seen, "Now!") == ("Yes." if fires else NOTHING_MORE)


def test_what_was_just_said_counts_once_even_if_it_is_noted_already() -> None:
    seen = moment(said=("Now!",))
    assert scripted(("said.size() == 1", "Yes.")).reply(seen, "Now!") == "Yes."


def test_a_line_that_is_wrong_is_a_problem_and_never_said() -> None:
    user = scripted(("true", "One."), ("refsed('x')", "Two."))
    ((place, error),) = user.problems
    assert place == "script[1].when"
    assert "unknown function 'refsed'" in str(error)
    assert [user.reply(moment(), "a") for _ in range(2)] == ["One.", NOTHING_MORE]


def test_words_that_cannot_be_filled_are_an_error_and_the_line_stays_unsaid() -> None:
    user = scripted(("true", "{nobody.name}"))
    with pytest.raises(TemplateUnfilled):
        user.reply(moment(), "a")
