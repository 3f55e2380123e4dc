"""Observations for tests, made by hand and by chance."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from triage.observations import Location, Observation, Sign
from worlds.canonical import digest
from worlds.findings import CODES

SHARED = (("records", "desk"), ("domain", "domain"))
ROWS = [Location("records", "desk", f"notes/N{number}") for number in range(2)]
CLAUSE = Location("rule", "policy", "pending-only")


def tool(name: str, server: str = "pen") -> Location:
    """A function of a tool server."""
    return Location("toolserver", server, name)


def sign(code: str, kind: str, slug: str, symbol: str = "", **more: Any) -> Sign:
    """A sign that blames a place; its place is its symbol unless it is said."""
    said = {"place": symbol, "severity": "blocking", "message": f"{code} at {symbol}.", **more}
    print_ = digest([code, kind, slug, symbol])[:16]
    return Sign(code=code, kind=kind, slug=slug, symbol=symbol, fingerprint=print_, **said)


def misses(intent: str) -> Sign:
    """A plan that misses its goal: the finding blames the intent, whoever caused it."""
    return sign("plan-misses-goal", "intent", intent, "goal.require[0]")


def observation(
    number: int,
    signs: Sequence[Sign] = (),
    uses: Collection[Location] = (),
    *,
    intent: str = "",
    server: str = "pen",
    status: str = "",
    rules: Sequence[str] = (),
    **more: Any,
) -> Observation:
    """The check of environment `number`, of an intent of its own unless one is named."""
    slug = intent or f"intent-{number}"
    whole = {Location("intent", slug, each) for each in ("goal.require[0]", "plans.default")}
    return Observation(
        environment=number,
        check=1000 + number,
        status=status or ("broken" if signs else "solvable"),
        parts=(
            ("intent", slug),
            ("toolserver", server),
            *(("rule", rule) for rule in rules),
            *SHARED,
        ),
        signs=tuple(signs),
        exercised=frozenset({*whole, *uses}),
        **more,
    )


# By chance

PLACES = ["goal.require[0]", "goal.outcome", "plans.default", "slots.note", "user.1", "write"]


@st.composite
def _signs(draw: st.DrawFn, parts: Sequence[tuple[str, str]], number: int) -> Sign:
    kind, slug = draw(st.sampled_from([*parts, ("", "")]))
    evidence: Mapping[str, Any] = draw(
        st.sampled_from(
            [
                {},
                {"tool": "write"},
                {"clause": "policy/pending-only"},
                {"clauses": ["policy/pending-only", "other/one"]},
                {"volatile": "notes/*#seen"},
            ]
        )
    )
    return sign(
        draw(st.sampled_from([*CODES, "of-tomorrow"])),
        kind,
        slug,
        draw(st.sampled_from(PLACES)),
        evidence=evidence,
        finding=number,
    )


@st.composite
def rounds(draw: st.DrawFn) -> list[Observation]:
    """What a round may have observed: few parts, so that environments share them. Each sign has a number of its own."""
    found: list[Observation] = []
    for number in range(draw(st.integers(1, 7))):
        called, is_odd = draw(st.booleans()), draw(st.booleans())
        server = draw(st.sampled_from(["pen", "quill"]))
        rules = draw(st.sampled_from([(), ("policy",)]))
        uses = [*ROWS, tool("look", server), tool("write", server), *[CLAUSE][: len(rules)]]
        bare = observation(
            number,
            uses=draw(st.sets(st.sampled_from(uses))),
            intent=draw(st.sampled_from("abc")),
            server=server,
            status=draw(st.sampled_from(["solvable", "broken", "unproven"])),
            rules=rules,
            tools={"write": server} if called else {},
        )
        begin = 10 * (number + 1)
        signs = [draw(_signs(bare.parts, begin + each)) for each in range(draw(st.integers(0, 3)))]
        odd = {"write": "saves nothing"} if called and is_odd else {}
        found.append(Observation(**{**vars(bare), "signs": tuple(signs), "odd": odd}))
    return found
