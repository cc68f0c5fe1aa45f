"""Triples for libraries that work on rdflib graphs, and back.

rdflib is imported when first needed: it takes a third of a second, and most runs do without.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from synapse.rdf.vocab import XSD_STRING

if TYPE_CHECKING:
    import rdflib


def to_rdflib(triples: Iterable[Triple]) -> rdflib.Graph:
    """A graph of these triples, literals with their very lexical forms."""
    import rdflib  # noqa: PLC0415

    # rdflib logs a traceback for each ill-typed literal; whether that is wrong is for others to say.
    logging.getLogger("rdflib.term").setLevel(logging.ERROR)
    graph = rdflib.Graph()
    for subject, predicate, object in triples:
        graph.add((_to_rdflib(subject), _to_rdflib(predicate), _to_rdflib(object)))
    return graph


def from_rdflib(graph: rdflib.Graph) -> Iterator[Triple]:
    """The triples of a graph; what RDF does not allow (a literal as a subject) is left out."""
    for subject, predicate, object in graph:
        try:
            yield Triple(_from_rdflib(subject), _from_rdflib(predicate), _from_rdflib(object))
        except (TypeError, ValueError):
            continue


def _to_rdflib(term: object) -> Any:
    import rdflib  # noqa: PLC0415

    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    if isinstance(term, BlankNode):
        return rdflib.BNode(term.value)
    assert isinstance(term, Literal)
    if term.language is not None:
        return rdflib.Literal(term.value, lang=term.language)
    return rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value), normalize=False)


def _from_rdflib(term: Any) -> Any:
    import rdflib  # noqa: PLC0415

    if isinstance(term, rdflib.URIRef):
        return NamedNode(str(term))
    if isinstance(term, rdflib.BNode):
        return BlankNode(str(term))
    if term.language is not None:
        return Literal(str(term), language=term.language)
    return Literal(str(term), datatype=NamedNode(str(term.datatype)) if term.datatype else XSD_STRING)
