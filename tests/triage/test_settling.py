"""Where faults stand after each round."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.triage.seen import by_fingerprint, seen
from tests.triage.shop import Shop
from triage import faults
from triage.models import Fault
from triage.models.fault import FaultStatus
from triage.settling import status_of

Looks = dict[str, bool | None]
"""Environment → whether it showed the fault in a round; None = its check ended in error; left out = not looked at."""

ROUNDS = st.lists(
    st.dictionaries(st.sampled_from("ab"), st.sampled_from([True, True, False, None])),
    max_size=6,
)


def expected(rounds: Sequence[Looks]) -> str | None:
    """The status after these rounds, told as simply as can be."""
    last: dict[str, bool] = {}
    status, seen_in = None, 0
    for looks in rounds:
        last |= {name: shows for name, shows in looks.items() if shows is not None}
        seen_in += any(looks.values())
        if any(last.values()):
            was_fixed = status in ("fixed", "regressed")
            status = "regressed" if was_fixed else "new" if seen_in == 1 else "ongoing"
        elif status:
            status = "fixed"
    return status


def test_the_status_is_as_a_simple_model_has_it(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "causes", by_fingerprint())
    numbers = count()

    @settings(max_examples=40)
    @given(ROUNDS)
    def law(rounds: Sequence[Looks]) -> None:
        shop = Shop(f"notes-{next(numbers)}")
        for looks in rounds:
            shows = {name: ["write"] * shown for name, shown in looks.items() if shown is not None}
            errors = [name for name, shown in looks.items() if shown is None]
            faults.gather(seen(shop, shows, errors))
        made = Fault.objects.filter(domain=shop.domain).first()
        assert (made.status if made else None) == expected(rounds)

    law()


def test_the_order_in_which_rounds_are_gathered_does_not_matter_where_it_stands(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for a regression before the last, which is not remembered."""
    monkeypatch.setattr(faults, "causes", by_fingerprint())
    numbers = count()

    @settings(max_examples=25)
    @given(ROUNDS, st.randoms(use_true_random=False))
    def law(rounds: Sequence[Looks], random: object) -> None:
        shop = Shop(f"notes-{next(numbers)}")
        made = [
            seen(
                shop,
                {name: ["write"] * shown for name, shown in looks.items() if shown is not None},
            )
            for looks in rounds
        ]
        random.shuffle(made)  # type: ignore[attr-defined]  # hypothesis hides the class
        for one in made:
            faults.gather(one)
        fault = Fault.objects.filter(domain=shop.domain).first()
        known = {"ongoing": "regressed"}
        status, told = expected(rounds), fault.status if fault else None
        assert told == status or known.get(str(told)) == status

    law()


@pytest.mark.parametrize(
    ("first", "last", "fixed", "status"),
    [
        (1, 1, None, "new"),
        (1, 2, None, "ongoing"),
        (1, 2, 3, "fixed"),
        (1, 4, 3, "regressed"),
        (None, None, None, "new"),
    ],
)
def test_a_status_follows_from_three_rounds(
    first: int | None, last: int | None, fixed: int | None, status: str
) -> None:
    fault = Fault(first_round_id=first, last_round_id=last, fixed_round_id=fixed)
    assert status_of(fault) == status
    assert status_of(fault, is_archived=True) == FaultStatus.ARCHIVED
    fault.status = FaultStatus.ARCHIVED
    assert status_of(fault) == FaultStatus.ARCHIVED
    assert status_of(fault, is_archived=False) == status
