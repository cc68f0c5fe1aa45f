"""pySHACL over a memory's dataset. Importing this takes most of a second: shapes first, then this module.

https://www.w3.org/TR/shacl/
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyshacl
import rdflib
from pyoxigraph import Literal, NamedNode, Quad
from pyshacl.errors import ReportableRuntimeError, ShapeLoadError

from synapse.notes.note import Severity
from synapse.rdf.names import META
from synapse.rdf.vocab import RDF_TYPE, RDFS_SUBCLASS_OF
from synapse.store.base import Store

SH: Final = rdflib.Namespace("http://www.w3.org/ns/shacl#")
_SEVERITY: Final[dict[Any, Severity]] = {SH.Violation: "error", SH.Warning: "warning", SH.Info: "info"}
_LOOKS_AT_ALL: Final = (SH.closed, SH.select, SH.ask)
"""What lets a shape depend on properties that it does not name: closed shapes, and SPARQL."""

# rdflib logs a traceback for each ill-typed literal, which is for a shape to judge (sh:datatype).
logging.getLogger("rdflib.term").setLevel(logging.ERROR)


@dataclass(frozen=True, slots=True)
class Violation:
    """One validation result (section 3.6): a node, and the property and value that it names."""

    focus: NamedNode
    predicate: NamedNode | None
    value: NamedNode | Literal | None
    shape: str
    severity: Severity
    message: str


def violations(store: Store, shapes: Path, *, base_iri: str) -> Iterator[Violation]:
    """What a Turtle file of shapes finds in everything stated and inferred.

    Raises `ValueError` when the shapes cannot be used.
    """
    try:
        graph = rdflib.Graph().parse(shapes, format="turtle", publicID=base_iri)
        data = _exported(quads_for(graph, store))
        _, results, text = pyshacl.validate(data, shacl_graph=graph, inplace=True)
    except (ShapeLoadError, ReportableRuntimeError, OSError, SyntaxError) as error:
        raise ValueError(str(error)) from error
    if not isinstance(results, rdflib.Graph):
        raise ValueError(str(text))
    for result in results.subjects(rdflib.RDF.type, SH.ValidationResult):
        if isinstance(focus := results.value(result, SH.focusNode), rdflib.URIRef):
            yield _violation(NamedNode(str(focus)), result, results)


def quads_for(shapes: rdflib.Graph, store: Store) -> Iterator[Quad]:
    """The quads that the shapes can look at: of classes, and of every property that they name.

    Most of a dataset is neither, and rdflib takes longer to hold it than pySHACL to judge it.
    """
    if any((None, predicate, None) in shapes for predicate in _LOOKS_AT_ALL):
        found: Iterable[Quad] = store.quads()
    else:
        named = {term for triple in shapes for term in triple if isinstance(term, rdflib.URIRef)}
        predicates = {RDF_TYPE, RDFS_SUBCLASS_OF, *(NamedNode(str(term)) for term in named)}
        found = (quad for predicate in predicates for quad in store.quads(predicate=predicate))
    return (quad for quad in found if quad.graph_name != META)


def _exported(quads: Iterable[Quad]) -> rdflib.Graph:
    """One rdflib graph of the quads, literals in their very lexical forms."""
    graph, known = rdflib.Graph(), dict[object, Any]()

    def term(value: object) -> Any:
        if value not in known:
            known[value] = _to_rdflib(value)
        return known[value]

    for quad in quads:
        graph.add((term(quad.subject), term(quad.predicate), term(quad.object)))
    return graph


def _to_rdflib(term: object) -> rdflib.URIRef | rdflib.Literal:
    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    assert isinstance(term, Literal), "the dataset is ground"
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    return rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value), normalize=False)


def _violation(focus: NamedNode, result: Any, results: rdflib.Graph) -> Violation:
    predicate = _from_rdflib(results.value(result, SH.resultPath))
    return Violation(
        focus,
        predicate if isinstance(predicate, NamedNode) else None,
        _from_rdflib(results.value(result, SH.value)),
        _shape_name(result, results),
        _SEVERITY.get(results.value(result, SH.resultSeverity), "error"),
        _message(results.objects(result, SH.resultMessage)),
    )


def _from_rdflib(term: object) -> NamedNode | Literal | None:
    if isinstance(term, rdflib.URIRef):
        return NamedNode(str(term))
    if not isinstance(term, rdflib.Literal):
        return None
    if term.language:
        return Literal(str(term), language=term.language)
    return Literal(str(term), datatype=NamedNode(str(term.datatype)) if term.datatype else None)


def _shape_name(result: Any, results: rdflib.Graph) -> str:
    """The local name of the shape; of a shape without a name, that of the constraint it broke."""
    shape = results.value(result, SH.sourceShape)
    if not isinstance(shape, rdflib.URIRef):
        shape = results.value(result, SH.sourceConstraintComponent)
    return str(shape).replace("#", "/").rpartition("/")[2]


def _message(messages: Iterable[Any]) -> str:
    """The message in English or without a language, for all that synapse says is English."""
    texts = sorted((message.language not in (None, "en"), str(message)) for message in messages)
    return texts[0][1] if texts else "the shape is violated"
