"""Which entities are archived: kept for the record, found by their id, proposed to nobody.

By setting their consequences are withdrawn too: then the reasoner is told no statement that mentions one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad, Triple

from synapse.knowledge.vocabulary import Known, Vocabulary
from synapse.rdf.delta import Delta
from synapse.rdf.vocab import PREFIXES, RDF_TYPE, RDFS_SUBCLASS_OF, SYN_ARCHIVED, SYN_STATUS
from synapse.usecases.commit import NOT_SOURCES
from synapse.usecases.view import View, nodes

_NO: Final = frozenset({"false", "0", "no"})
_TELLING: Final = frozenset({RDF_TYPE, SYN_STATUS, SYN_ARCHIVED})
_SHARED: Final = tuple(PREFIXES.values())

Said = Callable[[NamedNode, NamedNode], Iterable[Quad]]
"""The quads of a subject and a predicate, at some moment."""


class Archive:
    """The archived entities of one memory, read from the dataset each time."""

    def __init__(self, view: View, *, vocabulary: Callable[[], Vocabulary]) -> None:
        self._view = view
        self._vocabulary = vocabulary

    def reason(self, node: NamedNode, *, types: Sequence[str] | None = None) -> str | None:
        """Why an entity is archived, None for one that is not; `types` if they are known already.

        It is when something says `archived` and nothing denies it, or when every status that it has
        is one its types' vocabulary counts as archived. So one live status, or `archived: false`,
        revives it, whatever an older source goes on saying.
        """
        return self._judged(
            node, self._view.store.quads, lambda: self._view.types(node) if types is None else types
        )

    def moves_others(self, change: Delta) -> bool:
        """Whether a change may archive or revive entities that neither it nor what follows speaks of."""
        return False

    def _judged(self, node: NamedNode, said: Said, types: Callable[[], Sequence[str]]) -> str | None:
        words = _texts(said(node, SYN_ARCHIVED))
        if words:
            return None if any(word.casefold() in _NO for word in words) else f"archived: {words[0]}"
        statuses = _texts(said(node, SYN_STATUS))
        if not statuses:
            return None
        kinds = types()
        archived = all(self._is_archived(kinds, status) for status in statuses)
        return f"status {statuses[0]}" if archived else None

    def _is_archived(self, types: Sequence[str], status: str) -> bool:
        found = self._vocabulary().normalise_status(types, status)
        return isinstance(found, Known) and found.archived


class WithdrawingArchive(Archive):
    """An archive whose entities entail nothing; it tells the write door what to keep from the reasoner.

    An entity is judged by what sources state: its own types and the classes stated above them. What
    is inferred of it must not count, for archiving takes that away.
    """

    @property
    def version(self) -> str:
        """What decides who is archived, beside the facts."""
        return f"withdraw-{self._vocabulary().digest()}"

    def reason(self, node: NamedNode, *, types: Sequence[str] | None = None) -> str | None:
        """See `Archive.reason`; `types` does not count, as some of them may be inferred."""
        return self._stated_reason(node, self._stated)

    def moves_others(self, change: Delta) -> bool:
        """See `Archive.moves_others`: a class that moves takes its instances along."""
        return any(quad.predicate == RDFS_SUBCLASS_OF for quad in (*change.added, *change.removed))

    def archived(self) -> frozenset[NamedNode]:
        """Every entity that is archived now."""
        return frozenset(node for node in self._candidates() if self.reason(node) is not None)

    def edit(self, change: Delta, coming: set[Triple], going: set[Triple]) -> tuple[set[Triple], set[Triple]]:
        """What the reasoner is told of a change to the dataset, which is not made yet.

        `coming` and `going` are the triples that become stated and cease to be. Of those the ones are
        left out that mention what is archived then; all others that mention an entity go with its
        archiving and come with its revival.
        """
        after = _After(self._view, change)
        touched = self._touched(change)
        was = {node for node in touched if self.reason(node) is not None}
        now = {node for node in touched if self._stated_reason(node, after.said) is not None}
        going = going | {quad.triple for node in now - was for quad in self._mentioning(node)}
        revived = {quad for node in was - now for quad in self._mentioning(node)} - change.removed
        known: dict[NamedNode, bool] = {}
        return {
            triple
            for triple in coming | {quad.triple for quad in revived}
            if not any(self._is_hidden(node, after.said, known) for node in _ends(triple))
        }, going

    def _is_hidden(self, node: NamedNode, said: Said, known: dict[NamedNode, bool]) -> bool:
        if node not in known:
            known[node] = self._stated_reason(node, said) is not None
        return known[node]

    def _stated_reason(self, node: NamedNode, said: Said) -> str | None:
        if node.value.startswith(_SHARED):
            return None  # what a term of RDF or OWL means is nobody's to archive
        return self._judged(node, said, lambda: self._kinds(node, said))

    def _kinds(self, node: NamedNode, said: Said) -> list[str]:
        """The types of an entity and the classes above them, its own first."""
        found: dict[NamedNode, None] = {}
        pending = _objects(said(node, RDF_TYPE))
        for kind in pending:
            if kind not in found:
                found[kind] = None
                pending += _objects(said(kind, RDFS_SUBCLASS_OF))
        return list(map(self._view.node, found))

    def _touched(self, change: Delta) -> set[NamedNode]:
        """The entities whose state a change may concern; all that have one when it moves a class."""
        quads = (*change.added, *change.removed)
        touched = set(nodes(quad.subject for quad in quads if quad.predicate in _TELLING))
        return touched | self._candidates() if self.moves_others(change) else touched

    def _candidates(self) -> set[NamedNode]:
        """The entities that say something of their state."""
        quads = (self._view.store.quads(predicate=predicate) for predicate in (SYN_ARCHIVED, SYN_STATUS))
        return set(nodes(quad.subject for found in quads for quad in found))

    def _stated(self, subject: NamedNode, predicate: NamedNode) -> Iterator[Quad]:
        return _sources(self._view.store.quads(subject, predicate))

    def _mentioning(self, node: NamedNode) -> Iterator[Quad]:
        store = self._view.store
        for quads in (store.quads(node), store.quads(object=node)):
            yield from _sources(quads)


class _After:
    """What sources will state once a change is made."""

    def __init__(self, view: View, change: Delta) -> None:
        self._store = view.store
        self._removed = change.removed
        self._added: dict[tuple[object, NamedNode], list[Quad]] = defaultdict(list)
        for quad in change.added:
            if quad.predicate in _TELLING or quad.predicate == RDFS_SUBCLASS_OF:
                self._added[quad.subject, quad.predicate].append(quad)

    def said(self, subject: NamedNode, predicate: NamedNode) -> Iterator[Quad]:
        """The quads of a subject and one of the predicates that tell of archiving."""
        known = _sources(self._store.quads(subject, predicate))
        yield from (quad for quad in known if quad not in self._removed)
        yield from self._added.get((subject, predicate), ())


def _sources(quads: Iterable[Quad]) -> Iterator[Quad]:
    return (quad for quad in quads if quad.graph_name not in NOT_SOURCES)


def _ends(triple: Triple) -> Iterator[NamedNode]:
    return nodes((triple.subject, triple.object))


def _objects(quads: Iterable[Quad]) -> list[NamedNode]:
    return sorted(set(nodes(quad.object for quad in quads)), key=lambda node: node.value)


def _texts(quads: Iterable[Quad]) -> list[str]:
    values = (quad.object for quad in quads)
    return sorted({value.value.strip() for value in values if isinstance(value, Literal)})
