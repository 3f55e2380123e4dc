"""A published task as an intent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from components.tau2_task import INSTRUCTION, Task, about, intent
from worlds.environments import SLUG


def task(**criteria: Any) -> dict[str, Any]:
    """A task as published, judged by `criteria`."""
    actions = [{"name": "get_user_details", "arguments": {"user_id": "ann_1"}, "info": None}]
    return {
        "id": "5",
        "description": {"purpose": "See a greeting", "relevant_policies": None, "notes": None},
        "user_scenario": {
            "persona": "A hurried person",
            "instructions": {
                "domain": "retail",
                "task_instructions": "Be brief.",
                "reason_for_call": "You want to be greeted.",
                "known_info": "You are Ann.",
                "unknown_info": None,
                "mood": "cheerful",
            },
        },
        "evaluation_criteria": {"actions": actions, "reward_basis": ["DB"], **criteria},
    }


def parsed(content: dict[str, Any]) -> Any:
    """The body that a task becomes, as files say it."""
    return intent(Task.model_validate(content)).content()


def test_what_the_user_wants_is_told_to_the_user_and_never_to_the_agent() -> None:
    body = parsed(task())
    assert body["instruction"] == INSTRUCTION
    assert body["user"]["brief"] == (
        "Who you are: A hurried person\n\nWhy you are calling: You want to be greeted.\n\n"
        "What you know: You are Ann.\n\nHow to go about it: Be brief.\n\nMood: cheerful"
    )
    assert "greeted" not in body["instruction"]


@pytest.mark.parametrize(
    ("scenario", "brief"),
    [
        ("You are Ann.", "You are Ann."),
        ({"instructions": "You are Ann."}, "You are Ann."),
        ({"persona": "Ann", "instructions": "Ask."}, "Who you are: Ann\n\nAsk."),
    ],
)
def test_a_scenario_may_be_plain_text(scenario: Any, brief: str) -> None:
    assert parsed({**task(), "user_scenario": scenario})["user"] == {"brief": brief}


def test_the_published_actions_are_the_plan_and_it_finishes_as_done() -> None:
    body = intent(Task.model_validate(task()))
    call, finish = body.plans["default"]
    assert (call.call, call.args) == ("get_user_details", {"user_id": "ann_1"})
    assert finish.finish is not None
    assert finish.finish.outcome == "done"


@pytest.mark.parametrize("actions", [None, []])
def test_a_task_without_actions_has_a_plan_that_only_finishes(actions: Any) -> None:
    body = parsed(task(actions=actions))
    assert body["plans"] == {"default": [{"finish": {}}]}
    assert body["goal"] == {"matches_plan": True}


def test_what_the_published_basis_leaves_out_is_carried_along_and_never_counts() -> None:
    body = parsed(task(communicate_info=["12.50"], nl_assertions=["Greets."]))
    assert body["goal"] == {"matches_plan": True}
    assert body["unscored"] == [
        {"kind": "communicate_info", "text": "12.50"},
        {"kind": "nl_assertion", "text": "Greets."},
    ]


def test_facts_are_goals_where_the_published_basis_counts_them() -> None:
    body = parsed(task(communicate_info=["12.50"], reward_basis=["COMMUNICATE"]))
    assert body["goal"] == {"mentions": ["12.50"]}
    assert "unscored" not in body


def test_the_plan_states_the_facts_that_count_and_no_others() -> None:
    counted = parsed(task(communicate_info=["12.50", "{x}"], reward_basis=["COMMUNICATE"]))
    assert counted["plans"]["default"][-1] == {"finish": {"message": "12.50\n{{x}}"}}
    carried = parsed(task(communicate_info=["12.50"]))
    assert carried["plans"]["default"][-1] == {"finish": {}}


def test_a_task_without_a_basis_is_judged_by_state_and_facts_as_published() -> None:
    content = task(communicate_info=["12.50"])
    del content["evaluation_criteria"]["reward_basis"]
    assert parsed(content)["goal"] == {"matches_plan": True, "mentions": ["12.50"]}


def test_actions_that_count_are_carried_as_such() -> None:
    body = parsed(task(reward_basis=["ACTION"], env_assertions=[{"func_name": "is_calm"}]))
    assert "matches_plan" not in body["goal"]
    assert [entry["kind"] for entry in body["unscored"]] == ["env_assertion", "action"]
    assert [entry.get("counts", False) for entry in body["unscored"]] == [False, True]


def test_a_task_without_criteria_has_an_empty_goal() -> None:
    assert parsed({**task(), "evaluation_criteria": None})["goal"] == {}


def test_braces_of_published_texts_are_no_templates() -> None:
    content = task(
        actions=[{"name": "say", "arguments": {"lines": ["{a}"], "n": 1}}],
        communicate_info=["{b}"],
        nl_assertions=["{c}"],
        reward_basis=["COMMUNICATE"],
    )
    body = parsed({**content, "user_scenario": "Say {hello}."})
    assert body["user"]["brief"] == "Say {{hello}}."
    assert body["plans"]["default"][0]["args"] == {"lines": ["{{a}}"], "n": 1}
    assert body["goal"]["mentions"] == ["{{b}}"]
    assert body["unscored"] == [{"kind": "nl_assertion", "text": "{c}"}]


def test_the_about_block_says_what_the_task_is_and_what_counted_where_it_was_published() -> None:
    issue = {"title": "Greets twice", "status": "open", "author_email": "a@example.com"}
    actions = [{"name": name} for name in ("get_x", "cancel_order", "pay", "cancel_order")]
    said = about(Task.model_validate({**task(actions=actions), "issues": [issue]}))
    assert said == {
        "title": "Task 5: cancel order; pay",
        "notes": "Purpose: See a greeting\nPublished issue (open): Greets twice\n"
        "Counted where it was published: DB.",
        "authority": "given",
    }


def test_a_task_that_only_reads_says_so_in_its_title() -> None:
    assert about(Task.model_validate(task()))["title"] == "Task 5: change nothing"


@pytest.mark.parametrize("given", [5, "5"])
def test_an_id_may_be_a_number_or_text(given: Any) -> None:
    assert Task.model_validate({**task(), "id": given}).slug == "task-5"


@given(st.lists(st.text(), min_size=2, max_size=2, unique=True))
def test_any_two_ids_become_two_slugs_that_files_can_have(ids: list[str]) -> None:
    one, other = (Task.model_validate({"id": given}).slug for given in ids)
    assert one != other
    assert SLUG.fullmatch(one)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"initial_state": {"initialization_data": {"x": 1}}}, "initial_state"),
        (
            {"evaluation_criteria": {"actions": [{"name": "pay", "requestor": "user"}]}},
            r"actions\[0\] is made by 'user'",
        ),
    ],
)
def test_what_would_change_the_task_if_it_were_ignored_is_refused(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        Task.model_validate({**task(), **change})


def test_an_initial_state_that_says_nothing_is_no_obstacle() -> None:
    empty: dict[str, Any] = {"initialization_data": None, "initialization_actions": []}
    assert Task.model_validate({**task(), "initial_state": empty}).slug == "task-5"
