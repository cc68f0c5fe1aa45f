"""What synapse relies on in the MCP SDK beyond its public names: each must hold in every version allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from interface_helpers import talk
from mcp import Client
from mcp.server import MCPServer
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.types import RequestParams

import synapse
from synapse.interfaces.mcp.sdk import connection_of, lowlevel_server


def test_a_connection_is_the_same_for_every_request_of_a_client_and_ends_with_it() -> None:
    seen: list[Connection] = []
    ended: list[str] = []

    async def remember(ctx: Any, call_next: Any) -> Any:
        if ctx.method == "tools/list":
            seen.append(connection_of(ctx))
        return await call_next(ctx)

    async def conversation(client: Client) -> None:
        await client.list_tools()
        await client.list_tools()
        seen[0].exit_stack.callback(ended.append, "the client")
        assert ended == []

    talk(MCPServer("a test", middleware=[remember]), conversation, mode="legacy")
    assert len(seen) == 2 and seen[0] is seen[1]
    assert isinstance(seen[0], Connection)
    assert ended == ["the client"]


def test_the_server_below_takes_a_handler_for_a_method_of_the_specification() -> None:
    async def handler(ctx: Any, params: RequestParams) -> None:
        return None

    below = lowlevel_server(MCPServer("a test"))
    assert isinstance(below, Server)
    assert below.get_request_handler("resources/subscribe") is None
    below.add_request_handler("resources/subscribe", RequestParams, handler)
    assert below.get_request_handler("resources/subscribe") is not None


def test_no_other_module_reaches_into_the_sdk() -> None:
    private = ("._lowlevel_server", "._connection")
    modules = Path(synapse.__file__).parent.joinpath("interfaces", "mcp").glob("*.py")
    reaching = {module.name for module in modules if any(name in module.read_text() for name in private)}
    assert reaching == {"sdk.py"}
