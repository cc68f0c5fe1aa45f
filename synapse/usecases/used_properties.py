"""The properties that the facts of a memory have, kept in step with it: a query for them takes long."""

from __future__ import annotations

from collections.abc import Iterator

from pyoxigraph import NamedNode, QuerySolutions

from synapse.rdf.delta import Delta
from synapse.rdf.names import META
from synapse.store.base import Store


class UsedProperties:
    """Read at first use (0.4 s among ten thousand notes), then told of every change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[NamedNode, None] | None = None

    def __iter__(self) -> Iterator[NamedNode]:
        """Every property that some fact has; one that lost its last fact since may be among them."""
        if self._known is None:
            self._known = dict.fromkeys(self._read())
        return iter(tuple(self._known))

    def accept(self, stated: Delta) -> None:
        """Take note of what a change brought."""
        if self._known is not None:
            self._known.update(dict.fromkeys(quad.predicate for quad in stated.added))

    def forget(self) -> None:
        """Read them anew at the next use."""
        self._known = None

    def _read(self) -> Iterator[NamedNode]:
        query = f"SELECT DISTINCT ?p {{ GRAPH ?g {{ ?s ?p ?o }} FILTER (?g != {META}) }}"
        solutions = self._store.query(query)
        assert isinstance(solutions, QuerySolutions)
        return (term for row in solutions if isinstance(term := row["p"], NamedNode))
