"""Folders for the processes that this one starts; those of processes that are gone are swept away."""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, TextIO

PATIENCE = 30.0
"""Seconds to wait for others who sweep."""


def home() -> Path:
    """This user's folder under the temporary folder; nobody else may enter it."""
    path = Path(tempfile.gettempdir()) / f"envcurate-servers-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    status = path.lstat()
    if path.is_symlink() or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise PermissionError(f"{path} is not this user's alone: take it away")
    return path


class Scratch:
    """This process's folders: each that `fresh` makes is new, and all go when the process is gone."""

    _mine: ClassVar[Scratch | None] = None

    def __init__(self) -> None:
        self.process = os.getpid()
        with alone("scratch", PATIENCE):  # else one sweeps what another is about to hold
            _sweep(home())
            self.root = Path(tempfile.mkdtemp(dir=home()))
            self._held = _held(self.root)
        atexit.register(self._clear)

    @classmethod
    def mine(cls) -> Scratch:
        """That of this process, made when first asked for; a fork makes its own."""
        if cls._mine is None or cls._mine.process != os.getpid():
            cls._mine = cls()
        return cls._mine

    def _clear(self) -> None:
        if os.getpid() == self.process:  # and not of a fork, which leaves by the same door
            shutil.rmtree(self.root, ignore_errors=True)

    def fresh(self) -> Path:
        """A new empty folder."""
        return Path(tempfile.mkdtemp(dir=self.root))


def _held(folder: Path) -> TextIO:
    """The folder's lock, held until the process ends; a fork's copy is closed on exec."""
    file = (folder / ".held").open("w")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def _sweep(root: Path) -> None:
    """Take away the folders whose owner is gone, however it went; also before it could hold them."""
    for folder in filter(Path.is_dir, root.iterdir()):
        try:
            with (folder / ".held").open("w") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # held, or gone by itself meanwhile


@contextmanager
def alone(name: str, patience: float) -> Iterator[None]:
    """Hold the lock `name` among all processes of this user; raises TimeoutError after `patience` seconds."""
    ends = time.monotonic() + patience
    with (home() / f"{name}.lock").open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > ends:
                    raise TimeoutError(f"others use it for more than {patience:g} s") from None
                time.sleep(0.02)
        yield
