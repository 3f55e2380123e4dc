"""What attribution wants to know of a check beside its findings: what took part in the reference's attempt, and what
was odd about the calls in it. Worked out from the stored episode, once a result; no tool runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from triage.exercised import exercised
from triage.observations import Location
from worlds.canonical import canonical
from worlds.step import Episode, Step
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody
from worlds.world import World

SAVES_NOTHING = "answers success and saves nothing"
WRITES_TWICE = "writes the same row twice"
NAMED_OTHERWISE = "names an argument otherwise than its neighbours do"


@dataclass(frozen=True)
class Facts:
    """Of one result; as JSON in `triage.models.Result.facts`."""

    exercised: frozenset[Location] = frozenset()
    tools: Mapping[str, str] = field(default_factory=dict)
    """Tool → slug of the server that offers it, of those that the reference called."""
    odd: Mapping[str, str] = field(default_factory=dict)
    """Tool → what is odd about a call of it, in words that follow its name."""

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "exercised": sorted(self.exercised),
            "tools": dict(self.tools),
            "odd": dict(self.odd),
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Facts:
        """From what `document` gave."""
        locations = frozenset(Location(*each) for each in document["exercised"])
        return cls(locations, document["tools"], document["odd"])


def facts(world: World, reference: Episode | None) -> Facts:
    """Of a check's world and the reference's episode in it."""
    steps = [] if reference is None else [step for step in reference.steps if step.kind == "call"]
    owners = _owners(world)
    return Facts(
        exercised=frozenset({*exercised(world, reference), *_plan(world)}),
        tools={tool: owners[tool] for step in steps if (tool := step.tool) in owners},
        odd=dict(odd for step in reversed(steps) if (odd := _odd(world, step))),
    )


def _owners(world: World) -> dict[str, str]:
    """Tool → slug of its server, of those whose source is at hand: no server from outside is started for this."""
    return {tool: slug for slug, server in _sources(world) for tool in server.tools}


def _sources(world: World) -> list[tuple[str, ToolServer]]:
    pairs = zip(world.bundle.manifest.toolservers, world.bundle.toolservers, strict=True)
    return [
        (ref.slug, ToolServer.of(body)) for ref, body in pairs if isinstance(body, ToolServerBody)
    ]


def _plan(world: World) -> Iterator[Location]:
    """The plan that is followed here: an intent may have one for each tool server."""
    if world.plan_key is not None:
        yield Location("intent", world.bundle.manifest.intent.slug, f"plans.{world.plan_key}")


def _odd(world: World, step: Step) -> tuple[str, str] | None:
    server = next((each for _, each in _sources(world) if step.tool in each.tools), None)
    if server is None:
        return None
    if step.status == "invalid":
        return (step.tool, NAMED_OTHERWISE) if _is_misnamed(server, step) else None
    if step.status != "ok" or not server.tools[step.tool].known_to_write:
        return None
    if not step.changes:
        return step.tool, SAVES_NOTHING
    return (step.tool, WRITES_TWICE) if _has_twins(step) else None


def _has_twins(step: Step) -> bool:
    """Whether it made two rows of one table that differ in nothing but their keys."""
    made = [change for change in step.changes if change["op"] == "insert"]
    bodies = {canonical([change["table"], _without_key(change)]) for change in made}
    return len(bodies) < len(made)


def _without_key(change: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in change["row"].items() if value != change["key"]}


def _is_misnamed(server: ToolServer, step: Step) -> bool:
    """Whether the tool lacks an argument that the call gives and that its neighbours take by that name, while what it
    takes instead none of them does."""
    arguments = {
        name: set(tool.schema.get("properties", {})) for name, tool in server.tools.items()
    }
    takes = arguments.pop(step.tool)
    common = set().union(*arguments.values())
    return bool((set(step.args) - takes) & common) and not (takes - set(step.args)) <= common
