"""Assertions about notes that are gone: renamed or deleted since, so nobody meets what they say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from synapse.notes.link_keys import stem
from synapse.notes.note import Severity
from synapse.rdf.delta import Delta
from synapse.rdf.names import META, path_of
from synapse.rdf.vocab import (
    PROV_INVALIDATED_AT_TIME,
    PROV_WAS_INVALIDATED_BY,
    RDFS_LABEL,
    SKOS_ALT_LABEL,
    SYN_DIGEST,
)
from synapse.usecases.answers import Finding
from synapse.usecases.contradictions import statement_text
from synapse.usecases.folder import Folder
from synapse.usecases.places import ASSERTED, asserted_in
from synapse.usecases.rooms import Rooms
from synapse.usecases.view import nodes

MEANT: Final = 2
"""Notes that are named as what a gone one may be called by now."""

_ACTIVITIES: Final = 4


class GoneNotes:
    """What agents asserted of notes that one folder had and has no more."""

    def __init__(self, rooms: Rooms, *, folder: Folder) -> None:
        self._view, self._naming, self._folder = rooms.view, rooms.naming, folder
        # A folder that was moved took many notes with it in one activity.
        self._changes = lru_cache(maxsize=_ACTIVITIES)(rooms.history.changes)

    def findings(self) -> Iterator[Finding]:
        """One finding for each assertion and note: what is said, and which note may be meant by now."""
        for node, graph in self._gone().items():
            asserted = self._asserted(node)
            meant = self._meant(node, graph) if asserted else {}
            for assertion, quads in asserted.items():
                yield self._finding(assertion, node, quads, meant)

    def _gone(self) -> dict[NamedNode, NamedNode]:
        """The entities of notes that were there once, each with the graph that its note had."""
        index = self._folder.index()
        records = self._view.store.quads(predicate=PROV_INVALIDATED_AT_TIME, graph=META)
        paths = {path: graph for graph in nodes(quad.subject for quad in records) if (path := path_of(graph))}
        gone = {index.entity_of(path): paths[path] for path in sorted(paths)}
        return {node: graph for node, graph in gone.items() if self._folder.path_of(node) is None}

    def _asserted(self, node: NamedNode) -> dict[str, list[Quad]]:
        """What assertions say of an entity, or that something has to do with it."""
        store = self._view.store
        found: dict[str, list[Quad]] = defaultdict(list)
        for quads in (store.quads(node), store.quads(object=node)):
            for quad in quads:
                if (assertion := asserted_in(quad)) is not None:
                    found[assertion].append(quad)
        return dict(sorted(found.items()))

    def _meant(self, node: NamedNode, graph: NamedNode) -> Mapping[str, str]:
        """The notes that may be the gone one under another name, each with why."""
        stated, meta = self._last_change(graph)
        found: dict[str, str] = {}
        for digest in _texts(meta, graph, SYN_DIGEST):
            found |= dict.fromkeys(self._notes_of_digest(digest), "the same text")
        for predicate in (RDFS_LABEL, SKOS_ALT_LABEL):
            for name in _texts(stated, node, predicate):
                found = dict.fromkeys(self._notes_called(name), "the same name") | found
        file_name = stem(path_of(graph) or "").rpartition("/")[2]
        return dict.fromkeys(self._notes_called(file_name), "the same name") | found

    def _last_change(self, graph: NamedNode) -> tuple[Delta, Delta]:
        """What the activity changed that took a note's graph away."""
        quads = self._view.store.quads(graph, PROV_WAS_INVALIDATED_BY, graph=META)
        activity = next(nodes(quad.object for quad in quads), None)
        return (Delta(), Delta()) if activity is None else self._changes(activity.value)

    def _notes_of_digest(self, digest: str) -> Iterator[str]:
        records = self._view.store.quads(predicate=SYN_DIGEST, object=Literal(digest), graph=META)
        paths = filter(None, map(path_of, nodes(quad.subject for quad in records)))
        return (self._view.node(self._folder.index().entity_of(path)) for path in sorted(paths))

    def _notes_called(self, name: str) -> Iterator[str]:
        entities = sorted({entry.entity for entry in self._naming.index().exact(name)})
        called = (NamedNode(entity) for entity in entities)
        return (self._view.node(node) for node in called if self._folder.path_of(node) is not None)

    def _finding(
        self, assertion: str, node: NamedNode, quads: list[Quad], meant: Mapping[str, str]
    ) -> Finding:
        first, *others = sorted((self._view.statement(quad.triple) for quad in quads), key=str)
        more = f" and {len(others)} more" if others else ""
        message = (
            f"the note {self._view.node(node)} is gone, and an agent asserted of it: "
            f"{statement_text(first)}{more}"
        )
        severity: Severity = "info"
        if meant:
            severity = "warning"
            ids = " or ".join(f"{id} ({why})" for id, why in list(meant.items())[:MEANT])
            taking_back = f"synapse retract {assertion.removeprefix(ASSERTED)} --reason moved"
            message += f"; did you mean {ids}? Assert it of that id, then take this back: {taking_back}"
        return Finding(assertion, 1, "note-gone", severity, message, kind="assertion")


def _texts(change: Delta, subject: NamedNode, predicate: NamedNode) -> list[str]:
    """The texts that a change took from a subject."""
    quads = (quad for quad in change.removed if quad.subject == subject and quad.predicate == predicate)
    return sorted({quad.object.value for quad in quads if isinstance(quad.object, Literal)})
