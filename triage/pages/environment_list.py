"""Environments, filtered by all that the address says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from agents import NO_AGENTS
from components.models import Environment, Part
from components.models.component import authority_of
from triage.models import Check, Finding, Result
from triage.models.check import State, ended_as
from triage.models.finding import FindingQuerySet
from triage.pages.address import Address
from triage.pages.listing import Facet, counted, facet
from triage.pages.sighted import showing_one_of
from triage.standing import UNVERIFIED, among, standing_now

Environments = QuerySet[Environment]

# The filters in the order of the page: title, and how a value is drawn.
FILTERS = {
    "status": ("Status", "status"),
    "authority": ("Authority", ""),
    "domain": ("Domain", ""),
    "code": ("Finding", "code"),
    "severity": ("Severity", "severity"),
    "counted": ("Counts", ""),
    "kind": ("Blamed", "kind"),
    "solved": ("Solved by", "agent"),
    "unsolved": ("Not solved by", "agent"),
    "component": ("Uses", ""),
    "fault": ("Fault", ""),
    "round": ("Round", ""),
}
OF_FINDING = {"code": "code", "severity": "weight", "kind": "kind", "counted": "is_counted"}
"""What is asked of a finding, all of it of the same one, and where a finding has it."""
MARKED = {"severity", "counted"}
"""Of these, those that people's labels decide."""
COUNTED = {"yes": True, "no": False}
SOLVED = {"solved": 1, "unsolved": 0}
"""The reward of the episodes that each asks for."""
FACETS = ("status", "authority", "domain", *OF_FINDING, *SOLVED)
STATUSES = ("broken", "unproven", "error", "unverified", "solvable")


def standing(user: User, address: Address) -> Environments:
    """The environments that a user may see with where they stand, or stood in round N with `round=N`.

    Each has `status`, `latest_check`, `latest_result`, `checked` (when that ended), `seconds` (what it took) and
    `authority` (its domain's).
    Asks once which checks count, which is costly, so that the queries made of this are cheap.
    """
    rows: Any = Environment.objects.visible_to(user)
    if number := address.one("round"):
        checks = Check.objects.filter(round=whole(number)).exclude(state=State.CANCELLED)
        # Unordered: the model's own ordering would join the environments under the outer one's name.
        own = checks.filter(environment=OuterRef("pk")).order_by()
        rows = rows.filter(Exists(own)).annotate(
            latest_check=Subquery(own.values("pk")[:1]),
            status=Coalesce(Subquery(own.values(ended=ended_as())[:1]), Value(UNVERIFIED)),
        )
    else:
        rows = standing_now(rows)
    latest = Check.objects.filter(pk=OuterRef("latest_check")).order_by()
    return cast(
        Environments,
        rows.annotate(
            latest_result=Subquery(latest.values("result")),
            checked=Subquery(latest.values("finished")),
            seconds=Subquery(latest.values("result__seconds")),
            authority=authority_of("domain"),
        ),
    )


def narrowed(rows: Environments, address: Address, leaving: str = "") -> Environments:
    """Of environments with their standing those that the address asks for, by all filters but `leaving`."""
    for name, narrow in NARROWINGS.items():
        if address.all(name) and name != leaving:
            rows = rows.filter(narrow(address.all(name)))
    found = of_finding(address, leaving)
    return rows.filter(_found(_findings(found))) if found else rows


def whole(text: str) -> int:
    """A key from an address; one that is no number, or too great for a key, names no row."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _searched(words: list[str]) -> Q:
    """Every word is in the environment's name, its domain's, or a part's."""
    found: Any = Q()  # a Q, or that with an Exists, which the stubs call something else
    for word in words[-1].split():
        part = Part.objects.filter(environment=OuterRef("pk"), component__slug__icontains=word)
        found &= Q(slug__icontains=word) | Q(domain__slug__icontains=word) | Exists(part)
    return cast(Q, found)


def of_finding(address: Address, leaving: str = "") -> dict[str, list[str]]:
    """What is asked of a finding, all of it of the same one: `{"code": [...]}`."""
    return {name: address.all(name) for name in OF_FINDING if address.all(name) and name != leaving}


