"""Titles of faults: what happens, in words that a person understands, from the findings that show it.

No title names an environment or counts any, as one fault has many and they come and go.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from triage.faultwords import Told, code
from triage.observations import Location, Sign
from worlds.reference import UNSAVED

LONGEST = 300
BLIND = {
    "undo": "that a needed write is undone",
    "twice": "a write that is done twice",
    "sibling": "the same done to another row",
    "stray write": "a write that nobody asked for",
    "extra field": "a change of one more field",
    "other value": "another value than the one asked for",
}
"""Relation → what a goal accepts that it should not."""


Title = Callable[[Told], str]


def code_of(suspect: Location | None, signs: Sequence[Sign]) -> str:
    """The code of the findings that show a fault best: those that block, that point at the best suspect, that are
    most, in this order. There must be one."""
    counts = Counter(sign.code for sign in signs)
    blocking = {sign.code for sign in signs if sign.severity == "blocking"}
    pointing = {
        sign.code for sign in signs if suspect and sign.blamed.component == suspect.component
    }
    return min(
        counts, key=lambda code: (code not in blocking, code not in pointing, -counts[code], code)
    )


def title_of(code: str, suspect: Location | None, signs: Sequence[Sign]) -> str:
    """The title of a fault of that code; `suspect` is its best one, where that is a component. Deterministic."""
    mine = [sign for sign in signs if sign.code == code]
    said = TITLES.get(code, _plain)(Told(suspect, _typical(suspect, mine), mine))
    said = " ".join(said.split())
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"


def _typical(suspect: Location | None, signs: Sequence[Sign]) -> Sign:
    """One that points at the suspect, or else one of a fingerprint that most have."""
    counts = Counter(sign.fingerprint for sign in signs)
    return min(
        signs,
        key=lambda sign: (
            suspect is None or sign.blamed != suspect,
            suspect is None or sign.blamed.component != suspect.component,
            -counts[sign.fingerprint],
            sign.fingerprint,
            sign.blamed,
            sign.place,
            sign.message,
        ),
    )


# static


def _body_invalid(told: Told) -> str:
    return f"{told.culprit} cannot be used{told.reason('(.*)')}"


def _name_unknown(told: Told) -> str:
    if told.sign.kind == "intent" and told.sign.symbol.startswith("plan "):
        return f"{told.plan} uses, at `{told.rest.strip('`')}`, what is not there{told.reason('[^:]*: (.*)')}"
    return f"{told.culprit} names what does not exist{told.reason('(.*)')}"


def _slot_unbound(told: Told) -> str:
    where = f" in {told.where}" if told.blames("records") else ""
    return f"no row{where} fits the slot {told.head} of {told.culprit}"


def _condition_invalid(told: Told) -> str:
    return f"a condition of {told.culprit} cannot be decided, {told.symbol}{told.reason('(.*)')}"


def _source_invalid(told: Told) -> str:
    where = "" if told.sign.symbol in ("module", "stdout") else f", in {told.head}"
    return f"the source of {told.culprit} cannot be used as it is{where}{told.reason('(.*)')}"


def _arguments_invalid(told: Told) -> str:
    if not told.sign.symbol.startswith("plan "):
        return f"{told.plan} gives an answer that the goal does not ask for{told.reason('(.*)')}"
    unknown = re.search(r"takes no argument '([^']*)'", told.sign.message)
    missing = re.search(r"needs the argument '([^']*)'", told.sign.message)
    why = (
        f": `{unknown[1]}` is unknown"
        if unknown
        else f": `{missing[1]}` is missing"
        if missing
        else told.reason(r"(?:not understood: |^)(.*?)(?: \(|$)")
    )
    return f"{told.plan} calls {told.called} with arguments that it refuses{why}"


def _quote_missing(told: Told) -> str:
    return f"{told.culprit} quotes what its text does not say{told.reason('“(.*)”')}"


def _reference_dangling(told: Told) -> str:
    if told.sign.kind == "toolserver":
        return f"{told.head} writes a reference to a row that does not exist, in {told.rest}"
    target = told.reason(r"which (.*) does not have")
    return f"rows of {told.table} refer, by {told.field}, to what does not exist{target.replace(': ', ' in ')}"


def _row_invalid(told: Told) -> str:
    if told.sign.kind == "toolserver":
        return f"{told.head} leaves rows that are not as they must be, by {told.rest}"
    lacked = re.search(r'"(.*)" is a required property', told.sign.message)
    if lacked:
        return f"rows of {told.table} in {told.culprit} lack the field {lacked[1]}"
    broken = told.reason("breaks the invariant “(.*)”")
    if broken:
        return f"rows of {told.table} in {told.culprit} break an invariant{broken}"
    if re.search(r" lacks \S+, where every other row", told.sign.message):
        return f"a row of {told.table} in {told.culprit} lacks the field {told.field}"
    return (
        f"rows of {told.table} in {told.culprit} are wrong in {told.field}{told.reason(': (.*)')}"
    )


def _slot_rebound(told: Told) -> str:
    return f"the row pinned for the slot {told.head} of {told.culprit} no longer fits it"


def _clause_uncovered(told: Told) -> str:
    return f"{told.culprit} demands something that no clause quotes{told.reason('“(.*?)”')}"


def _criteria_unused(told: Told) -> str:
    return f"{told.culprit} lists criteria that nothing counts"


def _text_unmatched(told: Told) -> str:
    return f"{told.culprit} names {told.symbol}, which no row has"


# controls


def _tool_crash(told: Told) -> str:
    tool, _, argument = told.sign.symbol.partition(".")
    when = f" when `{argument}` names what no row has" if argument else ""
    return f"{code(tool)} crashes{when}{told.reason('crashed: (.*)')}"


def _plan_refused(told: Told) -> str:
    refused = told.reason(r"is (?:refused|stopped by a rule): (.*?)(?: \(|$)")
    if told.server and told.server == told.called:
        return f"{told.called} refuses what plans rightly ask of it{refused}"
    if told.blames("rule"):
        return f"the rule {told.where} stops {told.called}, which plans need{refused}"
    if told.blames("records"):
        return f"{told.called} refuses a step of {told.plan}, as {told.where} is in the records{refused}"
    return f"{told.called} refuses a step of {told.plan}{refused}"


def _plan_breaks_rule(told: Told) -> str:
    clause = told.sign.symbol.split(" ")[-1]
    broken = told.reason("violates “(.*?)”")
    if told.server:
        return f"{told.server} makes plans break the rule {code(clause)}{broken}"
    return f"{told.plan} breaks the rule {code(clause)}{broken}"


def _plan_misses_goal(told: Told) -> str:
    if told.server:
        is_idle = all(UNSAVED in sign.message for sign in told.signs)
        does = "answers success but saves nothing" if is_idle else "does not do what plans rely on"
        return f"{told.server} {does}"
    if told.blames("records", "rule", "domain"):
        return f"plans miss their goals by {told.where}"
    return f"{told.plan} is carried out and misses the goal{told.reason('goal “(.*?)” is not met')}"


def _goal_vacuous(told: Told) -> str:
    return f"doing nothing meets the goal of {told.culprit}"


def _goal_trivial(told: Told) -> str:
    return f"only refusing, or only reading and repeating, meets the goal of {told.culprit}"


def _effect_moved(told: Told) -> str:
    if told.server:
        return f"plans that go by {told.server} no longer lead to their pinned effects"
    return f"{told.plan} no longer leads to its pinned effect"


def _nondeterministic(told: Told) -> str:
    return f"{told.head} answers differently when the same is played twice"


def _state_leak(told: Told) -> str:
    return f"{told.head} remembers earlier calls beside the records"


def _read_writes(told: Told) -> str:
    return f"{told.head} is declared to read only, and changes records"


def _limit_exceeded(told: Told) -> str:
    return f"{told.head} runs into a limit of time, memory or size"


def _idle_step(told: Told) -> str:
    return f"{told.called} answers success but saves nothing, in {told.plan}"


def _argument_ungrounded(told: Told) -> str:
    return f"{told.plan} uses a value that an agent cannot know ({told.symbol})"


def _rule_unenforced(told: Told) -> str:
    if told.sign.kind == "rule":
        return f"nothing can stop what {told.symbol} of {told.culprit} is to guard"
    return f"{told.head} lets through what {told.rest} forbids{told.reason('“(.*?)”')}"


# soundness, solving


def _goal_blind(told: Told) -> str:
    wrong = BLIND.get(told.relation, f"a wrong way of doing it ({told.relation})")
    return f"the goal of {told.culprit} accepts {wrong}"


def _criteria_conflict(told: Told) -> str:
    return f"two criteria of the goal of {told.culprit} exclude each other ({told.symbol})"


def _goal_narrow(told: Told) -> str:
    how = f" ({told.relation})" if told.relation else ""
    return f"the goal of {told.culprit} refuses another right way of doing it{how}"


def _order_sensitive(told: Told) -> str:
    return f"the goal of {told.culprit} is missed when the same is done in another order"


def _spelling_sensitive(told: Told) -> str:
    return f"the goal of {told.culprit} is missed when the same value is spelled otherwise"


def _rule_conflict(told: Told) -> str:
    return f"two clauses demand opposite things of one call: {told.sign.symbol}"


def _goal_unreachable(told: Told) -> str:
    if told.server:
        return f"no way to the goal of {told.culprit} is found, as it goes by {told.server}"
    return f"no way to the goal of {told.culprit} is found"


def _plain(told: Told) -> str:
    """Of a code that is no longer in the table."""
    return f"{told.culprit}: {told.sign.code} at {told.symbol}"


TITLES: dict[str, Title] = {
    "body-invalid": _body_invalid,
    "name-unknown": _name_unknown,
    "slot-unbound": _slot_unbound,
    "condition-invalid": _condition_invalid,
    "source-invalid": _source_invalid,
    "arguments-invalid": _arguments_invalid,
    "quote-missing": _quote_missing,
    "reference-dangling": _reference_dangling,
    "row-invalid": _row_invalid,
    "slot-rebound": _slot_rebound,
    "clause-uncovered": _clause_uncovered,
    "criteria-unused": _criteria_unused,
    "text-unmatched": _text_unmatched,
    "tool-crash": _tool_crash,
    "plan-refused": _plan_refused,
    "plan-breaks-rule": _plan_breaks_rule,
    "plan-misses-goal": _plan_misses_goal,
    "goal-vacuous": _goal_vacuous,
    "goal-trivial": _goal_trivial,
    "effect-moved": _effect_moved,
    "nondeterministic": _nondeterministic,
    "state-leak": _state_leak,
    "read-writes": _read_writes,
    "limit-exceeded": _limit_exceeded,
    "idle-step": _idle_step,
    "argument-ungrounded": _argument_ungrounded,
    "rule-unenforced": _rule_unenforced,
    "goal-blind": _goal_blind,
    "criteria-conflict": _criteria_conflict,
    "goal-narrow": _goal_narrow,
    "order-sensitive": _order_sensitive,
    "spelling-sensitive": _spelling_sensitive,
    "rule-conflict": _rule_conflict,
    "goal-unreachable": _goal_unreachable,
}
"""Code → what makes the title of a fault of it."""
