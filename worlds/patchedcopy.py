"""An outside tool server run from a copy of its source to which a patch was applied; the source itself is only read.

The copy stands in a copy of the working folder in which all else is a link to what is there, so that the command
finds what it always found beside the source. It runs as the server itself does: the same user, the same limits.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worlds.canonical import digest
from worlds.patch import MOST_FILE, Patch, PatchInvalid
from worlds.scratch import Scratch
from worlds.servers import Servers, ServerSettings, ServerUnavailable
from worlds.toolserver_body import OutsideBody

MOST_FILES = 5_000
MOST_BYTES = 64 * 1024**2
"""Of a source folder that is copied, and of each list of what stands beside it."""
KEPT = 16
"""Copies that a process keeps."""
LEFT_OUT = frozenset({"__pycache__"})
LINKED = frozenset({"node_modules", "venv"})
"""Folders of the source, beside hidden ones, that are no source: links to what is there."""


def settings_of(body: OutsideBody) -> ServerSettings:
    """What a server's name means, and where it carries a patch, how it runs from the patched copy.

    Raises ServerUnavailable, also where the settings do not allow it or the patch does not fit the source as it is.
    """
    settings = Servers.installed().named(body.server)
    return _patched(settings, body) if body.patch else settings


def _patched(settings: ServerSettings, body: OutsideBody) -> ServerSettings:
    source = settings.source_path
    if source is None or not settings.capabilities["repair"]:
        raise ServerUnavailable(
            f"the tool server {body.server!r} carries a patch, and its settings do not let it run from a patched copy "
            "of its source: they want repair: true, and a source that is there"
        )
    name = digest([settings.identity, str(settings.working_folder), body.patch])[:32]
    root = Scratch.mine().root / f"patched-{name}"
    moved = _moved(settings, source.resolve(), root)
    if not root.is_dir():
        _make(root, settings, source.resolve(), body.patch)
    _keep(root)
    return moved


def _keep(root: Path) -> None:
    """Forget the copy that was not wanted for the longest, when there are many. A fork has its parent's names too,
    whose copies are not its own."""
    _COPIES.pop(root, None)
    _COPIES[root] = None
    if len(_COPIES) > KEPT:
        oldest, _ = _COPIES.popitem(last=False)
        if oldest.parent == root.parent:
            shutil.rmtree(oldest, ignore_errors=True)


_COPIES: OrderedDict[Path, None] = OrderedDict()


def _make(root: Path, settings: ServerSettings, source: Path, patch: str) -> None:
    """Under another name first, so that one that is there is whole."""
    draft = Scratch.mine().fresh()
    try:
        within = _within(settings, source)
        if within is None:
            _copy(source, draft / source.name, _Budget())
        else:
            _mirror(settings.working_folder, draft, within.parts)
        made = draft / (source.name if within is None else within)
        _apply(patch, made.parent if source.is_file() else made, source)
        draft.rename(root)
    except (PatchInvalid, OSError, UnicodeError) as error:
        raise ServerUnavailable(f"it cannot be run from a patched copy: {error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _within(settings: ServerSettings, source: Path) -> Path | None:
    """Where the source stands in the working folder; None where it stands elsewhere."""
    folder = settings.working_folder
    return source.relative_to(folder) if source.is_relative_to(folder) else None


def _moved(settings: ServerSettings, source: Path, root: Path) -> ServerSettings:
    """The settings by which it runs from the copy; raises ServerUnavailable where it would run from the source."""
    within = _within(settings, source)
    copied = root / (source.name if within is None else within)
    places = {str(source): str(copied), str(settings.working_folder / settings.source): str(copied)}
    if within is not None:
        places.setdefault(str(settings.working_folder), str(root))
    command = [_replaced(word, places) for word in settings.command]
    env = {name: _replaced(value, places) for name, value in settings.env.items()}
    if within is None and (command, env) == (settings.command, settings.env):
        raise ServerUnavailable(
            "it cannot be run from a patched copy: its source stands outside of its folder, and neither command nor "
            "env name it"
        )
    update: dict[str, Any] = {"command": command, "env": env, "source": str(copied)}
    if within is not None:
        update |= {"home": str(root), "folder": "."}
    return settings.model_copy(update=update)


def _replaced(text: str, places: Mapping[str, str]) -> str:
    """A word with each path that is one of `places`, or lies beneath it, as it stands there; the longest first."""
    for path in sorted(places, key=len, reverse=True):
        if path != "/":
            text = re.sub(rf"(?<![\w./-]){re.escape(path)}(?=$|[/:])", places[path], text)
    return text


# The copy


class _Budget:
    """What a copy may still have."""

    def __init__(self) -> None:
        self.files, self.bytes = MOST_FILES, MOST_BYTES

    def takes(self, path: Path, size: int = 0) -> None:
        self.files -= 1
        self.bytes -= size
        if self.files < 0 or self.bytes < 0:
            raise PatchInvalid(
                f"{path}: too much to be copied; at most {MOST_FILES} files and {MOST_BYTES} bytes"
            )


def _mirror(folder: Path, target: Path, towards: Sequence[str]) -> None:
    """A folder as links, but that what stands `towards` is copied; Python files too, since one that is started looks
    for the others beside where it really stands."""
    budget = _Budget()
    if not towards:
        _copy_folder(folder, target, budget)
        return
    for entry in sorted(folder.iterdir()):
        budget.takes(entry)
        place = target / entry.name
        if entry.name == towards[0] and len(towards) == 1:
            _copy(entry, place, budget)
        elif entry.name == towards[0]:
            place.mkdir()
            _mirror(entry, place, towards[1:])
        elif entry.suffix == ".py" and entry.is_file():
            budget.takes(entry, entry.stat().st_size)
            shutil.copyfile(entry, place)
        elif entry.name not in LEFT_OUT:
            place.symlink_to(entry)


def _copy(source: Path, target: Path, budget: _Budget) -> None:
    if source.is_symlink():
        target.symlink_to(source.resolve())
    elif source.is_dir():
        target.mkdir()
        _copy_folder(source, target, budget)
    elif source.is_file():
        budget.takes(source, source.stat().st_size)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)


def _copy_folder(source: Path, target: Path, budget: _Budget) -> None:
    for entry in sorted(source.iterdir()):
        budget.takes(entry)
        is_folder = entry.is_dir() and not entry.is_symlink()
        if entry.name in LEFT_OUT:
            continue
        if is_folder and (entry.name.startswith(".") or entry.name in LINKED):
            (target / entry.name).symlink_to(entry)
        else:
            _copy(entry, target / entry.name, budget)


def _apply(text: str, folder: Path, source: Path) -> None:
    """Apply a patch to files of the copy's folder, all of them or none. Raises PatchInvalid."""
    patch = Patch.parse(text)
    if source.is_file() and patch.paths != [source.name]:
        raise PatchInvalid(f"the source is the one file {source.name}")
    before = {path: said for path in patch.paths if (said := _text(folder, path)) is not None}
    after = patch.applied(before)
    for path in patch.paths:
        file = folder / path
        if path in after:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(after[path].encode())
        else:
            file.unlink()


def _text(folder: Path, path: str) -> str | None:
    """A file of the copy; None where there is none. Raises PatchInvalid for what is no plain text of it: what a link
    leads to is not of the copy."""
    place = folder
    for part in path.split("/"):
        place = place / part
        if place.is_symlink():
            raise PatchInvalid(f"{path} is, or stands behind, a link")
    if not os.path.lexists(place):
        return None
    if not place.is_file() or place.stat().st_size > 4 * MOST_FILE:
        raise PatchInvalid(f"{path} is no text file, or too large")
    text = place.read_bytes().decode()
    if "\x00" in text or len(text) > MOST_FILE:
        raise PatchInvalid(f"{path} is no text file, or too large")
    return text
