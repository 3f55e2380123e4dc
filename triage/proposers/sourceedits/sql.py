"""Edits of SQL inside of a server's source: names by its tables, operators, values, and conditions that are missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

import libcst as cst

from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.sqltext import Query, Schema, Token

MOST_EDITS = 40
"""Of one text."""
ALIKE = 0.6
LITERAL = re.compile(r"(?s)([A-Za-z]*)('''|\"\"\"|'|\")(.*)\2")
BOUNDS = {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<=")}
TURNED = {"=": "<>", "==": "<>", "<>": "=", "!=": "="}
SWAPPED = {
    "and": ("OR", 0.12),
    "or": ("AND", 0.18),
    "asc": ("DESC", 0.2),
    "desc": ("ASC", 0.2),
    "min": ("MAX", 0.15),
    "max": ("MIN", 0.15),
}

Text = cst.SimpleString | cst.FormattedStringText


@dataclass(frozen=True)
class Site:
    """A text of the source that holds SQL."""

    source: SourceCode
    node: Text
    query: Query
    before: str
    """What stands in its code before the SQL, and after it."""
    after: str

    def edited(
        self, start: int, end: int, sql: str, says: str, likelihood: float, authority: str = ""
    ) -> Edit:
        """With other SQL from `start` to `end`."""
        text = self.query.text
        code = f"{self.before}{text[:start]}{sql}{text[end:]}{self.after}"
        where = self.source.function(self.node)
        return Edit(
            self.source.replaced(self.node, code),
            where,
            self.source.line(self.node),
            f"{says} in the SQL of `{where}`" if where else f"{says} in the SQL",
            likelihood,
            authority,
        )

    def instead(self, token: Token, sql: str, likelihood: float, authority: str = "") -> Edit:
        """With other SQL in the place of a token."""
        says = f"Write `{sql}` instead of `{token.text}`"
        return self.edited(token.start, token.end, sql, says, likelihood, authority)


def sql(source: SourceCode) -> Iterator[Edit]:
    """Edits of the SQL in texts under suspicion."""
    known = Known.of(source)
    nodes: list[Text] = [
        *source.suspects(cst.SimpleString),
        *source.suspects(cst.FormattedStringText),
    ]
    for node in nodes:
        site = _site(source, node, known.schema)
        if site is not None:
            yield from islice(_edits(site, known), MOST_EDITS)


@dataclass(frozen=True)
class Known:
    """What all SQL of the server says."""

    schema: Schema
    conditions: Mapping[str, Counter[str]]
    """Table → how many statements on it have a comparison with a value, as it is written."""
    statements: Counter[str]
    """Table → how many statements are on it."""
    values: Mapping[tuple[str, str], frozenset[str]]
    """Table and column → texts that it is compared with, or may hold."""

    @classmethod
    def of(cls, source: SourceCode) -> Known:
        schema = Schema.of([source.text, *source.neighbours], source.domain)
        conditions: dict[str, Counter[str]] = {}
        statements: Counter[str] = Counter()
        values = {column: set(said) for column, said in schema.values.items()}
        for query in _queries([source.text, *source.neighbours], schema):
            told = {_spelled(said) for _, _, said in query.literals()}
            for table in query.tables[:1]:
                statements[table] += 1
                conditions.setdefault(table, Counter()).update(told)
                for at, last, _ in query.literals():
                    if query.tokens[last].kind == "text":
                        said = query.tokens[last].text[1:-1]
                        values.setdefault((table, query.tokens[at].name), set()).add(said)
        listed = {column: frozenset(said) for column, said in values.items()}
        return cls(schema, conditions, statements, listed)


def _queries(texts: Iterable[str], schema: Schema) -> Iterator[Query]:
    for text in texts:
        for said in re.findall(r"\"\"\"(.*?)\"\"\"|\"((?:[^\"\\\n]|\\.)*)\"", text, re.DOTALL):
            query = Query(said[0] or said[1], schema)
            if query.is_sql:
                yield query


def _spelled(said: str) -> str:
    return " ".join(said.split())


def _site(source: SourceCode, node: Text, schema: Schema) -> Site | None:
    code = source.code(node)
    if isinstance(node, cst.SimpleString):
        found = LITERAL.fullmatch(code)
        if found is None or isinstance(source.parent(node), cst.Expr):
            return None  # a docstring
        before, said = f"{found[1]}{found[2]}", found[3]
        site = Site(source, node, Query(said, schema), before, found[2])
    else:
        site = Site(source, node, Query(code, schema), "", "")
    return site if site.query.is_sql else None


def _edits(site: Site, known: Known) -> Iterator[Edit]:
    yield from _tables(site)
    yield from _columns(site)
    yield from _missing(site, known)
    yield from _unbounded(site)
    yield from _values(site, known)
    yield from _operators(site)
    yield from _words(site)
    yield from _superfluous(site)


def _tables(site: Site) -> Iterator[Edit]:
    """A table that there is, for one that is not."""
    tables = site.query.schema.tables
    for token in site.query.named:
        if tables and token.name not in tables:
            for name, alike in _closest(token.name, tables):
                yield site.instead(token, name, 0.5 + 0.4 * alike, f"CREATE TABLE {name}")


def _columns(site: Site) -> Iterator[Edit]:
    """A column that the tables have, for one that they have not; another of its sort, for one that they have."""
    query = site.query
    tables = [query.schema.tables[name] for name in query.tables]
    there = {column: said for table in tables for column, said in table.items()}
    for at, token in enumerate(query.tokens[:-1]):
        after = query.tokens[at + 1]
        if token.kind != "word" or not there:
            continue
        if token.name in there:
            sort = there[token.name]
            for other, said in there.items():
                if after.kind == "operator" and said == sort and _is_twin(token.name, other):
                    yield site.instead(token, other, 0.1)
        elif after.kind == "operator" and token.name not in query.schema.tables:
            for name, alike in _closest(token.name, there):
                yield site.instead(token, name, 0.45 + 0.4 * alike, f"the columns of {name}")


def _missing(site: Site, known: Known) -> Iterator[Edit]:
    """A comparison that most other statements on the table have."""
    query = site.query
    words = [token.name for token in query.tokens]
    if not query.tables or "where" not in words or "or" in words[query.condition :]:
        return
    table = query.tables[0]
    have = {_spelled(said) for _, _, said in query.literals()}
    columns = {query.tokens[at].name for at, _, _ in query.literals()}
    at = query.tokens[query.condition - 1].end
    for said, count in sorted(known.conditions.get(table, Counter()).items()):
        if said in have or Query(said, query.schema).tokens[0].name in columns:
            continue
        share = count / max(1, known.statements[table])
        authority = f"`{said}`, as {count} of {known.statements[table]} statements on {table} say"
        says = f"Ask for `{said}` too"
        yield site.edited(at, at, f" {said} AND", says, 0.15 + 0.4 * share, authority)


def _unbounded(site: Site) -> Iterator[Edit]:
    """A change of every row made one of the row with the key, where a value for that is at hand."""
    query = site.query
    words = [token.name for token in query.tokens]
    if not words or words[0] not in ("update", "delete") or "where" in words or not query.tables:
        return
    key = query.schema.key(query.tables[0])
    marks = [token.text for token in query.tokens if token.kind == "mark"]
    mark = "?" if _arguments(site) == len(marks) + 1 and set(marks) <= {"?"} else ""
    mark = mark or (f":{key}" if marks and marks[0].startswith(":") else "")
    if key and mark:
        end = len(query.text.rstrip().rstrip(";"))
        says = f"Change only the row with the `{key}` that is meant,"
        yield site.edited(end, end, f" WHERE {key} = {mark}", says, 0.75, f"PRIMARY KEY {key}")


def _arguments(site: Site) -> int:
    """How many values are given to the statement, where they stand beside it; else -1."""
    arg = site.source.parent(site.node)
    call = site.source.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or len(call.args) < 2:
        return -1
    given = call.args[1].value
    return len(given.elements) if isinstance(given, (cst.Tuple, cst.List)) else -1


def _values(site: Site, known: Known) -> Iterator[Edit]:
    """Another value that the column is known to have."""
    for at, last, _ in site.query.literals():
        token = site.query.tokens[last]
        if token.kind != "text":
            continue
        column = site.query.tokens[at].name
        tables = site.query.tables
        listed = site.query.schema.listed(tables, column)
        others = {said for name in tables for said in known.values.get((name, column), ())}
        odd = bool(listed) and token.text[1:-1] not in listed
        for said in sorted(listed if odd else others):
            if said != token.text[1:-1] and re.fullmatch(r"[\w .:-]+", said):
                authority = f"values of {column}: {', '.join(listed)[:120]}" if odd else ""
                yield site.instead(token, f"'{said}'", 0.6 if odd else 0.15, authority)


def _operators(site: Site) -> Iterator[Edit]:
    for token in site.query.tokens[site.query.condition :]:
        if token.kind != "operator":
            continue
        for number, other in enumerate(BOUNDS.get(token.text, ())):
            yield site.instead(token, other, 0.1 if number else 0.25)
        if token.text in TURNED:
            yield site.instead(token, TURNED[token.text], 0.1)


def _words(site: Site) -> Iterator[Edit]:
    """Words for their opposites."""
    query = site.query
    words = [token.name for token in query.tokens]
    for at, token in enumerate(query.tokens):
        after = words[at + 1 : at + 2]
        is_between = token.name == "and" and "between" in words[max(0, at - 3) : at]
        if token.kind != "word" or is_between:
            continue
        if token.name in SWAPPED and (token.name not in ("min", "max") or after == ["("]):
            yield site.instead(token, *SWAPPED[token.name])
        elif token.name == "not" and after and after[0] in ("exists", "null", "in", "like"):
            end = query.tokens[at + 1].start
            yield site.edited(token.start, end, "", f"Take out NOT before {after[0].upper()}", 0.15)
        elif token.name == "is" and after == ["null"]:
            yield site.edited(token.end, token.end, " NOT", "Say IS NOT NULL", 0.15)
        elif token.name in ("exists", "in", "like") and words[at - 1 : at] != ["not"] and at:
            yield site.edited(
                token.start, token.start, "NOT ", f"Say NOT {token.name.upper()}", 0.1
            )


def _superfluous(site: Site) -> Iterator[Edit]:
    """Without a comparison with a fixed value."""
    query = site.query
    for at, last, said in query.literals():
        before = query.tokens[at - 1] if at else None
        after = query.tokens[last + 1] if last + 1 < len(query.tokens) else None
        says = f"Do not ask for `{_spelled(said)}`"
        if before is not None and before.name == "and":
            yield site.edited(before.start, query.tokens[last].end, "", says, 0.06)
        elif after is not None and after.name == "and":
            yield site.edited(query.tokens[at].start, after.end + 1, "", says, 0.06)


def _closest(name: str, names: Iterable[str]) -> list[tuple[str, float]]:
    scored = [(each, SequenceMatcher(None, name[:64], each[:64]).ratio()) for each in names]
    good = [(each, score) for each, score in scored if score >= ALIKE]
    return sorted(good, key=lambda pair: (-pair[1], pair[0]))[:2]


def _is_twin(one: str, other: str) -> bool:
    """Whether two names are of as many words, and all but one are the same: `first_day`, `last_day`."""
    mine, others = one.split("_"), other.split("_")
    differing = sum(a != b for a, b in zip(mine, others, strict=False))
    return len(mine) == len(others) > 1 and differing == 1
