"""What a write is told about the graph around what it wrote (contract, section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode, Quad, Triple

from synapse.knowledge.feedback import Feedback, Relation, Written, feedback
from synapse.knowledge.resolver import Ask
from synapse.rdf.names import INFERRED, META, graph_kind
from synapse.rdf.vocab import RDFS_LABEL, SCHEMA_DESCRIPTION, SCHEMA_KEYWORDS
from synapse.usecases.answers import Neighbor
from synapse.usecases.doubts import in_words
from synapse.usecases.rooms import Rooms
from synapse.usecases.view import connects
from synapse.usecases.written import PossibleDuplicate, SuggestedRelation

NEIGHBORS = 8
"""Neighbours shown of each written entity."""


@dataclass(slots=True)
class Told:
    """What one write is told, over all the entities it wrote."""

    degree: dict[str, int] = field(default_factory=dict)
    orphan_warning: str | None = None
    suggested: list[SuggestedRelation] = field(default_factory=list)
    from_tags: list[SuggestedRelation] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    duplicates: list[PossibleDuplicate] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    added: list[Triple] = field(default_factory=list)


class Connectedness:
    """Feedback on the entities of a write, from the dataset as it is and the triples to come."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._view = rooms.view

    def tell(
        self,
        subjects: dict[NamedNode, bool],
        triples: Sequence[Triple],
        asked: Iterable[Ask],
        *,
        force_new: bool,
    ) -> Told:
        """What to tell of each subject; `subjects` says which are new.

        With `dedupe = block` a new entity that may be a duplicate is a refusal; with
        `tag_linking = auto` the relations from tags are in `added`.
        """
        told = Told()
        for node, new in subjects.items():
            written = self._written(node, triples)
            found = feedback(
                written,
                index=self._rooms.naming.index(),
                vocabulary=self._rooms.vocabulary(),
                settings=self._rooms.resolve,
                asked=asked,
            )
            self._take(told, node, found)
            if new and self._rooms.resolve.dedupe != "off":
                self._duplicates(told, node, written, block=not force_new)
        return told

    def neighbors(self, subjects: Iterable[NamedNode]) -> tuple[Neighbor, ...]:
        """The nearest of each written entity, once the write is done."""
        found: dict[NamedNode, None] = {}
        for node in subjects:
            around = [end for quad in self._edges(node) for end in (quad.subject, quad.object) if end != node]
            nodes = sorted({end for end in around if isinstance(end, NamedNode)}, key=str)
            found.update(dict.fromkeys(nodes[:NEIGHBORS]))
        return tuple(map(self._neighbor, found))

    def _neighbor(self, node: NamedNode) -> Neighbor:
        # The index of names is in memory and in step with the dataset.
        index, id = self._rooms.naming.index(), node.value
        if id in index:
            return Neighbor(self._view.node(node), index.label(id), index.types(id), 1)
        return Neighbor(self._view.node(node), self._view.label(node), self._view.types(node), 1)

    def _take(self, told: Told, node: NamedNode, found: Feedback) -> None:
        shown = self._view.node(node)
        told.degree[shown] = found.degree
        told.orphan_warning = told.orphan_warning or _named(found.orphan_warning, node, shown)
        told.suggested += map(self._shown, found.suggested_relations)
        told.from_tags += map(self._shown, found.relations_from_tags)
        if not self._has_note(node):
            told.hints += filter(None, [_named(found.enrich_hint, node, shown)])
        told.refusals += filter(None, [_named(found.refusal, node, shown)])
        told.added += map(self._triple, found.relations_from_tags)

    def _has_note(self, node: NamedNode) -> bool:
        """Whether a note is about an entity: it says what that is in more words than a description has."""
        return any(graph_kind(quad.graph_name) == "file" for quad in self._view.store.quads(node))  # type: ignore[arg-type]

    def _duplicates(self, told: Told, node: NamedNode, written: Written, *, block: bool) -> None:
        resolver = self._rooms.resolver()
        for near in resolver.possible_duplicates(written.label, type=written.types, entity=node.value):
            shown = self._view.node(NamedNode(near.id))
            kind = near.types[0] if near.types else ""
            told.duplicates.append(
                PossibleDuplicate(shown, kind, near.label, near.score, in_words(near.reason))
            )
            if block and self._rooms.resolve.dedupe == "block":
                name = self._view.node(node)
                told.refusals.append(f"{name} may be {shown} ({near.label}): use that id, or force_new")

    def _written(self, node: NamedNode, triples: Sequence[Triple]) -> Written:
        """An entity as it will be: what is known of it and what the write says."""
        view = self._view
        own = [triple for triple in triples if triple.subject == node]
        known = [quad.triple for quad in view.store.quads(node) if quad.graph_name not in (META, INFERRED)]
        said = [*known, *own]
        label = next((text for text in _texts(own, RDFS_LABEL)), view.label(node))
        types = tuple(dict.fromkeys((*view.types(node), *self._types(own))))
        relations = {quad.triple: None for quad in self._edges(node)}
        relations |= {
            triple: None
            for triple in triples
            if node in (triple.subject, triple.object)
            and connects(Quad(triple.subject, triple.predicate, triple.object))
        }
        return Written(
            node.value,
            label,
            types,
            next(iter(_texts(said, SCHEMA_DESCRIPTION)), None),
            tuple(_texts(said, SCHEMA_KEYWORDS)),
            tuple(map(self._relation, relations)),
        )

    def _edges(self, node: NamedNode) -> Iterable[Quad]:
        """The stated edges of an entity."""
        store = self._view.store
        for quads in (store.quads(node), store.quads(object=node)):
            yield from (quad for quad in quads if connects(quad) and quad.graph_name not in (META, INFERRED))

    def _types(self, triples: Iterable[Triple]) -> list[str]:
        classes = (triple.object for triple in triples if triple.predicate.value.endswith("#type"))
        return [self._view.node(kind) for kind in classes if isinstance(kind, NamedNode)]

    def _relation(self, triple: Triple) -> Relation:
        ends = (triple.subject, triple.object)
        subject, object = (end.value if isinstance(end, NamedNode) else str(end) for end in ends)
        return Relation(subject, triple.predicate.value, object)

    def _triple(self, relation: Relation) -> Triple:
        predicate = self._rooms.lexicon().property(relation.predicate)
        return Triple(NamedNode(relation.subject), predicate, NamedNode(relation.object))

    def _shown(self, relation: Relation) -> SuggestedRelation:
        triple = self._triple(relation)
        statement = self._view.statement(triple)
        return SuggestedRelation(
            statement.subject, statement.predicate, str(statement.object), relation.reason
        )


def _named(text: str | None, node: NamedNode, shown: str) -> str | None:
    """A sentence that speaks of an entity by its IRI, with the id people know it by."""
    return text and text.replace(node.value, shown)


def _texts(triples: Iterable[Triple], predicate: NamedNode) -> list[str]:
    values = (triple.object for triple in triples if triple.predicate == predicate)
    return [value.value for value in values if isinstance(value, Literal)]
