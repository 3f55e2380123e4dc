"""What every list has: facets, chips for what is on, a sort, pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet

from triage.pages.address import Address

PER_PAGE = 50


@dataclass(frozen=True)
class Choice:
    """One value of a facet, and the address that turns it on or off."""

    value: str
    count: int
    is_on: bool
    url: str
    words: str = ""
    """What it is called, where that is not its value."""


@dataclass(frozen=True)
class Facet:
    """A property to filter by. `look` says how its values are drawn (see `parts/choice.html`)."""

    name: str
    title: str
    choices: Sequence[Choice]
    look: str = ""


def facet(
    address: Address,
    name: str,
    title: str,
    look: str,
    counts: Mapping[str, int],
    words: Mapping[str, str] | None = None,
) -> Facet:
    """A facet from counts by value; what is on is shown even where it counts nothing. `words` says what values are
    called that nobody knows by heart."""
    on, called = address.all(name), words or {}
    values = [*counts, *(value for value in on if value not in counts)]
    return Facet(
        name,
        title,
        [
            Choice(
                value,
                counts.get(value, 0),
                value in on,
                address.toggled(name, value),
                called.get(value, ""),
            )
            for value in values
        ],
        look,
    )


@dataclass(frozen=True)
class Chip:
    """A filter that is on; its address turns it off."""

    title: str
    value: str
    look: str
    url: str


def chips(address: Address, filters: Mapping[str, tuple[str, str]]) -> list[Chip]:
    """A chip for each value that is on, of `filters` (name → title and look)."""
    return [
        Chip(title, value, look, address.toggled(name, value))
        for name, (title, look) in filters.items()
        for value in address.all(name)
    ]


@dataclass(frozen=True)
class Column:
    """A heading to sort by; `css` says when it is left out."""

    title: str
    css: str = ""
    url: str = ""
    order: str = ""
    """`ascending` or `descending` when the list is sorted by it."""


@dataclass(frozen=True)
class Heading:
    """What a column is called and may be sorted by."""

    title: str
    name: str = ""
    fields: tuple[str, ...] = ()
    css: str = ""
    falling: bool = False
    """Whether the first press shows the greatest first."""


@dataclass
class Sort:
    """The headings of a table and the order that the address asks for; an unknown one is the default."""

    address: Address
    headings: Sequence[Heading]
    default: str

    @property
    def asked(self) -> str:
        """A heading's name, with `-` before it for falling order."""
        wanted = self.address.one("sort")
        known = {heading.name for heading in self.headings if heading.name}
        return wanted if wanted.removeprefix("-") in known else self.default

    @property
    def fields(self) -> list[str]:
        """What to hand to `order_by`; ends in the key, so that pages never overlap."""
        name = self.asked.removeprefix("-")
        heading = next(one for one in self.headings if one.name == name)
        if not self.asked.startswith("-"):
            return [*heading.fields, "pk"]
        return [*map(turned, heading.fields), "pk"]

    def columns(self) -> list[Column]:
        """The headings as the page shows them."""
        return [self._column(heading) for heading in self.headings]

    def _column(self, heading: Heading) -> Column:
        if not heading.name:
            return Column(heading.title, heading.css)
        rising, falling = heading.name, f"-{heading.name}"
        order = {rising: "ascending", falling: "descending"}.get(self.asked, "")
        first, second = (falling, rising) if heading.falling else (rising, falling)
        wanted = second if self.asked == first else first
        return Column(heading.title, heading.css, self.address.where("sort", wanted), order)


def turned(name: str) -> str:
    """The opposite order of a field."""
    return name.removeprefix("-") if name.startswith("-") else f"-{name}"


@dataclass
class Listing:
    """One page of a list with all that stands around it."""

    address: Address
    page: Page[Any]
    columns: Sequence[Column] = ()
    facets: Sequence[Facet] = ()
    chips: Sequence[Chip] = ()
    searched: str = ""

    @property
    def total(self) -> int:
        return self.page.paginator.count

    @property
    def is_filtered(self) -> bool:
        return bool(self.chips or self.searched)

    @property
    def earlier(self) -> str:
        """The address of the page before, or nothing."""
        page = self.page
        return self.address.page(page.previous_page_number()) if page.has_previous() else ""

    @property
    def later(self) -> str:
        """The address of the page after, or nothing."""
        return self.address.page(self.page.next_page_number()) if self.page.has_next() else ""

    @property
    def unsearched(self) -> str:
        """The address with nothing searched."""
        return self.address.without("q")

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What a search keeps of the address."""
        return self.address.hidden("q")

    @property
    def cleared(self) -> str:
        """The address with nothing filtered."""
        names = [facet.name for facet in self.facets] + ["component", "fault", "round", "q"]
        return self.address.without(*names)


def paged(rows: QuerySet[Any, Any] | Sequence[Any], address: Address) -> Page[Any]:
    """The page that the address asks for; one past the end is the last, nonsense the first."""
    return Paginator(rows, PER_PAGE).get_page(address.one("page") or 1)


def counted(rows: Iterable[Mapping[str, Any]], name: str) -> dict[str, int]:
    """Counts by value from rows of `.values(name, "n")`, the greatest first, nothing left out."""
    known = {
        str(row[name]): int(row["n"]) for row in rows if row[name] not in (None, "") and row["n"]
    }
    return dict(sorted(known.items(), key=lambda item: (-item[1], item[0])))


def keys(rows: QuerySet[Any, Any], name: str = "pk") -> QuerySet[Model, Any]:
    """The keys of rows, to be asked for inside another query."""
    return rows.order_by().values(name)


def listed(
    here: Address,
    rows: QuerySet[Any, Any] | Sequence[Any],
    sort: Sort,
    facets: Sequence[Facet],
    filters: Mapping[str, tuple[str, str]],
) -> Listing:
    """The page of `rows` that the address asks for, with its facets, chips and headings."""
    chosen = chips(here, filters)
    return Listing(here, paged(rows, here), sort.columns(), facets, chosen, here.one("q"))
