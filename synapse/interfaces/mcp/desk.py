"""The desk between tools and memory: asks, fits the answer into its budget, says how fresh it is."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, Literal, cast

from mcp.types import CallToolResult, TextContent

from synapse.errors import SynapseError
from synapse.interfaces.gateway import Gateway
from synapse.interfaces.mcp.examples import Known
from synapse.interfaces.mcp.lines import ending_lines
from synapse.interfaces.mcp.pages import Answer, Item, Paging, concise, page
from synapse.interfaces.mcp.written import bounded
from synapse.interfaces.staleness import stale_notices
from synapse.usecases.answers import Json

ResponseFormat = Literal["concise", "detailed"]
Lines = Callable[[Answer], Iterator[str]]

# The entities that notes say most about: the best first calls for a model that knows no id yet.
_WELL_KNOWN: Final = """\
SELECT ?entity (COUNT(*) AS ?facts) WHERE { GRAPH ?graph { ?entity ?property ?value }
FILTER(STRSTARTS(STR(?graph), "urn:synapse:file:")) }
GROUP BY ?entity ORDER BY DESC(?facts) ?entity LIMIT 6"""

EXAMPLES: Final = 3
STATED: Final = 40
"""Facts of an entity among which one is looked for that an example may restate."""
EXAMPLES_TIMEOUT: Final = 3.0
EXAMPLES_RETRY: Final = 60.0
"""Seconds; a person's client waits for a handshake, and a memory without entities may get some."""


@dataclass(frozen=True, slots=True)
class View:
    """How an answer is paged and written: its items in order, and its lines."""

    operation: str
    items: Callable[[Answer], Iterable[Item]]
    lines: Lines


@dataclass(frozen=True, slots=True)
class Question:
    """One call of a tool: what is asked, how much detail, and how much fits."""

    tool: str
    arguments: Mapping[str, Json]
    response_format: ResponseFormat
    max_tokens: int
    cursor: str | None


class Desk:
    """Answers questions from the memory behind a gateway, which is found when first asked."""

    def __init__(self, gateway: Callable[[], Gateway], *, ready: Callable[[], bool]) -> None:
        self._gateway = gateway
        self._ready = ready
        self._well_known: tuple[str, ...] = ()
        self._looked_at = float("-inf")

    def answer(self, question: Question, view: View) -> CallToolResult:
        """The page of an answer, with the same facts as text and as structured content."""
        paging = Paging.of(
            question.tool, question.arguments, max_tokens=question.max_tokens, cursor=question.cursor
        )
        answer = self.ask(view.operation, {**question.arguments, "limit": paging.limit})
        if question.response_format == "concise":
            answer = concise(answer)
        if "as_of" not in question.arguments:
            answer["notices"] = [*answer["notices"], *self.freshness()]
        return result(page(answer, view.items, paging), view.lines)

    def write(
        self, operation: str, arguments: Mapping[str, Json], lines: Lines, *, max_tokens: int
    ) -> CallToolResult:
        """What a write did, or why it was refused: both are answers, for both say what to do next."""
        answer = self.ask(operation, arguments)
        answer["notices"] = [*answer["notices"], *self.freshness()]
        return result(bounded(answer, max_tokens), lines)

    def ask(self, operation: str, arguments: Mapping[str, Json]) -> Answer:
        """The JSON object that an operation answers."""
        return cast(Answer, self._gateway().call(operation, arguments))

    def freshness(self) -> list[Answer]:
        """A notice when notes changed after the last synchronisation, else nothing."""
        return stale_notices(self.ask("status", {}), remark="this answer may lag behind")

    def well_known(self) -> tuple[str, ...]:
        """Up to three ids of this memory worth asking for; none while it is empty or not open yet."""
        stale = time.monotonic() - self._looked_at > EXAMPLES_RETRY
        if self._ready() and not self._well_known and stale:
            self._looked_at = time.monotonic()
            self._well_known = tuple(islice(self._find_well_known(), EXAMPLES))
        return self._well_known

    def known(self) -> Known:
        """What an example call may name; of this memory if it holds anything."""
        ids = self.well_known()
        if not ids:
            return Known()
        try:
            stated = (one for identifier in ids for one in self._stated(identifier))
            fact, source = next(stated, (None, ""))
        except SynapseError:
            return Known(ids[0])
        return Known(ids[0], fact, source)

    def _stated(self, identifier: str) -> Iterator[tuple[Mapping[str, str], str]]:
        """The relations that notes state of an entity, as `assert_facts` takes them, each with its note."""
        for fact in self.ask("card", {"id": identifier, "limit": STATED})["out"]:
            paths = [source["path"] for source in fact["sources"] if source["kind"] == "file"]
            if paths and isinstance(fact["object"], str) and fact["predicate"] != "rdf:type":
                yield {name: fact[name] for name in ("subject", "predicate", "object")}, paths[0]

    def _find_well_known(self) -> Iterator[str]:
        """Ids that mean their entity and no other, however else that is called."""
        arguments: dict[str, Json] = {"query": _WELL_KNOWN, "format": "json", "timeout": EXAMPLES_TIMEOUT}
        try:
            rows = json.loads(self.ask("sparql", arguments)["text"])["results"]["bindings"]
        except SynapseError:
            return  # an example is a courtesy: without one the answer stands all the same
        for row in rows:
            with suppress(SynapseError):
                identifier = self.ask("card", {"id": row["entity"]["value"], "limit": 0})["id"]
                if self.ask("card", {"id": identifier, "limit": 0})["iri"] == row["entity"]["value"]:
                    yield identifier


def result(answer: Answer, lines: Lines) -> CallToolResult:
    """An answer in both channels (a host may show its model only one of them)."""
    text = "\n".join(chain(lines(answer), ending_lines(answer)))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=answer)


def failure(text: str) -> CallToolResult:
    """An error as a model reads it: hosts drop the structured content of errors."""
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
