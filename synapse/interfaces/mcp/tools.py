"""The tools that read (contract, section 4): what each takes, and the question it asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from mcp.types import CallToolResult
from pydantic import Field

from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.desk import Desk, Question, ResponseFormat, View, result
from synapse.interfaces.mcp.entry import ToolEntry, made_tool
from synapse.interfaces.mcp.examples import Known
from synapse.interfaces.mcp.lines import (
    card_lines,
    impact_lines,
    neighborhood_lines,
    provenance_lines,
    table_lines,
)
from synapse.interfaces.mcp.pages import BYTES_PER_TOKEN, card_items, items_of, neighborhood_items
from synapse.usecases.answers import Card, Impact, Json, Neighborhood, Provenance, SparqlResult

CARD: Final = View("card", card_items, card_lines)
NEIGHBORHOOD: Final = View("neighborhood", neighborhood_items, neighborhood_lines)
IMPACT: Final = View("impact", items_of("affected"), impact_lines)
PROVENANCE: Final = View("provenance", items_of("facts"), provenance_lines)

Entity = Annotated[str, Field(description="id (path without .md), label, alias, CURIE or IRI of an entity")]
Property = Annotated[str | None, Field(description="a property, as depends_on; all if left out")]
Predicates = Annotated[
    list[str] | None, Field(description="follow only these properties, as depends_on; all if left out")
]
Object = Annotated[
    str | dict[str, str] | None,
    Field(description='an entity, or a literal as {"value": "…", "datatype"?: "…", "lang"?: "…"}'),
]
Depth = Annotated[int, Field(ge=1, le=5, description="how many facts away")]
Steps = Annotated[int | None, Field(ge=1, description="how many facts away; any distance if left out")]
Format = Annotated[
    ResponseFormat, Field(description="detailed adds every source and the SPARQL query behind the answer")
]
Budget = Annotated[int, Field(ge=200, le=20_000, description="about how long the answer may be")]
AsOf = Annotated[
    str | None,
    Field(description="answer from what was known at this day or UTC moment, as 2026-03-01T09:30:00Z"),
]
Cursor = Annotated[str | None, Field(description="the cursor of the page before, for the next one")]

DEFAULT_BUDGET: Final = 2000


SPARQL_TOOL: Final = "run_sparql"
SPARQL_DISABLED: Final = (
    "run_sparql is not enabled for this memory. Who administers it sets sparql = true under [server] in the "
    "synapse.toml of the notes (or SYNAPSE_SPARQL=true), and connects you with --access full. The get_ tools "
    "answer without it."
)


class ReadTools:
    """The read tools of one memory; docstrings are what a model reads of them."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def get_entity(
        self,
        id: Entity,
        as_of: AsOf = None,
        response_format: Format = "concise",
        max_tokens: Budget = DEFAULT_BUDGET,
        cursor: Cursor = None,
    ) -> CallToolResult:
        """Everything known of one entity: label, types, description, and its facts with their sources."""
        asked = given(id=id, as_of=as_of)
        return self._answer("get_entity", CARD, asked, response_format, max_tokens, cursor)

    def get_neighborhood(
        self,
        id: Entity,
        depth: Depth = 1,
        predicates: Predicates = None,
        direction: Literal["both", "out", "in"] = "both",
        response_format: Format = "concise",
        max_tokens: Budget = DEFAULT_BUDGET,
        cursor: Cursor = None,
    ) -> CallToolResult:
        """The entities around one entity, nearest first, and the facts that connect them."""
        asked = given(id=id, depth=depth, predicates=predicates, direction=direction)
        return self._answer("get_neighborhood", NEIGHBORHOOD, asked, response_format, max_tokens, cursor)

    def get_impact(
        self,
        id: Entity,
        depth: Steps = None,
        predicates: Predicates = None,
        response_format: Format = "concise",
        max_tokens: Budget = DEFAULT_BUDGET,
        cursor: Cursor = None,
    ) -> CallToolResult:
        """Everything that depends on an entity, directly or not, each with the facts that show why."""
        asked = given(id=id, depth=depth, predicates=predicates)
        return self._answer("get_impact", IMPACT, asked, response_format, max_tokens, cursor)

    def get_provenance(
        self,
        subject: Entity,
        predicate: Property = None,
        object: Object = None,
        as_of: AsOf = None,
        response_format: Format = "concise",
        max_tokens: Budget = DEFAULT_BUDGET,
        cursor: Cursor = None,
    ) -> CallToolResult:
        """Where facts come from: the line of a note, or agent and reason; for an inferred fact its proof."""
        asked = given(subject=subject, predicate=predicate, object=object, as_of=as_of)
        return self._answer("get_provenance", PROVENANCE, asked, response_format, max_tokens, cursor)

    def run_sparql(
        self,
        query: Annotated[str, Field(description="SPARQL 1.1 SELECT, ASK, CONSTRUCT or DESCRIBE; read-only")],
        timeout: Annotated[float, Field(gt=0, le=60, description="seconds")] = 10.0,
        limit: Annotated[int, Field(ge=1, le=10_000, description="rows at most")] = 100,
        as_of: AsOf = None,
        max_tokens: Budget = DEFAULT_BUDGET,
    ) -> CallToolResult:
        """The rows of a read-only SPARQL query over all graphs; the memory's prefixes are declared."""
        asked = given(query=query, timeout=timeout, limit=limit, format="table", as_of=as_of)
        answer = self._desk.ask("sparql", asked)
        fresh = [] if as_of is not None else self._desk.freshness()
        others = [notice for notice in answer["notices"] if notice["code"] != "rows-cut"]
        answer["notices"] = [*_rows_cut(answer), *others, *fresh]
        return result(_bounded(answer, max_tokens), table_lines)

    def _answer(
        self,
        tool: str,
        view: View,
        arguments: Mapping[str, Json],
        response_format: ResponseFormat,
        max_tokens: int,
        cursor: str | None,
    ) -> CallToolResult:
        return self._desk.answer(Question(tool, arguments, response_format, max_tokens, cursor), view)


