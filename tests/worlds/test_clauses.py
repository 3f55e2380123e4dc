"""worlds.clauses"""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.orders import DOMAIN, order, records, view
from worlds.clauses import Clauses, Moment, Violation
from worlds.records import Records
from worlds.rule import Rule
from worlds.step import Call


def clauses(*each: dict[str, Any], **more: list[dict[str, Any]]) -> Clauses:
    """A rule `shop` of these clauses, and more rules."""
    rules = {"shop": list(each), **more}
    return Clauses(
        [(slug, Rule.parse({"text": "…", "clauses": given})) for slug, given in rules.items()],
        DOMAIN,
    )


def clause(on: str, require: str, **more: Any) -> dict[str, Any]:
    return {"id": "it", "quote": "Thus.", "on": on, "require": require, **more}


def moment(state: Records | None = None, **more: Any) -> Moment:
    return Moment(view(state), **more)


def names(violations: list[Violation]) -> list[str]:
    return [violation.name for violation in violations]


PENDING_ONLY = clause(
    "write",
    "before.status == 'pending'",
    when="table == 'orders' && after.status == 'cancelled'",
    enforce="guard",
)


def test_a_write_is_judged_row_by_row_with_both_sides() -> None:
    state = records()
    for number in (1, 7, 8):
        state.put(
            "orders", f"o{number}", order(number, status="cancelled" if number < 8 else "late")
        )
    found = clauses(PENDING_ONLY).on_write(moment(state), state.diff())
    assert found == [
        Violation(
            "shop",
            "it",
            "Thus.",
            "guard",
            "update orders/o1#status: not met: before.status == 'pending'",
            invalid=False,
        )
    ]


def test_inserts_have_no_before_and_deletes_no_after() -> None:
    state = records()
    state.put("orders", "new", order(9, order_id="new"))
    state.delete("orders", "o1")
    found = clauses(
        clause(
            "write",
            "false",
            id="inserted",
            when="before == null && after.total == 9.0 && key == 'new'",
        ),
        clause(
            "write",
            "false",
            id="deleted",
            when="after == null && before.status == 'done' && table == 'orders'",
        ),
    ).on_write(moment(state), state.diff())
    assert sorted(names(found)) == ["shop/deleted", "shop/inserted"]


def test_a_field_that_was_absent_before_is_absent() -> None:
    state = records()
    state.put("notes", "n1", {"note_id": "n1", "price": 25.5, "text": "Hello", "extra": 1})
    judge = clauses(clause("write", "has(before.extra) || !has(after.extra)"))
    assert names(judge.on_write(moment(state), state.diff())) == ["shop/it"]


def test_a_call_is_judged_by_tool_and_arguments() -> None:
    judge = clauses(clause("call", "call.args.amount <= 100", when="call.tool == 'refund'"))
    assert judge.on_call(moment(), Call(tool="refund", args={"amount": 100})) == []
    assert judge.on_call(moment(), Call(tool="other", args={"amount": 101})) == []
    (found,) = judge.on_call(moment(), Call(tool="refund", args={"amount": 101}))
    assert (found.enforce, found.detail) == (
        "audit",
        "call of refund: not met: call.args.amount <= 100",
    )


def test_what_is_said_is_judged() -> None:
    judge = clauses(clause("say", "!lower(said_now).contains('password')"))
    assert judge.on_say(moment(), "Hello") == []
    assert names(judge.on_say(moment(), "Your PASSWORD?")) == ["shop/it"]


def test_the_end_is_judged_by_everything_that_happened() -> None:
    judge = clauses(
        clause(
            "end",
            "history.exists(h, h.tool == 'verify' && h.status == 'ok')"
            " && actor.total > 1.0 && size(said) + size(heard) == 3",
        )
    )
    history = [{"tool": "verify", "args": {}, "result": [1], "status": "ok"}]
    seen = moment(history=history, said=["a", "b"], heard=["c"], actor=order(7))
    assert judge.on_end(seen) == []
    history[0]["status"] = "refused"
    assert names(judge.on_end(seen)) == ["shop/it"]


