"""The seam to the dataset: four verbs, whatever engine holds it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from pyoxigraph import Literal, NamedNode, Quad, QueryBoolean, QuerySolutions, QueryTriples

from synapse.rdf.delta import Delta

Term = NamedNode | Literal
QueryResults = QuerySolutions | QueryTriples | QueryBoolean


class Store(Protocol):
    """A dataset of ground quads in named graphs; the default graph of a query is their union."""

    def query(self, sparql: str) -> QueryResults:
        """The results of a read-only SPARQL 1.1 query; raises `InvalidQuery` when it does not parse."""
        ...

    def quads(
        self,
        subject: NamedNode | None = None,
        predicate: NamedNode | None = None,
        object: Term | None = None,
        graph: NamedNode | None = None,
    ) -> Iterator[Quad]:
        """The quads that match the pattern; None matches everything."""
        ...

    def apply(self, delta: Delta) -> None:
        """Write the change as one atomic unit; raises `StoreError` and changes nothing on failure."""
        ...

    def graph_names(self) -> Iterator[NamedNode]:
        """The named graphs that hold at least one quad."""
        ...
