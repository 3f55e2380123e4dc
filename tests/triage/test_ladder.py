"""How far candidates come: on the shop, with the real sandbox; whole checks are made without a database."""

from __future__ import annotations

from agents import panel
from tests.worlds import shop
from triage.ladder import Climbed, Ladder, Looked, Sign
from triage.models.repair import Fate
from triage.proposers.candidate import Candidate, placed
from triage.proposers.case import Case, Seen, Spot
from worlds.bundle import Bundle, Pin
from worlds.check import CheckResult, check
from worlds.toolserver_body import ToolServerBody

SAVES = '    return db.update("orders", order_id, {"status": "cancelled", "reason": reason})\n'
DROPS = "    return order\n"
BROKEN = shop.SOURCE.replace(SAVES, DROPS)
ANN, BOB = (
    Pin(binding={"order": order, "user": user}) for order, user in (("W1", "ann"), ("W2", "bob"))
)
SPOT = Spot("toolserver", "shop", "cancel_order", 0.9)


def seen(slug: str, bundle: Bundle) -> tuple[Seen, CheckResult]:
    result = check(bundle, panel())
    reference = next(each for each in result.episodes if each.agent == "reference")
    return Seen(slug, bundle, result.findings, reference), result


def looked(result: CheckResult) -> Looked:
    return Looked(
        result.status,
        {
            each.fingerprint: Sign(each.code, each.severity, each.message)
            for each in result.findings
            if each.severity != "advice"
        },
    )


def ladder() -> Ladder:
    """Of a shop that forgets to save, and another environment that works."""
    failing, shown = seen("failing", shop.bundle(source=BROKEN, pinned=ANN))
    working, works = seen("working", shop.bundle(pinned=BOB))
    codes = {"plan-misses-goal"}
    prints = frozenset(each.fingerprint for each in shown.findings if each.code in codes)
    case = Case("shop", [failing], [SPOT], [working], frozenset(codes), prints)
    named = {"failing": failing, "working": working}

    def look(slug: str, candidate: Candidate) -> Looked:
        return looked(check(placed(named[slug].bundle, candidate.changes), panel()))

    return Ladder(case, look, {"failing": looked(shown), "working": looked(works)})


def climbed(source: str, made: Ladder | None = None) -> Climbed:
    body = ToolServerBody(source=source)
    return (made or ladder()).climbed(Candidate("me", {SPOT.name: body}, "Mend it"))


def test_what_saves_again_comes_to_the_top() -> None:
    assert climbed(shop.SOURCE) == Climbed(Fate.OUTRANKED, "", ["failing"], 1)


def test_what_leaves_the_plan_without_reward_falls_first_and_says_of_what() -> None:
    made = climbed(BROKEN.replace("Read an order.", "Read one order."))
    assert made.fate == Fate.FAILING
    assert made.because.startswith("failing: ")
    assert made.tried == 0


def test_a_text_that_cannot_be_used_is_never_played() -> None:
    made = climbed(BROKEN + "\nimport socket\n")
    assert made.fate == Fate.INVALID
    assert "socket" in made.because
    assert climbed(BROKEN + "\ndef x(:\n").fate == Fate.INVALID


def test_what_changes_nothing_where_the_fault_shows_is_no_candidate() -> None:
    assert climbed(BROKEN).fate == Fate.INVALID


def test_what_breaks_the_plan_of_a_sound_environment_is_dropped() -> None:
    made = climbed(
        shop.SOURCE.replace("if order is None:", 'if order is None or order_id == "W2":')
    )
    assert made.fate == Fate.REGRESSING
    assert made.because.startswith("working: find_order is refused")


def test_another_finding_in_the_place_of_the_first_is_no_cure() -> None:
    forgets_money = shop.SOURCE.replace('"amount": order["total"]}', '"amount": SEEN.pop()}')
    leaks = forgets_money.replace("\ndef find", "\nSEEN: list = [1, 2, 3]\n\n\ndef find", 1)
    made = climbed(leaks)
    assert made.fate in (Fate.INVALID, Fate.UNCURED)
    assert made.because