def test_each_event_asks_only_its_own_clauses() -> None:
    judge = clauses(*(clause(on, "false", id=on) for on in ("write", "call", "say", "end")))
    state = records()
    state.delete("orders", "o1")
    assert names(judge.on_write(moment(state), state.diff())) == ["shop/write"]
    assert names(judge.on_call(moment(), Call(tool="x"))) == ["shop/call"]
    assert names(judge.on_say(moment(), "x")) == ["shop/say"]
    assert names(judge.on_end(moment())) == ["shop/end"]


def test_a_when_that_fails_does_not_apply_and_a_require_that_fails_is_a_violation() -> None:
    judge = clauses(
        clause("call", "false", id="when", when="call.args.missing == 1"),
        clause("call", "call.args.missing == 1", id="require"),
    )
    (found,) = judge.on_call(moment(), Call(tool="x"))
    assert (found.name, found.invalid) == ("shop/require", True)
    assert "there is no field 'missing'" in found.detail


def test_a_clause_gives_way_to_those_that_it_names() -> None:
    small = clause("call", "true", id="small", when="call.args.amount < 10")
    judge = clauses(
        clause("call", "false", id="own", unless=["small"]),
        clause("call", "false", id="other", unless=["law/friday"]),
        small,
        law=[clause("call", "true", id="friday", when="call.args.day == 'friday'")],
    )
    assert judge.problems == []
    assert names(judge.on_call(moment(), Call(tool="x", args={"amount": 5, "day": "monday"}))) == [
        "shop/other"
    ]
    assert names(judge.on_call(moment(), Call(tool="x", args={"amount": 50, "day": "friday"}))) == [
        "shop/own"
    ]


@pytest.mark.parametrize(
    ("wrong", "place", "message"),
    [
        (clause("end", "actor.status =="), "clauses[0].require", "ends too early"),
        (clause("end", "table == 'orders'"), "clauses[0].require", "unknown name 'table'"),
        (
            clause("say", "true", when="said_nwo == ''"),
            "clauses[0].when",
            "unknown name 'said_nwo'",
        ),
        (clause("say", "true", when=""), "clauses[0].when", "ends too early"),
        (clause("call", "call.arg.x == 1"), "clauses[0].require", "unknown field 'arg'"),
        (clause("end", "history.all(h, h.tol == '')"), "clauses[0].require", "unknown field 'tol'"),
        (
            clause("write", "after.statsu == ''", when="table == 'orders'"),
            "clauses[0].require",
            "'statsu'",
        ),
        (
            clause("write", "true", when="'orders' == table && before.statsu == ''"),
            "clauses[0].when",
            "'statsu'",
        ),
        (
            clause("write", "true", when="table == 'ordrs'"),
            "clauses[0].when",
            "unknown table 'ordrs'",
        ),
        (clause("end", "true", unless=["none"]), "clauses[0].unless[0]", "no clause 'shop/none'"),
        (
            clause("end", "true", unless=["law/say"]),
            "clauses[0].unless[0]",
            "law/say is on say, this one on end",
        ),
    ],
)
def test_a_clause_that_is_wrong_is_a_problem_and_never_evaluated(
    wrong: dict[str, Any], place: str, message: str
) -> None:
    judge = clauses({**wrong, "id": "wrong"}, law=[clause("say", "false", id="say")])
    ((rule, where, error),) = judge.problems
    assert (rule, where) == ("shop", place)
    assert message in str(error)
    state = records()
    state.delete("orders", "o1")
    seen = moment(state)
    found = [
        *judge.on_write(seen, state.diff()),
        *judge.on_call(seen, Call(tool="x")),
        *judge.on_end(seen),
    ]
    assert [*found, *judge.on_say(seen, "x")] == judge.on_say(seen, "x")
    assert names(judge.on_say(seen, "x")) == ["law/say"]


