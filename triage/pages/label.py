"""Labelling a finding from a page."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from components.models import Environment
from triage.labelling import LabelInvalid, label
from triage.models import Finding
from triage.pages.environment_list import whole
from triage.pages.reader import reader

WORDS = {"right": True, "wrong": False}


@login_required
@require_POST
def label_finding(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /findings/N/label/` with `label` (right or wrong) and `reason`: say it, and go back to the finding on
    the page of `environment` (an id)."""
    user = reader(request)
    visible = Finding.objects.visible_to(user).select_related("component", "version")
    found = get_object_or_404(visible, pk=number)
    back = f"{_page(user, found, request.POST.get('environment', ''))}#finding-{found.pk}"
    try:
        word = request.POST.get("label", "")
        if word not in WORDS:
            raise LabelInvalid(f"a finding is right or wrong, not {word[:40] or 'unsaid'}")
        label(user, found, is_right=WORDS[word], reason=request.POST.get("reason", ""))
    except LabelInvalid as error:
        messages.error(request, f"{found.code} was not labelled: {error}.")
    return redirect(back)


def _page(user: User, found: Finding, asked: str) -> str:
    """The page of the environment asked for where it shows the finding, else of the first that does."""
    shown = Environment.objects.visible_to(user).filter(checks__result__findings=found)
    rows = shown.select_related("domain").distinct()
    row = rows.filter(pk=whole(asked)).first() or rows.first()
    if row is None:
        raise Http404(f"no environment shows finding {found.pk}")
    return reverse("environment", args=[row.domain.slug, row.slug])
