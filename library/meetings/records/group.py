"""Print the records set group.json beside this file: more than five thousand rows, the same at every run.

python library/meetings/records/group.py > library/meetings/records/group.json
python manage.py library format library --domain meetings

A group of eight offices, made as company.py makes its six; most rows are days off of the last two years.
"""

from __future__ import annotations

import json
import sys
from datetime import date, timedelta

from company import (  # type: ignore[import-not-found]  # a script finds what stands beside it
    OFFICES,
    Company,
    Shape,
    build,
    document,
)

GROUP = Shape(
    seed=20260319,
    about={
        "notes": "Printed by group.py beside it: change that, not this.",
        "title": "A group with eight offices and two years of absences",
    },
    mail="austral.example",
    offices=[
        *OFFICES,
        ("MUC", "Munich", "DE", "Europe/Berlin", ["Isar", "Amper", "Loisach", "Vils", "Inn"]),
        (
            "BOS",
            "Boston",
            "US",
            "America/New_York",
            ["Charles", "Mystic", "Nashua", "Saco", "Salem"],
        ),
    ],
    team=8,
    singles=40,
    absences=40,
)
YEARS_FROM, UNTIL = date(2024, 1, 2), date(2026, 3, 10)
BREAKS = 12
"""Absences of a person in these two years."""


def add_past(company: Company) -> None:
    """The days off that lie behind: one after the other for each person, of a day to a fortnight."""
    step = (UNTIL - YEARS_FROM).days // BREAKS
    for person in sorted(company.people):
        for turn in range(BREAKS):
            first = YEARS_FROM + timedelta(days=turn * step + company.random.randrange(step - 15))
            last = first + timedelta(days=company.random.choice([0, 0, 1, 2, 4, 4, 11, 14]))
            row = {
                "absence_id": company.number("absences", "A"),
                "person_id": person,
                "first_day": first.isoformat(),
                "last_day": last.isoformat(),
                "kind": company.random.choice(["vacation", "vacation", "sick", "travel"]),
                "entered_by": person,
            }
            company.add("absences", row)


def main() -> None:
    """Print the file."""
    group = build(GROUP)
    add_past(group)
    json.dump(document(group), sys.stdout)


if __name__ == "__main__":
    main()
