"""Which entity a mention means: an id, an IRI, a CURIE, a label or an alias; never a guess."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Quad

from synapse.errors import InvalidIdentifier
from synapse.knowledge.names_index import Kind, Named, NamesIndex
from synapse.knowledge.nearest import nearest
from synapse.rdf.delta import Delta
from synapse.rdf.names import META, ONTOLOGY_GRAPH, checked_id
from synapse.rdf.vocab import RDFS_LABEL, SKOS_ALT_LABEL
from synapse.usecases.answers import Candidate, Unresolved
from synapse.usecases.view import View

_NAMING: dict[NamedNode, Kind] = {RDFS_LABEL: "label", SKOS_ALT_LABEL: "alias"}


class Finder:
    """Finds the entities of one memory by what people call them."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._index: NamesIndex | None = None
        self._lock = threading.Lock()

    def find(self, mention: str) -> NamedNode | Unresolved:
        """The entity of a mention: an exact id first, then a label or alias that one entity has.

        Raises `InvalidIdentifier` for text that cannot name anything.
        """
        text = _unwrapped(checked_id(mention))
        for node in self._spelled(text):
            if self.exists(node):
                return node
        return self._named(mention, text)

    def exists(self, node: NamedNode) -> bool:
        """Whether any source or inference speaks of the node."""
        store = self._view.store
        about = (quad for quads in (store.quads(node), store.quads(object=node)) for quad in quads)
        return any(quad.graph_name != META for quad in about)

    def accept(self, change: Delta) -> None:
        """Learn the names that a change brought and forget those it took."""
        with self._lock:
            if self._index is None:
                return
            for quad in change.removed:
                for named in self._names_in((quad,)):
                    self._forget(named)
            for named in self._names_in(change.added):
                self._index.add(named.entity, named.name, kind=named.kind)

    def _spelled(self, text: str) -> Iterator[NamedNode]:
        """The nodes that a text may spell out, in order of preference."""
        names = self._view.names
        if text.startswith("<"):
            yield from _present(names.expand(text))
            return
        yield from _entity(names.entity, text)
        if text.casefold().endswith(".md"):
            yield from _entity(names.entity, text[:-3])
        if "#" in text:
            owner, _, fragment = text.partition("#")
            yield from _entity(lambda path: names.fragment(names.entity(path), *fragment.split("/")), owner)
        yield from _present(names.expand(text))

    def _named(self, mention: str, text: str) -> NamedNode | Unresolved:
        index = self._names()
        entities = sorted({entry.entity for entry in index.exact(text)})
        if len(entities) == 1:
            return NamedNode(entities[0])
        if entities:
            return Unresolved(mention, "ambiguous", tuple(self._candidate(entity) for entity in entities))
        found = nearest(index, text)
        return Unresolved(mention, "unknown", tuple(self._candidate(near.id, near.score) for near in found))

    def _candidate(self, entity: str, score: float | None = None) -> Candidate:
        node = NamedNode(entity)
        view = self._view
        return Candidate(view.node(node), view.label(node), view.types(node), score)

    def _names(self) -> NamesIndex:
        with self._lock:
            if self._index is None:
                self._index = NamesIndex.build(self._all_names())
            return self._index

    def _all_names(self) -> Iterator[Named]:
        for predicate in _NAMING:
            yield from self._names_in(self._view.store.quads(predicate=predicate))

    def _names_in(self, quads: Iterable[Quad]) -> Iterator[Named]:
        """The names that quads give: every label and alias, and the id of what has one."""
        for quad in quads:
            kind = _NAMING.get(quad.predicate)
            if kind is None or not isinstance(quad.object, Literal) or _is_term(quad):
                continue
            node = quad.subject
            if isinstance(node, NamedNode):
                yield Named(node.value, quad.object.value, kind=kind)
                if (identifier := self._view.names.id(node)) is not None:
                    yield Named(node.value, identifier, kind="id")

    def _forget(self, named: Named) -> None:
        """Forget a name unless a source still gives it; an entity without any label loses its id too."""
        assert self._index is not None
        node = NamedNode(named.entity)
        left = {entry.name for entry in self._names_in(self._view.store.quads(node))}
        if named.name not in left:
            self._index.discard(named.entity, named.name)


def _unwrapped(text: str) -> str:
    """A mention without the brackets of a wikilink and without its display text."""
    text = text.strip()
    if text.startswith("[[") and text.endswith("]]"):
        text = text[2:-2].partition("|")[0].strip()
    return text.removeprefix("./").strip("/") or text


def _entity(mint: object, text: str) -> Iterator[NamedNode]:
    try:
        yield mint(text)  # type: ignore[operator]
    except InvalidIdentifier:
        return


def _present(node: NamedNode | None) -> Iterator[NamedNode]:
    if node is not None:
        yield node


def _is_term(quad: Quad) -> bool:
    """Whether the quad names a term of an ontology; its label must not shadow an entity's."""
    graph = quad.graph_name
    is_ontology = isinstance(graph, NamedNode) and graph.value.startswith(ONTOLOGY_GRAPH)
    return graph == META or (
        is_ontology and isinstance(quad.object, Literal) and quad.object.language is not None
    )
