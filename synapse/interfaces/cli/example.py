"""One question that this very memory answers well: an inferred fact that rests on several notes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from synapse.errors import SynapseError
from synapse.interfaces.gateway import Gateway

SECONDS: Final = 0.5
"""How long candidates are explained to find the best: a start is not held up for an example."""

ENOUGH: Final = 3
"""Notes in one proof that make a question good enough; of those, the shortest proof is taken."""

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
    steps: int


def example(gateway: Gateway) -> Example | None:
    """The best question found, or None when nothing was inferred between entities."""
    try:
        return max(_explained(gateway), key=_interest, default=None)
    except SynapseError:
        # A store that cannot answer this costs an example, never the start.
        return None


def _interest(found: Example) -> tuple[int, int]:
    return min(found.notes, ENOUGH), -found.steps


def _explained(gateway: Gateway) -> Iterator[Example]:
    result: Any = gateway.call("sparql", {"query": _CANDIDATES, "format": "json"})
    rows = json.loads(result["text"])["results"]["bindings"]
    rows.sort(key=lambda row: not row["p"]["value"].endswith("depends_on"))
    deadline = time.monotonic() + SECONDS
    for row in rows:
        if time.monotonic() > deadline:
            return
        asked = {name: row[key]["value"] for name, key in zip(_ENDS, "spo", strict=True)}
        answer: Any = gateway.call("why", asked)
        if answer["known"]:
            yield _example(answer)


_ENDS: Final = ("subject", "predicate", "object")


def _example(answer: Mapping[str, Any]) -> Example:
    proof = answer["proofs"][0]
    subject, predicate, value = (str(proof["conclusion"][end]) for end in _ENDS)
    steps = list(_steps(proof))
    notes = {source["path"] for step in steps for source in step["sources"] if source["kind"] == "file"}
    return Example((subject, predicate.removeprefix("syn:"), value), answer, len(notes), len(steps))


def _steps(proof: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    pending = [proof]
    while pending:
        step = pending.pop()
        yield step
        pending.extend(step["premises"])
