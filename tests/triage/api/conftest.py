"""What the tests of the API share: the same shops and rounds as the pages', and clients."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from tests.browser import seed
from tests.browser.seed import Library
from triage.models import Round


@pytest.fixture
def shop(db: None) -> Library:
    """Six environments that everybody may see."""
    return seed.library("shop", 6)


@pytest.fixture
def secret(db: None) -> Library:
    """Two environments that only the group `insiders` may see."""
    made = seed.library("secret", 2)
    made.domain.readers.add(Group.objects.create(name="insiders"))
    return made


@pytest.fixture
def done(shop: Library, secret: Library) -> Round:
    """A finished round over both."""
    return seed.finished_round([shop, secret], broken=0.5)


@pytest.fixture
def api(viewer: User) -> APIClient:
    """A client that a viewer logged in with."""
    client = APIClient()
    client.force_authenticate(viewer)
    return client
