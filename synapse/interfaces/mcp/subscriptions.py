"""Who wants to hear of which resource, in both protocol eras, and how they are told of a change."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Thread
from typing import Any, Final
from urllib.parse import quote, unquote

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from synapse.errors import SynapseError
from synapse.interfaces.gateway import ChangingGateway
from synapse.interfaces.mcp.sdk import connection_of
from synapse.usecases.changed import Changed, Listener

MAX_STREAMS: Final = 200
"""Open `subscriptions/listen` requests at a time."""

MAX_URIS: Final = 1000
"""Resources that one connection of the older era may subscribe to."""

ATTACH_SECONDS: Final = 30.0
"""How long a subscription waits for the memory to be followed before it is confirmed all the same."""

Ask = ServerRequestContext[Any, Any]
_log = logging.getLogger(__name__)


def entity_uri(identifier: str) -> str:
    """The resource that is the card of an entity."""
    return f"synapse://entity/{quote(identifier, safe='/')}"


def note_uri(path: str) -> str:
    """The resource that is the text of a note."""
    return f"synapse://note/{quote(path, safe='/')}"


def _canonical(uri: str) -> str:
    """The one spelling of a URI that clients may have encoded in several ways."""
    scheme, separator, rest = uri.partition("://")
    return scheme + separator + quote(unquote(rest), safe="/")


def _follow(gateway: Callable[[], ChangingGateway], hear: Listener, ended: Event) -> None:
    try:
        gateway().follow(hear, ended)
    except SynapseError as problem:
        _log.error("subscribers are told no changes: %s", problem.message)
        hear(Changed())


async def _quietly(telling: Awaitable[None]) -> None:
    """A client that has gone hears nothing, and that is no trouble of the others."""
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, MCPError):
        await telling


class Subscriptions(InMemorySubscriptionBus):
    """Follows the memory while somebody has subscribed, and tells whom a change concerns."""

    def __init__(self, gateway: Callable[[], ChangingGateway]) -> None:
        super().__init__()
        self._gateway = gateway
        self._wanted: Counter[str] = Counter()
        self._older: dict[tuple[int, str], Callable[[], None]] = {}
        self._told: set[asyncio.Task[None]] = set()
        self._ended: Event | None = None
        self._attached = asyncio.Event()
        self._listen = ListenHandler(self, max_subscriptions=MAX_STREAMS)

    def serve(self, server: Server[Any]) -> None:
        """Answer the requests of both eras that subscribe and end subscriptions."""
        server.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, self.listen)
        server.add_request_handler("resources/subscribe", SubscribeRequestParams, self.subscribe_older)
        server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, self.unsubscribe_older)

    async def listen(self, ctx: Ask, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Serve one stream of the newer era until its client ends it."""
        uris = params.notifications.resource_subscriptions or []
        with self._wanting(uris):
            if uris:
                await self._follow()
            return await self._listen(ctx, params)

    async def subscribe_older(self, ctx: Ask, params: SubscribeRequestParams) -> EmptyResult:
        """Tell a connection of the older era of a resource, until it unsubscribes or ends."""
        session, uri = ctx.session, str(params.uri)
        connection = connection_of(ctx)
        key = (id(connection), uri)
        if key in self._older:
            return EmptyResult()
        if sum(known == key[0] for known, _ in self._older) >= MAX_URIS:
            raise MCPError(INVALID_PARAMS, f"a connection may subscribe to {MAX_URIS} resources")

        def tell(event: object) -> None:
            if event == ResourceUpdated(uri):
                self._soon(session.send_resource_updated(uri))

        subscribed = ExitStack()
        subscribed.enter_context(self._wanting([uri]))
        subscribed.callback(self.subscribe(tell))
        self._older[key] = subscribed.close
        connection.exit_stack.callback(self._end_older, key)
        await self._follow()
        return EmptyResult()

    async def unsubscribe_older(self, ctx: Ask, params: UnsubscribeRequestParams) -> EmptyResult:
        """Tell a connection of the older era no more of a resource."""
        self._end_older((id(connection_of(ctx)), str(params.uri)))
        return EmptyResult()

    def _end_older(self, key: tuple[int, str]) -> None:
        end = self._older.pop(key, None)
        if end is not None:
            end()

    @contextmanager
    def _wanting(self, uris: list[str]) -> Iterator[None]:
        self._wanted.update(uris)
        try:
            yield
        finally:
            self._wanted -= Counter(uris)
            if not self._wanted and self._ended is not None:
                self._ended.set()
                self._ended = None

    async def _follow(self) -> None:
        """Follow the memory from now on, if nothing does yet; returns once no change is missed."""
        if self._ended is None:
            self._ended, self._attached = Event(), asyncio.Event()
            loop = asyncio.get_running_loop()

            def hear(changed: Changed) -> None:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(self._heard, changed)

            arguments = (self._gateway, hear, self._ended)
            Thread(target=_follow, args=arguments, name="synapse-subscriptions", daemon=True).start()
        try:
            await asyncio.wait_for(self._attached.wait(), ATTACH_SECONDS)
        except TimeoutError:
            return  # the memory is busy: changes are told from when it answers

    def _heard(self, changed: Changed) -> None:
        self._attached.set()
        if changed:
            self._soon(self._tell(changed))

    async def _tell(self, changed: Changed) -> None:
        concerned = {*map(entity_uri, changed.entities), *map(note_uri, changed.notes)}
        for uri in list(self._wanted):
            if changed.everything or _canonical(uri) in concerned:
                await self.publish(ResourceUpdated(uri))

    def _soon(self, telling: Awaitable[None]) -> None:
        task = asyncio.get_running_loop().create_task(_quietly(telling))
        self._told.add(task)
        task.add_done_callback(self._told.discard)
