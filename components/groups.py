"""The groups, and what their members may do. Reading needs no permission: it goes by who may see a domain.

| group    | may                                                                  |
|----------|----------------------------------------------------------------------|
| viewer   | read                                                                 |
| reviewer | read, and review: findings, new pins, wrong verdicts, passes,        |
|          | audit samples, faults; propose repairs or have them searched for,    |
|          | try and decide on them                                               |
| curator  | review, and load, compose, and prune components; run rounds, draw    |
|          | audit samples                                                        |
| admin    | everything, users and groups too                                     |

They are made, and what they lack is added, after every `migrate`. What an admin adds to a group stays.
"""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission

OURS = ("auth", "components", "triage", "training", "doors")

JUDGING = {
    "triage.add_counterexample",
    "triage.add_label",
    "triage.change_counterexample",
    "triage.change_suspicion",
    "triage.change_audititem",
    "triage.change_fault",
    "triage.add_comment",
    "triage.add_attribution",
    "triage.add_proposal",
    "triage.add_repair",
    "triage.change_proposal",
    "triage.add_trial",
    "triage.review_proposal",
}
"""Saying of findings, verdicts, passes and environments whether they are right; of faults who causes them; and what
would mend them, which includes to try it and to decide on it."""

GRANTS: dict[str, set[str]] = {
    "viewer": {"view_*"},
    "reviewer": {"view_*", "components.add_pin", *JUDGING},
    "curator": {
        "view_*",
        *(
            f"components.{act}_{model}"
            for act in ("add", "change", "delete")
            for model in ("component", "version", "composition", "environment", "pin")
        ),
        "components.add_domain",
        "triage.add_round",
        "triage.add_auditsample",
        *JUDGING,
    },
    "admin": {"*"},
}
"""Group → permissions, as `app.codename`; `view_*` are those to view what is ours, `*` are all of ours."""


def is_granted(group: str, app: str, codename: str) -> bool:
    """Whether members of `group` have the permission `app.codename`."""
    grants = GRANTS[group]
    may_view = "view_*" in grants and codename.startswith("view_") and app != "auth"
    return may_view or "*" in grants or f"{app}.{codename}" in grants


def make_groups(sender: AppConfig, using: str, **_: Any) -> None:
    """After `sender` was migrated: give each group what it may do there."""
    if sender.label not in OURS:
        return
    create_permissions(sender, using=using, verbosity=0)  # whichever receiver comes first
    permissions = Permission.objects.using(using).filter(content_type__app_label=sender.label)
    found = list(permissions.select_related("content_type"))
    for name in GRANTS:
        group, _made = Group.objects.using(using).get_or_create(name=name)
        group.permissions.add(
            *(one for one in found if is_granted(name, sender.label, one.codename))
        )
