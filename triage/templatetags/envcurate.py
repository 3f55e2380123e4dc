"""What templates say the same way everywhere: kinds, statuses, times, shares, places, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django import template
from django.template.context import RequestContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from agents import FLOOR
from components.models import Component, Domain, Environment
from triage.models import Finding
from triage.pages import identity, place
from triage.pages.address import Address
from triage.pages.episode import FieldChange
from triage.pages.history import Tally
from triage.pages.rounds import at_work
from worlds.findings import CODES

register = template.Library()

LOOKS = {
    "kind": identity.KINDS,
    "status": identity.STATUSES,
    "state": identity.STATES,
    "severity": identity.SEVERITIES,
    "fault": identity.FAULTS,
    "suspicion": identity.SUSPICIONS,
    "outcome": identity.OUTCOMES,
    "verdict": identity.VERDICTS,
    "proposal": identity.PROPOSALS,
    "move": identity.MOVES,
    "fate": identity.FATES,
}
ONE_LINE = 88
MINUTE, HOUR, DAY = 60, 3600, 86400


@register.simple_tag
def badge(sort: str, name: str | None, *, word: bool = True) -> SafeString:
    """The sign of a name of one of `LOOKS`, with its word (or that for those who listen)."""
    look = identity.look(LOOKS[sort], str(name or "unverified"))
    css = "badge__word" if word else "unseen"
    return format_html(
        '<span class="badge {}-{}"><span class="badge__sign" aria-hidden="true">{}</span>'
        '<span class="{}">{}</span></span>',
        sort,
        name or "unverified",
        look.sign,
        css,
        look.word,
    )


@register.simple_tag
def sign(sort: str, name: str) -> SafeString:
    """The bare sign, where the word stands beside it anyway."""
    look = identity.look(LOOKS[sort], name)
    return format_html(
        '<span class="badge__sign {}-{}" aria-hidden="true">{}</span>', sort, name, look.sign
    )


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """`12 min ago`, exact on hover."""
    if moment is None:
        return "–"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        moment.strftime("%Y-%m-%d %H:%M:%S UTC"),
        since(max(0.0, (timezone.now() - moment).total_seconds()), moment),
    )


def since(seconds: float, moment: datetime) -> str:
    """How long ago, in the unit that a person would use; a date after a month."""
    if seconds < MINUTE:
        return "just now"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min ago"
    if seconds < 2 * DAY:
        return f"{seconds // HOUR:.0f} h ago"
    return f"{seconds // DAY:.0f} d ago" if seconds < 31 * DAY else moment.strftime("%Y-%m-%d")


@register.filter
def span(seconds: float | str | None) -> str:
    """A length of time: `80 ms`, `3.2 s`, `4 min 10 s`; a dash for None or what is not there."""
    if not isinstance(seconds, (int, float)):
        return "–"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), MINUTE)
    return (
        f"{minutes} min {rest} s" if minutes < MINUTE else f"{minutes // 60} h {minutes % 60} min"
    )


@register.filter
def percent(share: float | None) -> str:
    """`71.6%`; a dash where there is no share, and never 100% or 0% by rounding."""
    if share is None:
        return "–"
    if share in (0, 1):
        return f"{share:.0%}"
    return f"{min(max(share * 100, 0.1), 99.9):.1f}%"


@register.filter
def roughly(share: float) -> str:
    """`72%`: of what is a guess no more is said; never 100% or 0% by rounding."""
    return f"{share:.0%}" if share in (0, 1) else f"{min(max(share, 0.01), 0.99):.0%}"


@register.filter
def share(part: float, whole: float) -> str:
    """`part` of `whole` as a length for SVG."""
    return f"{100 * part / whole:.2f}%" if whole else "0%"


@register.simple_tag
def stack(counts: list[tuple[str, int]]) -> list[tuple[str, int, str, str]]:
    """Pieces of a bar: name, number, where it begins and how long it is."""
    whole = sum(number for _, number in counts)
    pieces, done = [], 0
    for name, number in counts:
        if number:
            pieces.append((name, number, share(done, whole), share(number, whole)))
        done += number
    return pieces


@register.filter
def pretty(value: Any) -> str:
    """JSON for people: text as it is; the rest indented, what fits a line on one."""
    return value if isinstance(value, str) else _laid_out(value, "")


def _laid_out(value: Any, margin: str) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, (dict, list)) or len(line) + len(margin) <= ONE_LINE:
        return line
    inner = f"{margin}  "
    if isinstance(value, list):
        items = [_laid_out(item, inner) for item in value]
        return f"[\n{inner}" + f",\n{inner}".join(items) + f"\n{margin}]"
    items = [
        f"{json.dumps(key, ensure_ascii=False)}: {_laid_out(item, inner)}"
        for key, item in value.items()
    ]
    return f"{{\n{inner}" + f",\n{inner}".join(items) + f"\n{margin}}}"


@register.filter
def compact(value: Any) -> str:
    """JSON on one line: text as it is."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


