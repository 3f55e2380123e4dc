"""Patches: unified diffs of the text files of an outside tool server's source, parsed strictly and applied exactly.

What fits elsewhere than where it says, or nearly, does not fit: a patch is code that somebody else wrote, and what was
tried must be what is read. Nothing here touches a disk (`worlds.patchedcopy` does).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff

MOST_CHARACTERS = 200_000
"""Of a patch."""
MOST_FILES = 20
MOST_FILE = 1_000_000
"""Characters of a file that is patched, before and after."""
SUFFIXES = frozenset({".py", ".pyi", ".sql", ".json", ".toml", ".yaml", ".yml", ".txt", ".md"})
"""Of files that may be patched: text that people write."""

NOWHERE = "/dev/null"
UNENDED = "\\ No newline at end of file"
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_+-]*(\.[A-Za-z0-9_+-]+)*")
"""Of a path. Nothing hidden, which is no part of a server's identity, nor what git would have to quote."""
PLACE = re.compile(r"@@ -(\d{1,7})(?:,(\d{1,7}))? \+(\d{1,7})(?:,(\d{1,7}))? @@(?: .*)?")

Texts = Mapping[str, str]
"""Path, from the source folder, → text."""


class PatchInvalid(ValueError):
    """A text that is no patch, or one that does not fit what it is to be applied to."""


@dataclass(frozen=True)
class Hunk:
    """Lines of a file, with their newlines, that become others."""

    start: int
    """Lines that stand before it, as the file was."""
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class FilePatch:
    """What becomes of one file."""

    path: str
    is_new: bool
    is_gone: bool
    hunks: tuple[Hunk, ...]

    def applied(self, text: str | None) -> str | None:
        """The file's text afterwards; None = there is no such file. Raises PatchInvalid."""
        if (text is None) is not self.is_new:
            there = "is not there" if text is None else "is there already"
            raise PatchInvalid(f"{self.path} {there}")
        made = self._spliced(_lines(text or ""))
        if self.is_gone and made:
            raise PatchInvalid(f"{self.path} would be deleted, and holds more than the patch knows")
        return None if self.is_gone else made

    def _spliced(self, lines: Sequence[str]) -> str:
        made: list[str] = []
        done = 0
        for hunk in self.hunks:
            end = hunk.start + len(hunk.before)
            if tuple(lines[hunk.start : end]) != hunk.before:
                raise PatchInvalid(f"{self.path} says something else from line {hunk.start + 1} on")
            made += [*lines[done : hunk.start], *hunk.after]
            done = end
        text = "".join([*made, *lines[done:]])
        if any(not line.endswith("\n") for line in [*made, *lines[done:]][:-1]):
            raise PatchInvalid(f"{self.path} would have a line that does not end")
        if len(text) > MOST_FILE:
            raise PatchInvalid(f"{self.path} would have {len(text)} characters, over {MOST_FILE}")
        return text


@dataclass(frozen=True)
class Patch:
    """A unified diff whose paths begin with `a/` and `b/`, by path."""

    files: tuple[FilePatch, ...]

    @classmethod
    def parse(cls, text: str) -> Patch:
        """Raises PatchInvalid, with the line."""
        if len(text) > MOST_CHARACTERS:
            raise PatchInvalid(f"{len(text)} characters are too many: at most {MOST_CHARACTERS}")
        if "\x00" in text or not text.endswith("\n"):
            raise PatchInvalid("a patch is text whose last line ends")
        return cls(tuple(_Reader(text[:-1].split("\n")).files()))

    @property
    def paths(self) -> list[str]:
        """Of the files that it changes."""
        return [each.path for each in self.files]

    def applied(self, texts: Texts) -> dict[str, str]:
        """The texts afterwards; those that it does not touch stay. Raises PatchInvalid."""
        found = {each.path: each.applied(texts.get(each.path)) for each in self.files}
        made = {**texts, **found}
        return {path: text for path, text in made.items() if text is not None}


def patch_of(before: Texts, after: Texts) -> str:
    """The patch that makes `after` of `before`; empty where they say the same. Raises PatchInvalid where that cannot
    be said as a patch: odd names, empty files that come or go, text that a store would not give back as it is."""
    paths = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    if not paths:
        return ""
    text = "".join(_diff(path, before.get(path), after.get(path)) for path in paths)
    if unicodedata.normalize("NFC", text) != text:
        raise PatchInvalid("it holds characters that are written in more than one way (not NFC)")
    if Patch.parse(text).applied(before) != dict(after):
        raise PatchInvalid("it cannot be said as a unified diff")
    return text