def given(**arguments: Any) -> dict[str, Json]:
    """The arguments that were given."""
    return {name: value for name, value in arguments.items() if value is not None}


def _rows_cut(answer: dict[str, Any]) -> list[dict[str, Any]]:
    if not answer["truncated"]:
        return []
    return [{"code": "rows-cut", "message": f"shown the first {answer['rows']}: raise limit, or use OFFSET"}]


def _bounded(answer: dict[str, Any], max_tokens: int) -> dict[str, Any]:
    """A table of whole lines that fits; a notice says how many of them are shown."""
    lines, size = answer["text"].splitlines(keepends=True), 0
    for count, line in enumerate(lines):
        size += len(line.encode())
        if size > max_tokens * BYTES_PER_TOKEN:
            message = f"shown {count} of {len(lines)} lines: raise max_tokens, or use LIMIT and OFFSET"
            notices = [*answer["notices"], {"code": "cut", "message": message}]
            return {**answer, "text": "".join(lines[:count]), "truncated": True, "notices": notices}
    return answer


def read_tools(desk: Desk) -> list[ToolEntry]:
    """The tools every connection may use."""
    tools = ReadTools(desk)

    def entity(known: Known) -> Mapping[str, Any]:
        return {"id": known.id}

    return [
        ToolEntry(made_tool(tools.get_entity, "Card of an entity", Card), Level.READ, entity),
        ToolEntry(
            made_tool(tools.get_neighborhood, "Neighbourhood of an entity", Neighborhood),
            Level.READ,
            lambda known: {"id": known.id, "depth": 2},
        ),
        ToolEntry(made_tool(tools.get_impact, "What depends on an entity", Impact), Level.READ, entity),
        ToolEntry(
            made_tool(tools.get_provenance, "Where facts come from", Provenance),
            Level.READ,
            lambda known: {"subject": known.id},
        ),
    ]


def sparql_tools(desk: Desk) -> list[ToolEntry]:
    """The query tool, for connections at level full where the administrator enabled it."""
    tool = made_tool(ReadTools(desk).run_sparql, "SPARQL query", SparqlResult)
    example = {"query": "SELECT ?x ?y { ?x syn:depends_on ?y } LIMIT 10"}
    return [ToolEntry(tool, Level.FULL, lambda _: example)]
