"""The names of every entity, kept in step with the dataset."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Final

from pyoxigraph import NamedNode, Quad

from synapse.knowledge.names_index import Kind, Named, NamesIndex
from synapse.rdf.delta import Change, Delta
from synapse.rdf.names import ONTOLOGY_GRAPH
from synapse.rdf.vocab import RDF_TYPE, RDFS_LABEL, SKOS_ALT_LABEL, SYN_ARCHIVED, SYN_STATUS
from synapse.usecases.archiving import Archive
from synapse.usecases.commit import NOT_SOURCES
from synapse.usecases.view import View, texts

NAMING: Final[dict[NamedNode, Kind]] = {RDFS_LABEL: "label", SKOS_ALT_LABEL: "alias"}

TELLING: Final = frozenset({*NAMING, RDF_TYPE, SYN_STATUS, SYN_ARCHIVED})
"""What the entry of an entity is made from."""

REBUILD_NODES: Final = 2_000
"""From this many touched entities on, building the index anew at its next use is cheaper."""


class Naming:
    """An index of names, built at first use; terms of ontologies are not entities and have no place in it."""

    def __init__(self, view: View, *, archive: Archive) -> None:
        self._view = view
        self._archive = archive
        self._index: NamesIndex | None = None
        self._lock = threading.RLock()

    def index(self) -> NamesIndex:
        """Every label, alias and id of every entity that a source speaks of."""
        with self._lock:
            if self._index is None:
                self._index = NamesIndex.build(self._all_names())
            return self._index

    def forget(self) -> None:
        """Build the index anew at its next use: other terms make other types and statuses."""
        with self._lock:
            self._index = None

    def accept(self, stated: Delta, inferred: Change) -> None:
        """Bring the entities up to date that a change speaks of, or whose types it changed."""
        with self._lock:
            if self._index is None:
                return
            if self._archive.moves_others(stated):
                self._index = None
                return
            touched = {node for quad in stated.removed for node in self._entities_in(quad)}
            touched |= {
                node
                for quad in stated.added
                for node in self._entities_in(quad)
                # Who is only pointed at keeps the names he has.
                if node.value not in self._index or (node == quad.subject and quad.predicate in TELLING)
            }
            touched |= {
                quad.subject
                for quad in (*inferred.added, *inferred.removed)
                if quad.predicate == RDF_TYPE and isinstance(quad.subject, NamedNode)
            }
            if len(touched) > REBUILD_NODES:
                self._index = None
                return
            for node in touched:
                self._renew(self._index, node)

    def _renew(self, index: NamesIndex, node: NamedNode) -> None:
        names = list(self._names_of(node)) if self._is_spoken_of(node) else []
        wanted = dict.fromkeys((named.name, named.kind) for named in names)
        known = [(entry.name, entry.kind) for entry in index.entries(node.value)]
        kept = [name for name in known if name in wanted]
        # The first label is the one that is shown: where another comes first now, all are put in anew.
        if _first_label([*kept, *wanted]) != _first_label(wanted):
            kept = []
        for name, kind in known:
            if (name, kind) not in kept:
                index.discard(node.value, name, kind=kind)
        for named in names:
            index.add(named.entity, named.name, type=named.types, kind=named.kind, archived=named.archived)

    def _is_spoken_of(self, node: NamedNode) -> bool:
        store = self._view.store
        about = (quad for quads in (store.quads(node), store.quads(object=node)) for quad in quads)
        return any(node in self._entities_in(quad) for quad in about)

    def _all_names(self) -> Iterator[Named]:
        store = self._view.store
        graphs = [graph for graph in store.graph_names() if graph not in NOT_SOURCES]
        nodes = {node: None for graph in graphs for node in self._entities_of(graph)}
        return (named for node in nodes for named in self._names_of(node))

    def _entities_of(self, graph: NamedNode) -> Iterator[NamedNode]:
        """The entities that a graph speaks of; each term is looked at once, however often it is used."""
        subjects: dict[object, None] = {}
        objects: dict[object, None] = {}
        for quad in self._view.store.quads(graph=graph):
            subjects[quad.subject] = None
            if quad.predicate != RDF_TYPE:
                objects[quad.object] = None
        is_ontology = graph.value.startswith(ONTOLOGY_GRAPH)
        for node in subjects:
            if isinstance(node, NamedNode) and (not is_ontology or self._is_id(node)):
                yield node
        yield from (node for node in objects if isinstance(node, NamedNode) and self._is_id(node))

    def _entities_in(self, quad: Quad) -> Iterator[NamedNode]:
        """The entities that a quad speaks of: ids of this memory, and what a note or an agent describes."""
        graph = quad.graph_name
        if not isinstance(graph, NamedNode) or graph in NOT_SOURCES:
            return
        if isinstance(quad.subject, NamedNode) and (
            self._is_id(quad.subject) or not graph.value.startswith(ONTOLOGY_GRAPH)
        ):
            yield quad.subject
        if isinstance(quad.object, NamedNode) and self._is_id(quad.object) and quad.predicate != RDF_TYPE:
            yield quad.object

    def _names_of(self, node: NamedNode) -> Iterator[Named]:
        types = self._view.types(node)
        archived = self._archive.reason(node, types=types) is not None
        labelled = False
        for predicate, kind in NAMING.items():
            for name in texts(self._view.store.quads(node, predicate)):
                labelled |= kind == "label"
                yield Named(node.value, name, types, kind, archived)
        if self._is_id(node):
            identifier = self._view.node(node)
            yield Named(node.value, identifier, types, "id", archived)
            if "/" in identifier:
                # As in the editor, a note goes by its file's name too, and so does what nothing labels yet.
                last: Kind = "alias" if labelled else "label"
                yield Named(node.value, identifier.rpartition("/")[2], types, last, archived)

    def _is_id(self, node: NamedNode) -> bool:
        """Whether a node is an entity of this memory by its IRI; nested values are parts of one."""
        return "#" not in node.value and self._view.names.id(node) is not None


def _first_label(names: Iterable[tuple[str, Kind]]) -> str | None:
    return next((name for name, kind in names if kind == "label"), None)
