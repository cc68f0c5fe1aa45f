"""Impact: everything that depends on an entity, each with the facts that show why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyoxigraph import NamedNode, Quad

from synapse.rdf.vocab import OWL_INVERSE_OF, RDFS_SUBPROPERTY_OF, SYN_DEPENDS_ON
from synapse.usecases import queries
from synapse.usecases.advice import Properties
from synapse.usecases.answers import Affected, Impact, Notice, Unresolved
from synapse.usecases.rooms import Rooms
from synapse.usecases.view import FETCH, View, cut_notice, nodes

AFFECTED: Final = 100

Path = tuple[Quad, ...]
"""A chain of facts from a dependent to the entity asked about."""


class Impacts:
    """What depends on one memory's entities."""

    def __init__(self, rooms: Rooms) -> None:
        self._view, self._finder = rooms.view, rooms.finder
        self._properties = Properties(rooms)

    def of(
        self,
        mention: str,
        *,
        depth: int | None = None,
        predicates: Sequence[str] = (),
        limit: int = AFFECTED,
    ) -> Impact | Unresolved:
        """Everything that depends on an entity, nearest first, each with the facts that show why.

        Without `predicates` what counts is `syn:depends_on` and every property below it, in either
        direction it is written. Paths walk over stated facts; an inferred fact stands in only where
        no stated path exists.
        """
        node = self._finder.find(mention)
        if isinstance(node, Unresolved):
            return node
        roots = self._properties.asked(predicates) or [SYN_DEPENDS_ON]
        search = _Dependents(self._view, *self._dependency_properties(roots))
        search.run(node)
        reached = [
            (found, path) for found, path in search.paths.items() if depth is None or len(path) <= depth
        ]
        view = self._view
        affected = tuple(
            Affected(
                view.node(found), view.label(found), len(path), tuple(view.fact_of(quad) for quad in path)
            )
            for found, path in reached[:limit]
        )
        notices = cut_notice("affected", len(reached), limit, "entities that depend on it")
        return Impact(
            view.node(node),
            affected,
            search.query,
            (*notices, *search.notices(), *self._properties.slips(predicates)),
        )

    def _dependency_properties(self, roots: Iterable[NamedNode]) -> tuple[set[NamedNode], set[NamedNode]]:
        """The properties at or below the roots, and the inverses of those."""
        store = self._view.store
        forward, waiting = set[NamedNode](), list(roots)
        while waiting:
            property_ = waiting.pop()
            if property_ not in forward:
                forward.add(property_)
                below = store.quads(predicate=RDFS_SUBPROPERTY_OF, object=property_)
                waiting += nodes(quad.subject for quad in below)
        inverses = set[NamedNode]()
        for property_ in forward:
            inverses |= set(nodes(quad.object for quad in store.quads(property_, OWL_INVERSE_OF)))
            inverses |= set(
                nodes(quad.subject for quad in store.quads(predicate=OWL_INVERSE_OF, object=property_))
            )
        return forward, inverses - forward


@dataclass(slots=True)
class _Dependents:
    """A breadth-first search against the direction of dependency; `paths` lead back to the start."""

    view: View
    forward: Collection[NamedNode]
    inverse: Collection[NamedNode]
    paths: dict[NamedNode, Path] = field(default_factory=dict)
    query: str = ""
    cut: bool = False

    def run(self, start: NamedNode) -> None:
        self.query = queries.facts_about((), self.forward, (start,))
        self._extend(start, {start: ()})
        # What only the reasoner knows to depend on it, by rules that no stated path mirrors.
        known = self._edges([start], inferred=True)
        missing: dict[NamedNode, Path] = {
            node: (quad,) for node, quad in known if node != start and node not in self.paths
        }
        self.paths |= missing
        self._extend(start, missing)

    def notices(self) -> Iterator[Notice]:
        if self.cut:
            yield Notice("search-cut", f"more than {FETCH} facts at one step; narrow with predicates")

    def _extend(self, start: NamedNode, frontier: Mapping[NamedNode, Path]) -> None:
        while frontier:
            reached: dict[NamedNode, Path] = {}
            for node, quad in self._edges(list(frontier), inferred=False):
                if node != start and node not in self.paths and node not in reached:
                    reached[node] = (quad, *frontier[self._other_end(quad, node)])
            self.paths |= reached
            frontier = reached

    def _edges(self, frontier: Sequence[NamedNode], *, inferred: bool) -> Iterator[tuple[NamedNode, Quad]]:
        """Each dependent of the frontier with the fact that makes it one, in a fixed order."""
        forward = self._quads((), self.forward, frontier, inferred=inferred)
        inverse = self._quads(frontier, self.inverse, (), inferred=inferred) if self.inverse else []
        found = [(quad, quad.subject) for quad in forward] + [(quad, quad.object) for quad in inverse]
        for quad, node in sorted(found, key=lambda pair: str(pair[0])):
            if isinstance(node, NamedNode):
                yield node, quad

    def _quads(
        self,
        subjects: Sequence[NamedNode],
        predicates: Collection[NamedNode],
        objects: Sequence[NamedNode],
        *,
        inferred: bool,
    ) -> list[Quad]:
        quads, more = self.view.quads(queries.facts_about(subjects, predicates, objects, inferred=inferred))
        self.cut |= more
        return quads

    def _other_end(self, quad: Quad, node: NamedNode) -> NamedNode:
        other = quad.object if quad.predicate in self.forward and quad.subject == node else quad.subject
        assert isinstance(other, NamedNode)
        return other
