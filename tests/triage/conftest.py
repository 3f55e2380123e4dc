"""What the tests of rounds share."""

import pytest

from tests.triage.shop import Shop


@pytest.fixture
def shop(db: None) -> Shop:
    """A domain `notes` without environments."""
    return Shop()
