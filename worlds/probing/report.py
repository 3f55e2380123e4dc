"""What probing showed, as text and as JSON; and which environments of a folder are probed together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from worlds.bundle import Bundle
from worlds.counted import counted
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.probing.found import NotProbed, Probes
from worlds.toolserver_body import OutsideBody


def groups(folder: DomainFolder, specs: Iterable[EnvironmentSpec]) -> Iterator[dict[str, Bundle]]:
    """Environments of a domain by name, those that share rules and tool servers together; those with a server
    from outside are left out."""
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, Bundle]] = {}
    for spec in specs:
        if not any(_is_outside(folder, slug) for slug in spec.toolservers):
            group = found.setdefault((spec.rules, spec.toolservers), {})
            group[f"{folder.slug}/{spec.slug}"] = folder.bundle(spec)
    yield from found.values()


def outside(folder: DomainFolder, slugs: Iterable[str]) -> list[NotProbed]:
    """Which of the tool servers of a domain are left out."""
    return [
        NotProbed(name=slug, why="it is a tool server from outside")
        for slug in sorted(slugs)
        if _is_outside(folder, slug)
    ]


def _is_outside(folder: DomainFolder, server: str) -> bool:
    return isinstance(folder.toolservers[server].body, OutsideBody)


def document(
    domain: str, probes: Probes, toolservers: Sequence[str] = (), rules: Sequence[str] = ()
) -> dict[str, Any]:
    """`{tools, calls, not_probed, cut}` as plain JSON, every entry with its domain and the tool servers and rules of
    the environments that were probed together: `tools` has a line for each tool and clause, invariant, field of a
    schema or reference; `calls` how the calls of each tool ended."""
    group = {"domain": domain, "toolservers": list(toolservers), "rules": list(rules)}
    return {
        "tools": [
            {
                **group,
                "server": row.server,
                "tool": row.tool,
                row.kind: row.name,
                **row.model_dump(mode="json", exclude={"server", "tool", "kind", "name"}),
                "finding": row.is_finding,
            }
            for row in probes.rows
        ],
        "calls": [
            {**group, **each.model_dump(mode="json"), "observed": each.is_observed}
            for each in probes.tools
        ],
        "not_probed": [{**group, **each.model_dump()} for each in probes.not_probed],
        "cut": probes.cut,
    }


def joined(documents: list[dict[str, Any]]) -> dict[str, Any]:
    """Several of them as one."""
    lists = {
        name: [entry for each in documents for entry in each[name]]
        for name in ("tools", "calls", "not_probed")
    }
    return {**lists, "cut": any(each["cut"] for each in documents)}


def summary(document: Mapping[str, Any]) -> str:
    """What a reader must know beside the findings: failures, what nothing is known of, what is never a finding, and
    how much was done."""
    lines = [
        f"{each['tool']} fails: {each['failure']['message']}"
        for each in document["calls"]
        if each["failure"]
    ]
    lines += [
        f"{each['tool']}: unobserved: no call of it was carried out"
        for each in document["calls"]
        if not each["observed"]
    ]
    lines += _left_out(document)
    if document["cut"]:
        lines.append("the time ran out: another run may show more")
    ended = ("carried_out", "refused", "misfit", "stopped", "failed")
    calls = sum(each[name] for each in document["calls"] for name in ended)
    found = sum(each["finding"] for each in document["tools"])
    tools = counted(len(document["calls"]), "writing tool")
    return "\n".join([*lines, f"{tools}, {counted(calls, 'call')}: {counted(found, 'finding')}"])


def _left_out(document: Mapping[str, Any]) -> list[str]:
    """The clauses, invariants and servers of which nothing can come, those of one reason together."""
    named: dict[str, set[str]] = defaultdict(set)
    several = (
        len({each["domain"] for name in ("tools", "not_probed") for each in document[name]}) > 1
    )
    for each in document["not_probed"]:
        named[f"not probed, {each['why']}"].add(_named(each["domain"], each["name"], several))
    for each in document["tools"]:
        why = _never(each)
        if why:
            named[f"never a finding, {why}"].add(_named(each["domain"], each["clause"], several))
    return [f"{why}: {', '.join(sorted(names))}" for why, names in sorted(named.items())]


def _never(row: Mapping[str, Any]) -> str:
    """Why no tool is blamed for a clause, whatever it lets through; empty where it would be."""
    if row["enforce"] == "guard":
        return "a guard stops what breaks it"
    return f"no tool is told {' and '.join(row['unseen'])}" if row["unseen"] else ""


def _named(domain: str, name: str, several: bool) -> str:
    return f"{domain}/{name}" if several else name
