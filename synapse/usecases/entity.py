"""The card of an entity: everything known of it, on one page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Final

from pyoxigraph import NamedNode, Quad, Triple

from synapse.notes.okf import TrustTier, is_stale
from synapse.rdf.names import INFERRED
from synapse.rdf.vocab import (
    OWL_INVERSE_OF,
    OWL_SYMMETRIC_PROPERTY,
    PROV_WAS_GENERATED_BY,
    RDF_TYPE,
    RDFS_LABEL,
    SCHEMA_DESCRIPTION,
    SCHEMA_KEYWORDS,
    SKOS_ALT_LABEL,
    SYN_STALE_AFTER,
    SYN_STATUS,
    SYN_TRUST_TIER,
)
from synapse.usecases import queries
from synapse.usecases.answers import Card, Fact, Notice, Unresolved
from synapse.usecases.rooms import Rooms
from synapse.usecases.turns import in_turns
from synapse.usecases.view import FETCH, connects, cut_notice, grouped, nodes, texts

CARD_FACTS: Final = 40

TURN: Final = 10
"""Facts of one predicate that come before all others have had their turn: a long list hides nothing."""


class Cards:
    """The cards of one memory's entities."""

    def __init__(self, rooms: Rooms) -> None:
        self._view, self._finder, self._archive = rooms.view, rooms.finder, rooms.archive
        self._used = rooms.used_properties
        self._turned: dict[NamedNode, set[NamedNode]] = {}

    def card(self, mention: str, *, limit: int = CARD_FACTS) -> Card | Unresolved:
        """Everything known of one entity; at most `limit` facts out and as many in."""
        node = self._finder.find(mention)
        if isinstance(node, Unresolved):
            return node
        view = self._view
        out, more_out = self._read(subject=node)
        in_, more_in = self._read(object=node)
        shown_out, cut_out = self._shown(out, limit, more=more_out, what="facts about it")
        shown_in, cut_in = self._shown(
            self._news(in_, out), limit, more=more_in, what="facts that point to it"
        )
        return Card(
            view.node(node),
            node.value,
            view.label(node),
            view.types(node),
            stub=all(quad.graph_name == INFERRED for quad in out),
            degree=_degree((*out, *in_)),
            out=shown_out,
            in_=shown_in,
            tags=tuple(sorted(_texts(out, SCHEMA_KEYWORDS))),
            description=next(iter(_texts(out, SCHEMA_DESCRIPTION)), None),
            status=next(iter(_texts(out, SYN_STATUS)), None),
            trust=_trust(out),
            stale=_stale(out, now=datetime.now(UTC)),
            query=queries.facts(subject=node),
            notices=(*self._archived(node), *cut_out, *cut_in),
        )

    def _read(
        self, *, subject: NamedNode | None = None, object: NamedNode | None = None
    ) -> tuple[list[Quad], bool]:
        """The facts that an entity is at one end of, and whether there are more; some of each predicate."""
        quads, more = self._view.quads(queries.facts(subject, object=object))
        if more:  # read in the order of the store, one predicate may have taken all the room
            each = (queries.facts(subject, [predicate], object) for predicate in self._used)
            some = (self._view.quads(query, most=TURN)[0] for query in each)
            quads = list(dict.fromkeys(chain(quads, *some)))
        return quads, more

    def _archived(self, node: NamedNode) -> Iterator[Notice]:
        why = self._archive.reason(node)
        if why is not None:
            yield Notice(
                "archived",
                f"archived ({why}): kept for the record; another status, or archived: false, revives it",
            )

    def _news(self, in_: Iterable[Quad], out: Iterable[Quad]) -> list[Quad]:
        """The facts that point here, without inferred ones that only turn around a fact shown as outgoing."""
        known = {(quad.predicate, quad.object) for quad in out}
        return [
            quad
            for quad in in_
            if quad.graph_name != INFERRED
            or not any((inverse, quad.subject) in known for inverse in self._inverses(quad.predicate))
        ]

    def _inverses(self, predicate: NamedNode) -> set[NamedNode]:
        """The properties that say the same the other way round."""
        if predicate not in self._turned:
            store = self._view.store
            turned = {quad.object for quad in store.quads(predicate, OWL_INVERSE_OF)}
            turned |= {quad.subject for quad in store.quads(predicate=OWL_INVERSE_OF, object=predicate)}
            if any(store.quads(predicate, RDF_TYPE, OWL_SYMMETRIC_PROPERTY)):
                turned.add(predicate)
            self._turned[predicate] = set(nodes(turned))
        return self._turned[predicate]

    def _shown(
        self, quads: Iterable[Quad], limit: int, *, more: bool, what: str
    ) -> tuple[tuple[Fact, ...], tuple[Notice, ...]]:
        """The first facts in reading order: stated before inferred, some of each predicate before others."""
        triples = grouped(quads)
        order = sorted(triples, key=lambda triple: (triples[triple] == [INFERRED], *_reading_order(triple)))
        order = in_turns(order, lambda triple: triple.predicate, turn=TURN)
        facts = tuple(self._view.fact(triple, triples[triple]) for triple in order[:limit])
        count = f"more than {FETCH}" if more else str(len(order))
        return facts, cut_notice("facts", len(order), limit, what, count=count)


_FIRST = (RDFS_LABEL, SKOS_ALT_LABEL, RDF_TYPE, SCHEMA_DESCRIPTION, SYN_STATUS)


def _degree(quads: Iterable[Quad]) -> int:
    """How many stated edges an entity has."""
    return len({quad.triple for quad in quads if connects(quad) and quad.graph_name != INFERRED})


def _trust(quads: Iterable[Quad]) -> str | None:
    """The trust tier; without a verification `unverified` where somebody is named as the maker, else None."""
    quads = tuple(quads)
    tier = next(iter(_texts(quads, SYN_TRUST_TIER)), None)
    is_made = any(quad.predicate == PROV_WAS_GENERATED_BY for quad in quads)
    return tier or (TrustTier.UNVERIFIED.value if is_made else None)


def _stale(quads: Iterable[Quad], *, now: datetime) -> bool | None:
    """Whether the earliest `stale_after` has come; None without one that is a date."""
    instants = (is_stale(text, now=now) for text in _texts(quads, SYN_STALE_AFTER))
    known = [stale for stale in instants if stale is not None]
    return any(known) if known else None


def _texts(quads: Iterable[Quad], predicate: NamedNode) -> tuple[str, ...]:
    return tuple(texts(quad for quad in quads if quad.predicate == predicate))


def _reading_order(triple: Triple) -> tuple[int, str, str, str]:
    rank = _FIRST.index(triple.predicate) if triple.predicate in _FIRST else len(_FIRST)
    return rank, triple.predicate.value, str(triple.object), str(triple.subject)
