"""The lexicon of a memory: which keys the installed scenarios give a meaning."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from pyoxigraph import Literal, NamedNode

from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import ONTOLOGY_GRAPH, Names
from synapse.rdf.vocab import (
    OWL_ANNOTATION_PROPERTY,
    OWL_CLASS,
    OWL_DATATYPE_PROPERTY,
    OWL_OBJECT_PROPERTY,
    PREFIXES,
    RDF_PROPERTY,
    RDF_TYPE,
    RDFS_CLASS,
    RDFS_LABEL,
    SYN,
)
from synapse.store.base import Store

_PROPERTIES = (OWL_OBJECT_PROPERTY, OWL_DATATYPE_PROPERTY, OWL_ANNOTATION_PROPERTY, RDF_PROPERTY)
_CLASSES = (OWL_CLASS, RDFS_CLASS)
_NAMESPACES = (SYN, *PREFIXES.values())


def read_lexicon(store: Store, names: Names) -> Lexicon:
    """The terms that ontology graphs declare, by local name and by label in every language.

    Where several vocabularies name one key synapse's own term wins, then the order of
    `PREFIXES`; a local name wins over a label.
    """
    return Lexicon.of(
        names,
        properties=_keys(store, _declared(store, _PROPERTIES)),
        types=_keys(store, _declared(store, _CLASSES)),
    )


def lexicon_digest(lexicon: Lexicon) -> str:
    """A short digest that changes when any key means something else."""
    digest = hashlib.sha256()
    for table in (lexicon.properties, lexicon.types):
        for key in sorted(table):
            digest.update(f"{key}\0{table[key].value}\n".encode())
    return digest.hexdigest()[:16]


def _declared(store: Store, kinds: tuple[NamedNode, ...]) -> list[NamedNode]:
    terms = {
        quad.subject
        for kind in kinds
        for quad in store.quads(predicate=RDF_TYPE, object=kind)
        if isinstance(quad.subject, NamedNode)
        and isinstance(quad.graph_name, NamedNode)
        and quad.graph_name.value.startswith(ONTOLOGY_GRAPH)
    }
    return sorted(terms, key=lambda term: (_rank(term), term.value))


def _rank(term: NamedNode) -> int:
    for position, namespace in enumerate(_NAMESPACES):
        if term.value.startswith(namespace):
            return position
    return len(_NAMESPACES)


def _keys(store: Store, terms: list[NamedNode]) -> Iterator[tuple[str, NamedNode]]:
    for term in terms:
        yield _local_name(term), term
    for term in terms:
        labels = (quad.object for quad in store.quads(term, RDFS_LABEL))
        for label in sorted(label.value for label in labels if isinstance(label, Literal)):
            yield label, term


def _local_name(term: NamedNode) -> str:
    return term.value.replace("#", "/").rstrip("/").rpartition("/")[2]
