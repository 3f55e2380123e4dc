"""What the names of outside tool servers mean in this installation: read from its settings, never from a component.

The settings are a YAML file that the environment variable ENVCURATE_TOOL_SERVERS names, beside the one that comes
with the examples:

hosts: [tools.example.org, 127.0.0.1:8100]     # where URLs may lead
servers:
  crm:
    command: ["{python}", crm_server.py, "--db", "{dir}/crm.db"]
    state: {sqlite: "{dir}/crm.db"}

`{dir}` is a folder that one process of the server has for itself, `{python}` this interpreter, and in hidden
arguments `{now}` the episode's clock and `{episode}` a name that no two attempts share.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from worlds.body import Part
from worlds.canonical import digest
from worlds.mistakes import parsed
from worlds.pointer import Pointer
from worlds.source import read_text, read_yaml

VARIABLE = "ENVCURATE_TOOL_SERVERS"
SHIPPED = Path(__file__).parent.parent / "examples" / "tool_servers.yaml"
MOST_BYTES = 1_000_000
DIR = "{dir}"


class ServerUnavailable(RuntimeError):
    """A server cannot be used here: unknown, not startable, or not to be brought into the wanted state.

    Trouble of the installation: nothing may be concluded from it about an environment.
    """


class SqliteState(Part):
    """The server's state is an SQLite database with a table a table and a column a field."""

    sqlite: str


class JsonState(Part):
    """The server's state is a JSON file: `PATH#POINTER` leads to `{table: {key: row}}` or `{table: [row]}`."""

    json_: str = Field(alias="json")

    @property
    def path(self) -> str:
        """The file."""
        return self.json_.partition("#")[0]

    @property
    def pointer(self) -> str:
        """JSON Pointer (RFC 6901) into it."""
        return self.json_.partition("#")[2]


class ToolState(Part):
    """The server tells its state by the tool `export` and, where there is one, takes another by `import`."""

    export: str
    import_: str | None = Field(alias="import", default=None)
    argument: str = "state"
    """The argument of `import` that takes the state."""


class ResetTool(Part):
    """A tool that brings the server back to its own start."""

    tool: str
    args: dict[str, Any] = {}


class ServerLimits(Part):
    """What a server may use. Beyond it, it is stopped."""

    start_seconds: float = Field(default=15.0, gt=0)
    call_seconds: float = Field(default=5.0, gt=0)
    cpu_seconds: int = Field(default=120, gt=0)
    memory_mb: int = Field(default=1024, gt=0)
    file_mb: int = Field(default=1024, gt=0)
    received_bytes: int = Field(default=8_000_000, gt=0)
    """Of all that it sends during one call."""


class ServerSettings(Part):
    """What one name means."""

    command: list[str] = []
    """What to start, as a list of words; it speaks MCP over stdin and stdout."""
    url: str = ""
    """Where it listens, when it is not started here: MCP over streamable HTTP."""
    headers: dict[str, str] = {}
    """HTTP header → name of the environment variable with its value: secrets stand in no file."""
    env: dict[str, str] = {}
    """Environment of the process, beside PATH, LANG and HOME (= its folder)."""
    folder: str = "."
    """Where it runs and where `source` is looked for; relative to the settings file."""
    hidden: dict[str, Any] = {}
    """Arguments that every call gets and no agent sees."""
    result: Pointer = ""
    """JSON Pointer (RFC 6901) to what is told an agent, inside of a result."""
    reset: Literal["live", "restart"] | ResetTool = "live"
    """How it comes to know a state written from outside: `live`, it looks at each call; `restart`, only when it
    starts; or a tool that puts its own start back, where the state cannot be written."""
    state: SqliteState | JsonState | ToolState | None = None
    process: Literal["attempt", "check"] = "attempt"
    """Whether each attempt has a process of its own, or one serves all attempts of a check, its database put back
    between them: for servers that keep nothing in memory. What they do keep is `state-leak` then."""
    source: str = ""
    """Folder or file with its source."""
    version: str = ""
    """To be changed by hand when the server changes and no `source` is given."""
    repair: bool = Field(default=False, exclude=True)  # it behaves the same either way
    """Whether repairs of `source` may be tried: the server then also runs from a copy of it, patched by a proposer,
    with all rights that it has itself."""
    limits: ServerLimits = ServerLimits()
    home: str = Field(default="", exclude=True)
    """The folder of the settings file."""

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("give either a command or a url")
        if self.url and not re.match(r"https?://[^/@]+(/|$)", self.url):
            raise ValueError(f"{self.url!r} is no address such as https://tools.example.org/mcp")
        if self.url:
            urlsplit(self.url).port  # noqa: B018  # raises for a port, or an address, that is none
        if self.url and self.reset == "restart":
            raise ValueError("a server at a url cannot be restarted: name a tool under reset")
        if self.repair and (self.url or not self.source):
            raise ValueError("repair: true needs a command, and the source from which it runs")
        if self.process == "check" and not (
            isinstance(self.state, SqliteState) and self.reset == "live" and not self.is_shared
        ):
            raise ValueError(
                "process: check needs a database of its own, {sqlite: '{dir}/…'}, and reset: live"
            )
        return self

    @property
    def is_shared(self) -> bool:
        """Whether its state is one for all, so that only one attempt at a time may use it."""
        kept = self.state.sqlite if isinstance(self.state, SqliteState) else ""
        kept = self.state.path if isinstance(self.state, JsonState) else kept
        return bool(self.url) or (bool(kept) and DIR not in kept)

    @property
    def inner_tools(self) -> set[str]:
        """Its tools that are there for us, not for agents."""
        found = (
            {self.state.export, self.state.import_} if isinstance(self.state, ToolState) else set()
        )
        reset = {self.reset.tool} if isinstance(self.reset, ResetTool) else set()
        return {name for name in found | reset if name}

    @property
    def working_folder(self) -> Path:
        """Where the command runs."""
        return (Path(self.home) / self.folder).resolve()

    @property
    def source_path(self) -> Path | None:
        """Its source, when it is told and there."""
        path = self.working_folder / self.source
        return path if self.source and path.exists() else None

    @property
    def capabilities(self) -> dict[str, bool]:
        """What can be done with it: `diff`, its state can be read; `snapshot`, and written; `coverage`, its source is
        here; `repair`, and the settings let it run from a patched copy."""
        told = self.state is not None
        fixed = isinstance(self.state, ToolState) and self.state.import_ is None
        has_source = self.source_path is not None
        return {
            "snapshot": told and not fixed,
            "diff": told,
            "coverage": has_source,
            "repair": has_source and self.repair,
        }

    @property
    def identity(self) -> str:
        """A digest of the settings and of the source as it now is."""
        return digest([self.model_dump(mode="json", by_alias=True), self._source_digest()])

    @property
    def behaviour(self) -> str | None:
        """The identity, where the same one behaves the same; None when nobody can say: no source, no version."""
        return self.identity if self.version or self.source_path is not None else None

    def _source_digest(self) -> str:
        path = self.source_path
        if path is None:
            return ""
        files = [path] if path.is_file() else sorted(_sources(path))
        said = hashlib.sha256()
        for file in files:
            said.update(f"{file.relative_to(path)}\0".encode())
            said.update(hashlib.sha256(file.read_bytes()).digest())
        return said.hexdigest()


