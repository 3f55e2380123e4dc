"""Valkey as a service of the home: the broker of Celery."""

import signal
import socket

from envcurate.home import secret
from envcurate.server import Server, noted


class Valkey(Server):
    title = "Valkey"
    end_signal = signal.SIGTERM
    hurry_signal = signal.SIGKILL

    def prepare(self) -> None:
        self.data.mkdir(mode=0o700, exist_ok=True)
        self.account.owns(self.data)

    def command(self) -> list[str]:
        return [str(self.programs.valkey), "-"]

    def standard_input(self) -> bytes:
        """Its configuration; given this way, the password stands in no file and no argument.

        Nothing is saved: what a broker loses, the reconciler queues again.
        """
        lines = {
            "port": "0",
            "unixsocket": f'"{self.run}/valkey.sock"',
            "unixsocketperm": "700",
            "requirepass": secret("valkey-password"),
            "dir": f'"{self.data}"',
            "pidfile": f'"{self.data}/valkey.pid"',
            "save": '""',
            "appendonly": "no",
            "maxmemory-policy": "noeviction",
        }
        return "".join(f"{name} {value}\n" for name, value in lines.items()).encode()

    def leftover(self) -> int | None:
        return noted(self.data / "valkey.pid")

    def answers(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
                client.settimeout(2)
                client.connect(str(self.run / "valkey.sock"))
                client.sendall(f"AUTH {secret('valkey-password')}\r\nPING\r\nQUIT\r\n".encode())
                return b"+PONG" in b"".join(iter(lambda: client.recv(256), b""))
        except OSError:
            return False
