"""Who may speak to a server on this machine: requests to a loopback name, from no foreign page.

A web page that a browser shows can send requests to 127.0.0.1, directly or through a name that
resolves to it (DNS rebinding). The Host header betrays the name, the Origin header the page.
"""

from __future__ import annotations

import re
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from synapse.errors import InvalidInput

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
MAX_PORT: Final = 65_535

# A host and a port, nothing else (RFC 9110, section 7.2): no user, no path, no second host.
_AUTHORITY: Final = re.compile(
    r"(?:127\.0\.0\.1|localhost|\[::1\])(?::(?P<port>[0-9]{1,5}))?", re.ASCII | re.IGNORECASE
)


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
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    # Of two headers each reader may believe another one.
    if len(hosts) != 1 or not _names_this_machine(hosts[0]):
        return refused("the Host header names no loopback address of this server", status=421)
    # The port counts: another server on this machine is another origin (RFC 6454).
    if origins and origins != [f"http://{hosts[0].lower()}"]:
        return refused("pages of another origin may not speak to this server", status=403)
    return None


def _names_this_machine(host: str) -> bool:
    found = _AUTHORITY.fullmatch(host)
    return found is not None and (found["port"] is None or int(found["port"]) <= MAX_PORT)


def refused(message: str, *, status: int, code: str = "refused") -> JSONResponse:
    """An error as every route of this server gives it."""
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)
