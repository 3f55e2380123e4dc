"""SQL inside of Python texts: tokens with their places, tables and columns as CREATE TABLE says them, statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from worlds.domain import Domain

MOST_TEXT = 20_000
"""Characters of one text that is looked at."""
TOKEN = re.compile(
    r"""(?P<blank>\s+|--[^\n]*)
    |(?P<text>'(?:[^'\\]|'')*')
    |(?P<quoted>\\?"[^"\\\n]*\\?"|`[^`]*`)
    |(?P<mark>\?\d*|[:@$][A-Za-z_]\w*|%s|%\(\w+\)s)
    |(?P<number>\d+(?:\.\d+)?)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<operator><>|!=|<=|>=|==|\|\||[<>=])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
STATEMENT = re.compile(
    r"\s*(?:SELECT\b.*\bFROM\b|INSERT\b.*\bINTO\b|REPLACE\s+INTO\b|UPDATE\s+\S+\s+SET\b|DELETE\s+FROM\b)",
    re.IGNORECASE | re.DOTALL,
)
CREATE = re.compile(
    r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"`]?(\w+)[\"`]?\s*\(", re.IGNORECASE
)
CONSTRAINTS = frozenset({"primary", "foreign", "unique", "check", "constraint"})
COMPARING = frozenset({"is", "in", "like", "between", "not", "glob"})
BEFORE_TABLE = frozenset({"from", "join", "into", "update"})
ALTERNATIVES = frozenset({"on", "set", "where"})


@dataclass(frozen=True)
class Token:
    """A piece of SQL and where it stands in its text."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def name(self) -> str:
        """As it is compared: in small letters, without quotes."""
        return self.text.strip('\\"`').lower() if self.kind in ("word", "quoted") else self.text


def tokens(text: str) -> list[Token]:
    """Without blanks and comments."""
    found = TOKEN.finditer(text[:MOST_TEXT])
    return [
        Token(each.lastgroup or "", each.group(), each.start())
        for each in found
        if each.lastgroup != "blank"
    ]


@dataclass(frozen=True)
class Schema:
    """Tables with their columns, and each column with how it is declared, in small letters."""

    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    values: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    """Table and column → texts that it may hold, where the contract lists them."""

    @classmethod
    def of(cls, texts: Iterable[str], domain: Domain) -> Schema:
        """As the CREATE TABLE of the texts say; tables that none creates as the contract has them."""
        found: dict[str, Mapping[str, str]] = {}
        for text in texts:
            for each in CREATE.finditer(text):
                found[each[1].lower()] = _columns(text[each.end() : each.end() + MOST_TEXT])
        values: dict[tuple[str, str], Sequence[str]] = {}
        for name, table in domain.tables.items():
            known = table.schema_.get("properties")
            fields = known if isinstance(known, Mapping) else {}
            found.setdefault(name.lower(), dict.fromkeys(map(str.lower, fields), ""))
            for column, said in fields.items():
                listed = said.get("enum") if isinstance(said, Mapping) else None
                if isinstance(listed, list):
                    values[name.lower(), column.lower()] = [
                        one for one in listed if isinstance(one, str)
                    ]
        return cls(found, values)

    @cached_property
    def columns(self) -> frozenset[str]:
        """Of all tables."""
        return frozenset(column for table in self.tables.values() for column in table)

    def listed(self, tables: Iterable[str], column: str) -> Sequence[str]:
        """The texts that a column of these tables may hold; none where a table that has it does not say."""
        of = [self.values.get((name, column)) for name in tables if column in self.tables[name]]
        said = [value for each in of for value in each or ()]
        return list(dict.fromkeys(said)) if of and None not in of else ()

    def key(self, table: str) -> str:
        """The primary key where one column is; else empty."""
        keys = [c for c, said in self.tables.get(table, {}).items() if "primary key" in said]
        return keys[0] if len(keys) == 1 else ""


def _columns(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    depth, piece = 0, list[Token]()
    for token in tokens(text):
        closes = token.text == ")" and not depth
        if closes or (token.text == "," and not depth):
            if piece and piece[0].kind in ("word", "quoted") and piece[0].name not in CONSTRAINTS:
                found[piece[0].name] = " ".join(one.name for one in piece[1:])
            piece = []
            if closes:
                break
        else:
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            piece.append(token)
    return found


@dataclass(frozen=True)
class Query:
    """A statement, or the piece of one that stands in a text: such as a condition."""

    text: str
    schema: Schema

    @cached_property
    def tokens(self) -> list[Token]:
        return tokens(self.text)

    @cached_property
    def is_sql(self) -> bool:
        """Whether it is a statement, or compares a column that there is with something."""
        if CREATE.search(self.text):
            return False
        return bool(STATEMENT.match(self.text)) or any(True for _ in self.compared())

    @cached_property
    def is_statement(self) -> bool:
        return bool(STATEMENT.match(self.text))

    @cached_property
    def named(self) -> list[Token]:
        """Where it names its tables."""
        return [
            token
            for before, token in zip(self.tokens, self.tokens[1:], strict=False)
            if before.name in BEFORE_TABLE
            and token.kind in ("word", "quoted")
            and token.name not in ALTERNATIVES
        ]

    @cached_property
    def tables(self) -> list[str]:
        """Those that it names; a piece that names none is of those that have all columns which it names."""
        known = [token.name for token in self.named if token.name in self.schema.tables]
        if known or self.named:
            return known
        used = {token.name for token in self.tokens if token.name in self.schema.columns}
        return [name for name, table in self.schema.tables.items() if used and used <= table.keys()]

    @cached_property
    def condition(self) -> int:
        """Index of the first token of its condition; of all of it, where it is a piece."""
        words = [token.name for token in self.tokens]
        if "where" in words:
            return words.index("where") + 1
        return len(words) if self.is_statement else 0

    def compared(self) -> Iterator[tuple[int, Token]]:
        """Each column, with its index, after which an operator stands."""
        for at, (token, after) in enumerate(zip(self.tokens, self.tokens[1:], strict=False)):
            if token.kind in ("word", "quoted") and token.name in self.schema.columns:
                is_word = after.text.isupper() and after.name in COMPARING  # else it is prose
                has_value = at + 2 < len(self.tokens) and self.tokens[at + 2].kind in (
                    "mark",
                    "text",
                    "number",
                    "word",
                    "quoted",
                )
                if is_word or (after.kind == "operator" and has_value):
                    yield at, token

    def literals(self) -> Iterator[tuple[int, int, str]]:
        """First and last index of each comparison with a value that stands in the text, or with NULL; and its text."""
        for at, _ in self.compared():
            last = self._last(at)
            if last and at >= self.condition:
                yield at, last, self.text[self.tokens[at].start : self.tokens[last].end]

    def _last(self, at: int) -> int:
        """Index of the last token of a comparison with a fixed value; 0 where it is none."""
        words = [token.name for token in self.tokens[at + 1 : at + 4]]
        if words == ["is", "not", "null"]:
            return at + 3
        if words[:2] == ["is", "null"]:
            return at + 2
        value = self.tokens[at + 2 : at + 3]
        is_fixed = bool(value) and value[0].kind in ("text", "number")
        return at + 2 if is_fixed and self.tokens[at + 1].kind == "operator" else 0
