"""What may stand in a suspect's place, to see whether failing environments pass without it.

Sound independently of what is to be shown: it works elsewhere, or follows from what stands around it. A neutral one is
none of that: it may clear a suspect, and confirms nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from agents.pinning import pin, planned_effect
from components.bundles import bundle, parsed_bodies
from components.models import Body, Component, Version
from triage.hypotheses import Hypothesis
from triage.planedits import with_known_arguments
from triage.proven import proven
from triage.recordedits import with_usual_values
from worlds import body
from worlds.bundle import Bodies, Manifest, Pin, Ref
from worlds.intent import Goal, Intent
from worlds.records import RecordsInvalid
from worlds.servers import ServerUnavailable
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.toolserver import ToolServer
from worlds.toolserver_body import AnyServerBody, ToolServerBody
from worlds.world import ASK_USER, World

PARENTS, SIBLINGS = 2, 1
"""How many of each are offered: every one costs a check of every environment."""

UNPLAYABLE = (RecordsInvalid, ServerUnavailable, TemplateInvalid, TemplateUnfilled)
"""Why nothing can be played in an environment as it would be: then nothing stands in there."""

Sort = Literal["parent", "sibling", "other-records", "minimal-edit", "neutral"]


@dataclass(frozen=True)
class Sources:
    """Where stand-ins may come from, beside edits and neutral ones."""

    parents: bool = True
    """Earlier versions."""
    siblings: bool = True
    """Other tool servers and records of the domain."""


@dataclass(frozen=True)
class Standin:
    """One body in a suspect's place."""

    sort: Sort
    says: str
    """What it is, to be read after “with”."""
    bodies: Bodies
    """As `triage.hypotheses.replaced` takes them; empty where nothing stands in its place."""
    slug: str
    """Under which it stands: another than the suspect's where it is another component."""
    manifests: Mapping[int, Manifest]
    """Environment → with it in place; those in which it cannot stand are not there."""
    version: Version | None = None
    """The stored version that it is, if it is one."""

    @property
    def is_neutral(self) -> bool:
        """Whether it may clear only, never confirm."""
        return self.sort == "neutral"

    def hypotheses(self, among: Sequence[Hypothesis]) -> list[Hypothesis]:
        """Those of the environments in which it can stand, with it in place."""
        placed = ((each, self.manifests.get(each.environment.pk)) for each in among)
        return [Hypothesis(each.environment, made) for each, made in placed if made is not None]


def standins(
    component: Component, environments: Sequence[Hypothesis], sources: Sources | None = None
) -> list[Standin]:
    """What may stand in a component's place in environments that fail as they are given, the best first: up to four,
    and a neutral one. Edits are stored as bodies. A neutral goal and other records play the plan of each environment;
    raises SandboxUnavailable then."""
    sources = sources or Sources()
    suspect = _Suspect(component, [each for each in environments if _uses(each, component)])
    if not suspect.environments:
        return []
    found: list[Standin] = []
    if sources.parents:
        found += islice(_parents(suspect), PARENTS)
    if sources.siblings:
        found += islice(_siblings(suspect), SIBLINGS)
    return [*found, *_edits(suspect), *_neutral(suspect)]


@dataclass(frozen=True)
class _Suspect:
    component: Component
    environments: Sequence[Hypothesis]

    @property
    def kind(self) -> body.Kind:
        return self.component.kind  # type: ignore[return-value]  # a CharField is str

    @property
    def slug(self) -> str:
        return self.component.slug

    @property
    def body(self) -> str:
        """What it says in these environments."""
        return _slot(self.environments[0].manifest, self.kind, self.slug)

    def standin(
        self,
        sort: Sort,
        says: str,
        ref: Ref | None,
        version: Version | None = None,
        fitted: Callable[[Manifest], Manifest | None] = lambda placed: placed,
    ) -> Iterator[Standin]:
        """One or none: where it can stand in no environment, there is none. `fitted` adjusts a manifest to it."""
        placed = {
            each.environment.pk: fitted(in_place(each.manifest, self.kind, self.slug, ref))
            for each in self.environments
        }
        manifests = {pk: made for pk, made in placed.items() if made is not None}
        bodies = {} if ref is None else {(self.kind, self.slug): ref.body}
        if manifests:
            slug = self.slug if ref is None else ref.slug
            yield Standin(sort, says, bodies, slug, manifests, version)


def in_place(manifest: Manifest, kind: body.Kind, slug: str, ref: Ref | None) -> Manifest:
    """The manifest with another component in a slot, or without that rule or tool server."""
    if kind in ("domain", "intent", "records"):
        return manifest.model_copy(update={kind: ref})
    name = f"{kind}s"
    refs = (ref if each.slug == slug else each for each in getattr(manifest, name))
    return manifest.model_copy(update={name: tuple(each for each in refs if each is not None)})


def _slot(manifest: Manifest, kind: body.Kind, slug: str) -> str:
    """The body of a component in a manifest; empty where it has no part in it."""
    named = (ref for each, ref in manifest.refs() if each == kind)
    return next((ref.body for ref in named if kind == "domain" or ref.slug == slug), "")


def _uses(each: Hypothesis, component: Component) -> bool:
    slug = component.slug
    return bool(_slot(each.manifest, component.kind, slug))  # type: ignore[arg-type]  # a CharField is str


# Earlier versions


def _parents(suspect: _Suspect) -> Iterator[Standin]:
    seen = {suspect.body}
    versions = list(suspect.component.versions.order_by("-number"))
    newest = max((each.number for each in versions if each.body_id == suspect.body), default=0)
    for version in versions:
        if version.number >= newest or version.body_id in seen:
            continue
        seen.add(version.body_id)
        if known := proven(suspect.component, version.body_id):
            ref = Ref(slug=_ref_slug(suspect), body=version.body_id)
            says = f"{suspect.slug} v{version.number}, {known}"
            yield from suspect.standin("parent", says, ref, version)


