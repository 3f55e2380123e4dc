"""Writing a proposal, and editing one: nothing that was written is lost, whatever comes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from components.actor import demand
from components.models import Component
from triage.models import Fault, Proposal
from triage.pages.draft import Draft, Written, drafted, posted
from triage.pages.environment_list import whole
from triage.pages.proposal import found
from triage.pages.reader import reader, words
from triage.pages.sidebyside import Diff, side_by_side
from triage.patches import patches_of
from triage.proposalfiles import text_of
from triage.proposalfolder import MOST_ARCHIVE, from_archive
from triage.proposals import Conflict, ProposalInvalid, edit
from triage.proposals import propose as keep
from triage.trials import attempt
from worlds.source import LibraryInvalid

MOST_OFFERED = 500
"""Components of a domain that a form offers by name."""
MOST_FAULTS = 10


@login_required
def propose(request: HttpRequest) -> HttpResponseBase:
    """`/proposals/new/?fault=ID&component=DOMAIN/KIND/SLUG`; sent by POST, it keeps the proposal and goes to it."""
    user = reader(request)
    demand(user, "triage.add_proposal", "propose a change")
    said = request.POST if request.method == "POST" else request.GET
    fault = _fault(user, said.get("fault", ""))
    if request.method == "POST":
        return _sent(request, _posted(user, request, fault), None)
    named = [_named(user, name) for name in said.getlist("component")]
    if not fault and not named:
        return render(request, "pages/propose.html", {"faults": _open_faults(user)})
    draft = Draft(named[0].domain if named else fault.domain, [], fault)  # type: ignore[union-attr]
    for component in named:
        if component.domain_id == draft.domain.pk and draft.has_room:
            draft.add(component)
    return _shown(request, draft, None)


@login_required
def edit_proposal(request: HttpRequest, number: int) -> HttpResponseBase:
    """`/proposals/N/edit/`; sent by POST, it keeps the new revision and goes to it."""
    user = reader(request)
    row = found(user, number)
    demand(user, "triage.change_proposal", "edit a proposal")
    if row.is_decided:
        messages.info(request, f"It is {row.state}: there is nothing left to edit.")
        return redirect("proposal", number)
    if patches_of([row]):
        messages.info(
            request, "It patches a source outside: what a proposer wrote nobody edits here."
        )
        return redirect("proposal", number)
    if request.method == "POST":
        return _sent(request, _posted(user, request, row.fault), row)
    return _shown(request, drafted(row), row)


@login_required
@require_POST
def check_text(request: HttpRequest) -> HttpResponse:
    """`POST /proposals/check/` with `check`, a component's id, and a form: what its part comes to."""
    user = reader(request)
    demand(user, "triage.add_proposal", "propose a change")
    part = _posted(user, request, None).part(whole(words(request, "check")))
    if part is None:
        raise Http404("the form has no such component")
    return render(request, "parts/checked.html", {"part": part, "diff": small_diff(part)})


def small_diff(part: Written) -> Diff | None:
    """What a text changes, with little around it; of rows, nothing: they say it themselves."""
    current = part.component.current
    if part.is_records or current is None:
        return None
    return side_by_side(text_of(current), part.text, around=1)


def _sent(request: HttpRequest, draft: Draft, row: Proposal | None) -> HttpResponse:
    act, _, rest = words(request, "do").partition(":")
    if act in ("save", "try"):
        return _kept(request, draft, row, is_tried=act == "try")
    if act in ACTS:
        ACTS[act](request, draft, rest)
    return _shown(request, draft, row)


def _kept(
    request: HttpRequest, draft: Draft, row: Proposal | None, *, is_tried: bool
) -> HttpResponse:
    user = reader(request)
    if not draft.parts or not draft.is_readable:
        why = "some of it cannot be read yet" if draft.parts else "choose a component first"
        messages.error(request, f"It was not kept: {why}.")
        return _shown(request, draft, row, status=422)
    try:
        row = _written(user, draft, row)
    except Conflict as error:
        messages.error(request, f"It was not kept: {error}. Your text is below, theirs beside it.")
        return _shown(request, draft, row, status=409, theirs=_theirs(draft, row))
    except ValueError as error:
        messages.error(request, f"It was not kept: {error}.")
        return _shown(request, draft, row, status=422)
    return _tried(request, row) if is_tried else redirect("proposal", row.pk)


def _written(user: User, draft: Draft, row: Proposal | None) -> Proposal:
    said = {"title": draft.title, "reason": draft.reason, "authority": draft.authority}
    if row is None:
        return keep(user, draft.domain, draft.changes, fault=draft.fault, **said)
    stored = {one.component_id: one.body_id for one in row.changes.all()}
    is_same = stored == {component.pk: body.digest for component, body in draft.changes}
    # Where the words alone are others, its trial still speaks for it.
    return edit(user, row, draft.revision, changes=None if is_same else draft.changes, **said)


def _tried(request: HttpRequest, row: Proposal) -> HttpResponse:
    try:
        attempt(reader(request), [row])
    except ValueError as error:
        messages.error(request, f"It was kept, and not tried: {error}.")
    return redirect("proposal", row.pk)


