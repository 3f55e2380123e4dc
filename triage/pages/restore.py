"""Bringing an old version of a component back."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from components.models import Component
from components.versions import restore
from triage.pages.environment_list import whole
from triage.pages.place import component_url
from triage.pages.reader import reader, words


@login_required
@require_POST
def restore_version(request: HttpRequest, domain: str, kind: str, slug: str) -> HttpResponse:
    """`POST /components/DOMAIN/KIND/SLUG/restore/` with `version` (a number) and `reason`; goes to what is current."""
    user = reader(request)
    visible = Component.objects.visible_to(user).select_related("domain")
    row = get_object_or_404(visible, domain__slug=domain, kind=kind, slug=slug)
    number = whole(words(request, "version"))
    version = get_object_or_404(row.versions.select_related("component", "body"), number=number)
    try:
        made = restore(user, version, words(request, "reason"))
    except ValueError as error:
        messages.error(request, f"Nothing was restored: {error}.")
        return redirect(component_url(row, number))
    messages.success(request, f"v{made.number} says what v{number} said, and is current.")
    return redirect(component_url(row))
