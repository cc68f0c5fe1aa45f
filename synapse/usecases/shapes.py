"""The SHACL shapes that scenarios ship; each violation is told at the line of the note that caused it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pyoxigraph import Triple

from synapse.errors import InvalidScenario
from synapse.rdf.names import META
from synapse.rdf.vocab import RDF_TYPE
from synapse.usecases.answers import Finding, LiteralValue, Source
from synapse.usecases.explain import Explanations
from synapse.usecases.scenarios import Scenarios
from synapse.usecases.view import View

if TYPE_CHECKING:
    from synapse.usecases.shacl import Violation


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
        # Most memories have no shapes, and SHACL takes most of a second to import.
        from synapse.usecases.shacl import violations  # noqa: PLC0415

        for file in files:
            try:
                found = list(violations(self._view.store, file, base_iri=self._view.names.base_iri))
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


def shapes_of(scenarios: Scenarios) -> Iterator[Path]:
    """The files of shapes of what is installed; a scenario whose package is gone has none."""
    for name in scenarios.installed():
        with suppress(InvalidScenario):
            yield from scenarios.find(name).shapes
