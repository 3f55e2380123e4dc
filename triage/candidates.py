"""What a trial tries: the changes of one proposal, or of several together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from components.models import Body, Component
from triage.models import Change, Proposal, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Stage
from worlds.bundle import Bodies
from worlds.canonical import digest
from worlds.folder import File
from worlds.librarywriter import file_text


class CandidateInvalid(ValueError):
    """Proposals that cannot be tried together, or as they stand."""


class Changed(TypedDict):
    """One component that would say something else, by ids and digests."""

    component: int
    base: int
    base_body: str
    body: str


def changes_of(proposals: Sequence[Proposal]) -> list[Changed]:
    """All that the proposals would change, by component; one query. Raises CandidateInvalid."""
    found: dict[int, tuple[Change, Changed]] = {}
    rows = Change.objects.filter(proposal__in=proposals).select_related("base", "component__domain")
    for row in rows.order_by("component_id", "proposal_id"):
        said = changed(row)
        first, other = found.setdefault(row.component_id, (row, said))
        if other["body"] != said["body"]:
            raise CandidateInvalid(
                f"proposals {first.proposal_id} and {row.proposal_id} want {row.component} to say different "
                "things: try them apart, or put them into one"
            )
    if not found:
        raise CandidateInvalid("nothing would be changed: there is nothing to try")
    return [said for _, said in found.values()]


def changed(row: Change) -> Changed:
    """A change by ids and digests; one query where its base is not at hand."""
    return Changed(
        component=row.component_id,
        base=row.base_id,
        base_body=row.base.body_id,
        body=row.body_id,
    )


def proposal_digest(*proposals: Proposal) -> str:
    """Of what one proposal would change, or of what several would together; a trial with this digest is of just that.
    Raises CandidateInvalid."""
    return digest(changes_of(proposals))


def latest_trial(*proposals: Proposal) -> Trial | None:
    """The newest trial that is done of what the proposal (or several, together) would change now; None = none is, or
    they would change nothing that is still there."""
    try:
        wanted = proposal_digest(*proposals)
    except CandidateInvalid:
        return None
    done = Trial.objects.filter(state=JobState.DONE, proposals=proposals[0], digest=wanted)
    return done.order_by("-pk").first()


def resting(proposal: Proposal) -> ProposalState:
    """Where a proposal stands while nothing runs: waiting when all stages were tried of what it would change now."""
    trial = latest_trial(proposal)
    was_tried = trial is not None and trial.stage == Stage.FULL
    return ProposalState.WAITING if was_tried else ProposalState.DRAFT


def bodies(changes: Iterable[Changed]) -> Bodies:
    """Where each body would stand; one query."""
    new = {each["component"]: each["body"] for each in changes}
    rows = Component.objects.filter(pk__in=new).values_list("pk", "kind", "slug")
    return {(kind, slug): new[pk] for pk, kind, slug in rows}  # type: ignore[misc]  # a CharField is str


def texts(changes: Iterable[Changed]) -> list[tuple[str, str]]:
    """What each component says and would say, as its file would; three queries."""
    said = list(changes)
    found = Body.objects.in_bulk({each[side] for each in said for side in ("base_body", "body")})
    rows = Component.objects.in_bulk([each["component"] for each in said])
    domains = {row.domain_id for row in rows.values()}
    contract = (
        Component.objects.contracts().select_related("current__body").filter(domain__in=domains)
    )
    spoken = {row.domain_id: row.current.body.parsed() for row in contract if row.current}
    return [
        (
            _text(rows[each["component"]], found[each["base_body"]], spoken),
            _text(rows[each["component"]], found[each["body"]], spoken),
        )
        for each in said
    ]


def _text(component: Component, body: Body, contracts: Mapping[int, Any]) -> str:
    return file_text(File(component.slug, body.parsed()), contracts[component.domain_id])


def moved(changes: Iterable[Changed]) -> list[Component]:
    """The components that are at another version now than the one that was to be changed; one query."""
    base = {each["component"]: each["base"] for each in changes}
    rows = Component.objects.filter(pk__in=base).select_related("domain", "current")
    return [row for row in rows.order_by("pk") if row.current_id != base[row.pk]]
