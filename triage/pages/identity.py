"""How kinds, statuses and severities look: a sign, a word, a hue. The same on every page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """A sign that tells it without colour, and the word beside it; the hue is the style sheet's."""

    sign: str
    word: str


# U+FE0E keeps the gear a letter where systems would draw a picture.
KINDS = {
    "intent": Look("◆", "intent"),
    "rule": Look("§", "rule"),
    "records": Look("▤", "records"),
    "toolserver": Look("⚙\ufe0e", "tool server"),
    "domain": Look("⬡", "contract"),
    "agent": Look("●", "agent"),
    # Who else may have caused a fault.
    "user": Look("◇", "simulated user"),
    "plan": Look("↝", "plan"),
    "infrastructure": Look("!", "infrastructure"),
}
STATUSES = {
    "solvable": Look("✓", "solvable"),
    "broken": Look("✕", "broken"),
    "unproven": Look("?", "unproven"),
    "error": Look("!", "error"),
    "unverified": Look("○", "unverified"),
}
# Where a check stands that has not ended, or was cancelled.
STATES = {
    "queued": Look("·", "queued"),
    "running": Look("▸", "running"),
    "cancelled": Look("–", "cancelled"),
}
SEVERITIES = {
    "blocking": Look("✕", "blocking"),
    "warning": Look("△", "warning"),
    "advice": Look("i", "advice"),
}
# Where a fault stands.
FAULTS = {
    "new": Look("+", "new"),
    "ongoing": Look("✕", "ongoing"),
    "regressed": Look("↺", "regressed"),
    "fixed": Look("✓", "fixed"),
    "archived": Look("–", "archived"),
}
# What swapping a suspect alone showed.
SUSPICIONS = {
    "confirmed": Look("✓", "confirmed"),
    "consistent": Look("≈", "consistent"),
    "cleared": Look("○", "cleared"),
    "untestable": Look("∅", "untestable"),
    "untested": Look("·", "not swapped yet"),
}
# How a step of an episode went.
OUTCOMES = {
    "ok": Look("✓", "ok"),
    "refused": Look("⊘", "refused"),
    "guarded": Look("§", "guarded"),
    "invalid": Look("≠", "invalid"),
    "crashed": Look("✕", "crashed"),
    "limit": Look("⏱\ufe0e", "limit"),
}
# Where a counterexample stands, what a person says of a pass or of an environment.
VERDICTS = {
    "open": Look("✕", "open"),
    "closed": Look("✓", "closed"),
    "not-applicable": Look("–", "not applicable"),
    "retired": Look("–", "retired"),
    "unread": Look("○", "unread"),
    "right": Look("✓", "right"),
    "sound": Look("✓", "sound"),
    "wrong": Look("✕", "wrong"),
    "defective": Look("✕", "defective"),
}

# Where a proposal stands.
PROPOSALS = {
    "draft": Look("·", "draft"),
    "trying": Look("▸", "trying"),
    "waiting": Look("◑", "waiting"),
    "deferred": Look("‖", "deferred"),
    "approved": Look("✓", "approved"),
    "rejected": Look("✕", "rejected"),
    "stale": Look("↻", "stale"),
    "failed": Look("!", "failed"),
}
# How an environment fares in a trial.
MOVES = {
    "fixed": Look("✓", "fixed"),
    "regressed": Look("✕", "regressed"),
    "unchanged": Look("=", "unchanged"),
    "error": Look("!", "error"),
}
# What became of a candidate of a search for repairs; those that came furthest first.
FATES = {
    "proposed": Look("✓", "proposed"),
    "outranked": Look("↓", "outranked"),
    "regressing": Look("↺", "regresses"),
    "uncured": Look("○", "still shows"),
    "failing": Look("✕", "plan fails"),
    "invalid": Look("≠", "invalid"),
    "untried": Look("·", "not tried"),
}


def look(looks: dict[str, Look], name: str) -> Look:
    """The look of a name; of an unknown one, the name itself."""
    return looks.get(name, Look("·", name))
