"""A tool as this server offers it: its function, the level it needs, an example of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ToolAnnotations

from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.examples import Known
from synapse.interfaces.mcp.schemas import JsonSchema, schema_of

READS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
ADDS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
CORRECTS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """A tool and what a server must know of it.

    `example` makes arguments of what the memory holds. `lookup` is the call that finds what the tool
    takes, where no example may be given: it would take back what somebody meant to keep.
    """

    tool: Tool
    needs: Level
    example: Callable[[Known], Mapping[str, Any]]
    lookup: str | None = None


def made_tool(
    function: Callable[..., CallToolResult], title: str, answer: type, *, does: ToolAnnotations = READS
) -> Tool:
    """The tool that calls a function; its docstring is what a model reads, `answer` the shape it gets."""
    tool = Tool.from_function(function, title=title, annotations=does.model_copy(update={"title": title}))
    # The SDK derives schemas from pydantic models; ours is derived from what `to_json` writes.
    tool.fn_metadata.output_schema = schema_of(answer)
    tool.parameters = inlined(tool.parameters)
    return tool


def inlined(schema: JsonSchema) -> JsonSchema:
    """A schema without `$ref`, which some clients cannot follow in the arguments of a tool."""
    definitions = schema.get("$defs", {})

    def resolved(part: Any) -> Any:
        if isinstance(part, list):
            return [resolved(item) for item in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return resolved(definitions[part["$ref"].rpartition("/")[2]])
        return {name: resolved(value) for name, value in part.items() if name != "$defs"}

    found: JsonSchema = resolved(schema)
    return found
