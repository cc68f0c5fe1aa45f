"""MCP over standard input and output: for a client that starts synapse as its child."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from synapse.interfaces.daemon import LazyGateway
from synapse.interfaces.mcp.access import Level

if TYPE_CHECKING:
    from synapse.memory import Memory


def run_stdio(
    open_memory: Callable[[], Memory],
    data: Path,
    *,
    access: Level = Level.READ_WRITE,
    agent: str | None = None,
    sparql: bool = False,
    closing: Callable[[], None] = lambda: None,
) -> None:
    """Serve MCP on this process's standard streams until the client closes them.

    The handshake is answered before any memory is opened: the first call asks the owner of the
    memory in `data`, or opens it here. Nothing but the protocol reaches standard output. `agent`
    is who writes; None takes the client's name. `closing` is called at the end, before the memory
    is closed: for what `open_memory` started beside it.
    """
    _guard_streams()
    # Deferred, so that importing this module costs nothing to commands that do not serve.
    from synapse.interfaces.mcp.server import create_server  # noqa: PLC0415

    gateway = LazyGateway(open_memory, data)
    try:
        server = create_server(
            lambda: gateway, access=access, agent=agent, sparql=sparql, ready=lambda: gateway.is_open
        )
        server.run("stdio")
    finally:
        _leave_the_wire()
        closing()
        gateway.close()


def _leave_the_wire() -> None:
    """From now on standard output is stderr, as it was while the SDK served.

    It has put the wire back, and what was written without a line end still waits in a buffer.
    """
    with suppress(OSError, ValueError):  # a stream that is closed already writes nothing
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        sys.stdout.flush()


def _guard_streams() -> None:
    # The SDK points descriptor 1 at stderr while it serves: what is printed goes there line by line.
    # Notes hold every script: a Windows code page on stderr must not end a server that logs one.
    cast(TextIO, sys.stdout).reconfigure(line_buffering=True)  # type: ignore[attr-defined]
    cast(TextIO, sys.stderr).reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[attr-defined]
