"""triage.proposers.rules"""

from __future__ import annotations

from typing import Any

from tests.triage.proposers.brokenshop import broken, first, proposed
from tests.worlds.shop import RULE
from triage.proposers import rules
from triage.proposers.rules.clausetrial import ClauseTrial
from worlds.rule import Rule


def clauses(number: int, **changes: Any) -> dict[str, Any]:
    """The rule with one clause otherwise."""
    said = [dict(each) for each in RULE["clauses"]]
    said[number] |= changes
    return {"clauses": said}


def test_a_negated_clause_says_again_what_its_sentence_does() -> None:
    case = broken("rule", rule=clauses(0, require="!(before.status == 'pending')"))
    assert first(rules.propose, case)["clauses"][0]["require"] == "before.status == 'pending'"


def test_a_clause_looks_at_the_row_before_the_write() -> None:
    case = broken("rule", rule=clauses(0, require="after.status == 'pending'"))
    assert first(rules.propose, case)["clauses"][0]["require"] == "before.status == 'pending'"


def test_the_quote_tells_which_value_is_meant() -> None:
    case = broken("rule", rule=clauses(0, require="before.status == 'delivered'"))
    found = proposed(rules.propose, case)[0]
    assert first(rules.propose, case)["clauses"][0]["require"] == "before.status == 'pending'"
    assert "Only pending orders can be cancelled" in found.authority


def test_an_exception_that_nothing_names_excuses_again() -> None:
    exempt = {
        "id": "anns",
        "quote": "Ann is exempt",
        "on": "write",
        "when": "table == 'orders' && after.total > 0.0",
        "require": "true",
    }
    said = [{**RULE["clauses"][0], "require": "before.total > 1000.0"}, RULE["clauses"][1], exempt]
    rule = {"text": f"{RULE['text']} Ann is exempt.", "clauses": said}
    found = first(rules.propose, broken("rule", rule=rule))
    assert found["clauses"][0]["unless"] == ["anns"]


def test_a_quote_is_taken_from_the_text_that_is_nearest() -> None:
    case = broken(
        "rule",
        rule={
            "text": "None but pending orders can be cancelled. Nothing is ever delivered by hand."
        },
    )
    found = first(rules.propose, case)
    assert found["clauses"][0]["quote"] == "None but pending orders can be cancelled"


def test_a_sentence_that_no_clause_quotes_is_listed() -> None:
    case = broken("rule", rule={"text": f"{RULE['text']} Never shout."})
    assert first(rules.propose, case)["judgement"] == ["Never shout."]


def test_a_clause_is_asked_at_the_events_that_it_speaks_of() -> None:
    case = broken("rule", rule=clauses(0, on="call"))
    assert first(rules.propose, case)["clauses"][0]["on"] == "write"


def test_nothing_is_guarded_that_nothing_can_stop() -> None:
    said = {
        "id": "polite",
        "quote": "Be polite",
        "on": "say",
        "require": "!said_now.contains('fool')",
    }
    rule = {
        "text": f"{RULE['text']} Be polite.",
        "clauses": [*RULE["clauses"], {**said, "enforce": "guard"}],
    }
    found = first(rules.propose, broken("rule", rule=rule))
    assert "enforce" not in found["clauses"][2]


def test_what_still_forbids_what_the_plan_does_is_not_proposed() -> None:
    case = broken("rule", rule=clauses(0, require="after.status == 'pending'"))
    trial = ClauseTrial(case, "cancelling")
    for candidate in proposed(rules.propose, case):
        body = candidate.changes[("rule", "cancelling")]
        assert isinstance(body, Rule)
        found = trial.of(body, "pending-only")
        assert found is not None
        assert found.cures
        assert not found.breaks


def test_a_clause_that_forbids_something_still_comes_before_one_that_forbids_nothing() -> None:
    case = broken("rule", rule=clauses(0, require="!(before.status == 'pending')"))
    trial = ClauseTrial(case, "cancelling")

    def teeth(require: str) -> float:
        found = trial.of(Rule.parse({**RULE, **clauses(0, require=require)}), "pending-only")
        assert found is not None
        return found.teeth

    assert teeth("before.status == 'pending'") > teeth("true") == 0


def test_of_other_components_nothing_is_proposed() -> None:
    case = broken("intent", rule=clauses(0, require="after.status == 'pending'"))
    assert not proposed(rules.propose, case)
