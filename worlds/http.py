"""An MCP server at an address: only where the settings let addresses lead, and with bounds on what it sends."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2
from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client

from worlds.servers import ServerSettings, ServerUnavailable
from worlds.stdio import Traffic

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
PORTS = {"http": 80, "https": 443}


def over_http(settings: ServerSettings, hosts: Iterable[str], traffic: Traffic) -> Transport:
    """The transport to a server's address. Raises ServerUnavailable when it may not be used."""
    permit(settings.url, tuple(hosts))
    return _opened(settings, traffic)


def permit(url: str, hosts: tuple[str, ...]) -> None:
    """Raise ServerUnavailable unless `hosts` names the address's host and every place that it stands for."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or PORTS[parts.scheme]
    if not {host, f"{host}:{port}", f"[{host}]:{port}"} & set(hosts) and not _in_networks(
        host, hosts
    ):
        raise ServerUnavailable(
            f"{url}: add {host}:{port} to `hosts` in the tool servers' settings to let it be used"
        )
    for address in _addresses(host, port):
        if not address.is_global and not _listed(address, port, hosts):
            raise ServerUnavailable(
                f"{url}: {host} stands for {address}, which is no public address; add {address} to "
                "`hosts` in the tool servers' settings if that is meant"
            )


def _addresses(host: str, port: int) -> set[Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ServerUnavailable(f"the host {host} cannot be found: {error.strerror}") from error
    return {ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found}


def _listed(address: Address, port: int, hosts: tuple[str, ...]) -> bool:
    spelled = {str(address), f"{address}:{port}", f"[{address}]:{port}"}
    return bool(spelled & set(hosts)) or _in_networks(str(address), hosts)


def _in_networks(host: str, hosts: tuple[str, ...]) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address in ipaddress.ip_network(entry) for entry in hosts if "/" in entry)


@asynccontextmanager
async def _opened(settings: ServerSettings, traffic: Traffic) -> AsyncIterator[TransportStreams]:
    secrets = {name: _secret(variable) for name, variable in settings.headers.items()}
    headers = {**secrets, "Accept-Encoding": "identity"}  # what is counted is what is read
    transport = _Counted(httpx2.AsyncHTTPTransport(), traffic)
    async with (
        httpx2.AsyncClient(
            headers=headers,
            transport=transport,
            timeout=settings.limits.call_seconds + settings.limits.start_seconds,
            trust_env=False,
        ) as client,
        streamable_http_client(settings.url, http_client=client) as streams,
    ):
        yield streams


def _secret(variable: str) -> str:
    value = os.environ.get(variable)
    if value is None:
        raise ServerUnavailable(f"a header wants the environment variable {variable}: set it")
    return value


class _Counted(httpx2.AsyncBaseTransport):
    """Counts what comes, and breaks off a response that is too long."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, traffic: Traffic) -> None:
        self._inner, self._traffic = inner, traffic

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.ReadError("the server packs what it sends, though asked not to")
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101  # of an async transport
        response.stream = _CountedStream(response.stream, self._traffic)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _CountedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, traffic: Traffic) -> None:
        self._inner, self._traffic = inner, traffic

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            if not self._traffic.takes(len(chunk)):
                raise httpx2.ReadError("the server sends too much")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
