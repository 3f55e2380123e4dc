"""What may cross the border: bounded plain JSON."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.values import json_values
from hypothesis import given

from worlds.exchange import NotJson, TooLarge, check, read
