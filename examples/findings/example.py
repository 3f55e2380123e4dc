"""One example: an edit of the sound domain, and what a check of the edited one reports."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from worlds import servers
from worlds.commands.check import checked, records_at_rest
from worlds.commands.chosen import choose
from worlds.findings import CODES, Code, Finding
from worlds.library import read
from worlds.locator import Locator
from worlds.report import Reported, as_text, gathered
from worlds.servers import Servers

HERE = Path(__file__).parent
SOUND = HERE / "sound"
CODES_FOLDER = HERE / "codes"
DRAWN = re.compile(r"\b[0-9a-f]{16}\b")
SERVERS = HERE / "tool_servers.yaml"


@dataclass(frozen=True)
class Edit:
    """Words of a file that stand there once, and what takes their place. A file that there is not is made."""

    file: str
    old: str
    new: str

    def made(self, text: str) -> str:
        """The text after the edit; raises ValueError where the words stand not once."""
        if text.count(self.old) != 1 and self.old:
            raise ValueError(f"{self.file} has {text.count(self.old)} times, not once: {self.old}")
        return text.replace(self.old, self.new) if self.old else self.new


@dataclass(frozen=True)
class Example:
    """How a code comes about."""

    code: str
    culprit: str
    """Which component it usually is, and by what mistake."""
    repair: str
    edits: tuple[Edit, ...]

    @classmethod
    @cache
    def of(cls, code: str) -> Example:
        """The example of a code, made once; raises FileNotFoundError."""
        said: dict[str, Any] = yaml.safe_load((CODES_FOLDER / f"{code}.yaml").read_text())
        edits = tuple(
            Edit(each["file"], each.get("old", ""), each["new"]) for each in said["edits"]
        )
        return cls(code, said["culprit"].strip(), said["repair"].strip(), edits)

    @property
    def spec(self) -> Code:
        """What the table of codes says."""
        return CODES[self.code]

    def diff(self) -> str:
        """The edits as a unified diff without its head, one file after another."""
        files = dict.fromkeys(edit.file for edit in self.edits)
        return "\n".join(self._diff(file) for file in files)

    def _diff(self, file: str) -> str:
        before = (SOUND / file).read_text() if (SOUND / file).exists() else ""
        lines = unified_diff(
            before.splitlines(), self._edited(file, before).splitlines(), n=1, lineterm=""
        )
        return "\n".join(
            [f"# {file}", *(line for line in list(lines)[2:] if not line.startswith("@@"))]
        )

    def _edited(self, file: str, text: str) -> str:
        for edit in self.edits:
            text = edit.made(text) if edit.file == file else text
        return text

    def lay_out(self, folder: Path) -> None:
        """Write the edited domain to a folder that there is not yet."""
        shutil.copytree(SOUND, folder)
        for file in dict.fromkeys(edit.file for edit in self.edits):
            path = folder / file
            path.write_text(self._edited(file, path.read_text() if path.exists() else ""))

    @cached_property
    def findings(self) -> list[Reported]:
        """What `python -m worlds check` reports of the edited domain."""
        with tempfile.TemporaryDirectory() as scratch:
            place = Path(scratch) / "shop"
            self.lay_out(place)
            found = reported(place)
        for each in found:
            each.path = each.path.removeprefix(f"{scratch}/")
        return found

    def shown(self) -> str:
        """The lines in which the check reports the code; what is drawn by lot is left out of them."""
        text = as_text(item for item in self.findings if item.finding.code == self.code)
        return DRAWN.sub("…", text)


def reported(place: Path) -> list[Reported]:
    """The findings of a domain's folder."""
    Servers.install(servers.read(SERVERS))
    try:
        return _reported(place)
    finally:
        Servers.install(None)


def _reported(place: Path) -> list[Reported]:
    (folder,) = read(place)
    (every,) = choose(str(place), [folder], [])
    findings: dict[str, list[Finding]] = {
        every.name(spec): result.findings for spec, result in checked(every) if result is not None
    }
    return gathered(findings | records_at_rest(every), Locator(folder), folder.accepts)


def examples() -> list[Example]:
    """All of them, in the order of the table of codes; raises FileNotFoundError where one has none."""
    return [Example.of(code) for code in CODES]
