"""The HTTP application of a memory: `/mcp`, `/sse`, `/health`, `/rpc`, `/changes`, and room for a console."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version
from typing import Final

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from synapse.errors import SynapseError
from synapse.interfaces.gateway import CHANGES_PATH, RPC_PATH, ChangingGateway, Gateway, error_to_json
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.server import create_server
from synapse.interfaces.web.changes import ChangesEndpoint
from synapse.interfaces.web.guard import LOOPBACK, LoopbackGuard, check_loopback, refused
from synapse.interfaces.web.limits import MAX_BODY, Limits
from synapse.interfaces.web.rpc import RpcEndpoint, Secret
from synapse.interfaces.web.welcome import welcome

ADDRESSES: Final = ("/mcp", "/sse", "/health")
"""What a person or a client may look for here."""

MAX_SESSIONS: Final = 1000
SESSION_SECONDS: Final = 30 * 60
"""Sessions of older clients that are kept, and how long without a request."""


def create_app(
    gateway: ChangingGateway,
    *,
    secret: str,
    host: str = LOOPBACK[0],
    access: Level = Level.READ_WRITE,
    sparql: bool = False,
    routes: Sequence[BaseRoute] = (),
) -> Starlette:
    """The application to `serve` on `host`; `routes` are added to it, as those of a console.

    `secret` is the one of the owner file, which `/rpc` asks for. Raises `InvalidInput` for a
    host that other machines can reach.
    """
    check_loopback(host)
    server = create_server(lambda: gateway, access=access, sparql=sparql)
    # LoopbackGuard is stricter and covers every route; the SDK's own check stays on beneath it.
    security = TransportSecuritySettings(
        allowed_hosts=[*_names(), *(f"{name}:*" for name in _names())],
        allowed_origins=[f"http://{name}{port}" for name in _names() for port in ("", ":*")],
    )
    streamable = server.streamable_http_app(
        transport_security=security,
        max_request_body_size=MAX_BODY,
        max_sessions=MAX_SESSIONS,
        session_idle_timeout=SESSION_SECONDS,
    )
    legacy = server.sse_app(transport_security=security, max_request_body_size=MAX_BODY)

    known = Secret(secret)
    changes = ChangesEndpoint(gateway, secret=known)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            async with server.session_manager.run():
                yield
        finally:
            changes.close()

    own = [
        Route("/", welcome, methods=["GET"]),
        Route("/health", _Health(gateway).answer, methods=["GET"]),
        Route(RPC_PATH, RpcEndpoint(gateway, secret=known).answer, methods=["POST"]),
        Route(CHANGES_PATH, changes.answer, methods=["GET"]),
    ]
    return Starlette(
        routes=[*own, *routes, *streamable.routes, *legacy.routes],
        middleware=[Middleware(LoopbackGuard), Middleware(Limits)],
        exception_handlers={HTTPException: _no_such_route, Exception: _crashed},
        lifespan=lifespan,
    )


async def _no_such_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        message = f"{request.url.path} takes no {request.method}"
    else:
        message = f"there is nothing at {request.url.path}; this server has {', '.join(ADDRESSES)}"
    answer = refused(message, status=error.status_code, code="not-found")
    answer.headers.update(error.headers or {})
    return answer


async def _crashed(request: Request, error: Exception) -> Response:
    # The traceback belongs to this server's log, which Starlette writes; the asker gets JSON.
    message = f"{request.url.path} failed unexpectedly; the log of the server has the details"
    return JSONResponse({"error": {"code": "internal-error", "message": message}}, 500)


def _names() -> list[str]:
    return [f"[{name}]" if ":" in name else name for name in LOOPBACK]


class _Health:
    """`GET /health`: whether the memory answers, and which process it is."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def answer(self, _: Request) -> Response:
        identity = {"version": version("synapse-memory"), "pid": os.getpid()}
        try:
            status = await run_in_threadpool(self._gateway.call, "status", {})
        except SynapseError as error:
            return JSONResponse({"status": "failing", **identity, "error": error_to_json(error)}, 503)
        notes = status.get("notes") if isinstance(status, dict) else None
        return JSONResponse({"status": "ok", **identity, "notes": notes})
