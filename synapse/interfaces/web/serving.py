"""Serve an application on a loopback port until told to stop."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from threading import Event
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from synapse.errors import InvalidInput
from synapse.interfaces.web.connection import MAX_HEAD, Connection
from synapse.interfaces.web.guard import MAX_PORT, check_loopback

GRACE: Final = 2
"""Seconds that open streams get at the end; an event stream would stay open for ever."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises `InvalidInput` when it is taken."""
    check_loopback(host)
    if not 0 <= port <= MAX_PORT:
        raise InvalidInput(f"there is no port {port}", hint=f"--port takes a number from 0 to {MAX_PORT}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as failure:
        raise _cannot_listen(host, port, failure) from failure


def _cannot_listen(host: str, port: int, failure: OSError) -> InvalidInput:
    if failure.errno == errno.EADDRINUSE:
        return InvalidInput(
            f"port {port} of {host} is in use by another program",
            hint="choose another with --port, or --port 0 for any free one",
        )
    return InvalidInput(
        f"cannot listen on port {port} of {host}: {failure}", hint="choose another with --port"
    )


def serve(
    app: ASGIApp,
    *,
    host: str,
    port: int,
    ready: Callable[[int], None] | None = None,
    stop: Event | None = None,
) -> None:
    """Serve until `stop` is set or the process is interrupted; `ready` gets the port once it answers.

    Raises `InvalidInput` when the port is taken. Errors of this server go to standard error, nothing else.
    """
    with listen(host, port) as listening:
        bound = listening.getsockname()[1]
        config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            log_level="error",
            access_log=False,
            timeout_graceful_shutdown=GRACE,
            h11_max_incomplete_event_size=MAX_HEAD,
            lifespan="on",
        )
        server = _Server(config, ready=lambda: ready(bound) if ready else None, stop=stop or Event())
        server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """A uvicorn server that says when it answers and watches an event of another thread."""

    def __init__(self, config: uvicorn.Config, *, ready: Callable[[], None], stop: Event) -> None:
        super().__init__(config)
        self._ready = ready
        self._stop = stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, then say so."""
        await super().startup(sockets=sockets)
        if self.started:
            await asyncio.to_thread(self._ready)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what waits for events as if its client had left, then give the rest its time."""
        loop, connections = asyncio.get_running_loop(), self.server_state.connections
        for connection in list(connections):
            if isinstance(connection, Connection):
                connection.end_stream()
                loop.call_later(GRACE / 2, connection.transport.close)
        await super().shutdown(sockets=sockets)

    async def on_tick(self, counter: int) -> bool:
        """Whether to end; uvicorn asks ten times a second."""
        return self._stop.is_set() or await super().on_tick(counter)
