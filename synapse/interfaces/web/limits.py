"""How much one server takes: bodies of requests, and streams that stay open."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from synapse.interfaces.web.guard import refused

MAX_BODY: Final = 4 * 1024 * 1024
"""Bytes of a request, as the MCP endpoints of the SDK take."""

DRAINED: Final = 16 * MAX_BODY
"""Bytes of a body too long that are read and thrown away: who still sends would not hear the answer."""

BODY_SECONDS: Final = 30
"""How long a request may take to arrive; on loopback 4 MiB take milliseconds."""

MAX_STREAMS: Final = 200
"""Requests that wait for events at a time; a client keeps one or two."""

STREAM_PATHS: Final = frozenset({"/mcp", "/sse", "/changes"})


class Limits:
    """ASGI middleware: 413 for a body that is too long, 503 for one stream too many."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._streams = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is within the limits; answer the rest with an error that names the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] == "GET" and scope["path"] in STREAM_PATHS:
            await self._stream(scope, receive, send)
        else:
            await self._bounded(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._streams >= MAX_STREAMS:
            message = f"{MAX_STREAMS} event streams are open, as many as this server keeps; close some"
            answer = refused(message, status=503, code="busy")
            # Who tries on and on keeps no connection either.
            answer.headers["connection"] = "close"
            await answer(scope, receive, send)
            return
        self._streams += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._streams -= 1

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await asyncio.wait_for(_body(scope, receive), BODY_SECONDS)
        except TimeoutError:
            message = f"the request took longer than {BODY_SECONDS} seconds to arrive"
            await refused(message, status=408)(scope, receive, send)
            return
        if body is None:
            message = f"the request is longer than {MAX_BODY:,} bytes"
            await refused(message, status=413, code="invalid-input")(scope, receive, send)
            return
        await self._app(scope, _Replay(body, receive), send)


class _Replay:
    """Receives a body that has arrived, then whatever comes after it."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        body, self._body = self._body, None
        if body is None:
            return await self._receive()
        return {"type": "http.request", "body": body, "more_body": False}


async def _body(scope: Scope, receive: Receive) -> bytes | None:
    """The whole body; None when it is longer than `MAX_BODY`."""
    declared = Headers(scope=scope).get("content-length", "0")
    fits = not declared.isdecimal() or int(declared) <= MAX_BODY
    body, read, more = bytearray(), 0, True
    while more and read <= DRAINED:
        message = await receive()
        part, more = message.get("body", b""), message.get("more_body", False)
        read += len(part)
        fits = fits and read <= MAX_BODY
        if fits:
            body += part
    return bytes(body) if fits else None
