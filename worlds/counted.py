"""Numbers of things as people say them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 environment`, `2 environments`; `noun` is one that takes an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
