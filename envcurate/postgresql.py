"""PostgreSQL as a service of the home: a data folder of its own, a socket, a password."""

import os
import shutil
import signal
import time
from pathlib import Path

import psycopg
from psycopg import sql

from envcurate.embedded import DATABASE, PORT, USER
from envcurate.home import secret
from envcurate.server import Server, noted


class Postgres(Server):
    title = "PostgreSQL"
    end_signal = signal.SIGINT  # fast shutdown
    hurry_signal = signal.SIGQUIT  # immediate: recovers from its log at the next start

    def prepare(self) -> None:
        if self.data.exists():
            self.account.owns(self.data)
            if self.leftover() is not None:  # whoever had that number is no server of ours
                (self.data / "postmaster.pid").unlink()
            return
        for abandoned in self.home.glob("postgresql.new-*"):  # a start was killed half-way
            _remove(abandoned)
        draft = self.home / f"postgresql.new-{os.getpid()}"
        draft.mkdir(mode=0o700)
        self.account.owns(draft)
        self._initialise(draft)
        draft.rename(self.data)

    def _initialise(self, draft: Path) -> None:
        password = self.run / "password"
        password.write_text(secret("postgres-password"))
        self.account.owns(password, 0o600)
        done = self.run_as_account(
            [
                str(self.programs.postgres / "initdb"),
                f"--pgdata={draft}",
                f"--username={USER}",
                f"--pwfile={password}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-instructions",
                *(["--no-sync"] if self.fast else []),
            ]
        )
        password.unlink()
        with self.log.open("a") as log:
            log.write(done.stdout + done.stderr)
        if done.returncode:
            shutil.rmtree(draft)
            raise self.complaint("could not make its data folder")

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": f'"{self.run}"',
            "unix_socket_permissions": "0700",
            "port": str(PORT),
            "max_connections": "60",
            "shared_buffers": "64MB",
            "jit": "off",
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        if self.fast:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [str(self.programs.postgres / "postgres"), "-D", str(self.data), *options]

    def leftover(self) -> int | None:
        return noted(self.data / "postmaster.pid")

    def answers(self) -> bool:
        try:
            with self._connect() as connection:
                _make_database(connection)
        except psycopg.OperationalError:
            return False
        return True

    def _connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(
            host=str(self.run),
            port=PORT,
            user=USER,
            password=secret("postgres-password"),
            dbname="postgres",
            connect_timeout=5,
            autocommit=True,
        )

    def _old_children_linger(self) -> bool:
        """After SIGKILL of its parent, a back end takes a moment to notice."""
        return "pre-existing shared memory" in self.last_lines(3)


def _remove(folder: Path) -> None:
    """Its writer was killed with its keeper, but what that one started may take a moment."""
    for _ in range(30):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


def _make_database(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
    if found.fetchone() is None:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
