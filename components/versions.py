"""New versions of components one at a time: each on the version that it was made from, or not at all.

Whoever makes one holds its domain first (`hold`), as a load does: then a load, an approval and a restoration of one
domain come one after another, and each sees what the one before made current.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.db import transaction

from components.actor import Actor, demand, visible_domains
from components.models import AuditEntry, Body, Component, Domain, Version
from worlds import body

PERMISSION = "components.add_version"


class Moved(ValueError):
    """The component has another current version than the one that the new one was made from."""

    def __init__(self, component: Component, now: Version | None) -> None:
        self.component = component
        self.now = now
        """What is current instead; None = the component is gone."""
        what = f"is at v{now.number} now" if now else "is gone"
        super().__init__(f"{component} {what}: make the change anew on that")


class AlreadySays(ValueError):
    """A version whose body is what the component says now: there is nothing to make."""


class ReasonMissing(ValueError):
    """A version is restored for no reason."""


def keep(said: body.Body) -> Body:
    """The row of a body, stored once by digest."""
    row = Body(digest=said.digest, kind=said.kind, text=said.canonical())
    Body.objects.bulk_create([row], ignore_conflicts=True)
    return row


def hold(domains: Iterable[int]) -> None:
    """Wait until nobody else makes versions in these domains (ids), and keep it so until the transaction ends."""
    locked = Domain.objects.select_for_update(no_key=True).filter(pk__in=set(domains))
    list(locked.order_by("slug").values_list("pk"))


def adopt(
    component: Component, base: Version, body: str, actor: Actor, reason: str, source: str
) -> Version:
    """Make the body of a digest the component's current one, as the version after `base`, with its entry in the audit
    log. Call it in a transaction, after `hold`; of several components, in the order of their keys.

    Raises Moved when `base` is not current (any longer): then nothing was written.
    """
    locked = Component.objects.select_for_update(no_key=True).filter(pk=component.pk).first()
    if locked is None or locked.current_id != base.pk:
        raise Moved(component, locked.current if locked else None)
    made = Version.objects.create(
        component=component,
        number=base.number + 1,
        body_id=body,
        parent=base,
        author=actor,
        reason=reason,
        source=source,
    )
    Component.objects.filter(pk=component.pk).update(current=made)
    AuditEntry.objects.create(
        actor=actor,
        action="version.create",
        domain=component.domain,
        target=f"{component.domain.slug}/{component.kind}/{component.slug} v{made.number}"[:300],
        detail={"body": body, "source": source, "reason": reason},
    )
    return made


def restore(actor: Actor, version: Version, reason: str) -> Version:
    """A new version that says what an old one said.

    Raises PermissionDenied, AlreadySays, ReasonMissing, and Moved when the component is gone.
    """
    component = version.component
    demand(actor, PERMISSION, "restore versions")
    if not reason.strip():
        raise ReasonMissing(f"{version} is restored with a reason: say why it is right")
    if not visible_domains(actor).filter(pk=component.domain_id).exists():
        raise PermissionDenied(f"{actor} may not restore {version}: its domain is kept for others")
    with transaction.atomic():
        hold([component.domain_id])
        now = Version.objects.filter(
            pk__in=Component.objects.filter(pk=component.pk).values("current")
        )
        current = now.first()
        if current is None:
            raise Moved(component, None)
        if current.body_id == version.body_id:
            raise AlreadySays(f"{current} says what {version} says: there is nothing to restore")
        source = f"restored from v{version.number}"
        return adopt(component, current, version.body_id, actor, reason, source)
