"""Writes YAML in one form: what `worlds.source.read_yaml` reads back as the same value, and people like to edit.

Short things stand on one line, long prose is folded, text of several lines is a literal block, and
whatever else could be misread is quoted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from worlds.source import WORDS

WIDTH = 100

PLAIN = re.compile(r"[^\W\d]([\w ./()'?!$%;+*&=<>-]*[\w./()'?!$%;+*&=<>-])?")
PLAIN_IN_BLOCK = re.compile(r"[^\W\d]([\w ./()'?!$%;+*&=<>,-]*[\w./()'?!$%;+*&=<>,-])?")
OLD_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
"""What readers of YAML 1.1 do not take for text."""
HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
NOT_IN_BLOCK = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def yaml_text(document: Mapping[str, Any]) -> str:
    """The text of a mapping of plain JSON, keys in the order given."""
    if not document:
        return "{}\n"
    return "".join(f"{line}\n" for line in _mapping(document, 0))


def _mapping(value: Mapping[str, Any], indent: int) -> Iterator[str]:
    pad = " " * indent
    for key, item in value.items():
        name = _key(key)
        if len(name) <= WIDTH:
            yield from _entry(f"{pad}{name}:", item, indent, split=indent == 0)
        else:
            yield f"{pad}? {name}"
            yield from _entry(f"{pad}:", item, indent)


def _sequence(value: list[Any], indent: int) -> Iterator[str]:
    for item in value:
        yield from _entry(f"{' ' * indent}-", item, indent)


def _entry(head: str, value: Any, indent: int, *, split: bool = False) -> Iterator[str]:
    """The lines of a key or dash and its value; `split` keeps containers in containers off one line."""
    if not isinstance(value, (dict, list)):
        yield from _scalar_lines(head, value, indent + 2)
        return
    if not value or (_is_simple(value) and not (split and _is_nested(value))):
        line = f"{head} {_flow(value)}"
        if len(line) <= WIDTH or not value:
            yield line
            return
    inner = _mapping(value, indent + 2) if isinstance(value, dict) else _sequence(value, indent + 2)
    if head.endswith("-"):  # the first key stands beside the dash
        yield f"{head} {next(inner).lstrip(' ')}"
    else:
        yield head
    yield from inner


def _is_simple(value: Any) -> bool:
    """Whether a value may stand on one line: no text in it has several."""
    if isinstance(value, dict):
        return all("\n" not in key and _is_simple(item) for key, item in value.items())
    if isinstance(value, list):
        return all(_is_simple(item) for item in value)
    return not (isinstance(value, str) and "\n" in value)


def _is_nested(value: dict[str, Any] | list[Any]) -> bool:
    if isinstance(value, dict):
        return True
    return any(isinstance(item, (dict, list)) for item in value)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)}: {_flow(item)}" for key, item in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return _scalar(value, PLAIN)


def _scalar(value: Any, plain: re.Pattern[str]) -> str:
    if not isinstance(value, str):
        return json.dumps(value, allow_nan=False)
    is_word = value.lower() in OLD_WORDS or value in WORDS
    return value if plain.fullmatch(value) and not is_word else _quoted(value)


def _key(key: str) -> str:
    return key if PLAIN.fullmatch(key) and key not in WORDS else _quoted(key)


def _quoted(text: str) -> str:
    escaped = json.dumps(text, ensure_ascii=False)
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped)


def _scalar_lines(head: str, value: Any, indent: int) -> Iterator[str]:
    line = f"{head} {_scalar(value, PLAIN_IN_BLOCK)}"
    if not isinstance(value, str) or ("\n" not in value and len(line) <= WIDTH):
        yield line
    elif _is_foldable(value):
        yield f"{head} {'>' if value.endswith(chr(10)) else '>-'}"
        yield from _folded(value.removesuffix("\n"), " " * indent)
    elif _is_literal(value):
        body = value.rstrip("\n")
        ends = len(value) - len(body)
        yield f"{head} |{'-' if ends == 0 else '+' if ends > 1 else ''}"
        lines = [*body.split("\n"), *[""] * (ends - 1)]
        yield from (f"{' ' * indent}{line}" if line else "" for line in lines)
    else:
        yield line


def _is_literal(text: str) -> bool:
    """Whether a literal block gives exactly this text, in any editor."""
    lines = text.split("\n")
    return (
        not NOT_IN_BLOCK.search(text)
        and bool(lines[0])
        and not lines[0].startswith(" ")
        and not any(line.endswith(" ") for line in lines)
    )


def _is_foldable(text: str) -> bool:
    line = text.removesuffix("\n")
    return "\n" not in line and _is_literal(text) and " " in line


def _folded(text: str, pad: str) -> Iterator[str]:
    """`text` broken at single spaces: only those come back as they were."""
    line = ""
    for word in re.split(r"(?<=[^ ]) (?=[^ ])", text):
        if line and len(pad) + len(line) + 1 + len(word) > WIDTH:
            yield pad + line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield pad + line
