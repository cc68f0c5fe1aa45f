"""Resources and prompts: an entity and a note as pages, and how to use the memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.resources import ResourceSecurity
from pydantic import Field

from synapse.errors import InvalidInput, SynapseError
from synapse.interfaces.gateway import NotResolved
from synapse.interfaces.mcp.examples import example_call
from synapse.interfaces.mcp.lines import card_lines, ending_lines
from synapse.interfaces.mcp.pages import concise
from synapse.interfaces.mcp.teaching import GUIDE

if TYPE_CHECKING:
    from synapse.interfaces.mcp.desk import Desk

# Ids are looked up in the graph and paths in the catalog, never on a disk: `..` is no danger here.
_LOOKED_UP = ResourceSecurity(exempt_params={"id", "path"})


@contextmanager
def _told_as(unknown: type[SynapseError]) -> Iterator[None]:
    """Errors as a resource tells them; `unknown` is the one by which the memory says that there is none."""
    try:
        yield
    except unknown as error:
        raise ResourceNotFoundError(f"{error.message}; {error.hint}") from error
    except SynapseError as error:
        raise ResourceError(error.message) from error


def add_resources(server: MCPServer[Any], desk: Desk) -> None:
    """Offer `synapse://entity/{id}`, an entity's card, and `synapse://note/{path}`, a note's text."""

    @server.resource(
        "synapse://entity/{+id}",
        name="entity",
        title="An entity",
        mime_type="text/plain",
        security=_LOOKED_UP,
    )
    def entity(id: str) -> str:
        """The card of one entity: what it is, its facts, and where each comes from."""
        with _told_as(NotResolved):
            card = concise(desk.ask("card", {"id": id}))
        card["notices"] += desk.freshness()
        return "\n".join(chain(card_lines(card), ending_lines(card)))

    @server.resource(
        "synapse://note/{+path}",
        name="note",
        title="A note",
        mime_type="text/markdown",
        security=_LOOKED_UP,
    )
    def note(path: str) -> str:
        """The Markdown of one note as its file says it now; the path is that of a source, with .md."""
        with _told_as(InvalidInput):
            return str(desk.ask("note", {"path": path})["text"])


def add_prompts(server: MCPServer[Any]) -> None:
    """Offer the prompts a person picks in a client."""
    server.add_prompt(Prompt.from_function(use_memory, title="Use the memory"))
    server.add_prompt(Prompt.from_function(assess_change, title="Assess a change"))
    server.add_prompt(Prompt.from_function(review_learned, title="Review what was learned"))


def use_memory(
    question: Annotated[str, Field(description="what you want to know; may be left out")] = "",
) -> str:
    """How to answer from the memory, with sources."""
    task = f"\n\nAnswer from the memory: {question}" if question else ""
    return f"{GUIDE}\n\nCite the path:line of every fact you use, and say which facts are inferred.{task}"


def assess_change(id: Annotated[str, Field(description="the entity that is to change")]) -> str:
    """What a change of one entity would touch, proved step by step."""
    return (
        f"Something about {id!r} is to change. Read get_entity(id={id!r}), then get_impact(id={id!r}). "
        "For each affected entity name the path that connects it; where a step is inferred, read its proof "
        "with get_provenance and cite the path:line of the premises. End with what is certain, what is "
        "inferred, and what the notes do not say."
    )


def review_learned(
    since: Annotated[str, Field(description="a day, as 2026-03-01, or a moment in UTC")] = "",
    agent: Annotated[str, Field(description="whose writes to review; all agents if left out")] = "",
) -> str:
    """What was asserted and taken back, checked against the notes."""
    narrowed = {name: value for name, value in (("since", since), ("agent", agent)) if value}
    return (
        f"Review what was learned. Read {example_call('get_log', narrowed)} to its last page. For each "
        "assertion say in a line what it holds, who wrote it, when, from which source and for which reason. "
        "Then look for trouble: facts that a note contradicts (get_entity), names that mean the same thing, "
        "entities that nothing connects, reasons that justify nothing. End with what a person should confirm,"
        " retract by its id, or move into a note."
    )
