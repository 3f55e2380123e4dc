"""Patches of the sources of outside servers, as proposals carry them: tried and given out as a file, never approved.

Whoever keeps such a source applies the file; the next round then sees another server (`triage.behaviour`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from triage.models import Change, Proposal
from triage.proposals import ProposalInvalid
from worlds.patch import Patch
from worlds.toolserver_body import OutsideBody

UNPRINTED = re.compile(r"[^ -~]+")


class Unapprovable(ProposalInvalid):
    """No approval makes current what the proposal says."""


def patched(change: Change) -> OutsideBody | None:
    """What a change (with component and body at hand) would have run, where that is a patched server."""
    if change.component.kind != "toolserver" or "patch" not in change.body.content:
        return None
    body = change.body.parsed()
    return body if isinstance(body, OutsideBody) else None


def patches_of(proposals: Iterable[Proposal]) -> Mapping[Change, OutsideBody]:
    """The changes that carry a patch; one query."""
    rows = Change.objects.filter(proposal__in=proposals).select_related("component", "body")
    found = ((row, patched(row)) for row in rows.order_by("component_id"))
    return {row: body for row, body in found if body is not None}


def demand_none(proposals: Iterable[Proposal]) -> None:
    """Raises Unapprovable where a proposal carries a patch."""
    for change, body in patches_of(proposals).items():
        raise Unapprovable(
            f"proposal {change.proposal_id} patches the source of {body.server}, which stands outside and which no "
            "approval changes: take its patch file, apply it to the source, and run a round"
        )


def patch_file(row: Proposal) -> str:
    """The proposal's patches as a file that `git apply` and `patch` take; empty where it carries none.

    Raises Unapprovable where it patches several servers: each is a folder of its own.
    """
    bodies = list(patches_of([row]).values())
    if len(bodies) > 1:
        raise Unapprovable(f"{row} patches {len(bodies)} servers: propose each alone")
    return "".join(_file(row, body) for body in bodies)


def _file(row: Proposal, body: OutsideBody) -> str:
    paths = ", ".join(Patch.parse(body.patch).paths)
    return (
        f"# Proposal {row.pk}, revision {row.revision}: {_plain(row.title)}\n"
        f"# A patch of {paths}, by path in the source of the tool server {_plain(body.server)}.\n"
        "# Apply it in that folder (the `source` of the server's settings; of a single file, the folder it is in):\n"
        f"#     git apply {file_name(row)}      or      patch -p1 < {file_name(row)}\n"
        f"{body.patch}"
    )


def file_name(row: Proposal) -> str:
    """What the file is called."""
    return f"proposal-{row.pk}.patch"


def _plain(words: str) -> str:
    """Words that stay in their line, whatever they are."""
    return UNPRINTED.sub("?", words)
