"""worlds.definitions"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.orders import DOMAIN, ORDER, order, view
from worlds.body import Body
from worlds.cel_errors import ConditionInvalid
from worlds.cel_tree import Node, parse
from worlds.conditions import NameUnknown, compile_condition
from worlds.definitions import Definitions
from worlds.domain import Domain
from worlds.intent import Intent
from worlds.rule import Rule


def written(text: str, **define: str) -> str:
    return Definitions(define).written_out(text)


def test_a_name_stands_for_its_condition_wherever_it_is_used() -> None:
    text = written("cancels && !(cancels || free)", cancels="after.status == 'cancelled'")
    assert text == "(after.status == 'cancelled') && !((after.status == 'cancelled') || free)"


def test_a_definition_may_use_others_in_any_order() -> None:
    define = {"late": "!early", "early": "hour < noon", "noon": "12"}
    assert written("late", **define) == "(!(hour < (12)))"


def test_fields_functions_texts_and_bound_variables_are_no_uses() -> None:
    text = "row.paid && paid() && x['paid'] && all.exists(paid, paid > 0)"
    assert written(text, paid="1 == 1") == text


def test_what_a_comprehension_runs_over_is_outside_of_it() -> None:
    assert written("paid.all(paid, paid > 0)", paid="[1]") == "([1]).all(paid, paid > 0)"


@pytest.mark.parametrize("define", [{"a": "a"}, {"a": "b + 1", "b": "c", "c": "!a"}])
def test_what_is_defined_by_itself_is_refused(define: dict[str, str]) -> None:
    with pytest.raises(ConditionInvalid, match="'a' is defined by itself"):
        written("a", **define)


def test_a_variable_that_hides_what_a_definition_stands_on_is_refused() -> None:
    with pytest.raises(ConditionInvalid, match="'after' hides a name that 'cancels' stands on"):
        written("rows.all(after, cancels)", cancels="after.status == 'cancelled'")


def test_a_definition_of_wrong_syntax_is_refused() -> None:
    with pytest.raises(ConditionInvalid, match="ends too early"):
        written("cancels", cancels="after.status ==")


def chain(length: int) -> dict[str, str]:
    return {**{f"a{n}": f"!a{n + 1}" for n in range(length)}, f"a{length}": "true"}


@pytest.mark.parametrize("first", ["a0", "a999"])
def test_definitions_that_stand_too_deep_on_one_another_are_refused_in_any_order(
    first: str,
) -> None:
    definitions = Definitions(chain(1_000))
    for name in (first, *(f"a{n}" for n in range(999, 960, -1))):
        with suppress(ConditionInvalid):
            definitions.written_out(name)
    with pytest.raises(ConditionInvalid, match="at most 40 deep"):
        definitions.written_out("a900")


def test_a_definition_is_written_out_once_however_often_others_use_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def noting(text: str) -> Node:
        seen.append(text)
        return parse(text)

    monkeypatch.setattr("worlds.definitions.parse", noting)
    define = {**{f"a{n}": f"a{n + 1} && a{n + 1}" for n in range(8)}, "a8": "true"}
    written("a0 || a0 || a0", **define)
    assert seen.count("true") < 10


def test_a_comment_at_the_end_of_a_definition_ends_there() -> None:
    out = parse(written("(paid || (free\n))", paid="x == 1 // by card"))
    assert shape(out, {}) == shape(parse("(x == 1) || free"), {})


def shape(node: Node, define: dict[str, Node]) -> tuple[object, ...]:
    """A tree without positions, definitions put in their places."""
    if node.kind == "name" and node.text in define:
        return shape(define[node.text], {})
    inner = {name: each for name, each in define.items() if name != node.variable}
    parts = [shape(part, define) for part in node.parts[:1]]
    parts += [shape(part, inner) for part in node.parts[1:]]
    return (node.kind, node.text, node.operators, node.variable, tuple(parts))


LEAVES = st.sampled_from(["p", "q", "x.p", "f(p)", "1", "'p'"])
TEXTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds("({} && {})".format, inner, inner),
        st.builds("!({})".format, inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
        st.builds("xs.exists(p, {})".format, inner),
    ),
    max_leaves=8,
)


@given(TEXTS, st.sampled_from(["1 < 2 || f", "[1, 2]", "-y", "a.b"]))
def test_writing_out_puts_the_tree_of_a_definition_in_the_place_of_its_name(
    text: str, meaning: str
) -> None:
    out = parse(written(text, p=meaning))
    assert shape(out, {}) == shape(parse(text), {"p": parse(f"({meaning})")})


def domain(**define: str) -> Domain:
    return Domain.parse({**DOMAIN.content(), "define": define})


def intent(*slots: str, **define: str) -> Intent:
    chosen = {name: {"table": "orders"} for name in slots}
    return Intent.parse({"instruction": "", "goal": {}, "slots": chosen, "define": define})


def rule(**define: str) -> Rule:
    return Rule.parse({"text": "", "define": define})


def test_an_intent_and_a_rule_build_on_the_domain() -> None:
    shop = domain(large="it > 100", huge="large && it > 1000")
    for body in (intent(odd="!huge"), rule(odd="!huge")):
        out = body.definitions(shop).written_out("odd || large")
        assert out == "(!((it > 100) && it > 1000)) || (it > 100)"
    assert intent().definitions(shop).written_out("large") == "(it > 100)"


def test_a_definition_of_the_domain_never_takes_its_names_from_those_who_use_it() -> None:
    shop = domain(large="limit < 100")
    assert intent(limit="1").definitions(shop).written_out("large") == "(limit < 100)"


def test_intents_that_define_the_same_share_what_was_written_out() -> None:
    shop = domain(large="it > 100")
    one, other = intent("order", odd="!large"), intent("order", odd="!large")
    assert one.definitions(shop) is other.definitions(shop)
    assert one.definitions(shop) is not intent("order").definitions(shop)
    assert one.definitions(shop) is not one.definitions(domain())


@pytest.mark.parametrize(
    ("body", "name", "what"),
    [
        (intent(large="true"), "large", "a definition of the domain"),
        (rule(large="true"), "large", "a definition of the domain"),
        (intent("order", order="true"), "order", "a slot"),
        (intent(status="true"), "status", "a field of orders"),
        (rule(order_id="true"), "order_id", "a field of orders"),
    ],
)
def test_what_means_something_already_is_not_defined_anew(
    body: Intent | Rule, name: str, what: str
) -> None:
    ((at, error),) = body.definitions(domain(large="it > 100")).problems()
    assert at == name
    assert str(error).startswith(f"{name!r} is {what} already: choose another name, in the ")


def test_a_domain_does_not_define_its_own_fields_anew() -> None:
    ((name, error),) = domain(total="1", large="it > total").definitions.problems()
    assert (name, "'total' is a field of orders" in str(error)) == ("total", True)


@pytest.mark.parametrize("body", [Domain, Intent, Rule])
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("row", "something that conditions see"),
        ("heard", "something that conditions see"),
        ("count", "a function of conditions"),
        ("refused", "a function of conditions"),
        ("null", "a word of the conditions' language"),
        ("list", "a word of the conditions' language"),
    ],
)
def test_no_level_names_anew_what_the_language_has(body: type[Body], name: str, what: str) -> None:
    least: dict[str, Any] = {
        "domain": {"tables": {}},
        "intent": {"instruction": "", "goal": {}},
        "rule": {"text": ""},
    }
    with pytest.raises(ValueError, match=what):
        body.parse({**least[body.kind], "define": {name: "1 == 1"}})


def test_without_definitions_a_body_has_the_digest_that_it_had() -> None:
    for body in (DOMAIN, intent("order"), rule()):
        assert "define" not in body.content()
        assert body.digest == body.parse({**body.content(), "define": {}}).digest


def refused(text: str, body: Intent | Rule, shop: Domain) -> str:
    with pytest.raises(ConditionInvalid) as raised:
        compile_condition(text, shop, {"order": ORDER}, definitions=body.definitions(shop))
    return str(raised.value)


def test_an_error_says_in_which_definition_it_stands() -> None:
    shop = domain(late="order.stauts == 'late'")
    said = refused("true && annoying", intent(annoying="!late"), shop)
    assert ", in the definition 'annoying' → 'late', in the condition: true && (!(order" in said
    assert said.startswith("unknown field 'stauts' (there are ")
    assert "in the definition" not in refused("order.stauts == 'x' && late", intent(), shop)


def test_an_error_of_syntax_says_it_too() -> None:
    shop = domain(late="order.status ==")
    said = refused("annoying", intent(annoying="!late"), shop)
    assert "ends too early" in said
    assert said.endswith(
        ", in the definition 'annoying' → 'late', in the condition: order.status =="
    )


def test_an_unknown_name_is_told_with_what_each_level_defines() -> None:
    said = refused("larg", intent(odd="true"), domain(large="order.total > 100.0"))
    assert said == (
        "unknown name 'larg' (there are order; the domain defines large; the intent defines odd; "
        "did you mean 'large'?) at column 1, in the condition: larg"
    )


def test_without_definitions_of_its_own_a_condition_uses_those_of_the_domain() -> None:
    shop = domain(large="order.total > 5.0")
    condition = compile_condition("large", shop, {"order": ORDER})
    assert condition.holds(view(), {"order": order(7)})
    assert not condition.holds(view(), {"order": order(4)})
    with pytest.raises(NameUnknown, match="unknown name 'large'"):
        compile_condition("large", DOMAIN, {"order": ORDER})


def test_where_a_name_is_used_decides_what_it_is_about() -> None:
    shop = domain(large="row.total > 5.0")
    assert compile_condition("large", shop, {"row": ORDER}).holds(view(), {"row": order(7)})
    assert "unknown name 'row'" in refused("large", intent(), shop)


def conditions(*names: str) -> st.SearchStrategy[str]:
    """Conditions about `order` that may use these names."""
    told = ["order.total > 5.0", "order.refund == null", "order.items.exists(i, i.price < 2.0)"]
    return st.recursive(
        st.sampled_from([*told, *names]),
        lambda inner: st.one_of(
            st.builds("{} && {}".format, inner, inner),
            st.builds("{} || {}".format, inner, inner),
            st.builds("!({})".format, inner),
            st.builds("(({}) ? ({}) : ({}))".format, inner, inner, inner),
            st.builds("[1, 2].all(n, n > 1 || {})".format, inner),
        ),
        max_leaves=6,
    )


def by_hand(text: str, **meanings: str) -> str:
    for name, meaning in meanings.items():
        text = re.sub(rf"\b{name}\b", f"({meaning})", text)
    return text


@given(
    conditions("theirs", "mine"),
    conditions("theirs"),
    conditions(),
    st.sampled_from([order(7), order(3), order(7, refund=1.0)]),
)
def test_a_condition_with_definitions_means_what_it_says_written_out_by_hand(
    text: str, mine: str, theirs: str, row: dict[str, Any]
) -> None:
    hand = by_hand(text, mine=mine, theirs=theirs)
    shop = domain(theirs=theirs)
    for body in (intent("order", mine=mine), rule(mine=mine)):
        defined = body.definitions(shop)
        assert defined.written_out(text) == hand
        assert judged(text, shop, row, defined) == judged(hand, DOMAIN, row, None)


def judged(
    text: str, shop: Domain, row: dict[str, Any], defined: Definitions | None
) -> tuple[Any, ...]:
    """What a condition needs and says, or why it is refused."""
    try:
        found = compile_condition(text, shop, {"order": ORDER}, definitions=defined)
    except ConditionInvalid as error:
        return error.what, error.at
    return found.variables, found.functions, found.holds(view(), {"order": row})
