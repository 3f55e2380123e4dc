"""Print the records set beside this file: a network of six sites, more than five thousand rows, the same at every run.

python library/warehouse/records/network.py > library/warehouse/records/network.json
python manage.py library format library --domain warehouse
"""

from __future__ import annotations

import sys

from distributor import Size, printed  # type: ignore[import-not-found]  # the script beside this one

SIZE = Size(
    title="A network of six sites",
    now="2026-04-01T09:40:00+00:00",
    seed=401,
    sites=6,
    products=280,
    suppliers=24,
    customers=60,
    bins=6,
    places=3,
    each=6,
    moves=160,
)

if __name__ == "__main__":
    sys.stdout.write(printed(SIZE, "network.py"))
