"""Servers at an address: only where the settings let addresses lead, and through the same checks as processes."""

from __future__ import annotations

import gzip
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.worlds.outside import QUICK
from worlds.hosts import Host
from worlds.http import permit
from worlds.library import read
from worlds.outside import OutsideServer
from worlds.outsidesession import OutsideSession
from worlds.records import Records, base_of
from worlds.servers import Servers, ServerSettings, ServerUnavailable
from worlds.toolserver_body import OutsideBody

ROOT = Path(__file__).parents[2]
BODY = OutsideBody(server="far")


@pytest.mark.parametrize(
    ("url", "hosts", "said"),
    [
        ("https://192.0.2.7/mcp", [], "add 192.0.2.7:443 to `hosts`"),
        ("http://localhost:8100/mcp", [], "add localhost:8100 to `hosts`"),
        ("http://localhost:8100/mcp", ["localhost"], "which is no public address"),
        ("http://localhost:8100/mcp", ["localhost:8101", "127.0.0.1"], "add localhost:8100"),
        ("http://127.0.0.1:8100/mcp", ["10.0.0.0/8"], "add 127.0.0.1:8100"),
        ("http://169.254.169.254/latest", ["example.org"], "add 169.254.169.254:80"),
        ("http://no-such-host.invalid/", ["no-such-host.invalid"], "cannot be found"),
    ],
)
def test_an_address_that_the_settings_do_not_let_is_not_used(
    url: str, hosts: list[str], said: str
) -> None:
    with pytest.raises(ServerUnavailable) as error:
        permit(url, tuple(hosts))
    assert said in str(error.value)


@pytest.mark.parametrize(
    "hosts",
    [["127.0.0.1"], ["127.0.0.1:8100"], ["127.0.0.0/8"]],
)
def test_a_private_address_is_used_where_it_is_named_itself(hosts: list[str]) -> None:
    permit("http://127.0.0.1:8100/mcp", tuple(hosts))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The meetings server over HTTP, and where its database is."""
    database = tmp_path_factory.mktemp("far") / "meetings.db"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "examples.meetings_server", "--http", str(port)]
    process = subprocess.Popen(
        command, cwd=ROOT, env={"MEETINGS_DB": str(database)}, stderr=subprocess.DEVNULL
    )
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/mcp", database
    process.kill()
    process.wait()


@pytest.fixture
def session(address: tuple[str, Path]) -> Iterator[tuple[OutsideSession, Host]]:
    url, database = address
    said = {
        "url": url,
        "state": {"sqlite": str(database)},
        "hidden": {"now": "{now}"},
        "limits": QUICK,
    }
    far = ServerSettings.model_validate(said)
    Servers.install(Servers(hosts=["127.0.0.0/8"], servers={"far": far}))
    folder = read(ROOT / "library" / "meetings")[0]
    base = base_of(folder.bundle(folder.all_environments()[0]))
    opened = OutsideSession(OutsideServer.of(BODY), base)
    yield opened, Host(Records(base), base.clock.now)
    opened.close()
    Servers.install(None)


def test_a_server_over_http_begins_with_the_records_and_its_writes_are_followed(
    session: tuple[OutsideSession, Host],
) -> None:
    opened, host = session
    meeting = next(
        row
        for row in host.records.find("meetings", {"status": "scheduled"})
        if not row["series_id"]
    )
    args = {
        "on_behalf_of": meeting["organizer_id"],
        "meeting_id": meeting["meeting_id"],
        "reason": "No longer needed.",
    }
    assert opened.call("cancel_meeting", args, host).status == "ok"
    (change,) = host.records.diff()
    assert change["fields"]["status"] == {"before": "scheduled", "after": "cancelled"}


def test_the_next_attempt_over_http_begins_anew(session: tuple[OutsideSession, Host]) -> None:
    opened, host = session
    cancelled = opened.call("find_people", {"query": "a."}, host)
    assert cancelled.status == "ok"
    assert host.records.diff() == []


def test_a_server_over_http_that_sends_too_much_is_cut_off(
    session: tuple[OutsideSession, Host],
) -> None:
    far = session[0].server.settings
    limits = far.limits.model_copy(update={"received_bytes": 500})
    small = far.model_copy(update={"limits": limits})
    Servers.install(Servers(hosts=["127.0.0.0/8"], servers={"far": small}))
    with pytest.raises(ServerUnavailable, match="it sent more than 500 bytes at once"):
        OutsideServer.of(BODY)


class Odd(BaseHTTPRequestHandler):
    """A server that packs its answers and does not let go."""

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        result: dict[str, Any] = {"content": [{"type": "text", "text": "done"}]}
        if message["method"] == "initialize":
            version = message["params"]["protocolVersion"]
            about = {"name": "odd", "version": "1"}
            result = {"protocolVersion": version, "capabilities": {}, "serverInfo": about}
        elif message["method"] == "tools/list":
            schema = {"type": "object"}
            result = {
                "tools": [{"name": each, "inputSchema": schema} for each in ("pack", "plain")]
            }
        said = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}).encode()
        packs = message.get("params", {}).get("name") == "pack"
        self.send_response(200 if "id" in message else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Mcp-Session-Id", "one")
        if packs:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if "id" in message:
            self.wfile.write(gzip.compress(said) if packs else said)

    def do_DELETE(self) -> None:
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            for _ in range(100):
                self.wfile.write(b" ")
                time.sleep(0.1)

    def log_message(self, format: str, *args: Any) -> None:  # as it is inherited
        pass


@pytest.fixture
def odd() -> Iterator[OutsideSession]:
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Odd)
    listening.daemon_threads = True
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{listening.server_port}/mcp"
    far = ServerSettings.model_validate({"url": url, "limits": QUICK})
    Servers.install(Servers(hosts=["127.0.0.1"], servers={"far": far}))
    folder = read(ROOT / "library" / "meetings")[0]
    base = base_of(folder.bundle(folder.all_environments()[0]))
    yield OutsideSession(OutsideServer.of(BODY), base)
    Servers.install(None)
    listening.shutdown()
    listening.server_close()


def test_what_is_packed_is_not_unpacked_however_much_it_may_be(odd: OutsideSession) -> None:
    host = Host(Records(odd.base), odd.base.clock.now)
    assert odd.call("plain", {}, host).value == "done"
    assert odd.call("pack", {}, host).status in ("limit", "crashed")
    odd.close()


def test_a_server_that_does_not_let_go_is_left(odd: OutsideSession) -> None:
    host = Host(Records(odd.base), odd.base.clock.now)
    assert odd.call("plain", {}, host).status == "ok"
    began = time.monotonic()
    odd.close()
    assert time.monotonic() - began < 4
