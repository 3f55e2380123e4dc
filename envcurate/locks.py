"""Locks between processes by `flock`: the kernel drops them with their holder, even on SIGKILL."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARED = fcntl.LOCK_SH
ALONE = fcntl.LOCK_EX


def lock(path: Path, how: int) -> int:
    """Waits for the lock; the descriptor returned holds it until it is closed (by all forks)."""
    handle = _open(path)
    fcntl.flock(handle, how)
    return handle


def try_lock(path: Path, how: int) -> int | None:
    """As `lock`, or None when someone else is in the way."""
    handle = _open(path)
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


@contextmanager
def locked(path: Path) -> Iterator[None]:
    handle = lock(path, ALONE)
    try:
        yield
    finally:
        os.close(handle)


def is_locked(path: Path) -> bool:
    """Whether somebody holds it alone."""
    handle = try_lock(path, SHARED)
    if handle is not None:
        os.close(handle)
    return handle is None


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
