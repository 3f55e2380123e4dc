"""Requirements that a goal lacks: what the plan writes and nobody looks at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic import ValidationError

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Seen, Spot
from triage.proposers.intents.celtext import conjuncts, literal, tree
from triage.proposers.intents.generalised import Origins, expression, key_template
from triage.proposers.intents.intentedit import IntentEdit, Said, quoted
from triage.proposers.intents.sample import Sample, samples
from worlds.cel_tree import Node, literal_text
from worlds.diff import Change, same
from worlds.domain import Domain
from worlds.intent import Finish, Intent
from worlds.replay import replay
from worlds.step import Action, Call, Episode, Say
from worlds.toolsession import ToolSession

NAME = "missing requirements"
MOST = 6
"""Requirements that are changed for one field."""
Unit = tuple[str, str, str]
"""Table, key of a row as a template (empty: a new one), field."""


@dataclass(frozen=True)
class Written:
    """A field that the plan writes, with an expression of what it says in every environment."""

    unit: Unit
    value: str
    is_loose: bool = False

    def asked(self, field: str) -> str:
        """What a condition asks of the field."""
        if self.is_loose:
            words = self.value[1:-1].lower().strip(" .")
            return f"lower({field}).contains({literal(words)})"
        return f"{field} == {self.value}"


def missing_requirements(case: Case, spot: Spot) -> Iterator[Candidate]:
    """For goals that are met by who does nothing, or something else."""
    edit = IntentEdit.of(NAME, case, spot)
    if edit is None or not case.codes & {"goal-blind", "goal-vacuous", "goal-trivial"}:
        return
    found = [sample for sample in samples(case, spot.name) if sample.diff]
    if not found:
        return
    known = _written(found)
    yield from _all_of_it(edit, found, known)
    if "goal-blind" in case.codes:
        yield from _looked_at(case, edit, found, known)


def _written(found: Sequence[Sample]) -> list[Written]:
    """All that plans write and that can be said in words of the intent."""
    values: dict[Unit, list[Any]] = defaultdict(list)
    for sample in found:
        for unit, value in _units(sample, sample.diff):
            values[unit].append(value)
    origins = Origins(found)
    known = []
    for unit, column in values.items():
        if len(column) == len(found):
            table, key, name = unit
            said = origins.of(table, name, column) or (key and origins.moved(key, name, column))
            if said:
                known.append(Written(unit, said, _is_loose(found[0].intent, said)))
    return known


def _is_loose(intent: Intent, value: str) -> bool:
    """Whether it is somebody's words, which nobody put into quotes: then they may be worded a little otherwise."""
    words = value[1:-1] if value[:1] in "'\"" else ""
    is_quoted = any(f"{mark}{words}{mark}" in intent.instruction for mark in "'\"")
    return len(words.split()) >= 3 and not is_quoted


def _units(sample: Sample, diff: Sequence[Change]) -> Iterator[tuple[Unit, Any]]:
    """Each field that is written, once: of several new rows of a table nobody knows which is which."""
    tables = [change["table"] for change in diff if change["op"] == "insert"]
    for change in diff:
        table = change["table"]
        if change["op"] == "insert" and tables.count(table) == 1:
            key = sample.world.bundle.domain.tables[table].key
            yield from (((table, "", n), v) for n, v in change["row"].items() if n != key)
        elif change["op"] == "update":
            template = key_template(sample, table, change["key"])
            if template is not None:
                for name, each in change["fields"].items():
                    yield (table, template, name), each.get("after")


def _all_of_it(
    edit: IntentEdit, found: Sequence[Sample], known: Sequence[Written]
) -> Iterator[Candidate]:
    """Every field that the plan writes, beside what the goal asks for."""
    kept = list(edit.intent.goal.require)
    for also_null in (False, True):
        added = [
            text
            for text in _texts(found, known, also_null=also_null)
            if text not in kept and _holds(found, text)
        ]
        if not added:
            return
        said = Said(
            "Require what the plan writes",
            0.9 if not kept else 0.3,
            "",
            f"The goal is met without it: {'; '.join(added)}",
        )
        yield from edit.candidates({("goal", "require"): [*kept, *added]}, said)


def _texts(found: Sequence[Sample], known: Sequence[Written], *, also_null: bool) -> Iterator[str]:
    new: dict[str, list[Written]] = defaultdict(list)
    for each in known:
        table, key, name = each.unit
        if each.value == "null" and not also_null:
            continue
        if key:
            yield each.asked(f"get('{table}', {expression(key)}).{name}")
        else:
            new[table].append(each)
    domain = found[0].world.bundle.domain
    for table, fields in new.items():
        yield _exists(domain, table, fields)


def _exists(domain: Domain, table: str, fields: Sequence[Written]) -> str:
    """`find('orders', {'user_id': user.user_id}).exists(o, o.status == 'pending')`"""
    refers = {each.from_ for each in domain.tables[table].references}
    match = [each for each in fields if each.unit[2] in refers and each.value != "null"]
    match = match or [each for each in fields if each.value != "null"][:1] or list(fields[:1])
    rest = [each for each in fields if each not in match]
    one = table[0].lower()
    asked = ", ".join(f"'{each.unit[2]}': {each.value}" for each in match)
    said = " && ".join(each.asked(f"{one}.{each.unit[2]}") for each in rest) or "true"
    return f"find('{table}', {{{asked}}}).exists({one}, {said})"


