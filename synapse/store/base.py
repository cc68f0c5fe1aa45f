"""The seam to the dataset: five verbs, whatever engine holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from pyoxigraph import Literal, NamedNode, Quad, QueryBoolean, QuerySolutions, QueryTriples

from synapse.rdf.delta import Change

Term = NamedNode | Literal
QueryResults = QuerySolutions | QueryTriples | QueryBoolean


def nothing() -> None:
    """The record of a change that is on record already."""


def no_more() -> tuple[Change, ...]:
    """What goes with a change that is complete in itself."""
    return ()


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

    def count(self, graph: NamedNode | None = None) -> int:
        """How many quads a graph holds, or the whole dataset."""
        ...

    def apply(
        self,
        change: Change,
        *,
        rest: Callable[[], tuple[Change, ...]] = no_more,
        record: Callable[[], None] = nothing,
    ) -> None:
        """Write the change as one atomic unit; raises `StoreError` and changes nothing on failure.

        `rest` tells what else belongs to it, each change in graphs of its own, and then `record` puts it on
        record elsewhere; both are called before anything is written. Where a change is so large that it
        cannot be atomic it is written meanwhile; until all is done the dataset counts as `torn`, and it
        stays so when `rest` or `record` fails.
        """
        ...

    @property
    def torn(self) -> bool:
        """Whether a change may be written in part, by this process or one before it; see `mark`."""
        ...

    def mark(self, *, torn: bool) -> None:
        """Remember, beyond the end of this process, that the dataset may be torn, or that it no longer is."""
        ...

    def graph_names(self) -> Iterator[NamedNode]:
        """The named graphs that hold at least one quad."""
        ...


def text_of(
    store: Store, subject: NamedNode, predicate: NamedNode, *, graph: NamedNode | None = None
) -> str | None:
    """The text of a literal that the subject has once; the first in order where it has several."""
    objects = (quad.object for quad in store.quads(subject, predicate, graph=graph))
    return min((term.value for term in objects if isinstance(term, Literal)), default=None)
