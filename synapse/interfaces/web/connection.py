"""One connection of a client: how long its next request may take to begin, and how many there are."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS: Final = 400
"""Connections at a time: below the 1,024 files that a process may open on most systems."""

MAX_HEAD: Final = 32 * 1024
"""Bytes of a request's first line and headers; cookies of every server on this machine come along."""

HEAD_SECONDS: Final = 10.0
"""From the first moment a request is awaited until its headers are there; idle connections end with it."""


class Connection(H11Protocol):
    """uvicorn's connection, with a deadline for the head of each request and errors in JSON."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or answer 503 and close it when there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, f"{MAX_CONNECTIONS} connections are open already")
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline with the connection."""
        self._head_is_there()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what arrived; the deadline stands until a whole head did."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_is_there()
        elif self._deadline is None:
            self._await_head()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, or a head that is too long, and close."""
        self._refuse(HTTPStatus.BAD_REQUEST, f"{msg.rstrip('.')}, or headers of more than {MAX_HEAD} bytes")

    def end_stream(self) -> None:
        """End a request that would wait for events for ever; what is asked with POST goes on."""
        if self._is_answering() and self.scope["method"] == "GET":
            self.transport.close()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        self._deadline = self.loop.call_later(HEAD_SECONDS, self._too_slow)

    def _head_is_there(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"no request came within {HEAD_SECONDS:g} seconds")

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        """Answer outside of any request, and close; an answer that is under way is only cut off."""
        self._head_is_there()
        body = json.dumps({"error": {"code": "refused", "message": message}}).encode()
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        if not self._is_answering():
            self.transport.write(head.encode() + body)
        self.transport.close()
