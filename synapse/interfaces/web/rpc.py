"""`POST /rpc`: other processes of the same user ask the memory through the process that owns it."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from synapse.errors import InvalidInput, SynapseError
from synapse.interfaces.gateway import Gateway, error_to_json
from synapse.interfaces.web.guard import refused
from synapse.usecases.answers import Json


class Secret:
    """What the owner file tells other processes of the same user, and nobody else."""

    def __init__(self, secret: str) -> None:
        self._expected = f"Bearer {secret}".encode()

    def refusal(self, request: Request) -> Response | None:
        """The answer to a browser, or to whoever does not know the secret; None for whoever does."""
        if "origin" in request.headers:
            return refused("this address is not for browsers", status=403)
        given = request.headers.get("authorization", "").encode()
        if not hmac.compare_digest(given, self._expected):
            return refused("the secret is wrong", status=401)
        return None


class RpcEndpoint:
    """Answers operations for whoever knows the secret of the owner file."""

    def __init__(self, gateway: Gateway, *, secret: Secret) -> None:
        self._gateway = gateway
        self._secret = secret

    async def answer(self, request: Request) -> Response:
        """The answer as `{"answer": …}`, an expected failure as `{"error": …}` with status 200."""
        refusal = self._secret.refusal(request)
        if refusal is not None:
            return refusal
        try:
            operation, arguments = _parse(await request.body())
            answer = await run_in_threadpool(self._gateway.call, operation, arguments)
        except SynapseError as error:
            return JSONResponse({"error": error_to_json(error)})
        return JSONResponse({"answer": answer})


def _parse(body: bytes) -> tuple[str, Mapping[str, Json]]:
    try:
        asked = json.loads(body)
    except ValueError:
        raise InvalidInput("the request is no JSON") from None
    match asked:
        case {"operation": str(operation), "arguments": dict(arguments)}:
            return operation, arguments
    raise InvalidInput('a request is {"operation": …, "arguments": {…}}')
