"""The half of all environments that no proposer may look at, so that its repairs are judged by what they were not made
for."""

from __future__ import annotations

import hashlib


def is_held_out(slug: str) -> bool:
    """Whether an environment is of that half: decided by its name alone, for ever."""
    return bool(hashlib.sha256(slug.encode()).digest()[0] & 1)
