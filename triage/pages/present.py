"""Where everything stands now, in numbers: the latest check of each environment as it is, whichever round ran it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count

import agents
from components.models import Component, Environment
from triage.models.check import CheckQuerySet
from triage.pages import history
from triage.pages.history import Tally
from triage.standing import latest_checks


@dataclass(frozen=True)
class Section:
    """The environments of some domains."""

    checks: CheckQuerySet
    """The check that counts of each that has one."""
    by_domain: dict[str, Tally]
    """Domain → tally, by name, also of domains that nothing was checked of."""

    @cached_property
    def panel(self) -> list[str]:
        """The agents that met any environment."""
        met = {agent for tally in self.by_domain.values() for agent in tally.met}
        return [agent for agent in agents.PANEL if agent in met] + sorted(met - {*agents.PANEL})

    @cached_property
    def whole(self) -> Tally:
        """All of its domains together."""
        return history.together(self.by_domain.values())


@dataclass(frozen=True)
class Present:
    """The environments that a user may see, by domain. Which checks count is asked once, as it is costly."""

    user: User

    @cached_property
    def every(self) -> Section:
        """All of them, whosever they are; four queries."""
        checks = latest_checks(Environment.objects.visible_to(self.user))
        return Section(checks, self._tallies(checks))

    @cached_property
    def contracts(self) -> dict[str, Component]:
        """Domain → its contract; one query."""
        rows = Component.objects.visible_to(self.user).contracts().select_related("domain")
        return {row.domain.slug: row for row in rows}

    @cached_property
    def sections(self) -> dict[str, Section]:
        """Authority → the environments of the domains that have it, where there are any; no query more."""
        sorts = history.by_authority(self.every.by_domain, self.contracts)
        if len(sorts) == 1:
            return dict.fromkeys(sorts, self.every)
        return {name: Section(self._checks_in(tallies), tallies) for name, tallies in sorts.items()}

    def domains(self, *authorities: str) -> list[int]:
        """The ids of the domains that have one of these."""
        contracts = self.contracts.values()
        return [one.domain_id for one in contracts if one.authority in authorities]

    def _checks_in(self, domains: Collection[str]) -> CheckQuerySet:
        return self.every.checks.filter(environment__domain__slug__in=domains)

    def _tallies(self, checks: CheckQuerySet) -> dict[str, Tally]:
        found = history.by_domain(checks)
        for domain, panel, count in self._panels(checks):
            for agent in panel:
                found[domain].met[agent] = found[domain].met.get(agent, 0) + count
        for domain, environments in self._sizes():
            tally = found.setdefault(domain, Tally())
            tally.unchecked = environments - tally.environments
        return dict(sorted(found.items()))

    def _panels(self, checks: CheckQuerySet) -> Any:
        """Domain, panel, and how many checks it made: rounds need not let in the same agents."""
        rows = checks.order_by().values_list("environment__domain__slug", "round__panel")
        return rows.annotate(n=Count("pk"))

    def _sizes(self) -> Any:
        rows = Environment.objects.visible_to(self.user).order_by()
        return rows.values_list("domain__slug").annotate(n=Count("pk"))
