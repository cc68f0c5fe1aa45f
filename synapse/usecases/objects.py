"""What the object of a fact is when nobody says: an entity, a foreign IRI or a text (docs/writing.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from pyoxigraph import Literal, NamedNode

from synapse.errors import InvalidIdentifier
from synapse.notes.note import ScalarType
from synapse.notes.yaml_core import plain_scalar
from synapse.rdf.lexicon import WELL_KNOWN
from synapse.rdf.names import META, shortened
from synapse.rdf.vocab import (
    DCTERMS_SOURCE,
    OWL_ANNOTATION_PROPERTY,
    OWL_DATATYPE_PROPERTY,
    OWL_OBJECT_PROPERTY,
    RDF_TYPE,
    RDFS,
    RDFS_RANGE,
    SCHEMA_TEXT,
    SYN_ARCHIVED,
    SYN_CATEGORY,
    SYN_CONFIDENCE,
    SYN_CONTEXT,
    SYN_REASON,
    SYN_STALE_AFTER,
    SYN_STATUS,
    SYN_STATUS_NOTE,
    XSD,
    XSD_STRING,
)
from synapse.usecases.finder import Finder
from synapse.usecases.view import View
from synapse.usecases.written import ObjectIs

SAMPLE: Final = 100
"""Values of a property that tell what it takes; a property of ten thousand notes has as many."""

TEXT_PROPERTIES: Final = frozenset({
    *WELL_KNOWN.values(), DCTERMS_SOURCE, NamedNode(RDFS + "comment"), SCHEMA_TEXT, SYN_ARCHIVED,
    SYN_CATEGORY, SYN_CONFIDENCE, SYN_CONTEXT, SYN_REASON, SYN_STALE_AFTER, SYN_STATUS, SYN_STATUS_NOTE,
}) - {RDF_TYPE}  # fmt: skip
"""What takes text in every memory, also where no scenario is installed that declares it."""

HOW: Final = "object_is=id"
_WORDS_OF_A_NAME: Final = 12
_WORDS_OF_A_SENTENCE: Final = 4
# A full stop behind few letters ends an abbreviation: `Dr. Ana Ruiz`.
_SENTENCE_END: Final = re.compile(r"\w{4}[.!?…][\"'»”)]*\s|\w[.!?…][\"'»”)]*$|[。！？]")


class Objects:
    """Tells by the property, then by the text itself, what an object is."""

    def __init__(self, view: View, finder: Finder) -> None:
        self._view = view
        self._finder = finder
        self._samples: dict[NamedNode, tuple[NamedNode | Literal, ...]] = {}

    def decide(self, text: str, predicate: NamedNode) -> ObjectIs | None:
        """What the object is, None where only its name can tell: an entity so called, else a text."""
        if self._takes_text(predicate):
            return "literal"
        if self._view.names.expand(text) is not None:
            return "iri"
        if self._declared(predicate, OWL_OBJECT_PROPERTY) or _is_wikilink(text):
            return "id"
        if "/" in text and self._exact(text) is not None:
            return "id"
        if self._declared(predicate, OWL_ANNOTATION_PROPERTY) or self._only_texts(predicate):
            return "literal"
        return "literal" if is_value(text) or self._is_prose(text) else None

    def remark(self, text: str, predicate: NamedNode) -> str | None:
        """What to tell of an object that was kept as text, None where there is no doubt about it."""
        if is_value(text) and (datatype := self._datatype(predicate)) is not None:
            return f"{shortened(text)} was kept as text where others are {datatype}: give it as datatype"
        if self._takes_text(predicate) or self._declared(predicate, OWL_ANNOTATION_PROPERTY):
            return None
        if (named := self._called(text)) is not None:
            return f"{shortened(text)} was kept as text; with {HOW} it is {named}"
        if is_value(text) or self._is_prose(text) or self._only_texts(predicate):
            return None
        return f"{shortened(text)} was kept as text: nothing is called so; with {HOW} it becomes an entity"

    def _declared(self, predicate: NamedNode, kind: NamedNode) -> bool:
        return any(self._view.store.quads(predicate, RDF_TYPE, kind))

    def _takes_text(self, predicate: NamedNode) -> bool:
        """Whether a property takes text by its name or by what vocabularies declare of it."""
        if predicate in TEXT_PROPERTIES or self._declared(predicate, OWL_DATATYPE_PROPERTY):
            return True
        ranges = (quad.object for quad in self._view.store.quads(predicate, RDFS_RANGE))
        return any(
            isinstance(range_, NamedNode)
            and (range_.value.startswith(XSD) or range_.value == RDFS + "Literal")
            for range_ in ranges
        )

    def _only_texts(self, predicate: NamedNode) -> bool:
        values = self._sample(predicate)
        return bool(values) and all(isinstance(value, Literal) for value in values)

    def _datatype(self, predicate: NamedNode) -> str | None:
        """The datatype that all values of a property share, if it is none of text."""
        found = {value.datatype for value in self._sample(predicate) if isinstance(value, Literal)}
        shared = found.pop() if len(found) == 1 else XSD_STRING
        return self._view.node(shared) if shared.value.startswith(XSD) and shared != XSD_STRING else None

    def _sample(self, predicate: NamedNode) -> tuple[NamedNode | Literal, ...]:
        if predicate not in self._samples:
            self._samples[predicate] = tuple(islice(self._values(predicate), SAMPLE))
        return self._samples[predicate]

    def _values(self, predicate: NamedNode) -> Iterator[NamedNode | Literal]:
        for quad in self._view.store.quads(predicate=predicate):
            if quad.graph_name != META and isinstance(quad.object, (NamedNode, Literal)):
                yield quad.object

    def _exact(self, text: str) -> NamedNode | None:
        try:
            return self._finder.exact(text)
        except InvalidIdentifier:
            return None

    def _called(self, text: str) -> str | None:
        """The one entity of this very name, as it is shown."""
        try:
            found = self._finder.exact(text) or self._finder.called(text)
        except InvalidIdentifier:
            return None
        return None if found is None else self._view.node(found)

    def _is_prose(self, text: str) -> bool:
        """Whether a text says something rather than names something."""
        words = len(text.split())
        is_sentence = words >= _WORDS_OF_A_SENTENCE and _SENTENCE_END.search(text) is not None
        prose = "\n" in text or words > _WORDS_OF_A_NAME or is_sentence
        return prose and not self._finder.is_name(text)


def is_value(text: str) -> bool:
    """Whether a text is a number, a date, a truth value or nothing, as YAML would read it."""
    scalar = plain_scalar(text.strip())
    return scalar is None or scalar.type is not ScalarType.STRING


def _is_wikilink(text: str) -> bool:
    return text.strip().startswith("[[") and text.strip().endswith("]]")
