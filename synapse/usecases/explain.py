"""Why a fact holds and where it comes from: proofs down to stated facts, sources down to the line."""

from __future__ import annotations

from pyoxigraph import Literal, NamedNode, Triple

from synapse.errors import InvalidIdentifier
from synapse.knowledge.vocabulary import Known
from synapse.rdf.literals import typed
from synapse.rdf.names import INFERRED, fold_key, shortened
from synapse.rdf.vocab import SYN_STATUS, XSD_STRING
from synapse.reasoning.proofs import STATED
from synapse.reasoning.proofs import Proof as Derived
from synapse.usecases import queries
from synapse.usecases.advice import Properties
from synapse.usecases.answers import (
    Explanation,
    Fact,
    LiteralValue,
    Notice,
    Proof,
    Provenance,
    ProvenFact,
    Term,
    Unresolved,
)
from synapse.usecases.rooms import Rooms
from synapse.usecases.view import cut_notice, grouped, is_list_part

PROVENANCE_FACTS = 40
KNOWN_VALUES = 5
"""Values told of a property, where another one was asked for."""


class Explanations:
    """The proofs and the provenance of one memory's facts."""

    def __init__(self, rooms: Rooms) -> None:
        self._view, self._finder = rooms.view, rooms.finder
        self._lexicon, self._committer = rooms.lexicon, rooms.committer
        self._vocabulary = rooms.vocabulary
        self._properties = Properties(rooms)

    def why(self, subject: str, predicate: str, object: Term, *, limit: int = 1) -> Explanation | Unresolved:
        """Up to `limit` proofs of a fact; `known` is false when nothing states or entails it."""
        found = self.find(subject, predicate, object)
        if isinstance(found, Unresolved):
            return found
        proofs = self.proofs(found, limit=limit)
        return Explanation(bool(proofs), proofs, () if proofs else (self._unknown(found, predicate),))

    def find(self, subject: str, predicate: str, object: Term) -> Triple | Unresolved:
        """The triple that a question names, known or not."""
        node = self._finder.find(subject)
        if isinstance(node, Unresolved):
            return node
        property_ = self._lexicon().asked(predicate)
        value = self._object(node, property_, object)
        return value if isinstance(value, Unresolved) else Triple(node, property_, value)

    def provenance(
        self,
        subject: str,
        predicate: str | None = None,
        object: Term | None = None,
        *,
        limit: int = PROVENANCE_FACTS,
    ) -> Provenance | Unresolved:
        """Where each fact of the pattern comes from; an inferred one comes with a proof."""
        node = self._finder.find(subject)
        if isinstance(node, Unresolved):
            return node
        predicates = [self._lexicon().asked(predicate)] if predicate is not None else []
        property_ = predicates[0] if predicates else None
        value = None if object is None else self._object(node, property_, object)
        if isinstance(value, Unresolved):
            return value
        query = queries.facts(node, predicates, value)
        quads, _ = self._view.quads(query)
        triples = grouped(quads)
        order = sorted(triples, key=lambda triple: (triples[triple] == [INFERRED], str(triple)))
        facts = tuple(self._proven(triple, triples[triple]) for triple in order[:limit])
        notices = cut_notice("facts", len(order), limit, "facts")
        if not facts and predicate is not None:
            doubt = self._properties.doubt(predicate)
            notices = (doubt,) if doubt else ()
        return Provenance(facts, query, notices)

    def _proven(self, triple: Triple, graphs: list[NamedNode]) -> ProvenFact:
        fact: Fact = self._view.fact(triple, graphs)
        proof = next(iter(self.proofs(triple)), None) if fact.inferred else None
        return ProvenFact(fact.subject, fact.predicate, fact.object, fact.inferred, fact.sources, proof)

    def proofs(self, triple: Triple, *, limit: int = 1) -> tuple[Proof, ...]:
        """Up to `limit` proofs of a triple; none when it does not hold."""
        derived = self._committer.explain(triple, limit=limit)
        known: dict[int, Proof] = {}
        return tuple(self._shown(proof, known) for proof in derived)

    def _shown(self, proof: Derived, known: dict[int, Proof]) -> Proof:
        """A proof as people read it; one that stands in several places of a tree is made once."""
        if id(proof) not in known:
            sources = self._view.stated(proof.conclusion) if proof.rule == STATED else ()
            # The members of an axiom's list are shown in the axiom, not as a premise for each list node.
            parts = (part for part in proof.premises if not is_list_part(part.conclusion))
            premises = tuple(self._shown(part, known) for part in parts)
            known[id(proof)] = Proof(self._view.statement(proof.conclusion), proof.rule, premises, sources)
        return known[id(proof)]

    def _object(
        self, subject: NamedNode, predicate: NamedNode | None, object: Term
    ) -> NamedNode | Literal | Unresolved:
        """The node or literal that an object means: one of the subject's own values as it is shown, first."""
        if isinstance(object, LiteralValue):
            return self._literal(object)
        own = [quad.object for quad in self._view.store.quads(subject, predicate)]
        named = [value for value in own if self._text(value) == object]
        if not named and predicate == SYN_STATUS:
            known = self._vocabulary().normalise_status(self._view.types(subject), object)
            named = [value for value in own if isinstance(known, Known) and self._text(value) == known.status]
        for kind in (Literal, NamedNode):
            if same := [value for value in named if isinstance(value, kind)]:
                return same[0]
        found = self._finder.find(object)
        if isinstance(found, Unresolved) and found.reason == "unknown":
            return self._lexicon().types.get(fold_key(object), found)
        return found

    def _literal(self, value: LiteralValue) -> Literal:
        if value.lang is not None:
            try:
                return Literal(value.value, language=value.lang)
            except ValueError:
                raise InvalidIdentifier(f"{shortened(value.lang)} is no language tag (BCP 47)") from None
        datatype = XSD_STRING if value.datatype is None else self._view.names.expand(value.datatype)
        if datatype is None:
            raise InvalidIdentifier(
                f"{shortened(value.datatype or '')} is no datatype",
                hint="write it as xsd:integer or as an IRI",
            )
        return typed(value.value, datatype)

    def _unknown(self, triple: Triple, key: str) -> Notice:
        """What is known instead: the property that was meant, or the subject's values of this one."""
        doubt = self._properties.doubt(key)
        if doubt is not None:
            return doubt
        return Notice("not-known", self.known(triple.subject, triple.predicate))  # type: ignore[arg-type]

    def known_of(self, subject: str, predicate: str) -> str | None:
        """As `known`, by names; None when the subject names no entity."""
        node = self._finder.find(subject)
        return None if isinstance(node, Unresolved) else self.known(node, self._lexicon().asked(predicate))

    def known(self, subject: NamedNode, predicate: NamedNode) -> str:
        """What is known of a subject and a predicate, for who asked about another object."""
        values = sorted({self._text(quad.object) for quad in self._view.store.quads(subject, predicate)})
        told = ", ".join(values[:KNOWN_VALUES]) or "nothing"
        more = f" and {len(values) - KNOWN_VALUES} more" if len(values) > KNOWN_VALUES else ""
        return f"known of {self._view.node(subject)} {self._view.node(predicate)}: {told}{more}"

    def _text(self, term: object) -> str:
        shown = self._view.term(term)
        return shown if isinstance(shown, str) else shown.value
