"""Who may speak to a server on this machine: requests to a loopback name, from no foreign page.

A web page that a browser shows can send requests to 127.0.0.1, directly or through a name that
resolves to it (DNS rebinding). The Host header betrays the name, the Origin header the page.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from synapse.errors import InvalidInput

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def check_loopback(host: str) -> None:
    """Raises `InvalidInput` unless `host` is a name of this machine that others cannot reach."""
    if host not in LOOPBACK:
        raise InvalidInput(
            f"serving on {host!r} would let other machines read the memory",
            hint=f"use --host {LOOPBACK[0]}; reach it from elsewhere through an SSH tunnel",
        )


class LoopbackGuard:
    """ASGI middleware: 421 for a Host that is no loopback name, 403 for a page of another origin."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed; answer the rest with an error that names the header."""
        refusal = _refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)


def _refusal(headers: Headers) -> JSONResponse | None:
    host, origin = headers.get("host", ""), headers.get("origin")
    if _hostname(f"//{host}") not in LOOPBACK:
        return refused("the Host header names no loopback address of this server", status=421)
    # The port counts: another server on this machine is another origin (RFC 6454).
    if origin is not None and origin != f"http://{host}":
        return refused("pages of another origin may not speak to this server", status=403)
    return None


def _hostname(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def refused(message: str, *, status: int) -> JSONResponse:
    """An error as every route of this server gives it."""
    return JSONResponse({"error": {"code": "refused", "message": message}}, status_code=status)
