"""Noticing whether there are workers. That a round is waited for is shown with real ones in `test_worker`."""

import socket

import pytest
from celery import current_app
from kombu import Connection

from triage import waiting


def test_a_broker_that_is_not_there_means_that_nobody_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    gone = f"redis://127.0.0.1:{port}/0"
    monkeypatch.setattr(current_app, "connection_for_write", lambda: Connection(gone))
    assert not waiting.is_anyone_there()


def test_a_broker_that_goes_away_means_that_nobody_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the connection and closes it at once."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        gone = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        server.shutdown(socket.SHUT_RDWR)
        monkeypatch.setattr(current_app, "connection_for_write", lambda: Connection(gone))
        assert not waiting.is_anyone_there()
