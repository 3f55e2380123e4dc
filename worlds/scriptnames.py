"""Tools and topics that the lines of a user's script wait for, and that are not there."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.cel_tree import Node, literal_text, parse, walk
from worlds.conditions import ConditionInvalid
from worlds.findings import Finding, finding
from worlds.intent import Line
from worlds.slots import shapes
from worlds.user import ASK_USER, plain_topic, when_condition
from worlds.world import World

OF_TOOLS = ("called", "refused")
ALWAYS_THERE = {ASK_USER, "finish"}


def script_findings(world: World) -> Iterator[Finding]:
    """One for each line whose `when` names tools or topics, and none that there is. Environments differ in their
    servers: a line may wait for several, and one that any plan of the intent calls is a tool of another server."""
    user = world.bundle.intent.user
    if user is None or any(server.problems for server in world.servers.values()):
        return
    topics = {plain_topic(each) for each in user.knows}
    planned = {step.call for plan in world.bundle.intent.plans.values() for step in plan}
    there = world.tools.keys() | ALWAYS_THERE | planned
    for number, line in enumerate(user.script):
        named = _names(world, line)
        tools = [name for kind, name in named if kind == "tool"]
        asked = [name for kind, name in named if kind == "topic"]
        if named and there.isdisjoint(tools) and topics.isdisjoint(map(plain_topic, asked)):
            yield _finding(world, f"user.script[{number}].when", tools, asked)


def _names(world: World, line: Line) -> list[tuple[str, str]]:
    """What a line's `when` names, each with its kind."""
    intent, domain = world.bundle.intent, world.bundle.domain
    try:
        when = when_condition(line, domain, shapes(intent, domain), intent.definitions(domain))
        return list(dict.fromkeys(_named(parse(when.text))))
    except ConditionInvalid:
        return []  # a finding of its own


def _named(tree: Node) -> Iterator[tuple[str, str]]:
    for node in walk(tree):
        if node.kind == "call" and len(node.parts) == 1:
            kind = "tool" if node.text in OF_TOOLS else "topic" if node.text == "asked" else ""
            literal = literal_text(node.parts[0])
            if kind and literal is not None:
                yield kind, literal
        elif node.kind == "chain" and node.operators == ("==",):
            yield from (("tool", name) for name in _compared(node))


def _compared(node: Node) -> Iterator[str]:
    """`each.tool == 'x'`, of an entry of the history."""
    literals = [literal_text(part) for part in node.parts]
    if any(part.kind == "field" and part.text == "tool" for part in node.parts):
        yield from (literal for literal in literals if literal is not None)


def _finding(world: World, place: str, tools: list[str], asked: list[str]) -> Finding:
    missing = [f"no tool {' or '.join(map(repr, tools))}"] if tools else []
    missing += [f"no topic {' or '.join(map(repr, asked))} that the user knows"] if asked else []
    return finding(
        "name-unknown",
        "intent",
        world.bundle.manifest.intent.slug,
        severity="warning",
        place=place,
        symbol=place,
        message=f"The line waits for what is not there: there is {', and '.join(missing)}.",
        evidence={"tools": tools, "topics": asked},
    )