def _sources(folder: Path) -> Iterator[Path]:
    """The files of a folder but hidden ones; the folder itself may well stand in a hidden one."""
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if path.is_file() and not hidden:
            yield path


class Servers(Part):
    """All of the settings file."""

    hosts: list[str] = []
    """Hosts (`tools.example.org`, `127.0.0.1:8100`) and networks (`10.0.0.0/8`) that URLs may lead to; loopback,
    link-local and private addresses only where an address or network says so."""
    servers: dict[str, ServerSettings] = {}

    @field_validator("hosts")
    @classmethod
    def _networks(cls, value: list[str]) -> list[str]:
        for entry in value:
            if "/" in entry:
                ipaddress.ip_network(entry)  # says what is wrong
        return value

    _installed: ClassVar[Servers | None] = None

    def named(self, name: str) -> ServerSettings:
        """The settings of a server; raises ServerUnavailable."""
        if name not in self.servers:
            known = ", ".join(sorted(self.servers)) or "none"
            raise ServerUnavailable(
                f"no tool server {name!r} in the settings ({VARIABLE}); there is {known}"
            )
        return self.servers[name]

    @classmethod
    def installed(cls) -> Servers:
        """The servers of this installation; raises LibraryInvalid when the settings file is wrong."""
        if cls._installed is None:
            given = os.environ.get(VARIABLE, "").strip()
            shipped = read(SHIPPED) if SHIPPED.exists() else cls()
            cls._installed = shipped.with_more(read(Path(given))) if given else shipped
        return cls._installed

    def with_more(self, more: Servers) -> Servers:
        """These and those of `more`, which hold where both have a name."""
        return Servers(hosts=[*self.hosts, *more.hosts], servers=self.servers | more.servers)

    @classmethod
    def install(cls, servers: Servers | None) -> None:
        """Let names mean this from now on; None = what the environment variable says."""
        cls._installed = servers


def read(path: Path) -> Servers:
    """The servers that a settings file names; raises LibraryInvalid, with file and line."""
    source = read_yaml(read_text(path, MOST_BYTES, str(path)), str(path))
    found = parsed(Servers, source, str(path))
    home = str(path.resolve().parent)
    placed = {name: each.model_copy(update={"home": home}) for name, each in found.servers.items()}
    return found.model_copy(update={"servers": placed})


def filled(value: Any, words: Mapping[str, str]) -> Any:
    """`value` with each `{word}` of `words` replaced in all of its texts; other braces stay."""
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace(f"{{{word}}}", text)
        return value
    if isinstance(value, list):
        return [filled(item, words) for item in value]
    if isinstance(value, Mapping):
        return {key: filled(item, words) for key, item in value.items()}
    return value


PYTHON = {"python": sys.executable}
