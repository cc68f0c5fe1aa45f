"""What synapse takes of the MCP SDK beside its public names, in one place; a test says what each must be.

Version 2 of the SDK gives `MCPServer` no way to serve the subscriptions of the older era: an extension may
not bind a method of the specification, and middleware does not get the connection of its request.
"""

from __future__ import annotations

from typing import Any

from mcp.server import MCPServer
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server


def lowlevel_server(server: MCPServer[Any]) -> Server[Any]:
    """The server below an `MCPServer`: the one that takes handlers for any method."""
    return server._lowlevel_server


def connection_of(ctx: ServerRequestContext[Any, Any]) -> Connection:
    """What lives as long as the client: the SDK makes a session for each request."""
    return ctx.session._connection
