"""Goals that ask for the very words, spelling or order of one way of doing it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.intents.celtext import conjuncts, literal, sides, tree
from triage.proposers.intents.intentedit import GONE, IntentEdit, Said, quoted
from triage.proposers.intents.sample import Sample, samples
from worlds.cel_tree import Node, literal_text, walk
from worlds.findings import Finding

NAME = "narrow goals"
CODES = {
    "goal-narrow",
    "order-sensitive",
    "spelling-sensitive",
    "plan-misses-goal",
    "argument-ungrounded",
}
PLACE = re.compile(r"goal\.(require|mentions)\[(\d+)\]")
COMPARED = re.compile(r"((?:\w+\([^()]*\))?[\w.]+)\s*==\s*('[^'\\]*'|\"[^\"\\]*\")")
LISTED = re.compile(r"(.+?)\s*==\s*(\[[^\[\]]*\])")


def narrow_goals(case: Case, spot: Spot) -> Iterator[Candidate]:
    """What a right way misses: taken out where nobody is told of it, else asked for in any words, spelling or order."""
    edit = IntentEdit.of(NAME, case, spot)
    if edit is None or not case.codes & CODES:
        return
    found = samples(case, spot.name)
    done: set[tuple[str, str]] = set()
    for finding in _findings(case, edit):
        if (finding.code, finding.place) in done:
            continue
        done.add((finding.code, finding.place))
        match = PLACE.fullmatch(finding.place)
        if match is None:
            continue
        number = int(match[2])
        if match[1] == "mentions":
            yield from _mention(edit, found, number, finding)
        else:
            yield from _requirement(edit, found, number, finding)
    yield from _plain_words(edit, found)


def _findings(case: Case, edit: IntentEdit) -> list[Finding]:
    return [
        each
        for seen in case.users(edit.name)
        for each in seen.findings
        if each.kind == "intent" and each.component == edit.name[1] and each.code in CODES
    ]


def _told(edit: IntentEdit) -> str:
    """All that the user says or knows, as it is written."""
    intent = edit.intent
    user = intent.user
    said = [intent.instruction]
    if user is not None:
        said += [user.opens or "", *(str(each) for each in user.knows.values())]
        said += [line.says for line in user.script]
    return "\n".join(said).lower()


def _mention(
    edit: IntentEdit, found: Sequence[Sample], number: int, finding: Finding
) -> Iterator[Candidate]:
    mentions = edit.intent.goal.mentions
    if number >= len(mentions):
        return
    words = mentions[number]
    is_told = "{" in words or words.lower().strip(" .") in _told(edit)
    only_missed = finding.code == "plan-misses-goal"
    for fact in _facts(found, words):
        said = Said(
            f"Ask for the fact {fact} alone, not for {quoted(words)}",
            0.5,
            reason=finding.message,
        )
        yield from edit.candidates({("goal", "mentions", number): fact}, said)
    said = Said(
        f"Ask no longer for the words {quoted(words)}",
        0.1 if is_told else 0.35 if only_missed else 0.9,
        reason=finding.message,
    )
    yield from edit.candidates({("goal", "mentions", number): GONE}, said)


def _facts(found: Sequence[Sample], words: str) -> Iterator[str]:
    """Templates in a sentence, which say what is to be known without the sentence."""
    whole = words.strip()
    for fact in dict.fromkeys(re.findall(r"\{[^{}]+\}", words)):
        if fact != whole and found:
            yield fact


def _requirement(
    edit: IntentEdit, found: Sequence[Sample], number: int, finding: Finding
) -> Iterator[Candidate]:
    require = edit.intent.goal.require
    if number >= len(require):
        return
    text = require[number]
    if finding.code == "plan-misses-goal":
        yield from _as_planned(edit, found, number, finding)
        said = Said(f"Require no longer `{text}`", 0.06, reason=finding.message)
        yield from edit.candidates({("goal", "require", number): GONE}, said)
        return
    if finding.code == "order-sensitive":
        yield from _any_order(edit, number, text, finding)
    yield from _any_words(edit, number, text, finding)
    yield from _without_words(edit, number, text, finding)
    if _is_open(finding):
        yield from _closed(edit, finding, text)


def _as_planned(
    edit: IntentEdit, found: Sequence[Sample], number: int, finding: Finding
) -> Iterator[Candidate]:
    """The constant that it compares with, as the plan leaves it everywhere."""
    parts = conjuncts(edit.intent.goal.require[number])
    for index, part in enumerate(parts):
        both = sides(part)
        if both is None or all(sample.value(part) is True for sample in found):
            continue
        left, right = both
        node = tree(right)
        values = [sample.value(left) for sample in found]
        if node is None or node.kind != "literal" or not values:
            continue
        wanted = literal(values[0]) if all(each == values[0] for each in values) else None
        if wanted is not None:
            is_told = wanted.strip("'\"").lower() in _told(edit)
            text = " && ".join([*parts[:index], f"{left} == {wanted}", *parts[index + 1 :]])
            said = Said(
                f"Require {wanted} of `{left}`, not {right}",
                0.75 if is_told else 0.35,
                f"The instruction: {quoted(edit.intent.instruction)}" if is_told else "",
                finding.message,
            )
            yield from edit.candidates({("goal", "require", number): text}, said)


def _any_order(edit: IntentEdit, number: int, text: str, finding: Finding) -> Iterator[Candidate]:
    for part in conjuncts(text):
        match = LISTED.fullmatch(part)
        if match:
            field, items = match[1], match[2]
            asked = f"size({field}) == size({items}) && {items}.all(each, each in {field})"
            said = Said(
                "Compare the list in any order",
                0.85,
                reason=finding.message,
            )
            changed = text.replace(part, asked, 1)
            yield from edit.candidates({("goal", "require", number): changed}, said)


def _any_words(edit: IntentEdit, number: int, text: str, finding: Finding) -> Iterator[Candidate]:
    """Capitals and what stands around are nothing: `lower(…).contains('…')`."""
    for match in COMPARED.finditer(text):
        words = match[2][1:-1]
        is_told = words.lower().strip(" .") in _told(edit)
        field = match[1]
        if tree(field) is None or not words.strip(" ."):
            continue
        asked = literal(words.lower().strip(" ."))
        whole = f"lower({field}) == {literal(words.lower())}"
        part = f"lower({field}).contains({asked})"
        for rate, changed in ((0.8, part), (0.6, whole)):
            if finding.code != "spelling-sensitive" and changed == whole:
                continue
            new = text[: match.start()] + changed + text[match.end() :]
            said = Said(
                f"Ask for {quoted(words)} in any spelling",
                rate if is_told else rate - 0.4,
                reason=finding.message,
            )
            yield from edit.candidates({("goal", "require", number): new}, said)


def _without_words(
    edit: IntentEdit, number: int, text: str, finding: Finding
) -> Iterator[Candidate]:
    """Without the words that nobody is told: the requirement where it asks for nothing else, or the goal asks for the
    rest of it anyhow; else that part of it."""
    told = _told(edit)
    free = [words for words in _literals(text) if len(words.split()) > 1]
    if not _is_open(finding):
        free = [words for words in free if words.lower().strip(" .") not in told]
    rest = _rest(text, free)
    if rest is not None and rest != text:
        covered = rest == "" or _is_covered(edit, number, rest)
        said = Said(
            f"Leave {quoted(free[0])} free", 0.55 if covered else 0.85, reason=finding.message
        )
        if rest:
            yield from edit.candidates({("goal", "require", number): rest}, said)
    likelihood = 0.8 if free else 0.12
    said = Said(f"Require no longer `{text}`", likelihood, reason=finding.message)
    yield from edit.candidates({("goal", "require", number): GONE}, said)


def _is_open(finding: Finding) -> bool:
    """Whether the intent itself says that what was changed is free."""
    return finding.evidence.get("relation") == "open argument"


def _literals(text: str) -> Iterator[str]:
    root = tree(text)
    for node in walk(root) if root is not None else ():
        words = literal_text(node)
        if words is not None:
            yield words


def _rest(text: str, free: Sequence[str]) -> str | None:
    """A requirement, or what is asked inside of its `exists`, without the conjuncts that name some words; empty where
    nothing is left, None where it cannot be taken apart."""
    root = tree(text)
    if root is None or not free:
        return None
    inner = _inner(text, root) if root.kind == "macro" else None
    begin, end = inner or (0, len(text))
    parts = conjuncts(text[begin:end])
    kept = [part for part in parts if not any(words in part for words in free)]
    if not kept:
        return ""
    return text[:begin] + " && ".join(kept) + text[end:]


def _inner(text: str, root: Node) -> tuple[int, int] | None:
    """Where the condition of a macro that ends the text stands."""
    opening = re.search(rf"\.{root.text}\(\s*{re.escape(root.variable)}\s*,\s*", text)
    if opening is None or not text.rstrip().endswith(")"):
        return None
    end = len(text.rstrip()) - 1
    return (opening.end(), end) if tree(text[opening.end() : end]) is not None else None


def _is_covered(edit: IntentEdit, number: int, rest: str) -> bool:
    others = [text for at, text in enumerate(edit.intent.goal.require) if at != number]
    return any(rest.rstrip(")") in other for other in others)


def _closed(edit: IntentEdit, finding: Finding, text: str) -> Iterator[Candidate]:
    """What the instruction fixes is not open."""
    told = _told(edit)
    is_told = any(words.lower().strip(" .") in told for words in _literals(text) if " " in words)
    named = re.search(r"when (\w+) of (\w+)", finding.message)
    for number, entry in enumerate(edit.intent.open):
        if named and entry == f"{named[2]}.{named[1]}":
            said = Said(
                f"Leave `{entry}` no longer open",
                0.5 if is_told else 0.2,
                reason=finding.message,
            )
            yield from edit.candidates({("open", number): GONE}, said)


def _plain_words(edit: IntentEdit, found: Sequence[Sample]) -> Iterator[Candidate]:
    """A number that is asked for as text."""
    for name, asked in edit.intent.goal.answer.items():
        values = [sample.answer.get(name) for sample in found]
        wanted = [sample.value(asked.equals) for sample in found]
        is_number = bool(wanted) and all(
            isinstance(each, (int, float)) and not isinstance(each, bool) for each in wanted
        )
        if asked.type == "string" and is_number and values:
            edits = {("goal", "answer", name, "type"): "number", **_numbers(edit, name)}
            said = Said(
                f"Take the answer `{name}` as a number",
                0.85,
                "",
            )
            yield from edit.candidates(edits, said)


def _numbers(edit: IntentEdit, name: str) -> dict[tuple[str | int, ...], float]:
    """The plans' answers that are numerals, as numbers."""
    found: dict[tuple[str | int, ...], float] = {}
    for plan, steps in edit.intent.plans.items():
        for number, step in enumerate(steps):
            value = step.finish.answer.get(name) if step.finish else None
            if isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value):
                found["plans", plan, number, "finish", "answer", name] = float(value)
    return found
