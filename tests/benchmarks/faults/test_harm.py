"""Harm, as answer keys and fixed sequences of calls tell it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.faulted import with_component
from benchmarks.faults.harm import MOST_ENVIRONMENTS, Harm, Sound, call_harms, harms
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.library import read
from worlds.toolsession import ToolSession

EDIT = Callable[[str], str]


@pytest.fixture(scope="module")
def sound() -> Sound:
    return Sound(read(LIBRARY, ["helpdesk"])[0])


@pytest.fixture(scope="module")
def spec(sound: Sound) -> EnvironmentSpec:
    """An environment whose right episodes give a ticket to somebody, at the desk, in one turn."""
    return next(
        each
        for each in sound.folder.all_environments()
        if each.toolservers[0] == "desk" and each.intent == "assign-fewest"
    )


def told(sound: Sound, spec: EnvironmentSpec, kind: str, slug: str, edit: EDIT) -> list[str]:
    """What a changed text of an intent (as JSON values) or a tool server does to an environment."""
    if kind == "toolserver":
        source = sound.folder.toolservers[slug].body.content()["source"]
        assert edit(source) != source
        changed = with_component(sound.folder, "toolserver", slug, edit(source))
    else:
        content = sound.folder.intents[slug].body.content()
        changed = with_component(
            sound.folder, "intent", slug, content | {"instruction": edit(content["instruction"])}
        )
    return [f"{each.key}: {each.says}" for each in played(sound, changed, spec)]


def played(sound: Sound, changed: DomainFolder, spec: EnvironmentSpec) -> list[Harm]:
    """What a changed domain does to an environment."""
    with ToolSession() as session:
        return list(harms(sound, changed, spec, session))


def test_the_sound_library_does_no_harm(sound: Sound, spec: EnvironmentSpec) -> None:
    assert played(sound, sound.folder, spec) == []
    assert list(call_harms(sound, sound.folder, "directory")) == []


def test_a_write_that_is_lost_makes_right_episodes_fail(
    sound: Sound, spec: EnvironmentSpec
) -> None:
    said = told(
        sound,
        spec,
        "toolserver",
        "desk",
        lambda source: source.replace(
            'return db.update("tickets", ticket["ticket_id"], changed)', "return laid"
        ),
    )
    assert any("right, but" in each for each in said)


def test_a_crash_is_harm_though_the_verdict_may_stay(sound: Sound, spec: EnvironmentSpec) -> None:
    first = next(
        step.tool
        for keyed in sound.keyed(spec)
        if keyed.key.label == "right"
        for step in keyed.episode.steps
        if step.kind == "call"
    )
    head = f"def {first}("

    def crashing(source: str) -> str:
        begin = source.index('"""', source.index('"""', source.index(head)) + 3) + 3
        return f"{source[:begin]}\n    [][0]{source[begin:]}"

    said = told(sound, spec, "toolserver", "desk", crashing)
    assert any("crashed" in each or "right, but" in each for each in said)


def test_a_request_that_says_nothing_is_harm(sound: Sound, spec: EnvironmentSpec) -> None:
    said = told(sound, spec, "intent", spec.intent, lambda _: "Please help me.")
    assert all("nobody tells" in each for each in said)
    assert said


def test_a_row_that_is_gone_harms_nobody_where_another_serves_as_well_and_all_where_none_does(
    sound: Sound, spec: EnvironmentSpec
) -> None:
    content = sound.folder.records[spec.records].body.content()
    binding, slots = (
        sound.folder.pins[spec.slug].binding,
        sound.folder.intents[spec.intent].body.slots,
    )
    table, key = slots["ticket"].table, binding["ticket"]
    field = sound.folder.domain.body.tables[table].key
    rows = content["tables"][table]
    for left, harmed in (([row for row in rows if row[field] != key], False), ([], True)):
        less = content | {"tables": content["tables"] | {table: left}}
        changed = with_component(sound.folder, "records", spec.records, less)
        assert bool(played(sound, changed, spec)) == harmed


def test_a_wrong_episode_that_no_longer_fits_the_tools_is_no_harm(
    sound: Sound, spec: EnvironmentSpec
) -> None:
    said = told(
        sound,
        spec,
        "toolserver",
        "desk",
        lambda source: source.replace("def assign_ticket(", "def give_ticket("),
    )
    assert said
    assert all("right, but" in each for each in said)


def test_a_result_without_what_agents_go_by_changes_sequences_and_another_field_does_not(
    sound: Sound,
) -> None:
    source = sound.folder.toolservers["directory"].body.content()["source"]
    tool, places = next((t, p) for t, p in sound.places.items() if f"def {t}(" in source and p)
    assert any(places)
    renamed = source
    for place in places:
        name = place.rpartition(".")[2].partition("[")[0]
        renamed = renamed.replace(f'"{name}":', f'"{name}_of_it":')
    changed = with_component(sound.folder, "toolserver", "directory", renamed)
    assert next(call_harms(sound, changed, "directory"), None) is not None, tool
    idle = with_component(sound.folder, "toolserver", "directory", f"{source}\n# the same\n")
    assert next(call_harms(sound, idle, "directory"), None) is None


def test_environments_with_what_is_changed_come_first_and_are_few(sound: Sound) -> None:
    chosen = sound.concerned([("toolserver", "desk")], ["assign_ticket"])
    assert len(chosen) == MOST_ENVIRONMENTS
    near = [sound.touches(spec, "assign_ticket") for spec in chosen]
    assert near == sorted(near, reverse=True)
    assert near[0]
