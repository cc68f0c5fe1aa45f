"""Facts as agents give them, read as triples: every term checked before anything is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, get_args

from pyoxigraph import Literal, NamedNode, Triple

from synapse.errors import InvalidIdentifier, InvalidInput
from synapse.knowledge.resolver import Ask
from synapse.knowledge.vocabulary import Known, Vocabulary
from synapse.rdf.datatypes import is_datatype, is_well_typed
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.literals import canonical, plain
from synapse.rdf.names import Names, iri, shortened
from synapse.rdf.vocab import (
    OWL,
    OWL_CLASS,
    PREFIXES,
    RDF,
    RDF_TYPE,
    RDFS,
    RDFS_CLASS,
    SYN,
    SYN_STATUS,
    SYN_STATUS_NOTE,
    SYN_TRUST_TIER,
    XSD,
)
from synapse.store.base import Store
from synapse.usecases.mentions import Mentions, Resolved
from synapse.usecases.objects import Objects
from synapse.usecases.written import FactInput, ObjectIs

OBJECT_KINDS: Final = get_args(ObjectIs)
MAX_FACTS: Final = 500
MAX_TEXT: Final = 20_000
"""Characters of one literal; a longer text belongs in a note."""
MAX_WRITE: Final = 1_000_000
"""Characters of all objects of one call."""

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
"""C0 and C1 but for tabs and line ends: nothing that a text says, and some of it moves the cursor."""

_CLASSES: Final = frozenset({RDFS_CLASS, OWL_CLASS, NamedNode(RDFS + "Datatype")})
_LOWER_CASE: Final = frozenset(
    {RDF + "nil", RDF + "langString", RDF + "dirLangString", OWL + "real", OWL + "rational"}
)
"""What is no property although its name begins like one."""

ENGINE_NAMES: Final = "urn:synapse:"
"""Graphs, activities and agents: what is on record of a write is not for the write to say."""
NAMESPACES: Final = (ENGINE_NAMES, *PREFIXES.values())
"""What no agent describes: a fact about `syn:depends_on` would change what every fact with it means."""


@dataclass(slots=True)
class Read:
    """The triples of one write, and what was found while reading them."""

    triples: list[Triple] = field(default_factory=list)
    subjects: dict[NamedNode, bool] = field(default_factory=dict)
    left_out: int = 0
    status_notes: list[str] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    kept_as_text: list[str] = field(default_factory=list)
    asked_objects: int = 0


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
        why_archived: Callable[[NamedNode], str | None],
    ) -> None:
        self._mentions = mentions
        self._objects = Objects(mentions.view, mentions.finder)
        self._store = store
        self._names = names
        self._lexicon = lexicon
        self._vocabulary = vocabulary
        self._types_of = types_of
        self._why_archived = why_archived

    def read(self, facts: Sequence[FactInput], *, force_new: bool) -> Read:
        """All facts, or none: raises `InvalidInput` that names the first one that is wrong.

        A fact with a mention that must be asked about is left out and counted.
        """
        if not 0 < len(facts) <= MAX_FACTS:
            raise InvalidInput(f"{len(facts)} facts in one call", hint=f"give from 1 to {MAX_FACTS}")
        if sum(len(fact.object) for fact in facts) > MAX_WRITE:
            raise InvalidInput("too much text for one call", hint=f"at most {MAX_WRITE} characters")
        read = Read()
        types: dict[str, tuple[str, ...]] = {}
        # Types first: what a mention may mean depends on what the write says it is. Then the subjects:
        # what one fact describes is known by its name to every other fact.
        _each(facts, lambda fact: self._note_type(fact, types))
        _each(facts, lambda fact: self._subject(fact, types, force_new))
        _each(facts, lambda fact: self._fact(fact, types.get(fact.subject, ()), read, force_new))
        return read

    def _fact(self, fact: FactInput, types: tuple[str, ...], read: Read, force_new: bool) -> None:
        predicate = self._predicate(fact.predicate)
        subject = self._mentions.resolve(fact.subject)
        value = self._object(fact, predicate, force_new, read)
        if isinstance(subject, Ask) or isinstance(value, Ask):
            read.left_out += 1
            return
        self._check_subject(subject.node)
        self._note_archived(value, read)
        read.subjects[subject.node] = read.subjects.get(subject.node, False) or subject.new
        for triple in self._triples(subject, predicate, value, types, read):
            if triple not in read.triples:
                read.triples.append(triple)

    def _subject(self, fact: FactInput, types: dict[str, tuple[str, ...]], force_new: bool) -> None:
        self._mentions.resolve(fact.subject, types=types.get(fact.subject, ()), force_new=force_new)

    def _predicate(self, text: str) -> NamedNode:
        predicate = self._lexicon.asked(text)
        if predicate.value.startswith(ENGINE_NAMES) and not predicate.value.startswith(SYN):
            raise InvalidIdentifier(f"{shortened(text)} is no property, but a name of the engine's records")
        if _is_no_property(predicate) or self._is_declared_class(predicate):
            raise InvalidIdentifier(
                f"{shortened(text)} is a class or a value, not a property",
                hint="name a relation, as depends_on; with type you say what class a thing is of",
            )
        if predicate == SYN_TRUST_TIER:
            raise InvalidInput(
                f"{shortened(text)} follows from who verified a note", hint="add the verification to the note"
            )
        return predicate

    def _is_declared_class(self, node: NamedNode) -> bool:
        """Whether ontologies call a term a class or a datatype, and none calls it a property as well."""
        kinds = {quad.object for quad in self._store.quads(node, RDF_TYPE)}
        is_property = any(isinstance(kind, NamedNode) and kind.value.endswith("Property") for kind in kinds)
        return not is_property and not kinds.isdisjoint(_CLASSES)

    def _check_subject(self, node: NamedNode) -> None:
        if node.value.startswith(NAMESPACES):
            raise InvalidIdentifier(
                f"{shortened(self._names.show(node))} is a term that all memories share",
                hint="describe an entity, or a term of this memory's own, as :depends_on",
            )

    def _note_archived(self, value: NamedNode | Literal, read: Read) -> None:
        """An archived entity is never linked silently, not even by its id."""
        why = self._why_archived(value) if isinstance(value, NamedNode) else None
        if why is not None:
            read.archived.append(f"{self._names.show(value)} is archived ({why})")  # type: ignore[arg-type]

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

    def _object(
        self, fact: FactInput, predicate: NamedNode, force_new: bool, read: Read
    ) -> NamedNode | Literal | Ask:
        if fact.datatype is not None or fact.lang is not None:
            if fact.object_is not in (None, "literal"):
                raise InvalidInput(
                    f"an object with a datatype or language is a literal, not an {fact.object_is}",
                    hint="leave datatype and lang away, or object_is",
                )
            return self._literal(fact)
        if fact.object_is is None and not fact.object.strip():
            raise InvalidInput(
                "the object is empty", hint="leave the fact away; object_is=literal keeps a blank"
            )
        if predicate == RDF_TYPE and fact.object_is != "literal":
            return self._lexicon.type(fact.object)
        kind = fact.object_is or self._objects.decide(fact.object, predicate)
        if kind is None:
            found = self._by_name(fact.object, force_new, read)
            return self._text(fact, predicate, read) if found is None else _node(found)
        if kind not in OBJECT_KINDS:
            raise InvalidInput(f"{shortened(kind)} is no kind of object", hint="id, literal or iri")
        if kind == "literal":
            return self._text(fact, predicate, read)
        if kind == "iri":
            return self._names.expand(fact.object) or iri(fact.object)
        return _node(self._mentions.resolve(fact.object, force_new=force_new))

    def _by_name(self, text: str, force_new: bool, read: Read) -> Resolved | Ask | None:
        """What an object means by its name alone; a question about it may also be answered with `literal`."""
        found = self._mentions.known(text, force_new=force_new)
        if isinstance(found, Ask):
            read.asked_objects += 1
        return found

    def _text(self, fact: FactInput, predicate: NamedNode, read: Read) -> Literal:
        """The object as text, and what to tell of it where it could be more."""
        value = self._literal(fact)
        if fact.object_is is None and (remark := self._objects.remark(fact.object, predicate)) is not None:
            read.kept_as_text.append(remark)
        return value

    def _literal(self, fact: FactInput) -> Literal:
        if found := _CONTROL.search(fact.object):
            raise InvalidInput(
                f"{shortened(fact.object)} holds the control character U+{ord(found.group()):04X}",
                hint="leave it out: a terminal would obey it; tabs and line ends are fine",
            )
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

    def _note_type(self, fact: FactInput, types: dict[str, tuple[str, ...]]) -> None:
        """Keep the type that a fact gives its subject, as the index of names shows types."""
        if self._lexicon.asked(fact.predicate) == RDF_TYPE:
            shown = self._names.show(self._lexicon.type(fact.object))
            types[fact.subject] = (*types.get(fact.subject, ()), shown)


def _node(found: Resolved | Ask) -> NamedNode | Ask:
    return found if isinstance(found, Ask) else found.node


def _is_no_property(node: NamedNode) -> bool:
    """Whether a shared term is a class, a datatype or a value: such names begin in upper case."""
    if node.value.startswith(XSD) or node.value in _LOWER_CASE:
        return True
    namespace = next((space for space in PREFIXES.values() if node.value.startswith(space)), None)
    return namespace is not None and node.value[len(namespace) :][:1].isupper()


def _each(facts: Sequence[FactInput], read: Callable[[FactInput], None]) -> None:
    """Read every fact; the error of a wrong one names its position."""
    for position, fact in enumerate(facts, start=1):
        try:
            read(fact)
        except InvalidInput as error:
            raise type(error)(f"fact {position}: {error.message}", hint=error.hint) from None