def _holds(found: Sequence[Sample], text: str) -> bool:
    return all(sample.value(text) is True for sample in found)


def _looked_at(
    case: Case, edit: IntentEdit, found: Sequence[Sample], known: Sequence[Written]
) -> Iterator[Candidate]:
    """Look at the fields in which a wrong way that was accepted ends otherwise."""
    by_unit = {each.unit: each for each in known}
    differing: dict[Unit, str] = {}
    for seen, finding, wrong in _wrong_ways(case, edit):
        sample = next((each for each in found if each.slug == seen.slug), None)
        if sample is not None:
            for unit in _differences(sample, wrong):
                differing.setdefault(unit, finding)
    for unit, message in islice(differing.items(), MOST):
        if unit in by_unit:
            yield from _asked_for(edit, found, by_unit[unit], message)
    several = [by_unit[unit] for unit in differing if unit in by_unit]
    if len(several) > 1:
        added = [text for text in _texts(found, several, also_null=True) if _holds(found, text)]
        require = [*edit.intent.goal.require, *added]
        said = Said("Require what wrong ways leave otherwise", 0.75)
        yield from edit.candidates({("goal", "require"): require}, said)


def _wrong_ways(case: Case, edit: IntentEdit) -> Iterator[tuple[Seen, str, Episode]]:
    for seen in case.users(edit.name):
        for finding in seen.findings:
            if finding.code == "goal-blind" and finding.component == edit.name[1]:
                wrong = _replayed(seen, finding.evidence)
                if wrong is not None:
                    yield seen, finding.message, wrong


def _replayed(seen: Seen, evidence: Mapping[str, Any]) -> Episode | None:
    """The wrong way that a finding cites."""
    try:
        actions = [_action(each) for each in evidence["actions"]]
        with ToolSession() as session:
            return replay(seen.world, session, actions, evidence.get("edits") or ())
    except (KeyError, TypeError, ValueError, LookupError, ValidationError):
        return None


def _action(document: Mapping[str, Any]) -> Action:
    if "tool" in document:
        return Call.model_validate(document)
    return (Say if "text" in document else Finish).model_validate(document)


def _differences(sample: Sample, wrong: Episode) -> Iterator[Unit]:
    """The fields that the plan writes and that a wrong way leaves otherwise."""
    other = dict(_units(sample, wrong.diff))
    for unit, value in _units(sample, sample.diff):
        if unit not in other or not same(value, other[unit]):
            yield unit


def _asked_for(
    edit: IntentEdit, found: Sequence[Sample], each: Written, message: str
) -> Iterator[Candidate]:
    table, key, name = each.unit
    authority = _authority(edit, each.value)
    if key:
        text = each.asked(f"get('{table}', {expression(key)}).{name}")
        yield from _added(edit, found, text, 0.85, authority, message)
        return
    for number, changed in _with_conjunct(edit, each):
        if _holds(found, changed):
            said = Said(f"Require also that `{name}` is {each.value}", 0.85, authority, message)
            yield from edit.candidates({("goal", "require", number): changed}, said)
    domain = found[0].world.bundle.domain
    match = next((match for _, match in _finds(edit, table)), None)
    one = table[0].lower()
    alone = (
        f"find('{table}', {match}).exists({one}, {each.asked(f'{one}.{name}')})"
        if match
        else _exists(domain, table, [each])
    )
    yield from _added(edit, found, alone, 0.8, authority, message)


def _authority(edit: IntentEdit, value: str) -> str:
    """Where the instruction says the value."""
    bare = value.strip("'\"")
    told = edit.intent.instruction
    is_slot = "." in bare and "{" + bare + "}" in told
    return f"The instruction: {quoted(told)}" if is_slot or (bare and bare in told) else ""


def _added(
    edit: IntentEdit,
    found: Sequence[Sample],
    text: str,
    likelihood: float,
    authority: str,
    message: str,
) -> Iterator[Candidate]:
    if _holds(found, text):
        said = Said(f"Require `{text}`", likelihood, authority, message)
        require = [*edit.intent.goal.require, text]
        yield from edit.candidates({("goal", "require"): require}, said)


def _finds(edit: IntentEdit, table: str) -> Iterator[tuple[int, str]]:
    """Requirements of the form `find(table, match).exists(…)`, with the text of their match."""
    for number, text in enumerate(edit.intent.goal.require):
        root = tree(text)
        if root is not None and _finds_in(root, table):
            begin, end = text.find("{"), text.find("}).")
            if 0 <= begin < end:
                yield number, text[begin : end + 1]


def _finds_in(root: Node, table: str) -> bool:
    if root.kind != "macro" or root.text != "exists":
        return False
    inner = root.parts[0]
    return inner.kind == "call" and inner.text == "find" and literal_text(inner.parts[0]) == table


def _with_conjunct(edit: IntentEdit, each: Written) -> Iterator[tuple[int, str]]:
    """Requirements of a new row with one thing more to ask of it."""
    table, _, name = each.unit
    for number, _ in islice(_finds(edit, table), MOST):
        text = edit.intent.goal.require[number]
        root = tree(text)
        if root is None or not text.endswith(")"):
            continue
        more = each.asked(f"{root.variable}.{name}")
        body = root.parts[1]
        is_joined = body.kind != "chain" or "||" not in body.operators
        if is_joined and body.kind != "choice" and len(conjuncts(text)) == 1:
            yield number, f"{text[:-1]} && {more})"