def test_two_clauses_with_one_id_are_a_problem() -> None:
    ((rule, place, error),) = clauses(clause("end", "true"), clause("end", "false")).problems
    assert (rule, place) == ("shop", "clauses[1].id")
    assert "two clauses have this id" in str(error)


def test_without_a_pinned_table_fields_are_free() -> None:
    judge = clauses(clause("write", "after.anything == 1", when="table in ['orders', 'notes']"))
    assert judge.problems == []


def defined(define: dict[str, str], *each: dict[str, Any]) -> Clauses:
    rule = {"text": "…", "define": define, "clauses": list(each)}
    return Clauses([("shop", Rule.parse(rule))], DOMAIN)


CANCELS = "table == 'orders' && after.status == 'cancelled'"


def test_a_defined_name_stands_for_its_condition_and_pins_the_table() -> None:
    state = records()
    state.put("orders", "o7", order(7, status="cancelled"))
    judge = defined(
        {"cancels": CANCELS}, clause("write", "before.status == 'new'", when="cancels && true")
    )
    assert not judge.problems
    (compiled,) = judge.on("write")
    assert compiled.table == "orders"
    (violation,) = judge.on_write(moment(state), state.diff())
    assert violation.detail.endswith("not met: before.status == 'new'")


def test_the_shapes_of_rows_are_known_through_a_definition() -> None:
    judge = defined({"cancels": CANCELS}, clause("write", "before.sttus == 'new'", when="cancels"))
    ((rule, where, error),) = judge.problems
    assert (rule, where) == ("shop", "clauses[0].require")
    assert "sttus" in str(error)


def test_a_definition_that_is_wrong_is_a_problem_of_its_own() -> None:
    judge = defined({"cancels": "after.status =="}, clause("end", "true"))
    ((rule, where, error),) = judge.problems
    assert (rule, where) == ("shop", "define.cancels")
    assert "ends too early" in str(error)
    assert len(judge.on("end")) == 1


def test_an_unknown_name_is_told_with_those_that_the_rule_defines() -> None:
    judge = defined({"cancels": CANCELS, "late": "true"}, clause("write", "true", when="cancles"))
    ((_, where, error),) = judge.problems
    assert where == "clauses[0].when"
    assert str(error).startswith(
        "unknown name 'cancles' (there are actor, after, before, heard, history, key, said, table; "
        "the rule defines cancels, late; did you mean 'cancels'?) at column 1, in the condition: "
    )


@pytest.mark.parametrize("name", ["before", "said", "call"])
def test_what_clauses_see_cannot_be_named_anew(name: str) -> None:
    with pytest.raises(ValueError, match=f"'{name}' is the name of something that conditions see"):
        Rule.parse({"text": "…", "define": {name: "true"}})


@pytest.mark.parametrize("name", ["true", "in", "null"])
def test_words_of_the_language_name_nothing(name: str) -> None:
    with pytest.raises(ValueError, match=f"'{name}' is a word of the conditions' language"):
        Rule.parse({"text": "…", "define": {name: "1 == 1"}})


def test_a_rule_has_two_hundred_definitions_at_most() -> None:
    with pytest.raises(ValueError, match="at most 200 items"):
        Rule.parse({"text": "…", "define": {f"a{n}": "true" for n in range(201)}})


def test_clauses_of_one_when_ask_it_once() -> None:
    looked = "find('orders', {'status': after.status}) != []"
    state = records()
    state.put("orders", "o1", order(1, status="cancelled"))
    each = [
        clause("write", "1 == 2", when=f"table == 'orders' && {looked}") | {"id": str(number)}
        for number in range(3)
    ]
    at = moment(state)
    before = at.view.allowance.rounds
    assert len(clauses(*each).on_write(at, state.diff())) == 3
    used = before - at.view.allowance.rounds
    at = moment(state)
    clauses(each[0]).on_write(at, state.diff())
    assert used == before - at.view.allowance.rounds
