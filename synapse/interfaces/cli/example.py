"""One question that this very memory answers well: an inferred fact that rests on several notes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from synapse.errors import SynapseError
from synapse.interfaces.gateway import Gateway

TRIED: Final = 40
"""Candidates that are explained to find the best; a proof takes microseconds."""

ENOUGH: Final = 3
"""Notes in one proof that make a question good enough to stop looking."""

# Facts between two entities of this memory; types and what is said of terms make dull questions.
_CANDIDATES: Final = """
SELECT ?s ?p ?o {
  GRAPH <urn:synapse:inferred> { ?s ?p ?o }
  FILTER(isIRI(?o) && ?s != ?o && ?p != rdf:type)
  FILTER(STRSTARTS(STR(?s), STR(<>)) && !STRSTARTS(STR(?s), STR(:)))
  FILTER(STRSTARTS(STR(?o), STR(<>)) && !STRSTARTS(STR(?o), STR(:)))
} LIMIT 400
"""


@dataclass(frozen=True, slots=True)
class Example:
    """A question as `synapse why` takes it, and its answer."""

    words: tuple[str, str, str]
    answer: Mapping[str, Any]
    notes: int


def example(gateway: Gateway) -> Example | None:
    """The best question found, or None when nothing was inferred between entities."""
    best = None
    try:
        for candidate in _explained(gateway):
            if best is None or candidate.notes > best.notes:
                best = candidate
            if best.notes >= ENOUGH:
                break
    except SynapseError:
        # A store that cannot answer this costs an example, never the start.
        return None
    return best


def _explained(gateway: Gateway) -> Iterator[Example]:
    result: Any = gateway.call("sparql", {"query": _CANDIDATES, "format": "json"})
    rows = json.loads(result["text"])["results"]["bindings"]
    rows.sort(key=lambda row: not row["p"]["value"].endswith("depends_on"))
    for row in rows[:TRIED]:
        asked = {name: row[key]["value"] for name, key in zip(_ENDS, "spo", strict=True)}
        answer: Any = gateway.call("why", asked)
        if answer["known"]:
            yield _example(answer)


_ENDS: Final = ("subject", "predicate", "object")


def _example(answer: Mapping[str, Any]) -> Example:
    proof = answer["proofs"][0]
    words = tuple(str(proof["conclusion"][end]) for end in _ENDS)
    return Example((words[0], words[1].removeprefix("syn:"), words[2]), answer, len(set(_paths(proof))))


def _paths(proof: Mapping[str, Any]) -> Iterator[str]:
    pending = [proof]
    while pending:
        step = pending.pop()
        yield from (source["path"] for source in step["sources"] if source.get("path"))
        pending.extend(step["premises"])
