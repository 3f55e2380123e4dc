"""The home: the folder that holds what one installation must keep (data, logs, secrets)."""

import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
# A unix socket's whole path fits into 107 bytes; PostgreSQL adds the longest name, 15 of them.
LONGEST_RUN_FOLDER = 90


def home() -> Path:
    """`ENVCURATE_HOME`, or `.envcurate/` beside `manage.py`; absolute, perhaps not yet made."""
    return Path(os.environ.get("ENVCURATE_HOME") or BASE_DIR / ".envcurate").expanduser().absolute()


def make_home() -> Path:
    """The home, made when missing, for its owner alone.

    Root's home lets others pass (not look): there the services run as another user. A folder that
    already held something is left as it is.
    """
    folder = home()
    mode = 0o711 if os.geteuid() == 0 else 0o700
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        folder.chmod(mode)
    return folder


def closed_to_others(path: Path) -> Path | None:
    """The outermost folder on the way to and including `path` that others may not enter."""
    way = [*reversed(path.resolve().parents), path.resolve()]
    return next((f for f in way if f.exists() and not f.stat().st_mode & stat.S_IXOTH), None)


def secret(name: str) -> str:
    """The secret kept in the home under `name` (mode 0600), drawn at the first request.

    Several processes may ask at once: all get the same one, and never half of it.
    """
    path = make_home() / name
    if not path.exists():
        _draw(path)
    return path.read_text().strip()


def _draw(path: Path) -> None:
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # made with 0600
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(32))
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was first: its secret is the one
    finally:
        Path(draft).unlink()


def make_run_folder(folder: Path) -> Path:
    """Where the sockets of the home `folder` lie: `run/` in it, or, where that path is too long
    for a socket, a short private folder that `run` links to."""
    run = folder / "run"
    if run.is_symlink():
        run.unlink()  # an earlier run's: its target may be anybody's by now
    if len(os.fsencode(folder.resolve() / "run")) <= LONGEST_RUN_FOLDER:
        run.mkdir(mode=0o700, exist_ok=True)
    else:
        run.symlink_to(tempfile.mkdtemp(prefix="envcurate-", dir="/tmp"))
    return run.resolve()


def drop_run_folder(folder: Path) -> None:
    """Removes what `make_run_folder` left outside of the home."""
    run = folder / "run"
    if run.is_symlink():
        shutil.rmtree(run.resolve(), ignore_errors=True)
        run.unlink()