def _diff(path: str, before: str | None, after: str | None) -> str:
    one = NOWHERE if before is None else f"a/{path}"
    other = NOWHERE if after is None else f"b/{path}"
    told = unified_diff(_lines(before or ""), _lines(after or ""), one, other)
    return "".join(line if line.endswith("\n") else f"{line}\n{UNENDED}\n" for line in told)


def _lines(text: str) -> list[str]:
    """Its lines with their newlines; no other character ends one."""
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


class _Reader:
    """Reads a patch line by line; any line that is not expected where it stands is refused."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.at = 0

    def files(self) -> Iterator[FilePatch]:
        seen: set[str] = set()
        while self.at < len(self.lines):
            found = self._file()
            if found.path in seen:
                raise self._wrong(f"{found.path} is patched twice")
            seen.add(found.path)
            if len(seen) > MOST_FILES:
                raise self._wrong(f"more than {MOST_FILES} files are patched")
            yield found

    def _file(self) -> FilePatch:
        before, after = self._name("--- ", "a/"), self._name("+++ ", "b/")
        path = before or after
        if path is None or (before and after and before != after):
            raise self._wrong("a patch changes a file, makes one or deletes one, and renames none")
        hunks: list[Hunk] = []
        while (hunk := self._hunk(hunks)) is not None:
            hunks.append(hunk)
        made = FilePatch(path, before is None, after is None, tuple(hunks))
        if not hunks or (made.is_new and hunks[0].before) or (made.is_gone and hunks[0].after):
            raise self._wrong(f"nothing that can be done is said of {path}")
        return made

    def _name(self, mark: str, prefix: str) -> str | None:
        line = self._next()
        if not line.startswith(mark):
            raise self._wrong(f"{mark.strip()!r} and a path are expected, not {line!r:.60}")
        name = line.removeprefix(mark)
        if name == NOWHERE:
            return None
        path = name.removeprefix(prefix)
        if path == name or not is_patchable(path):
            raise self._wrong(f"{name!r:.80} is no text file of the source folder")
        return path

    def _hunk(self, before: Sequence[Hunk]) -> Hunk | None:
        if self.at >= len(self.lines) or not self.lines[self.at].startswith("@@ "):
            return None
        found = PLACE.fullmatch(self._next())
        if found is None:
            raise self._wrong("this says no place such as '@@ -1,2 +1,3 @@'")
        olds, news = (int(each or 1) if each != "0" else 0 for each in found.group(2, 4))
        old, new = self._body(olds, news)
        hunk = Hunk(int(found[1]) - bool(olds), old, new)
        done = before[-1].start + len(before[-1].before) if before else 0
        grown = sum(len(each.after) - len(each.before) for each in before)
        if hunk.start < done or int(found[3]) - bool(news) != hunk.start + grown:
            raise self._wrong("the hunk does not stand where it says")
        return hunk

    def _body(self, olds: int, news: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        sides: dict[str, list[str]] = {"-": [], "+": []}
        while len(sides["-"]) < olds or len(sides["+"]) < news:
            line = self._next()
            sign, said = line[:1], line[1:]
            if sign not in ("-", "+", " "):
                raise self._wrong(f"a line begins with a space, - or +, not as {line!r:.60}")
            ended = "\n"
            if self.at < len(self.lines) and self.lines[self.at] == UNENDED:
                self.at, ended = self.at + 1, ""
            for side in "-+" if sign == " " else sign:
                sides[side].append(said + ended)
        if len(sides["-"]) != olds or len(sides["+"]) != news or sides["-"] == sides["+"]:
            raise self._wrong("the hunk has other lines than it says")
        return tuple(sides["-"]), tuple(sides["+"])

    def _next(self) -> str:
        if self.at >= len(self.lines):
            raise self._wrong("it ends in the middle")
        self.at += 1
        return self.lines[self.at - 1]

    def _wrong(self, message: str) -> PatchInvalid:
        return PatchInvalid(f"patch, line {self.at}: {message}")


def is_patchable(path: str) -> bool:
    """Whether a patch may name this path."""
    parts = path.split("/")
    plain = all(PART.fullmatch(part) and part != "__pycache__" for part in parts)
    return plain and len(path) <= 200 and any(path.endswith(suffix) for suffix in SUFFIXES)
