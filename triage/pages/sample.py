"""The audit sample: certified environments to be read, one key each."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import BooleanField, Case, Count, F, QuerySet, Value, When
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from components.models import Domain
from triage.audit_sample import SampleInvalid, create, estimate, label, short_of
from triage.current import current_bundle
from triage.models import AuditItem, AuditSample
from triage.models.auditsample import AuditVerdict
from triage.pages.address import Address
from triage.pages.environment_list import whole
from triage.pages.listing import Facet, Heading, Sort, counted, facet, listed
from triage.pages.reader import address, reader, words
from triage.pages.spreadsheet import spreadsheet

FILTERS = {"verdict": ("Verdict", "verdict"), "domain": ("Domain", ""), "sample": ("Sample", "")}
COLUMNS = {"verdict": "said", "domain": "stratum", "sample": "sample__name"}
HEADINGS = (
    Heading("Verdict", "verdict", ("said",), css="col-s col-sign"),
    Heading("Environment", "environment", ("stratum", "environment__slug")),
    Heading("Note", css="col-l wide-only"),
    Heading("By", "by", ("by__username",), css="col-s wide-only"),
    Heading("When", "when", ("at",), css="col-s number wide-only", falling=True),
    Heading("Say", css="col-acts"),
)
CSV = [
    "sample",
    "item",
    "domain",
    "environment",
    "bundle",
    "population",
    "verdict",
    "note",
    "by",
    "at",
]
SAID = Case(When(verdict=AuditVerdict.UNREAD, then=Value("unread")), default=F("verdict"))
"""In SQL: the verdict as a page says it."""


@login_required
def sample(request: HttpRequest) -> HttpResponseBase:
    """`/sample/`: the newest sample, or `?sample=NAME`."""
    here, user = address(request), reader(request)
    chosen = chosen_sample(user, here)
    mine: QuerySet[Any] = AuditItem.objects.visible_to(user).filter(sample=chosen)
    mine = mine.annotate(said=SAID)
    sort = Sort(here, HEADINGS, "-verdict")
    rows = narrowed(mine, here).order_by(*sort.fields)
    rows = rows.select_related("environment__domain", "by", "sample")
    if here.one("format") == "csv":
        return spreadsheet("audit-sample", CSV, map(_line, rows))
    rows = rows.annotate(is_current=is_current(rows))
    listing = listed(here, rows, sort, facets(mine, user, here), FILTERS)
    found = AuditItem.objects.visible_to(user).filter(sample=chosen)
    if domains := here.all("domain"):
        found = found.filter(stratum__in=domains)
    return render(
        request,
        "pages/sample.html",
        {
            "listing": listing,
            "sample": chosen,
            "estimate": estimate(found) if chosen else None,
            "domains": Domain.objects.visible_to(user),
            "back": request.get_full_path(),
        },
    )


def chosen_sample(user: User, here: Address) -> AuditSample | None:
    """The sample that an address names, or the newest; Http404 where it names none that the user may see."""
    samples = AuditSample.objects.visible_to(user).order_by("-pk")
    if name := here.one("sample"):
        return get_object_or_404(samples, name=name)
    return samples.first()


def is_current(rows: QuerySet[Any]) -> Case:
    """In SQL, of items: whether the environment still is what was drawn."""
    return Case(
        When(bundle=current_bundle(rows), then=Value(value=True)),
        default=Value(value=False),
        output_field=BooleanField(),
    )


def narrowed(rows: QuerySet[Any], here: Address, leaving: str = "") -> QuerySet[Any]:
    """The items that the address asks for, by all filters but `leaving`."""
    for word in here.one("q").split():
        rows = rows.filter(environment__slug__icontains=word)
    for name, column in COLUMNS.items():
        if here.all(name) and name != leaving:
            rows = rows.filter(**{f"{column}__in": here.all(name)})
    return rows


def facets(mine: QuerySet[Any], user: User, here: Address) -> list[Facet]:
    """One query a facet."""
    found = [
        facet(here, name, *FILTERS[name], _counts(COLUMNS[name], narrowed(mine, here, name)))
        for name in ("verdict", "domain")
    ]
    everything = AuditItem.objects.visible_to(user)
    samples = _counts("sample__name", everything)
    return [*found, facet(here, "sample", *FILTERS["sample"], samples)]


def _counts(column: str, rows: QuerySet[Any]) -> dict[str, int]:
    return counted(rows.order_by().values(column).annotate(n=Count("pk")), column)


@login_required
@require_POST
def draw_sample(request: HttpRequest) -> HttpResponse:
    """`POST /sample/draw/`: draw one and go to it."""
    asked = Address(reverse("sample"), request.POST)
    try:
        size = whole(asked.one("size"))
        made = create(reader(request), size, domains=asked.all("domain"))
    except SampleInvalid as error:
        messages.error(request, f"No sample was drawn: {error}.")
        return redirect("sample")
    if short := short_of(made.size, size):
        messages.info(request, f"{short}.")
    return redirect(asked.only(sample=made.name))


@login_required
@require_POST
def label_item(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /sample/items/N/label/` with `verdict` and `note`; goes back to where it was said."""
    user = reader(request)
    item = get_object_or_404(AuditItem.objects.visible_to(user), pk=number)
    said = request.POST.get("verdict", "")
    try:
        label(user, item, "" if said == "unread" else said, words(request, "note", item.note))
    except SampleInvalid as error:
        raise Http404(str(error)) from error
    return redirect(way_back(request, "sample"))


def way_back(request: HttpRequest, default: str) -> str:
    """Where a form was sent from, as it says itself; `default` (a page's name) where that is not of this site."""
    back = request.POST.get("back", "")
    here = url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return back if here else reverse(default)


def _line(row: Any) -> list[Any]:
    return [
        row.sample.name,
        row.pk,
        row.stratum,
        row.environment.slug,
        row.bundle,
        row.population,
        row.said,
        row.note,
        row.by.get_username() if row.by else "",
        row.at,
    ]