@register.filter
def is_long(text: str) -> bool:
    """Whether text is folded until someone asks for it."""
    return len(text) > 1200 or text.count("\n") > 24


@register.filter
def has_long(field: FieldChange) -> bool:
    """Whether a side of a change is long: then both are folded, to be looked at together."""
    return any(is_long(pretty(side)) for side in field.sides.values())


@register.filter
def get(mapping: Mapping[Any, Any] | None, key: Any) -> Any:
    """`mapping[key]`, or nothing."""
    return mapping.get(key) if mapping else None


@register.filter
def by_fate(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """What became of candidates, those that came furthest first."""
    return [(fate, counts[fate]) for fate in identity.FATES if counts.get(fate)]


@register.filter
def meaning(code: str) -> str:
    """What a finding's code means, in a sentence."""
    return (
        CODES[code].meaning if code in CODES else "This code is not in the table of this version."
    )


@register.filter
def environment_url(environment: Environment) -> str:
    return reverse("environment", args=[environment.domain.slug, environment.slug])


@register.simple_tag
def sheet(here: Address, total: int, name: str = "", what: str = "The list") -> SafeString | str:
    """The link to a list of `total` rows as CSV; nothing where there is none."""
    if not total:
        return ""
    return format_html(
        '<a class="csv" href="{}" download data-sheet="{}" data-rows="{}" title="{} as CSV, the whole of it" '
        'aria-label="{} as CSV">CSV</a>',
        here.sheet(name),
        name,
        total,
        what,
        what,
    )


@register.simple_tag
def component_url(component: Component, version: int | None = None) -> str:
    return place.component_url(component, version)


@register.simple_tag
def place_url(component: Component, where: str, version: int | None = None) -> str:
    return place.place_url(component, where, version)


@register.simple_tag
def finding_url(finding: Finding) -> str:
    return place.finding_url(finding)


@register.simple_tag
def clause_url(domain: Domain, clause: str) -> str:
    return place.clause_url(domain, clause)


@register.filter
def name_in_list(component: Component) -> str:
    """How lists of environments filter by a component."""
    return f"{component.domain.slug}/{component.kind}/{component.slug}"


@register.inclusion_tag("parts/running.html", takes_context=True)
def running_rounds(context: RequestContext) -> dict[str, Any]:
    """The rounds at work."""
    return {"running": at_work(context["request"].user)}


@register.simple_tag
def codes_of(findings: Iterable[Finding], address: Address) -> list[tuple[str, str, bool]]:
    """Each code once with its severity and whether it counts: what the list at `address` asks for first, then what
    counts, then the worst."""
    order, asked = list(identity.SEVERITIES), address.all("code")
    found = {(one.code, one.weight, one.is_counted) for one in findings}
    found -= {(code, weight, False) for code, weight, is_counted in found if is_counted}
    return sorted(
        found, key=lambda one: (one[0] not in asked, not one[2], order.index(one[1]), one[0])
    )


@register.filter
def blamed(findings: Iterable[Finding] | None) -> list[Component]:
    """Each component that findings blame, once."""
    found = {one.component_id: one.component for one in findings or () if one.component}
    return list(found.values())


@register.filter
def where_code(address: Address, code: str) -> str:
    """The list at `address`, of what has a finding of `code`."""
    return address.where("code", code)


@register.filter
def triers(panel: Iterable[str]) -> list[str]:
    """The agents of a panel that try; the others are the floor."""
    return [agent for agent in panel if agent not in FLOOR]


@register.filter
def floor_of(tally: Tally, panel: list[str]) -> float | None:
    """The best share that an agent solved which does not try."""
    return tally.floor(panel)


@register.filter
def rate_of(tally: Tally, agent: str) -> float | None:
    """The share that an agent solved."""
    return tally.rate(agent)


@register.filter
def pairs(mapping: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """`mapping.items()`; in a template, `.items` would be the value of a key of that name."""
    return list(mapping.items())