def _ref_slug(suspect: _Suspect) -> str:
    """A contract stands in manifests under the slug of its domain."""
    if suspect.kind == "domain":
        return suspect.environments[0].manifest.domain.slug
    return suspect.slug


# Other components of the domain


def _siblings(suspect: _Suspect) -> Iterator[Standin]:
    if suspect.kind not in ("toolserver", "records"):
        return
    others = Component.objects.filter(domain=suspect.component.domain_id, kind=suspect.kind)
    others = others.exclude(pk=suspect.component.pk).exclude(current=None)
    for other in others.select_related("current").order_by("slug"):
        assert other.current is not None  # noqa: S101  # excluded
        digest = other.current.body_id
        known = proven(other, digest) if digest != suspect.body else None
        if known is None:
            continue
        ref = Ref(slug=other.slug, body=digest)
        what = f"{other.slug} v{other.current.number} in place of {suspect.slug}, {known}"
        if suspect.kind == "records":
            yield from suspect.standin(
                "other-records", f"records {what}", ref, other.current, _bound_anew
            )
        else:
            yield from suspect.standin(
                "sibling", f"tool server {what}", ref, other.current, _is_planned_for(other.slug)
            )


def _bound_anew(manifest: Manifest) -> Manifest | None:
    """With rows chosen from the records that now stand there, and the effect that the plan has on those."""
    made = bundle(manifest)
    try:
        fresh = pin(made)
    except UNPLAYABLE:
        return None
    if fresh.binding.keys() != made.intent.slots.keys():
        return None
    return manifest.model_copy(update={"pin": fresh})


def _is_planned_for(slug: str) -> Callable[[Manifest], Manifest | None]:
    """Whether the intent knows a way with a tool server that now stands there."""

    def fitted(manifest: Manifest) -> Manifest | None:
        made = bundle(manifest)
        servers = {
            ref.slug: body for ref, body in zip(manifest.toolservers, made.toolservers, strict=True)
        }
        several = len(servers) < len(manifest.toolservers)  # it stands there already
        return None if several or not _has_way(slug, made.intent, servers) else manifest

    return fitted


def _has_way(slug: str, intent: Intent, servers: Mapping[str, AnyServerBody]) -> bool:
    key = next((name for name in (*servers, "default") if name in intent.plans), None)
    if key is None:
        return False
    if key == slug:
        return True
    known = [
        name
        for body in servers.values()
        if isinstance(body, ToolServerBody)
        for name in ToolServer.of(body).tools
    ]
    calls = {step.call for step in intent.plans[key] if step.call} - {ASK_USER}
    return len(known) == len(set(known)) and calls <= set(known)


# Edits that follow from what stands around


def _edits(suspect: _Suspect) -> Iterator[Standin]:
    if suspect.kind not in ("records", "intent"):
        return
    try:
        world = World(bundle(suspect.environments[0].manifest))
    except RecordsInvalid:
        return
    edited = _mended(world) if suspect.kind == "records" else _renamed(world)
    if edited is not None:
        said, changes = edited
        ref = Ref(slug=suspect.slug, body=_stored(said))
        says = f"{suspect.slug} with {', '.join(changes)}"
        yield from suspect.standin("minimal-edit", says, ref)


def _mended(world: World) -> tuple[body.Body, list[str]] | None:
    edited = with_usual_values(world)
    return None if edited is None else (edited[0], [str(each) for each in edited[1]])


def _renamed(world: World) -> tuple[body.Body, list[str]] | None:
    schemas: dict[str, Any] = {
        tool.name: tool.schema
        for each in world.bundle.toolservers
        if isinstance(each, ToolServerBody)
        for tool in ToolServer.of(each).tools.values()
    }
    refs = world.bundle.manifest.toolservers
    plans = world.bundle.intent.plans
    key = next((name for name in (*(ref.slug for ref in refs), "default") if name in plans), "")
    return with_known_arguments(world.bundle.intent, key, schemas)


def _stored(said: body.Body) -> str:
    row, _ = Body.objects.get_or_create(
        digest=said.digest, defaults={"kind": said.kind, "text": said.canonical()}
    )
    return row.digest


# Neutral ones


def _neutral(suspect: _Suspect) -> Iterator[Standin]:
    if suspect.kind == "rule":
        yield from suspect.standin("neutral", f"no rule {suspect.slug}", None)
    elif suspect.kind == "intent":
        yield from _goal_of_plan(suspect)


def _goal_of_plan(suspect: _Suspect) -> Iterator[Standin]:
    said = parsed_bodies({suspect.body: "intent"})[suspect.body]
    assert isinstance(said, Intent)  # noqa: S101  # its kind
    goal = Goal(outcome=said.goal.outcome, matches_plan=True)
    ref = Ref(slug=suspect.slug, body=_stored(said.model_copy(update={"goal": goal})))
    says = f"{suspect.slug} with what its plan leads to as the goal"
    yield from suspect.standin("neutral", says, ref, fitted=_with_effect)


def _with_effect(manifest: Manifest) -> Manifest | None:
    """With the effect of its plan pinned; None where there is none: whoever does nothing would meet the goal."""
    binding = manifest.pin.binding if manifest.pin is not None else {}
    placed = manifest.model_copy(update={"pin": Pin(binding=binding)})
    try:
        world = World(bundle(placed))
        is_playable = world.unbound is None and world.plan_key is not None
        effect = planned_effect(world) if is_playable else []
    except UNPLAYABLE:
        return None
    if not effect:
        return None
    return manifest.model_copy(update={"pin": Pin(binding=world.binding, effect=effect)})
