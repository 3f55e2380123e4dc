"""Print the smaller records set of the same company: what `group.py` makes, with fewer people and months."""

from __future__ import annotations

import json
import sys

from group import build

if __name__ == "__main__":
    json.dump(build("sites.py:A company of three small sites", 7, 1, 9, 4, 125), sys.stdout)