def _findings(asked: Mapping[str, list[str]], *needed: str) -> FindingQuerySet:
    """The findings like that, which have what is `needed` beside it."""
    is_marked = MARKED & {*asked, *needed}
    rows = Finding.objects.with_marks() if is_marked else Finding.objects.all()
    return rows.filter(
        **{f"{OF_FINDING[name]}__in": _known(name, values) for name, values in asked.items()}
    )


def _known(name: str, values: list[str]) -> list[Any]:
    return [COUNTED[one] for one in values if one in COUNTED] if name == "counted" else values


def _found(findings: FindingQuerySet) -> Exists:
    """The latest check has one of these findings."""
    return Exists(findings.filter(result=OuterRef("latest_result")))


def _solved(names: list[str], reward: int = 1) -> Q:
    """Some episode of one of these agents ended with this reward; one not scored has none."""
    episodes = Result.objects.filter(
        pk=OuterRef("latest_result"),
        episodes__reward=reward,
        episodes__agent__name__in={*names} - NO_AGENTS,
    )
    return Q(Exists(episodes))


def _using(names: list[str]) -> Q:
    """One of the parts is one of `domain/kind/slug`."""
    wanted = Q()
    for name in names:
        domain, _, rest = name.partition("/")
        kind, _, slug = rest.partition("/")
        contract = Q(pk__isnull=False, environment__domain__slug=domain)
        part = Q(component__domain__slug=domain, component__kind=kind, component__slug=slug)
        wanted |= contract if kind == "domain" else part
    return Q(Exists(Part.objects.filter(wanted, environment=OuterRef("pk"))))


NARROWINGS: Mapping[str, Callable[[list[str]], Q]] = {
    "q": _searched,
    "status": lambda values: Q(status__in=values),
    "authority": lambda values: Q(authority__in=values),
    "domain": lambda values: Q(domain__slug__in=values),
    "solved": _solved,
    "unsolved": lambda values: _solved(values, reward=0),
    "component": _using,
    "fault": lambda values: showing_one_of([whole(one) for one in values]),
}


def facets(rows: Environments, address: Address) -> list[Facet]:
    """Each facet counts what the other filters leave of `rows`: one query a facet, two where it is chosen."""
    listed = _checks(narrowed(rows, address))
    counts = {
        "status": _by_status(narrowed(rows, address, leaving="status")),
        "authority": _by(narrowed(rows, address, leaving="authority"), "authority"),
        "domain": _by(narrowed(rows, address, leaving="domain"), "domain__slug"),
    }
    for name in (*OF_FINDING, *SOLVED):
        left = _checks(narrowed(rows, address, leaving=name)) if address.all(name) else listed
        counts[name] = _by_check(name, left, address)
    return [facet(address, name, *FILTERS[name], counts[name]) for name in FACETS]


def _by_status(rows: Any) -> dict[str, int]:
    found = counted(rows.order_by().values("status").annotate(n=Count("pk")), "status")
    return {status: found[status] for status in STATUSES if status in found}


def _by(rows: Environments, column: str) -> dict[str, int]:
    return counted(rows.order_by().values(column).annotate(n=Count("pk")), column)


def _checks(rows: Any) -> list[int]:
    """The checks that say where environments stand. They are asked for once, not inside each query about them:
    a plan that asks again for every row of it takes minutes."""
    return [pk for pk in rows.order_by().values_list("latest_check", flat=True) if pk]


def _by_check(name: str, checks: list[int], address: Address) -> dict[str, int]:
    if name in OF_FINDING:
        return _by_finding(name, checks, address)
    named = "result__episodes__agent__name"
    rows = Check.objects.filter(among("pk", checks), result__episodes__reward=SOLVED[name])
    listed = rows.order_by().values(named).annotate(n=Count("environment", distinct=True))
    counts = counted(listed, named)
    return {name: count for name, count in counts.items() if name not in NO_AGENTS}


def _by_finding(name: str, checks: list[int], address: Address) -> dict[str, int]:
    findings: Any = _findings(of_finding(address, leaving=name), name)
    found = findings.filter(among("result__checks", checks)).order_by()
    column = OF_FINDING[name]
    listed = found.values(column).annotate(n=Count("result__checks__environment", distinct=True))
    counts = counted(listed, column)
    if name == "counted":
        return {word: counts[str(value)] for word, value in COUNTED.items() if str(value) in counts}
    return counts
