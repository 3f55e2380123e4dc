"""Saying of an episode's verdict that it is wrong, and taking that back."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from triage.counterexamples import CounterexampleInvalid, make, retire
from triage.models import Counterexample, Episode
from triage.pages.reader import reader, words
from triage.templatetags.envcurate import environment_url


@login_required
@require_POST
def doubt_episode(request: HttpRequest, key: str) -> HttpResponse:
    """`POST /episodes/KEY/doubt/`: a counterexample that says the opposite of the verdict; goes to the environment."""
    user = reader(request)
    episode = get_object_or_404(Episode.objects.visible_to(user), key=key)
    try:
        row = make(user, episode, int(episode.reward == 0), words(request, "reason"))
    except CounterexampleInvalid as error:
        messages.error(request, f"No counterexample was made: {error}.")
        return redirect("episode", key)
    return redirect(f"{environment_url(row.environment)}#counterexample-{row.pk}")


@login_required
@require_POST
def retire_counterexample(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /counterexamples/N/retire/`: take one back; goes to its environment."""
    user = reader(request)
    rows = Counterexample.objects.visible_to(user).select_related("environment__domain")
    row = get_object_or_404(rows, pk=number)
    try:
        retire(user, row, words(request, "reason"))
    except CounterexampleInvalid as error:
        messages.error(request, f"{str(error).capitalize()}.")
    return redirect(f"{environment_url(row.environment)}#counterexample-{row.pk}")
