"""What a key written by a person or an agent means: `depends on` is `syn:depends_on`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pyoxigraph import NamedNode

from synapse.rdf.names import Names, fold_key
from synapse.rdf.vocab import (
    DCTERMS_CREATED,
    DCTERMS_DATE,
    DCTERMS_MODIFIED,
    RDF_TYPE,
    RDFS_LABEL,
    SCHEMA_DESCRIPTION,
    SCHEMA_KEYWORDS,
    SKOS_ALT_LABEL,
)

_ENGLISH: Final[Mapping[str, NamedNode]] = {
    "type": RDF_TYPE,
    "label": RDFS_LABEL,
    "title": RDFS_LABEL,
    "name": RDFS_LABEL,
    "aliases": SKOS_ALT_LABEL,
    "tags": SCHEMA_KEYWORDS,
    "description": SCHEMA_DESCRIPTION,
    "created": DCTERMS_CREATED,
    "updated": DCTERMS_MODIFIED,
    "date": DCTERMS_DATE,
}
SPANISH: Final[Mapping[str, str]] = {
    "tipo": "type",
    "título": "title",
    "titulo": "title",
    "nombre": "name",
    "alias": "aliases",
    "etiquetas": "tags",
    "descripción": "description",
    "descripcion": "description",
    "creado": "created",
    "creada": "created",
    "actualizado": "updated",
    "actualizada": "updated",
    "fecha": "date",
}
"""The Spanish names of well-known keys, folded, with the English key that each one means.

Accents count in keys, so a word that is often typed without its accent is there twice. `etiqueta` is
not: it means a label as often as a tag.
"""

WELL_KNOWN: Final[Mapping[str, NamedNode]] = {
    **_ENGLISH,
    **{spanish: _ENGLISH[english] for spanish, english in SPANISH.items()},
}
"""The keys of frontmatter that mean the same in every memory, whatever is installed; folded."""

KEPT_KEYS: Final = 4_096
"""Keys whose terms are remembered; a folder of notes has some hundreds."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The terms that the installed scenarios name, by folded key; any other key is the memory's own."""

    names: Names
    properties: Mapping[str, NamedNode] = field(default_factory=dict)
    types: Mapping[str, NamedNode] = field(default_factory=dict)
    # Folders of notes use the same few keys thousands of times.
    _own: dict[str, NamedNode] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def of(
        names: Names, *, properties: Iterable[tuple[str, NamedNode]], types: Iterable[tuple[str, NamedNode]]
    ) -> Lexicon:
        """A lexicon of (key, term) pairs; the first term of a key keeps it."""
        return Lexicon(names, _first_by_key(properties), _first_by_key(types))

    def property(self, key: str) -> NamedNode:
        """The property of a key, CURIE or IRI; raises `InvalidIdentifier` for text that names none."""
        return self.properties.get(fold_key(key)) or self._other(key)

    def asked(self, key: str) -> NamedNode:
        """The property that a question means by a key: `type` and `title` as they are in frontmatter."""
        return WELL_KNOWN.get(fold_key(key)) or self.property(key)

    def type(self, key: str) -> NamedNode:
        """The class of a key, CURIE or IRI; raises `InvalidIdentifier` for text that names none."""
        return self.types.get(fold_key(key)) or self._other(key)

    def _other(self, key: str) -> NamedNode:
        term = self._own.get(key)
        if term is None:
            if len(self._own) >= KEPT_KEYS:  # every key that anybody asks about passes here
                self._own.clear()
            term = self._own[key] = self.names.expand(key) or self.names.key(key)
        return term


def _first_by_key(pairs: Iterable[tuple[str, NamedNode]]) -> dict[str, NamedNode]:
    terms: dict[str, NamedNode] = {}
    for key, term in pairs:
        terms.setdefault(fold_key(key), term)
    return terms