def _theirs(draft: Draft, row: Proposal | None) -> list[tuple[Component, Diff]]:
    """What the kept revision says beside what is written here; from now on the form speaks of that revision."""
    if row is None:
        return []
    row.refresh_from_db()
    draft.revision = row.revision
    kept = {one.component.pk: one for one in drafted(row).parts}
    pairs = [(kept.get(one.component.pk), one) for one in draft.parts]
    both = [
        (mine.component, side_by_side(_whole(theirs), _whole(mine)))
        for theirs, mine in pairs
        if theirs
    ]
    return both + [
        (one.component, side_by_side(_whole(one), ""))
        for pk, one in kept.items()
        if draft.part(pk) is None
    ]


def _whole(part: Written) -> str:
    rows = (f"{row.place}\n{'(gone)' if row.is_gone else row.text}" for row in part.rows)
    return "\n".join(rows) if part.is_records else part.text


def _shown(
    request: HttpRequest, draft: Draft, row: Proposal | None, status: int = 200, **more: Any
) -> HttpResponse:
    where = reverse("edit-proposal", args=[row.pk]) if row else reverse("propose")
    offered = _components(reader(request)).filter(domain=draft.domain)
    context = {
        "draft": draft,
        "proposal": row,
        "action": where,
        "parts": [(part, small_diff(part)) for part in draft.parts],
        "suspects": draft.fault.suspects.exclude(component=None).select_related("component__domain")
        if draft.fault
        else [],
        "offered": offered.values_list("kind", "slug")[:MOST_OFFERED],
        **more,
    }
    return render(request, "pages/propose.html", context, status=status)


def _posted(user: User, request: HttpRequest, fault: Fault | None) -> Draft:
    keys = [whole(pk) for pk in request.POST.getlist("component")]
    components = list(_components(user).filter(pk__in=keys))
    if not components and fault is None:
        raise Http404("the form names no component that you may see")
    domain = fault.domain if fault else components[0].domain
    mine = [one for one in components if one.domain_id == domain.pk]
    return posted(request.POST, domain, mine, fault)


def _components(user: User) -> QuerySet[Component]:
    rows = Component.objects.visible_to(user).exclude(current=None)
    return rows.select_related("domain", "current__body")


def _named(user: User, name: str) -> Component:
    domain, _, rest = name.partition("/")
    kind, _, slug = rest.partition("/")
    return get_object_or_404(_components(user), domain__slug=domain, kind=kind, slug=slug)


def _fault(user: User, asked: str) -> Fault | None:
    rows = Fault.objects.visible_to(user).select_related("domain")
    return get_object_or_404(rows, pk=whole(asked)) if asked else None


def _open_faults(user: User) -> QuerySet[Fault]:
    rows = Fault.objects.visible_to(user).open().select_related("domain")
    return rows.prefetch_related("suspects__component__domain")[:MOST_FAULTS]


def _add(request: HttpRequest, draft: Draft, rest: str) -> None:
    named = rest or words(request, "adding").strip()
    kind, _, slug = named.partition("/")
    wanted = Q(kind=kind, slug=slug) if slug else Q(slug=named)
    row = _components(reader(request)).filter(wanted, domain=draft.domain).first()
    if row is None:
        messages.error(request, f"There is no component {named[:80]!r} in {draft.domain}.")
    elif not draft.has_room:
        messages.error(request, "A proposal changes three components at most.")
    else:
        draft.add(row)


def _take(_request: HttpRequest, draft: Draft, rest: str) -> None:
    draft.parts = [one for one in draft.parts if one.component.pk != whole(rest)]


def _open(_request: HttpRequest, draft: Draft, rest: str) -> None:
    pk, _, place = rest.partition(":")
    table, _, key = place.partition("/")
    part = draft.part(whole(pk))
    if part and key in part.stored.get(table, {}):
        part.open(table, key)


def _new(request: HttpRequest, draft: Draft, rest: str) -> None:
    part = draft.part(whole(rest))
    if part and part.table in part.stored:
        part.open(part.table, "")
    else:
        messages.info(request, "Choose the table that the new row is for.")


def _drop(_request: HttpRequest, draft: Draft, rest: str) -> None:
    pk, _, place = rest.partition(":")
    if part := draft.part(whole(pk)):
        part.rows = [row for row in part.rows if row.place != place]


def _upload(request: HttpRequest, draft: Draft, _rest: str) -> None:
    file = request.FILES.get("folder")
    if file is None:
        messages.info(request, "Choose the zipped folder to upload.")
        return
    try:
        changed = from_archive(draft.domain, file.read(MOST_ARCHIVE + 1))
    except (LibraryInvalid, ProposalInvalid) as error:
        messages.error(request, f"Nothing was taken from {file.name}: {error}.")
        return
    for component, body in changed:
        if draft.part(component.pk) is None and not draft.has_room:
            messages.error(
                request, f"{len(changed)} components differ; a proposal changes three at most."
            )
            break
        draft.add(component).take(body)


ACTS: dict[str, Callable[[HttpRequest, Draft, str], None]] = {
    "add": _add,
    "take": _take,
    "open": _open,
    "new": _new,
    "drop": _drop,
    "upload": _upload,
}
"""What a button of the form may ask for, beside keeping it."""
