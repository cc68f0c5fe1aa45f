"""The MCP server of a memory: the same for stdio, Streamable HTTP and SSE, in both protocol eras."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from anyio.to_thread import run_sync
from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult
from mcp.types import Tool as ListedTool
from pydantic import ValidationError

from synapse.errors import InvalidInput, SynapseError
from synapse.interfaces.gateway import ChangingGateway, NotResolved
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.desk import Desk, failure
from synapse.interfaces.mcp.entry import ToolEntry
from synapse.interfaces.mcp.examples import Repair, example_call, renamed, repair_of, repaired
from synapse.interfaces.mcp.next_steps import asked_of_a_person
from synapse.interfaces.mcp.resources import add_prompts, add_resources
from synapse.interfaces.mcp.sdk import lowlevel_server
from synapse.interfaces.mcp.subscriptions import Subscriptions
from synapse.interfaces.mcp.teaching import (
    AMBIGUOUS,
    explain_failure,
    guide,
    instructions,
    wrong_arguments,
    wrong_values,
)
from synapse.interfaces.mcp.tools import SPARQL_DISABLED, SPARQL_TOOL, read_tools, sparql_tools
from synapse.interfaces.mcp.write_tools import log_tools, write_tools
from synapse.rdf.names import shortened

_log = logging.getLogger(__name__)


def create_server(
    gateway: Callable[[], ChangingGateway],
    *,
    access: Level = Level.READ,
    agent: str | None = None,
    sparql: bool = False,
    ready: Callable[[], bool] = lambda: True,
) -> MemoryServer:
    """The server of the memory that `gateway()` gives, for connections at level `access`.

    `agent` is who writes through it; None takes the name that each client gives. `sparql` offers
    `run_sparql` to level full. `ready` says whether asking the memory costs no opening: only then
    do the instructions name ids of it, so that a handshake stays light.
    """
    desk = Desk(gateway, ready=ready)
    entries = [*read_tools(desk), *log_tools(desk), *write_tools(desk, agent=agent)]
    entries += sparql_tools(desk) if sparql else []
    server = MemoryServer(entries, access=access, desk=desk, subscriptions=Subscriptions(gateway))
    add_resources(server, desk)
    add_prompts(server)
    return server


class MemoryServer(MCPServer[Any]):
    """An MCP server that shows and runs what the level permits, and whose errors teach."""

    def __init__(
        self, entries: list[ToolEntry], *, access: Level, desk: Desk, subscriptions: Subscriptions
    ) -> None:
        super().__init__(
            "synapse",
            title="synapse: memory you can prove",
            version=version("synapse-memory"),
            instructions=guide(access),
            tools=[entry.tool for entry in entries],
            log_level="WARNING",
            subscriptions=subscriptions,
            middleware=[self._greet],
        )
        subscriptions.serve(lowlevel_server(self))
        self._entries: Mapping[str, ToolEntry] = {entry.tool.name: entry for entry in entries}
        self._access = access
        self._desk = desk

    async def list_tools(self) -> list[ListedTool]:
        """The tools that the level of the connection permits."""
        permitted = self._permitted()
        return [tool for tool in await super().list_tools() if tool.name in permitted]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Run a permitted tool; every expected failure is a text that says how to do better."""
        entry = self._permitted().get(name)
        if entry is None:
            return failure(self._refusal(name, arguments))
        schema = entry.tool.parameters
        problems = wrong_arguments(arguments, schema=schema)
        if problems:
            repair = Repair(fixes=renamed(arguments, schema))
            return failure(await self._correction(entry, problems, arguments, repair))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            return failure(await self._lesson(entry, error, arguments))

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """A prompt filled in; what is wrong with the request is the client's error, not a crash."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error

    def _permitted(self) -> dict[str, ToolEntry]:
        return {name: entry for name, entry in self._entries.items() if self._access.permits(entry.needs)}

    def _refusal(self, name: str, arguments: Mapping[str, Any]) -> str:
        if name in self._entries:
            needed = self._entries[name].needs
            refused = f"{name} needs the level {needed}; this connection has {self._access}."
            return f"{refused}\n{asked_of_a_person(name, arguments, needed)}"
        if name == SPARQL_TOOL:
            return SPARQL_DISABLED
        permitted = self._permitted()
        nearest = difflib.get_close_matches(name, permitted, n=1)
        hint = f"Did you mean {nearest[0]}?" if nearest else f"Tools are {', '.join(permitted)}."
        return f"There is no tool {shortened(name)}. {hint}"

    async def _lesson(self, entry: ToolEntry, error: ToolError, given: Mapping[str, Any]) -> str:
        """The text for a failed call; what was not foreseen is for the log, not for the model."""
        cause = error.__cause__
        if isinstance(cause, SynapseError):
            helps = isinstance(cause, (InvalidInput, NotResolved)) and cause.code != AMBIGUOUS
            example = await self._example(entry, given, repair_of(cause, given)) if helps else None
            return explain_failure(cause, tool=entry.tool.name, example=example)
        if isinstance(cause, ValidationError):
            problems = cause.errors(include_url=False)
            wrong = Repair({str(problem["loc"][0]) for problem in problems if problem["loc"]})
            said = wrong_values(problems, schema=entry.tool.parameters)
            return await self._correction(entry, said, given, wrong)
        _log.error("%s failed unexpectedly", entry.tool.name, exc_info=cause)
        return f"{entry.tool.name} failed unexpectedly and changed nothing; the log of the server says why."

    async def _correction(
        self, entry: ToolEntry, problems: list[str], given: Mapping[str, Any], repair: Repair
    ) -> str:
        takes = ", ".join(entry.tool.parameters["properties"])
        lines = [f"{entry.tool.name}: {'; '.join(problems)}.", f"It takes {takes}."]
        example = await self._example(entry, given, repair)
        return "\n".join([*lines, f"Example: {example}"] if example else lines)

    async def _example(self, entry: ToolEntry, given: Mapping[str, Any], repair: Repair) -> str | None:
        """A call that works, about what was asked; what an agent is not to guess is looked up first."""
        made = entry.example(await run_sync(self._desk.known))
        found = repaired(given, repair, example=made, schema=entry.tool.parameters)
        if entry.lookup is not None and not (found or {}).keys() - made.keys():
            return entry.lookup
        return None if found is None else example_call(entry.tool.name, found)

    async def _greet(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Name ids of this memory in the instructions of a handshake (either era's)."""
        answer = await call_next(ctx)
        if isinstance(answer, dict) and "instructions" in answer:
            examples = await run_sync(self._desk.well_known)
            return {**answer, "instructions": instructions(self._access, examples)}
        return answer
