"""Where everything stands now, in numbers: the latest check of each environment as it is, whichever round ran it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count

import agents
from components.models import Environment
from triage.models.check import CheckQuerySet
from triage.pages import history
from triage.pages.history import Tally
from triage.standing import latest_checks


@dataclass(frozen=True)
class Present:
    """The environments that a user may see, by domain. Which checks count is asked once, as it is costly."""

    user: User

    @cached_property
    def checks(self) -> CheckQuerySet:
        """The check that counts of each environment that has one."""
        return latest_checks(Environment.objects.visible_to(self.user))

    @cached_property
    def panel(self) -> list[str]:
        """The agents that met any environment."""
        met = {agent for tally in self.by_domain.values() for agent in tally.met}
        return [agent for agent in agents.PANEL if agent in met] + sorted(met - {*agents.PANEL})

    @cached_property
    def by_domain(self) -> dict[str, Tally]:
        """Domain → tally, by name, also of domains that nothing was checked of; four queries."""
        found = history.by_domain(self.checks)
        for domain, panel, checks in self._panels():
            for agent in panel:
                found[domain].met[agent] = found[domain].met.get(agent, 0) + checks
        for domain, environments in self._sizes():
            tally = found.setdefault(domain, Tally())
            tally.unchecked = environments - tally.environments
        return dict(sorted(found.items()))

    def _panels(self) -> Any:
        """Domain, panel, and how many checks it made: rounds need not let in the same agents."""
        rows = self.checks.order_by().values_list("environment__domain__slug", "round__panel")
        return rows.annotate(n=Count("pk"))

    def _sizes(self) -> Any:
        rows = Environment.objects.visible_to(self.user).order_by()
        return rows.values_list("domain__slug").annotate(n=Count("pk"))

    @property
    def whole(self) -> Tally:
        """All domains together."""
        return history.together(self.by_domain.values())
