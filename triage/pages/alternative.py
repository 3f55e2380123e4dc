"""One candidate of a search for repairs: what it would change, and what became of it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from components.models import Environment
from triage.models import Alternative, Repair
from triage.pages.patch import patch_of
from triage.pages.reader import reader
from triage.pages.repair import with_components


@login_required
def alternative(request: HttpRequest, number: int) -> HttpResponse:
    """`/alternatives/N/`"""
    rows = Alternative.objects.filter(repair__in=Repair.objects.visible_to(reader(request)))
    wanted = rows.select_related("repair__fault__domain", "repair__author", "proposal")
    row = get_object_or_404(wanted, pk=number)
    (shown,) = with_components(row.repair, [row])
    others = Alternative.objects.filter(repair=row.repair)
    context = {
        "alternative": shown,
        "repair": row.repair,
        "fault": row.repair.fault,
        "patch": patch_of(row.diff),
        "cured": Environment.objects.filter(
            domain=row.repair.fault.domain, slug__in=row.cured
        ).select_related("domain"),
        "earlier": others.filter(rank__lt=row.rank).order_by("-rank").first(),
        "later": others.filter(rank__gt=row.rank).order_by("rank").first(),
    }
    return render(request, "pages/alternative.html", context)
