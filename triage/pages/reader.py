"""Who looks at a page, and where the page starts."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest

from triage.pages.address import Address


def reader(request: HttpRequest) -> User:
    """The user of a request that `login_required` let through."""
    return cast(User, request.user)


def words(request: HttpRequest, name: str, default: str = "") -> str:
    """What a form that was sent says under a name, less NUL, which PostgreSQL cannot hold."""
    return request.POST.get(name, default).replace("\x00", "")


def address(request: HttpRequest) -> Address:
    """The address of a request, to find its neighbours from."""
    return Address(request.path, request.GET)
