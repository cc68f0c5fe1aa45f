"""`GET /changes?since=N`: other processes of the same user wait for changes of the memory."""

from __future__ import annotations

import asyncio
from collections import deque
from threading import Event, Thread
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from synapse.interfaces.gateway import CHANGES_WAIT, ChangingGateway
from synapse.interfaces.web.rpc import Secret
from synapse.usecases.changed import Changed

KEPT: Final = 500
"""Changes that are remembered for those who ask late; whoever asks later hears that anything may differ."""


async def _left(request: Request) -> bool:
    """Return once nobody waits for the answer any more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    return True


class ChangesEndpoint:
    """Numbers the changes of a memory from the first question on, and answers with those since a number."""

    def __init__(self, gateway: ChangingGateway, *, secret: Secret) -> None:
        self._gateway = gateway
        self._secret = secret
        self._kept: deque[Changed] = deque(maxlen=KEPT)
        self._position = 0
        self._arrived = asyncio.Event()
        self._following: asyncio.Event | None = None
        self._ended = Event()

    async def answer(self, request: Request) -> Response:
        """What changed since a position, as soon as something did; without one, the position."""
        refusal = self._secret.refusal(request)
        if refusal is not None:
            return refusal
        await self._follow()
        since = request.query_params.get("since", "")
        if not since.isdecimal():
            return JSONResponse(self._json(Changed()))
        if int(since) == self._position:
            await self._wait(request)
        return JSONResponse(self._json(self._changed(int(since))))

    def close(self) -> None:
        """End the thread that follows the memory."""
        self._ended.set()

    async def _wait(self, request: Request) -> None:
        """Until a change, or the end of the asker or of this server, or for a while: all are answers."""
        ends = {asyncio.create_task(self._arrived.wait()), asyncio.create_task(_left(request))}
        try:
            await asyncio.wait(ends, timeout=CHANGES_WAIT, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()

    async def _follow(self) -> None:
        if self._following is None:
            self._following = asyncio.Event()
            loop = asyncio.get_running_loop()

            def hear(changed: Changed) -> None:
                loop.call_soon_threadsafe(self._heard, changed)

            arguments = (hear, self._ended)
            Thread(target=self._gateway.follow, args=arguments, name="synapse-changes", daemon=True).start()
        await self._following.wait()

    def _heard(self, changed: Changed) -> None:
        assert self._following is not None
        self._following.set()
        if changed:
            self._kept.append(changed)
            self._position += 1
            self._arrived.set()
            self._arrived = asyncio.Event()

    def _changed(self, since: int) -> Changed:
        missed = self._position - since
        if not 0 <= missed <= len(self._kept):
            return Changed(everything=True)
        changes = list(self._kept)[len(self._kept) - missed :]
        return Changed(
            frozenset().union(*(change.entities for change in changes)),
            frozenset().union(*(change.notes for change in changes)),
            any(change.everything for change in changes),
        )

    def _json(self, changed: Changed) -> dict[str, Any]:
        return {
            "position": self._position,
            "entities": sorted(changed.entities),
            "notes": sorted(changed.notes),
            "everything": changed.everything,
        }
