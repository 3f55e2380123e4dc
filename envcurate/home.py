"""The home: the folder that holds what one installation must keep (data, logs, secrets)."""

import os
import secrets
import tempfile
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent


def home() -> Path:
    """`ENVCURATE_HOME`, or `.envcurate/` beside `manage.py`; absolute, perhaps not yet made."""
    return Path(os.environ.get("ENVCURATE_HOME") or BASE_DIR / ".envcurate").expanduser().absolute()


def make_home() -> Path:
    """The home, made when missing. Others may pass through it (the services may run as another
    user) but not list it; what is secret in it is closed one by one."""
    folder = home()
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    return folder


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
