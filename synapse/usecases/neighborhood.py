"""The neighbourhood of an entity: what is around it, and the facts that connect it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyoxigraph import NamedNode, Quad, Triple

from synapse.usecases import queries
from synapse.usecases.advice import Properties
from synapse.usecases.answers import Neighbor, Neighborhood, Notice, Unresolved
from synapse.usecases.rooms import Rooms
from synapse.usecases.view import Direction, View, connects, grouped, nodes

NEIGHBORS: Final = 60
MAX_DEPTH: Final = 5
"""Edges from the centre that a neighbourhood may reach."""


class Neighborhoods:
    """The surroundings of one memory's entities."""

    def __init__(self, rooms: Rooms) -> None:
        self._view, self._finder = rooms.view, rooms.finder
        self._properties = Properties(rooms)

    def around(
        self,
        mention: str,
        *,
        depth: int = 1,
        predicates: Sequence[str] = (),
        direction: Direction = "both",
        limit: int = NEIGHBORS,
    ) -> Neighborhood | Unresolved:
        """The entities within `depth` edges, nearest first, and the facts between them."""
        center = self._finder.find(mention)
        if isinstance(center, Unresolved):
            return center
        terms = self._properties.asked(predicates)
        walk = _Walk(self._view, terms, direction, limit)
        walk.run(center, min(depth, MAX_DEPTH))
        view = self._view
        found = tuple(
            Neighbor(view.node(node), view.label(node), view.types(node), distance)
            for node, distance in walk.distance.items()
        )
        facts = tuple(view.fact(triple, graphs) for triple, graphs in walk.edges.items())
        notices = list(walk.notices())
        if depth > MAX_DEPTH:
            notices.append(Notice("depth-cut", f"a neighbourhood reaches {MAX_DEPTH} edges at most"))
        notices += self._properties.slips(predicates)
        return Neighborhood(view.node(center), found, facts, walk.query, tuple(notices))


@dataclass(slots=True)
class _Walk:
    """A breadth-first walk over the facts between entities."""

    view: View
    predicates: Collection[NamedNode]
    direction: Direction
    limit: int
    distance: dict[NamedNode, int] = field(default_factory=dict)
    edges: dict[Triple, list[NamedNode]] = field(default_factory=dict)
    query: str = ""
    cut: bool = False

    def run(self, center: NamedNode, depth: int) -> None:
        self.distance = {center: 0}
        frontier = [center]
        for step in range(1, depth + 1):
            quads = [quad for quad in self._around(frontier) if connects(quad)]
            frontier = self._reach(quads, step)
        # Asked for in both directions, an edge inside the neighbourhood comes twice.
        inside = dict.fromkeys(self._around(list(self.distance))) if depth else {}
        known = grouped(quad for quad in inside if connects(quad))
        for triple, graphs in known.items():
            if triple.subject in self.distance and triple.object in self.distance:
                self.edges[triple] = graphs

    def notices(self) -> Iterator[Notice]:
        if self.cut:
            yield Notice(
                "nodes-cut", f"shown {len(self.distance)} entities; narrow with predicates or a smaller depth"
            )

    def _around(self, frontier: Collection[NamedNode]) -> Iterator[Quad]:
        if not frontier:
            return
        for query in self._queries(frontier):
            self.query = self.query or query
            quads, more = self.view.quads(query)
            self.cut |= more
            yield from quads

    def _queries(self, frontier: Collection[NamedNode]) -> Iterator[str]:
        if self.direction in ("out", "both"):
            yield queries.facts_about(frontier, self.predicates)
        if self.direction in ("in", "both"):
            yield queries.facts_about((), self.predicates, frontier)

    def _reach(self, quads: Iterable[Quad], step: int) -> list[NamedNode]:
        reached: list[NamedNode] = []
        ends = sorted({end for quad in quads for end in nodes((quad.subject, quad.object))}, key=str)
        for node in ends:
            if node in self.distance:
                continue
            if len(self.distance) >= self.limit:
                self.cut = True
                break
            self.distance[node] = step
            reached.append(node)
        return reached
