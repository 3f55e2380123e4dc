"""Strategies for YAML values and whole domain folders, with text as wild as a file can hold."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from worlds.bundle import Pin
from worlds.canonical import normalised
from worlds.domain import Domain
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder, File
from worlds.intent import Intent
from worlds.librarywriter import settled
from worlds.recordset import Recordset
from worlds.rule import Rule
from worlds.toolserver_body import AnyServerBody, OutsideBody, ToolServerBody

anything = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", categories=("L", "N", "P", "S", "Z", "C"))
)
awkward = ["on", "12", "#", "- x", "a: b", " ", "\n", "\n\n", "\t", "{x}", "'", '"', "é", "|", "?"]
prose = st.lists(
    st.sampled_from([*awkward, "word", "a-long-word-that-fills-the-line"]), max_size=40
).map(" ".join)
lines = st.lists(
    st.sampled_from(["", "word", "two words", " indented", "# no comment"]), max_size=6
)
texts = st.one_of(anything, prose, lines.map("\n".join)).map(normalised)
"""Text in NFC, as bodies hold it once stored."""

numbers = st.one_of(
    st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
).map(normalised)
objects = st.dictionaries(texts, values, max_size=3)

slugs = st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True)
abouts = st.fixed_dictionaries(
    {}, optional={"title": texts, "notes": texts, "authority": st.just("given")}
)

domains = st.builds(
    lambda glossary: Domain.parse(
        {"tables": {"left": {"key": "id"}, "right": {"key": "id"}}, "glossary": glossary}
    ),
    st.dictionaries(texts, st.dictionaries(texts, texts, max_size=2), max_size=2),
)
intents = st.builds(
    lambda instruction, match, knows, require, args, free: Intent.parse(
        {
            "instruction": instruction,
            "user": {"knows": knows},
            "slots": {"it": {"table": "left", "match": match}},
            "goal": {"require": require},
            "plans": {"default": [{"call": "look", "args": args}, {"finish": {}}]},
            "open": free,
        }
    ),
    texts,
    objects,
    objects,
    st.lists(texts, max_size=3),
    objects,
    st.lists(texts, max_size=3),
)
rules = st.builds(
    lambda text, require: Rule.parse(
        {"text": text, "clauses": [{"id": "c", "quote": text, "on": "end", "require": require}]}
    ),
    texts,
    texts,
)
toolservers: st.SearchStrategy[AnyServerBody] = st.one_of(
    st.builds(
        lambda source: ToolServerBody(source=source),
        st.one_of(texts, st.just("# about:\n#   title: not an about block\n")).map(
            lambda text: text.replace("\r", "")
        ),
    ),
    st.builds(
        lambda server, hidden, result: OutsideBody(server=server, hidden=hidden, result=result),
        texts,
        objects,
        st.sampled_from(["", "/value"]),
    ),
)


@st.composite
def recordsets(draw: st.DrawFn) -> Recordset:
    """Records of the tables left and right."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for name in ("left", "right"):
        keys = draw(st.lists(texts.filter(bool), unique=True, max_size=3))
        tables[name] = [{**draw(objects), "id": key} for key in sorted(keys)]
    return Recordset.parse({"tables": tables})


def _files(bodies: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, File[Any]]]:
    named = st.dictionaries(slugs, st.tuples(bodies, abouts), min_size=1, max_size=2)
    return named.map(
        lambda drawn: {
            slug: File(slug, settled(body), about) for slug, (body, about) in drawn.items()
        }
    )


pins = st.builds(
    Pin,
    binding=st.dictionaries(texts, texts, max_size=2),
    effect=st.none() | st.lists(objects, max_size=2),
)


@st.composite
def folders(draw: st.DrawFn, slug: str = "wild") -> DomainFolder:
    """A folder that fits together, in the form that a reader gives: settled bodies, rows in key order."""
    folder = DomainFolder(
        slug,
        File("domain", settled(draw(domains)), draw(abouts)),
        intents=draw(_files(intents)),
        rules=draw(_files(rules)),
        records=draw(_files(recordsets())),
        toolservers=draw(_files(toolservers)),
    )
    one = [next(iter(shelf)) for shelf in (folder.intents, folder.records, folder.toolservers)]
    folder.environments = {
        "by-hand": EnvironmentSpec("by-hand", one[0], tuple(folder.rules), one[1], (one[2],), 3)
    }
    folder.compositions = {
        "all": {"intents": "*", "records": [one[1]], "toolservers": [[one[2]]], "seeds": [0, 2]}
    }
    folder.pins = {spec.slug: draw(pins) for spec in folder.all_environments()}
    return folder
