"""What the tests of the pages share: a shop with a finished round, a domain kept for others, somebody logged in."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from tests.browser import seed
from tests.browser.seed import Library
from triage.models import Round


@pytest.fixture
def shop(db: None) -> Library:
    """Twelve environments that everybody may see."""
    return seed.library("shop", 12)


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
def reader(client: Client, viewer: User) -> Client:
    """A browser in which a viewer is logged in."""
    client.force_login(viewer)
    return client
