"""Lists as CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.http import Http404, StreamingHttpResponse

from triage.pages.address import Address

FORMULA = ("=", "+", "-", "@", "\t", "\r")


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def cell(value: Any) -> Any:
    """A value as a cell: numbers as they are, times as ISO 8601, text that no spreadsheet computes."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value


def spreadsheet(
    name: str, header: list[str], rows: Iterable[Iterable[Any]]
) -> StreamingHttpResponse:
    """A download of `rows` under `header`, written as they are read."""
    return StreamingHttpResponse(
        _lines(header, rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


Sheets = Mapping[str, Callable[[], StreamingHttpResponse]]
"""The lists of a page by name, each with what makes its download."""


def asked_for(here: Address, sheets: Sheets) -> StreamingHttpResponse | None:
    """The download that an address asks for (`?format=csv&list=versions`), or None where it wants the page.

    Raises Http404 for a list that the page does not have.
    """
    if here.one("format") != "csv":
        return None
    name = here.one("list")
    if name not in sheets:
        raise Http404(f"this page has no list {name!r}; it has {', '.join(map(repr, sheets))}")
    return sheets[name]()


def _lines(header: list[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(header)
    for row in rows:
        yield writer.writerow([cell(value) for value in row])
