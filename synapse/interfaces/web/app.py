"""The HTTP application of a memory: `/mcp`, `/sse`, `/health`, `/rpc`, and room for a console."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from synapse.errors import SynapseError
from synapse.interfaces.gateway import RPC_PATH, Gateway, error_to_json
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.server import create_server
from synapse.interfaces.web.guard import LOOPBACK, LoopbackGuard, check_loopback
from synapse.interfaces.web.rpc import RpcEndpoint


def create_app(
    gateway: Gateway,
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
    streamable = server.streamable_http_app(transport_security=security)
    legacy = server.sse_app(transport_security=security)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with server.session_manager.run():
            yield

    own = [
        Route("/health", _Health(gateway).answer, methods=["GET"]),
        Route(RPC_PATH, RpcEndpoint(gateway, secret=secret).answer, methods=["POST"]),
    ]
    return Starlette(
        routes=[*own, *routes, *streamable.routes, *legacy.routes],
        middleware=[Middleware(LoopbackGuard)],
        exception_handlers={Exception: _crashed},
        lifespan=lifespan,
    )


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
