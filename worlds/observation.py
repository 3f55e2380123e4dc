"""What a check cannot see in a world, and why: shown beside its result, never passed over."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.body import Part
from worlds.outside import OutsideServer
from worlds.world import World


class Unobserved(Part):
    """Something that a check looks at elsewhere and cannot look at here."""

    what: str
    why: str


def unobserved(world: World) -> list[Unobserved]:
    """All that the world's tool servers hide; nothing where all are our own."""
    return [
        item
        for slug, server in world.servers.items()
        if isinstance(server, OutsideServer)
        for item in _hidden(world, slug, server)
    ]


def _hidden(world: World, slug: str, server: OutsideServer) -> Iterator[Unobserved]:
    reads = "its reads happen outside: of the rows, only those that it changes are known"
    yield Unobserved(what=f"rows that {slug} reads", why=reads)
    if not server.settings.capabilities["snapshot"]:
        why = f"the state of {server.name!r} cannot be put back: nothing can be tried in it"
        yield Unobserved(what=f"ways to the goal through {slug}", why=why)
    if not server.settings.capabilities["diff"]:
        why = f"the settings of {server.name!r} do not say how its state is read"
        yield Unobserved(what=f"whether {slug} begins with the records", why=why)
        if world.judges_state:
            yield Unobserved(what="the goal: what asks for the final state", why=why)
        if world.clauses.watch_writes:
            yield Unobserved(what="clauses on writes", why=why)
    elif world.clauses.guard_writes and not server.settings.capabilities["snapshot"]:
        why = f"the state of {server.name!r} cannot be written: what a guard stops stays written"
        yield Unobserved(what="guards on writes", why=why)
