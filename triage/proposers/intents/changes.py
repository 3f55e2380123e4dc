"""`goal.changes`: all that may change, from what the plans change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.intents.generalised import Touched, touched
from triage.proposers.intents.intentedit import GONE, IntentEdit, Said, closest
from triage.proposers.intents.sample import samples
from worlds.changes import Allowance, ChangesInvalid
from worlds.domain import Domain

NAME = "allowed changes"
CODES = {
    "plan-misses-goal", "criteria-conflict", "goal-blind", "goal-vacuous", "body-invalid", "name-unknown",
    "criteria-unused", "goal-trivial", "goal-unreachable",
}  # fmt: skip


def allowed_changes(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Entries that are missing, too wide, or that name what is not there."""
    edit = IntentEdit.of(NAME, case, spot)
    if edit is None or not case.codes & CODES:
        return
    yield from _readable(case, edit)
    found = [sample for sample in samples(case, spot.name) if sample.is_well_played]
    if not found:
        return
    needed = touched(found)
    if edit.intent.goal.changes is None:
        yield from _given(case, edit, needed)
        return
    places = _places(case, edit)
    if (
        any(place.startswith("goal.changes") for place in places)
        or "criteria-conflict" in case.codes
    ):
        yield from _widened(edit, needed)
    if "goal-blind" in case.codes:
        yield from _narrowed(edit, needed)
    yield from _exactly(edit, needed, 0.3)


def _places(case: Case, edit: IntentEdit) -> set[str]:
    """Where findings about the intent point."""
    return {
        each.place
        for seen in case.seen
        for each in seen.findings
        if (each.kind, each.component) == edit.name
    }


def _given(case: Case, edit: IntentEdit, needed: Sequence[Touched]) -> Iterator[Candidate]:
    likelihood = 0.9 if "goal-blind" in case.codes else 0.4
    entries = [each.entry for each in needed]
    said = Said(
        "Say what may change: what the plan changes, and nothing else",
        likelihood,
        "",
        f"The goal says nothing of what may change; the plan changes {', '.join(entries) or 'nothing'}",
    )
    yield from edit.candidates({("goal", "changes"): entries}, said)


def _widened(edit: IntentEdit, needed: Sequence[Touched]) -> Iterator[Candidate]:
    """What there is, and what the plan changes beside it."""
    entries = list(edit.intent.goal.changes or ())
    for each in needed:
        _add(entries, each)
    said = Said(
        "Let change what the plan changes",
        0.7,
        reason="The plan, with which no step was refused, changes more than the goal lets change",
    )
    yield from edit.candidates({("goal", "changes"): entries}, said)
    _drop_unneeded(entries, needed)
    yield from _exactly(edit, needed, 0.55)


def _add(entries: list[str], needed: Touched) -> None:
    """The entry of the same row with the fields that it lacks; else a new entry."""
    for number, text in enumerate(entries):
        known = _allowance(text)
        if known is None or known.table != needed.table:
            continue
        if needed.new and known.key is None:
            entries[number] = f"{needed.table}/+{max(known.new, needed.new)}"
            return
        if not needed.new and known.key in (needed.key, "*"):
            if known.fields:
                lacking = [name for name in needed.fields if name not in known.fields]
                fields = ",".join([*known.fields, *lacking])
                entries[number] = f"{known.table}/{known.key}#{fields}"
            return
    entries.append(needed.entry)


def _allowance(text: str) -> Allowance | None:
    try:
        return Allowance.of(text)
    except ChangesInvalid:
        return None


def _narrowed(edit: IntentEdit, needed: Sequence[Touched]) -> Iterator[Candidate]:
    """One entry that allows more than the plan needs, as narrow as the plan; then all of them."""
    entries = list(edit.intent.goal.changes or ())
    for number, text in enumerate(entries):
        for fewer in _narrower(text, needed):
            said = Said(
                f"Let no more change than the plan does: `{text}`",
                0.75,
                "",
                f"`{text}` lets change what the plan leaves alone",
            )
            changed = [*entries[:number], *fewer, *entries[number + 1 :]]
            yield from edit.candidates({("goal", "changes"): list(dict.fromkeys(changed))}, said)
    yield from _exactly(edit, needed, 0.6)


def _narrower(text: str, needed: Sequence[Touched]) -> Iterator[list[str]]:
    """What an entry could say instead."""
    known = _allowance(text)
    if known is None:
        return
    rows = [
        each
        for each in needed
        if each.table == known.table and bool(each.new) == (known.key is None)
    ]
    if known.key is None:
        yield [each.entry for each in rows]
    elif known.key == "*":
        yield [each.entry for each in rows]
        fields = dict.fromkeys(name for each in rows for name in each.fields)
        if fields:
            yield [f"{known.table}/*#{','.join(fields)}"]
    else:
        yield [each.entry for each in rows if each.key == known.key]


def _drop_unneeded(entries: list[str], needed: Sequence[Touched]) -> None:
    tables = {each.table for each in needed}
    entries[:] = [text for text in entries if text.partition("/")[0] in tables]


def _exactly(edit: IntentEdit, needed: Sequence[Touched], likelihood: float) -> Iterator[Candidate]:
    entries = [each.entry for each in needed]
    if len(entries) <= 12:
        said = Said("Let change exactly what the plan changes", likelihood)
        yield from edit.candidates({("goal", "changes"): entries}, said)


def _readable(case: Case, edit: IntentEdit) -> Iterator[Candidate]:
    """Entries of another form, of a table or field that is not there, or of rows that mean nothing."""
    domain = case.seen[0].bundle.domain
    for number, text in enumerate(edit.intent.goal.changes or ()):
        for likelihood, entry in _spellings(text, edit, domain):
            said = Said(f"Let `{entry}` change, not `{text}`", likelihood)
            yield from edit.candidates({("goal", "changes", number): entry}, said)
        if "criteria-unused" in case.codes and f"goal.changes[{number}]" in _places(case, edit):
            said = Said(f"Take out `{text}`, which the domain calls volatile", 0.5)
            yield from edit.candidates({("goal", "changes", number): GONE}, said)


def _spellings(text: str, edit: IntentEdit, domain: Domain) -> Iterator[tuple[float, str]]:
    table, slash, rest = text.partition("/")
    if table not in domain.tables:
        for other in closest(table, list(domain.tables))[:3]:
            yield 0.8, f"{other}{slash}{rest}"
        return
    if not rest:
        slots = [name for name, slot in edit.intent.slots.items() if slot.table == table]
        for slot in slots[:3]:
            yield 0.6, f"{table}/{{{slot}.{domain.tables[table].key}}}"
        return
    known = _allowance(text)
    fields = domain.tables[table].schema_.get("properties")
    if known is None or not isinstance(fields, dict):
        return
    for name in known.fields:
        for other in closest(name, list(fields))[:3] if name not in fields else ():
            names = ",".join(other if each == name else each for each in known.fields)
            yield 0.8, f"{table}/{known.key}#{names}"
