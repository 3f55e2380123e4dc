"""Print the records set beside this file: the company of `worldwide.py` with two offices and less to do.

python library/helpdesk/records/regional.py > library/helpdesk/records/regional.json
python manage.py library format library --domain helpdesk
"""

from __future__ import annotations

import importlib
import json
import sys

worldwide = importlib.import_module("worldwide")  # a neighbour, not a package

REGIONAL = worldwide.Plan(
    seed=402,
    cities=("London", "New York"),
    requesters=26,
    agents=5,
    backlog=16,
    going=12,
    changes=260,
    title="A company with two offices",
    notes="Printed by regional.py beside it: change that, not this.",
)

if __name__ == "__main__":
    json.dump(worldwide.build(REGIONAL), sys.stdout, ensure_ascii=False)
