"""Facts as agents give them, read as triples: every term checked before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyoxigraph import Literal, NamedNode, Triple

from synapse.errors import InvalidIdentifier, InvalidInput
from synapse.knowledge.resolver import Ask
from synapse.knowledge.vocabulary import Known, Vocabulary
from synapse.rdf.datatypes import is_datatype, is_well_typed
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.literals import canonical, plain
from synapse.rdf.names import Names, iri, shortened
from synapse.rdf.vocab import OWL_OBJECT_PROPERTY, RDF_TYPE, SYN_STATUS, SYN_STATUS_NOTE
from synapse.store.base import Store
from synapse.usecases.mentions import Mentions, Resolved
from synapse.usecases.written import FactInput

MAX_FACTS: Final = 500
MAX_TEXT: Final = 20_000
"""Characters of one literal; a longer text belongs in a note."""


@dataclass(slots=True)
class Read:
    """The triples of one write, and what was found while reading them."""

    triples: list[Triple] = field(default_factory=list)
    subjects: dict[NamedNode, bool] = field(default_factory=dict)
    left_out: int = 0
    status_notes: list[str] = field(default_factory=list)


class Reader:
    """Reads the facts of one write."""

    def __init__(
        self,
        mentions: Mentions,
        *,
        store: Store,
        names: Names,
        lexicon: Lexicon,
        vocabulary: Vocabulary,
        types_of: Callable[[NamedNode], tuple[str, ...]],
    ) -> None:
        self._mentions = mentions
        self._store = store
        self._names = names
        self._lexicon = lexicon
        self._vocabulary = vocabulary
        self._types_of = types_of

    def read(self, facts: Sequence[FactInput], *, force_new: bool) -> Read:
        """All facts, or none: raises `InvalidInput` that names the first one that is wrong.

        A fact with a mention that must be asked about is left out and counted.
        """
        if not 0 < len(facts) <= MAX_FACTS:
            raise InvalidInput(f"{len(facts)} facts in one call", hint=f"give from 1 to {MAX_FACTS}")
        types = self._types_given(facts)
        read = Read()
        for position, fact in enumerate(facts, start=1):
            try:
                self._fact(fact, types.get(fact.subject, ()), read, force_new)
            except InvalidInput as error:
                raise type(error)(f"fact {position}: {error.message}", hint=error.hint) from None
        return read

    def _fact(self, fact: FactInput, types: tuple[str, ...], read: Read, force_new: bool) -> None:
        predicate = self._lexicon.asked(fact.predicate)
        subject = self._mentions.resolve(fact.subject, types=types, force_new=force_new)
        value = self._object(fact, predicate, force_new)
        if isinstance(subject, Ask) or isinstance(value, Ask):
            read.left_out += 1
            return
        read.subjects[subject.node] = read.subjects.get(subject.node, False) or subject.new
        for triple in self._triples(subject, predicate, value, types, read):
            if triple not in read.triples:
                read.triples.append(triple)

    def _triples(
        self,
        subject: Resolved,
        predicate: NamedNode,
        value: NamedNode | Literal,
        types: tuple[str, ...],
        read: Read,
    ) -> list[Triple]:
        """The triples of a fact; a status is brought to the vocabulary of the subject's type."""
        if predicate != SYN_STATUS or not isinstance(value, Literal):
            return [Triple(subject.node, predicate, value)]
        found = self._vocabulary.normalise_status((*types, *self._types_of(subject.node)), value.value)
        if isinstance(found, Known):
            return [Triple(subject.node, predicate, plain(found.status))]
        read.status_notes.append(
            f"{shortened(found.note)} is no known status here: set to {found.status}, the word kept as a note"
        )
        return [
            Triple(subject.node, predicate, plain(found.status)),
            Triple(subject.node, SYN_STATUS_NOTE, plain(found.note)),
        ]

    def _object(self, fact: FactInput, predicate: NamedNode, force_new: bool) -> NamedNode | Literal | Ask:
        if fact.datatype is not None or fact.lang is not None:
            if fact.object_is not in (None, "literal"):
                raise InvalidInput(
                    f"an object with a datatype or language is a literal, not an {fact.object_is}",
                    hint="leave datatype and lang away, or object_is",
                )
            return self._literal(fact)
        if predicate == RDF_TYPE and fact.object_is != "literal":
            return self._lexicon.type(fact.object)
        kind = fact.object_is or self._kind(fact.object, predicate)
        if kind == "literal":
            return self._literal(fact)
        if kind == "iri":
            return self._names.expand(fact.object) or iri(fact.object)
        found = self._mentions.resolve(fact.object, force_new=force_new)
        return found if isinstance(found, Ask) else found.node

    def _kind(self, text: str, predicate: NamedNode) -> str:
        """How to read an object that says nothing of itself."""
        if self._names.expand(text) is not None:
            return "iri"
        if any(self._store.quads(predicate, RDF_TYPE, OWL_OBJECT_PROPERTY)):
            return "id"
        try:
            known = self._mentions.finder.exact(text)
        except InvalidIdentifier:
            return "literal"
        return "literal" if known is None else "id"

    def _literal(self, fact: FactInput) -> Literal:
        if len(fact.object) > MAX_TEXT:
            raise InvalidInput(
                f"a text of {len(fact.object)} characters is too long for a fact",
                hint=f"at most {MAX_TEXT}; put it into a note",
            )
        try:
            if fact.lang is not None:
                return Literal(fact.object, language=fact.lang)
            return self._typed(fact)
        except ValueError as error:
            raise InvalidInput(f"{shortened(fact.object)} is no literal: {error}") from None

    def _typed(self, fact: FactInput) -> Literal:
        if fact.datatype is None:
            return Literal(fact.object)
        datatype = self._names.expand(fact.datatype)
        if datatype is None or not is_datatype(datatype):
            raise InvalidInput(
                f"{shortened(fact.datatype)} is no datatype", hint="write xsd:integer, xsd:date or a full IRI"
            )
        if not is_well_typed(fact.object, datatype):
            raise InvalidInput(
                f"{shortened(fact.object)} is not a {self._names.show(datatype)}",
                hint="mend the value, or leave the datatype away to keep it as text",
            )
        return canonical(Literal(fact.object, datatype=datatype))

    def _types_given(self, facts: Sequence[FactInput]) -> dict[str, tuple[str, ...]]:
        """The types that the write itself gives its subjects, as the index of names shows types."""
        given: dict[str, tuple[str, ...]] = {}
        for fact in facts:
            if self._lexicon.asked(fact.predicate) == RDF_TYPE:
                shown = self._names.show(self._lexicon.type(fact.object))
                given[fact.subject] = (*given.get(fact.subject, ()), shown)
        return given
