"""SHACL: the shapes that scenarios ship, checked over everything stated and inferred.

https://www.w3.org/TR/shacl/ by pySHACL; each violation is told at the line of the note that caused it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyoxigraph import Literal, NamedNode, Triple

from synapse.errors import InvalidScenario
from synapse.notes.note import Severity
from synapse.rdf.names import META, Names
from synapse.rdf.vocab import RDF_TYPE
from synapse.store.base import Store
from synapse.usecases.answers import Finding, LiteralValue, Source
from synapse.usecases.explain import Explanations
from synapse.usecases.scenarios import find_scenario
from synapse.usecases.view import View

if TYPE_CHECKING:
    import rdflib

SH: Final = "http://www.w3.org/ns/shacl#"
_SEVERITY: Final[dict[str, Severity]] = {
    SH + "Violation": "error",
    SH + "Warning": "warning",
    SH + "Info": "info",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One validation result (SHACL, section 3.6): a node, and the property and value that it names."""

    focus: NamedNode
    predicate: NamedNode | None
    value: NamedNode | Literal | None
    shape: str
    severity: Severity
    message: str


class ShapesCheck:
    """The shapes of the installed scenarios over one memory."""

    def __init__(self, view: View, *, explanations: Explanations) -> None:
        self._view = view
        self._explanations = explanations

    def findings(self, shapes: Iterable[Path]) -> Iterator[Finding]:
        """One finding for each violation; a file that holds no usable shapes is one itself."""
        files = list(shapes)
        if not files:
            return
        data = to_rdflib(self._view.store)
        for file in files:
            try:
                found = list(violations(data, file, names=self._view.names))
            except ValueError as error:
                message = f"{file} holds shapes that cannot be used: {error}"
                yield Finding(file.name, 1, "shapes-invalid", "error", message)
                continue
            yield from map(self._finding, found)

    def _finding(self, found: Violation) -> Finding:
        source = self._source(found)
        path = (source.path if source else None) or self._view.node(found.focus)
        line = (source.line if source else None) or 1
        message = f"{self._view.node(found.focus)}: {found.message}{self._value(found)}"
        return Finding(path, line, f"shape-{found.shape}", found.severity, message)

    def _value(self, found: Violation) -> str:
        if found.value is None or found.value == found.focus:
            return ""
        shown = self._view.term(found.value)
        return f"; it is {shown.value if isinstance(shown, LiteralValue) else shown}"

    def _source(self, found: Violation) -> Source | None:
        """A line of a note if there is one, else a file of a scenario."""
        others: list[Source] = []
        for source in self._sources(found):
            if source.kind == "file":
                return source
            others.append(source)
        return next(iter(others), None)

    def _sources(self, found: Violation) -> Iterator[Source]:
        """Where the violation may be mended, best first: the value, the property, the type, the entity."""
        for triple in self._triples(found):
            leaves = [*self._explanations.proofs(triple)]
            while leaves:
                leaf = leaves.pop()
                yield from (source for source in leaf.sources if source.path)
                leaves.extend(reversed(leaf.premises))

    def _triples(self, found: Violation) -> Iterator[Triple]:
        if found.predicate is not None and found.value is not None:
            yield Triple(found.focus, found.predicate, found.value)
        if found.predicate is not None:
            yield from (quad.triple for quad in self._view.store.quads(found.focus, found.predicate))
        for predicate in (RDF_TYPE, None):
            quads = self._view.store.quads(found.focus, predicate)
            yield from (quad.triple for quad in quads if quad.graph_name != META)


def shapes_of(scenarios: Iterable[str]) -> Iterator[Path]:
    """The files of shapes of these scenarios; a scenario whose package is gone has none."""
    for name in scenarios:
        with suppress(InvalidScenario):
            yield from find_scenario(name).shapes


def violations(data: rdflib.Graph, shapes: Path, *, names: Names) -> Iterator[Violation]:
    """The validation results of one file of shapes; raises `ValueError` when they cannot be used."""
    # pySHACL and rdflib take most of a second to import, and most memories have no shapes.
    import pyshacl  # noqa: PLC0415
    import rdflib  # noqa: PLC0415
    from pyshacl.errors import ReportableRuntimeError, ShapeLoadError  # noqa: PLC0415

    sh = rdflib.Namespace(SH)
    try:
        graph = rdflib.Graph().parse(shapes, format="turtle", publicID=names.base_iri)
        _, results, text = pyshacl.validate(data, shacl_graph=graph, inplace=True)
    except (ShapeLoadError, ReportableRuntimeError, OSError, SyntaxError) as error:
        raise ValueError(str(error)) from error
    if not isinstance(results, rdflib.Graph):
        raise ValueError(str(text))
    for result in results.subjects(rdflib.RDF.type, sh.ValidationResult):
        focus = results.value(result, sh.focusNode)
        if isinstance(focus, rdflib.URIRef):
            yield Violation(
                NamedNode(str(focus)),
                _named(results.value(result, sh.resultPath)),
                _term(results.value(result, sh.value)),
                _shape_name(results.value(result, sh.sourceShape), results, result),
                _SEVERITY.get(str(results.value(result, sh.resultSeverity)), "error"),
                _message(results.objects(result, sh.resultMessage)),
            )


def to_rdflib(store: Store) -> rdflib.Graph:
    """Everything stated and inferred as one rdflib graph, literals with their very lexical forms."""
    import rdflib  # noqa: PLC0415

    # rdflib logs a traceback for each ill-typed literal, which is SHACL's to judge (sh:datatype).
    logging.getLogger("rdflib.term").setLevel(logging.ERROR)
    graph = rdflib.Graph()
    for quad in store.quads():
        if quad.graph_name != META:
            graph.add((_exported(quad.subject), _exported(quad.predicate), _exported(quad.object)))
    return graph


def _exported(term: object) -> Any:
    import rdflib  # noqa: PLC0415

    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    assert isinstance(term, Literal), "the dataset is ground"
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    return rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value), normalize=False)


def _named(term: object) -> NamedNode | None:
    found = _term(term)
    return found if isinstance(found, NamedNode) else None


def _term(term: object) -> NamedNode | Literal | None:
    import rdflib  # noqa: PLC0415

    if isinstance(term, rdflib.URIRef):
        return NamedNode(str(term))
    if not isinstance(term, rdflib.Literal):
        return None
    if term.language:
        return Literal(str(term), language=term.language)
    return Literal(str(term), datatype=NamedNode(str(term.datatype)) if term.datatype else None)


def _shape_name(shape: object, results: rdflib.Graph, result: Any) -> str:
    """The local name of the shape; of a shape without a name, that of the constraint it broke."""
    import rdflib  # noqa: PLC0415

    if not isinstance(shape, rdflib.URIRef):
        shape = results.value(result, rdflib.URIRef(SH + "sourceConstraintComponent"))
    return str(shape).replace("#", "/").rpartition("/")[2]


def _message(messages: Iterable[Any]) -> str:
    """The message in English or without a language, for all that synapse says is English."""
    texts = sorted((message.language not in (None, "en"), str(message)) for message in messages)
    return texts[0][1] if texts else "the shape is violated"
