"""Reads environment variables strictly: a misspelt value stops the start with one clear line."""

import os
from collections.abc import Collection
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off"})


def boolean(name: str, *, default: bool) -> bool:
    text = os.environ.get(name, "").strip().lower()
    if not text:
        return default
    if text not in TRUE | FALSE:
        raise ImproperlyConfigured(
            f"{name} is {text!r}, which is neither true nor false: write 1, true, yes or on, "
            "or 0, false, no or off."
        )
    return text in TRUE


def whole(name: str, *, default: int, least: int = 1) -> int:
    """A whole number, at least `least`."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not text.isdecimal() or int(text) < least:
        raise ImproperlyConfigured(f"{name} is {text!r}: write a whole number of at least {least}.")
    return int(text)


def choice(name: str, among: Collection[str]) -> str:
    """One of `among`, or nothing."""
    text = os.environ.get(name, "").strip().lower()
    if text and text not in among:
        raise ImproperlyConfigured(
            f"{name} is {text!r}: write {' or '.join(sorted(among))}, or leave it out."
        )
    return text


def words(name: str, *, default: list[str]) -> list[str]:
    """A list, written with commas."""
    found = [word.strip() for word in os.environ.get(name, "").split(",")]
    return [word for word in found if word] or default


def database(name: str) -> dict[str, Any] | None:
    """Django's entry for `postgresql://user:password@host:port/name`; None when it is not set."""
    text = os.environ.get(name, "").strip()
    if not text:
        return None
    url = _url(name, text, {"postgres", "postgresql"}, "postgresql://user:password@host:5432/name")
    if not url.path.strip("/"):
        raise ImproperlyConfigured(f"{name} names no database: end it in /NAME.")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(url.path.strip("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "HOST": _host(url),
        "PORT": url.port or "",
        "OPTIONS": dict(parse_qsl(url.query)),  # such as sslmode=require
    }


def broker(name: str) -> str | None:
    """The address of a Redis or Valkey server; None when it is not set."""
    text = os.environ.get(name, "").strip()
    if not text:
        return None
    _url(name, text, {"redis", "rediss", "redis+socket"}, "redis://:password@host:6379/0")
    return text


def _host(url: SplitResult) -> str:
    """The host as it was written: a socket's folder (`%2Frun%2FX`) has capitals to keep."""
    host = url.netloc.rpartition("@")[2]
    return unquote(host.removesuffix(f":{url.port}")).strip("[]")


def _url(name: str, text: str, schemes: set[str], example: str) -> SplitResult:
    """The parsed address. Its text may hold a password, so no message repeats it."""
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is no address ({error}): write {example}.") from None
    if url.scheme not in schemes:
        raise ImproperlyConfigured(f"{name} begins with {url.scheme!r}: write {example}.")
    if port == 0 or not (url.hostname or url.path):
        raise ImproperlyConfigured(f"{name} names no host and port: write {example}.")
    return url
