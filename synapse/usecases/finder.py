"""Which entity a mention means: an id, an IRI, a CURIE, a label, an alias or a class; never a guess."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from pyoxigraph import NamedNode

from synapse.errors import InvalidIdentifier
from synapse.knowledge.names_index import Kind
from synapse.knowledge.nearest import nearest
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.literals import plain
from synapse.rdf.names import META, checked_id, fold_key
from synapse.rdf.vocab import RDF_TYPE, SCHEMA_KEYWORDS
from synapse.usecases.answers import Candidate, Unresolved
from synapse.usecases.commit import NOT_SOURCES
from synapse.usecases.naming import Naming
from synapse.usecases.view import View, nodes

TAGGED: Final = 1_000
"""Entities of a tag that are counted."""

SHOWN_TAGGED: Final = 5


class Finder:
    """Finds the entities of one memory by what people call them."""

    def __init__(self, view: View, *, naming: Naming, lexicon: Callable[[], Lexicon]) -> None:
        self._view = view
        self._naming = naming
        self._lexicon = lexicon

    def find(self, mention: str) -> NamedNode | Unresolved:
        """The entity of a mention: an exact id, else a label or alias that one entity has, else a class.

        Raises `InvalidIdentifier` for text that cannot name anything.
        """
        node = self.exact(mention)
        return self._named(mention, unwrapped(mention)) if node is None else node

    def exact(self, mention: str) -> NamedNode | None:
        """The known entity whose id, IRI or CURIE the mention is; None for any other text.

        A name that became an id only because somebody pointed at it before it was described means the
        one entity that is described and called so by now, if there is one.
        """
        text = unwrapped(checked_id(mention))
        node = next((node for node in self._spelled(text) if self.exists(node)), None)
        if node is None or "/" in text or self._is_described(node):
            return node
        entries = self._naming.index().exact(text)
        called = {entry.entity for entry in entries if entry.kind != "id" and entry.entity != node.value}
        described = [NamedNode(entity) for entity in called if self._is_described(NamedNode(entity))]
        return described[0] if len(described) == 1 else node

    def names_by(self, mention: str, node: NamedNode) -> Kind:
        """By what an exact mention names its entity: an id as a rule, else a label or alias."""
        kinds = {
            entry.kind
            for entry in self._naming.index().exact(unwrapped(mention))
            if entry.entity == node.value
        }
        return "id" if not kinds or "id" in kinds else min(kinds, key=("label", "alias").index)

    def _is_described(self, node: NamedNode) -> bool:
        return any(quad.graph_name not in NOT_SOURCES for quad in self._view.store.quads(node))

    def exists(self, node: NamedNode) -> bool:
        """Whether any source or inference speaks of the node."""
        store = self._view.store
        about = (quad for quads in (store.quads(node), store.quads(object=node)) for quad in quads)
        return any(quad.graph_name != META for quad in about)

    def called(self, mention: str) -> NamedNode | None:
        """The one entity whose label or alias the mention is; None when there is none, or several.

        What others only point at stands back behind the one that is described.
        """
        nodes = self._so_called(unwrapped(mention))
        return nodes[0] if len(nodes) == 1 else None

    def is_name(self, text: str) -> bool:
        """Whether any entity is called this."""
        return bool(self._naming.index().exact(unwrapped(text)))

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
        nodes = self._so_called(text)
        if len(nodes) == 1:
            return nodes[0]
        if nodes:
            return Unresolved(mention, "ambiguous", tuple(self._candidate(node.value) for node in nodes))
        class_, tagged = self._class(text), self._as_tag(text)
        # A word that vocabularies have and nobody uses is not what a person means who tags notes with it.
        if class_ is not None and (tagged is None or self._has_members(class_)):
            return class_
        near = nearest(self._naming.index(), text)
        candidates = tuple(self._candidate(one.id, one.score) for one in near)
        return Unresolved(mention, "unknown", candidates, instead=tagged)

    def _class(self, text: str) -> NamedNode | None:
        """The class that a vocabulary or this memory calls so, as in `type: Project`."""
        known = self._lexicon().types.get(fold_key(text))
        own = next(_entity(self._view.names.key, text), None)
        return known or (own if own is not None and self._has_members(own) else None)

    def _has_members(self, class_: NamedNode) -> bool:
        return any(self._view.store.quads(None, RDF_TYPE, class_))

    def _as_tag(self, text: str) -> str | None:
        """What bears a text as its tag; tags are words, not entities."""
        tag = text.removeprefix("#")
        spellings = dict.fromkeys((tag, tag.casefold(), tag.capitalize(), tag.upper()))
        found = (self._view.store.quads(None, SCHEMA_KEYWORDS, plain(word)) for word in spellings)
        subjects = nodes(quad.subject for quads in found for quad in islice(quads, TAGGED))
        # What is tagged within a note is tagged in the note too.
        ids = sorted({self._view.node(node) for node in subjects if "#" not in node.value})
        if not ids:
            return None
        more = ", …" if len(ids) > SHOWN_TAGGED else ""
        count = f"{len(ids)} entities" if len(ids) > 1 else "1 entity"
        return f"it is a tag of {count}: {', '.join(ids[:SHOWN_TAGGED])}{more}"

    def _so_called(self, text: str) -> list[NamedNode]:
        """The entities of a name; the one that is described instead of it and what is only pointed at."""
        entities = sorted({entry.entity for entry in self._naming.index().exact(text)})
        nodes = [NamedNode(entity) for entity in entities]
        described = [node for node in nodes if self._is_described(node)] if len(nodes) > 1 else []
        return described if len(described) == 1 else nodes

    def _candidate(self, entity: str, score: float | None = None) -> Candidate:
        node = NamedNode(entity)
        view = self._view
        return Candidate(view.node(node), view.label(node), view.types(node), score)


def unwrapped(text: str) -> str:
    """A mention without the brackets of a wikilink and without its display text."""
    text = text.strip()
    if text.startswith("[[") and text.endswith("]]"):
        text = text[2:-2].partition("|")[0].strip()
    return text.removeprefix("./").strip("/") or text


def _entity(mint: Callable[[str], NamedNode], text: str) -> Iterator[NamedNode]:
    try:
        yield mint(text)
    except InvalidIdentifier:
        return


def _present(node: NamedNode | None) -> Iterator[NamedNode]:
    if node is not None:
        yield node
