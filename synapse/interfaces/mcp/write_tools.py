"""The tools that write, and the one that reads what was written (contract, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field

from synapse.errors import InvalidInput
from synapse.interfaces.arguments import MAX_AGENT
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.desk import Desk, Question, View
from synapse.interfaces.mcp.entry import ADDS, CORRECTS, ToolEntry, made_tool
from synapse.interfaces.mcp.examples import Known
from synapse.interfaces.mcp.pages import items_of
from synapse.interfaces.mcp.tools import DEFAULT_BUDGET, Budget, Cursor, given
from synapse.interfaces.mcp.written import assert_lines, log_lines, retract_lines, undo_lines
from synapse.usecases.written import Log, WriteAnswer

LOG: Final = View("log", items_of("entries"), log_lines)
UNNAMED: Final = "mcp"
"""The agent of a client that does not say its name."""


class FactArgument(BaseModel):
    """A fact as an agent gives it."""

    model_config = ConfigDict(extra="forbid")

    subject: Annotated[
        str, Field(description="the entity it is about: an id, label, alias or IRI; or a new id")
    ]
    predicate: Annotated[str, Field(description="the property, as depends_on, rdfs:label or a full IRI")]
    object: Annotated[str, Field(description="an entity (id, label, alias, IRI) or the text of a value")]
    datatype: Annotated[str | None, Field(description="of a value, as xsd:integer or xsd:date")] = None
    lang: Annotated[str | None, Field(description="language of a value, as en or es-MX")] = None
    object_is: Annotated[
        Literal["id", "literal", "iri"] | None,
        Field(
            description="how to read object; left out: by the property, else an entity so called, else text"
        ),
    ] = None


Facts = Annotated[list[FactArgument], Field(description="1 to 500 facts; all are written, or none")]
Reason = Annotated[str, Field(description="why, in a sentence; kept with the change for good")]
Moment = Annotated[
    str | None, Field(description="a day, 2026-03-01, or a moment in UTC, 2026-03-01T09:30:00Z")
]


class WriteTools:
    """The write tools of one connection; docstrings are what a model reads of them."""

    def __init__(self, desk: Desk, *, agent: str | None) -> None:
        self._desk = desk
        self._agent = agent

    def assert_facts(
        self,
        facts: Facts,
        source: Annotated[str, Field(description="where you have it from: a person, a document, a URL")],
        reason: Reason,
        ctx: Context[Any, Any],
        confidence: Annotated[
            float | None, Field(ge=0, le=1, description="how sure you are; left out: not said")
        ] = None,
        force_new: Annotated[
            bool, Field(description="true: names that resemble known ones mean other entities all the same")
        ] = False,
        max_tokens: Budget = DEFAULT_BUDGET,
    ) -> CallToolResult:
        """Remember facts, with where they come from and why; the answer tells what they connected to."""
        asked = given(
            facts=[fact.model_dump(exclude_none=True) for fact in facts],
            source=source,
            reason=reason,
            confidence=confidence,
            force_new=force_new,
            agent=self._who(ctx),
        )
        return self._desk.write("assert", asked, assert_lines, max_tokens=max_tokens)

    def retract_facts(
        self,
        reason: Reason,
        ctx: Context[Any, Any],
        assertion_id: Annotated[str | None, Field(description="take back this whole assertion")] = None,
        facts: Annotated[
            list[FactArgument] | None, Field(description="take back these facts, wherever they were asserted")
        ] = None,
        max_tokens: Budget = DEFAULT_BUDGET,
    ) -> CallToolResult:
        """Take back what was asserted, whole or fact by fact. What a note says is edited in the note."""
        if (assertion_id is None) == (facts is None):
            raise InvalidInput("give an assertion_id or facts, one of the two")
        listed = None if facts is None else [fact.model_dump(exclude_none=True) for fact in facts]
        asked = given(reason=reason, assertion_id=assertion_id, facts=listed, agent=self._who(ctx))
        return self._desk.write("retract", asked, retract_lines, max_tokens=max_tokens)

    def undo_write(
        self,
        activity: Annotated[str, Field(description="the activity of an agent, from get_log")],
        reason: Reason,
        ctx: Context[Any, Any],
        max_tokens: Budget = DEFAULT_BUDGET,
    ) -> CallToolResult:
        """Make undone what one agent's write changed: asserted facts go, retracted ones return."""
        asked = given(activity=activity, reason=reason, agent=self._who(ctx))
        return self._desk.write("undo", asked, undo_lines, max_tokens=max_tokens)

    def get_log(
        self,
        entity: Annotated[str | None, Field(description="only changes that concern this entity")] = None,
        agent: Annotated[str | None, Field(description="only what this agent did")] = None,
        since: Moment = None,
        until: Moment = None,
        all: Annotated[bool, Field(description="true: also saves of notes that changed no fact")] = False,
        max_tokens: Budget = DEFAULT_BUDGET,
        cursor: Cursor = None,
    ) -> CallToolResult:
        """What changed in the memory, when, by whom and why, the newest first."""
        asked = given(entity=entity, agent=agent, since=since, until=until, all=all or None)
        return self._desk.answer(Question("get_log", asked, "detailed", max_tokens, cursor), LOG)

    def _who(self, ctx: Context[Any, Any]) -> str:
        return self._agent or client_name(ctx)


def client_name(ctx: Context[Any, Any]) -> str:
    """What the client of a call says it is called, as an agent may be called."""
    params = ctx.session.client_params
    said = params.client_info.name if params is not None else ""
    plain = "".join(character if character.isprintable() else " " for character in said)
    return " ".join(plain.split())[:MAX_AGENT] or UNNAMED


def log_tools(desk: Desk) -> list[ToolEntry]:
    """The history, for every connection."""
    tool = made_tool(WriteTools(desk, agent=None).get_log, "What changed", Log)
    return [ToolEntry(tool, Level.READ, lambda known: {"entity": known.id})]


def write_tools(desk: Desk, *, agent: str | None) -> list[ToolEntry]:
    """The tools that add, for level read_write, and those that correct, for level full.

    `agent` is who writes; None takes the name that the client gives.
    """
    tools = WriteTools(desk, agent=agent)
    return [
        ToolEntry(
            made_tool(tools.assert_facts, "Remember facts", WriteAnswer, does=ADDS),
            Level.READ_WRITE,
            _restated,
        ),
        ToolEntry(
            made_tool(tools.retract_facts, "Take back asserted facts", WriteAnswer, does=CORRECTS),
            Level.FULL,
            lambda _: {"reason": "why it is taken back"},
            lookup="get_log()",
        ),
        ToolEntry(
            made_tool(tools.undo_write, "Undo a write", WriteAnswer, does=CORRECTS),
            Level.FULL,
            lambda _: {"reason": "why it is undone"},
            lookup="get_log()",
        ),
    ]


def _restated(known: Known) -> Mapping[str, Any]:
    """A fact that a note states already: whoever follows the example says nothing false."""
    facts = {} if known.fact is None else {"facts": [known.fact]}
    source = known.source or "where you have it from"
    return {**facts, "source": source, "reason": "why it is worth keeping"}
