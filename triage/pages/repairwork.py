"""What is done about searches for repairs: begun for one fault or for all that are listed, watched, ended."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from components.actor import demand
from triage import repairing
from triage.models import Fault, Repair
from triage.pages.address import Address
from triage.pages.faults import narrowed
from triage.pages.reader import reader, words
from triage.pages.suspect import with_suspected


@login_required
@require_POST
def propose_repairs(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /faults/N/repair/`: start the job that searches for repairs of it."""
    user = reader(request)
    row = get_object_or_404(Fault.objects.visible_to(user), pk=number)
    try:
        repairing.repair(user, row)
    except ValueError as error:
        messages.error(request, f"Nothing was done: {error}.")
    return redirect(f"{reverse('fault', args=[row.pk])}#proposals")


@login_required
@require_POST
def propose_for_all(request: HttpRequest) -> HttpResponse:
    """`POST /faults/repair/` with `where` (the list's filters): start a job for each open fault that the list has and
    for which nothing is proposed; goes back to the list."""
    user = reader(request)
    demand(user, repairing.PERMISSION, "have repairs proposed")
    here = Address(reverse("faults"), QueryDict(words(request, "where")))
    rows = repairing.wanting(narrowed(with_suspected(Fault.objects.visible_to(user)), here))
    begun, refused = 0, []
    for row in rows.order_by("-environments", "pk"):
        try:
            repairing.repair(user, row)
            begun += 1
        except ValueError as error:
            refused.append(str(error))
    if begun:
        many = "1 fault" if begun == 1 else f"{begun} faults"
        messages.info(request, f"Repairs are searched for, of {many}.")
    for said in refused[:3]:
        messages.error(request, f"Not searched for: {said}.")
    if not (begun or refused):
        messages.info(request, "Nothing was begun: for each of them something is proposed.")
    return redirect(here.without())


@login_required
@require_POST
def cancel_repair(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /repairs/N/cancel/`: end it before its time; what it proposed stays."""
    held = _repair(request, number)
    try:
        repairing.cancel(reader(request), held)
    except ValueError as error:
        messages.info(request, f"{str(error).capitalize()}.")
    return redirect(f"{reverse('fault', args=[held.fault_id])}#proposals")


@login_required
def repair_progress(request: HttpRequest, number: int) -> HttpResponse:
    """`/repairs/N/progress/`: how far it is; tells the page to load again once it has ended."""
    held = _repair(request, number)
    response = render(request, "parts/repairing.html", {"repair": held})
    if not held.is_unfinished:
        response["HX-Refresh"] = "true"
    return response


def _repair(request: HttpRequest, number: int) -> Repair:
    rows = Repair.objects.visible_to(reader(request)).select_related("fault__domain")
    return get_object_or_404(rows, pk=number)
