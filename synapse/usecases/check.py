"""What is wrong with a folder of notes: syntax, links, identity, words, shapes, contradictions.

Everything is told at the line where a person can mend it. A check changes nothing in the notes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from pyoxigraph import Literal, NamedNode, Quad

from synapse.knowledge.normalise import normalise
from synapse.notes.note import Diagnostic
from synapse.notes.okf import OKF_DIALECTS, is_reserved
from synapse.notes.okf_checks import okf_diagnostics
from synapse.rdf.names import path_of, shortened
from synapse.rdf.vocab import RDFS_LABEL, SKOS_ALT_LABEL
from synapse.usecases.answers import CheckReport, Finding, RelatedPlace
from synapse.usecases.contradictions import Contradictions
from synapse.usecases.explain import Explanations
from synapse.usecases.folder import Folder
from synapse.usecases.gone_notes import GoneNotes
from synapse.usecases.rooms import Rooms
from synapse.usecases.section_check import SectionCheck
from synapse.usecases.shapes import ShapesCheck, shapes_of
from synapse.usecases.vocabulary_check import VocabularyCheck


class Check:
    """Checks one folder as one memory knows it; the caller synchronises them before."""

    def __init__(self, rooms: Rooms, *, folder: Folder) -> None:
        proving = Explanations(rooms)
        self._folder = folder
        self._view = rooms.view
        self._places = rooms.places
        self._words = VocabularyCheck(
            rooms.view, places=rooms.places, lexicon=rooms.lexicon(), statuses=rooms.vocabulary()
        )
        self._rooms = rooms
        self._installed = rooms.scenarios.installed()
        self._shapes = ShapesCheck(rooms.view, explanations=proving)
        self._sections = SectionCheck(folder, view=rooms.view)
        self._gone = GoneNotes(rooms, folder=folder)
        self._contradictions = Contradictions(rooms.committer, explanations=proving)

    def run(self, *, okf: bool = False, strict: bool = False) -> CheckReport:
        """Every finding by path and line.

        `okf` adds the conformance rules and conventions of the Open Knowledge Format; with `strict`
        a warning keeps the report from being `ok`.
        """
        contradictions, notices = self._contradictions.findings()
        found = [
            *map(finding, self._diagnostics(okf=okf)),
            *self._shared_names(),
            *self._words.findings(),
            *self._shapes.findings(shapes_of(self._rooms.scenarios)),
            *self._gone.findings(),
            *contradictions,
        ]
        errors = sum(item.severity == "error" for item in found)
        warnings = sum(item.severity == "warning" for item in found)
        return CheckReport(
            errors,
            warnings,
            tuple(sorted(found, key=lambda item: (item.path, item.line, item.code, item.message))),
            ok=not errors and not (strict and warnings),
            notes=len(self._folder.catalog.rows()),
            notices=notices,
        )

    def _diagnostics(self, *, okf: bool) -> Iterator[Diagnostic]:
        yield from self._folder.listing_diagnostics()
        yield from self._folder.catalog.diagnostics()
        yield from self._sections.diagnostics()
        if okf:
            notes = map(self._folder.note, self._folder.catalog.rows())
            yield from okf_diagnostics(note for note in notes if note is not None)

    def _shared_names(self) -> Iterator[Finding]:
        """Labels and aliases that several notes have: asked for by such a name, synapse has to ask back."""
        for name, uses in self._names().items():
            if len({quad.subject for quad in uses}) < 2:
                continue
            places = [place for quad in uses if (place := self._places.find(quad)) is not None]
            first, *others = sorted(places, key=lambda place: (place.path, place.line or 1))
            paths = ", ".join(dict.fromkeys(place.path for place in others))
            message = (
                f"{shortened(name)} is also what {paths} is called; a question by this name is ambiguous"
            )
            related = tuple(RelatedPlace(name, "file", place.path, place.line) for place in others)
            yield Finding(first.path, first.line or 1, "name-shared", "info", message, related)

    def _names(self) -> dict[str, list[Quad]]:
        """The label and alias facts of notes by normalised name."""
        found: dict[str, list[Quad]] = defaultdict(list)
        for predicate in (RDFS_LABEL, SKOS_ALT_LABEL):
            for quad in self._view.store.quads(predicate=predicate):
                if isinstance(quad.object, Literal) and self._names_a_note(quad):
                    found[normalise(quad.object.value)].append(quad)
        return found

    def _names_a_note(self, quad: Quad) -> bool:
        path = path_of(quad.graph_name) if isinstance(quad.graph_name, NamedNode) else None
        if path is None or (self._folder.dialect in OKF_DIALECTS and is_reserved(path)):
            return False
        return quad.subject == self._folder.index().entity_of(path)


def finding(found: Diagnostic) -> Finding:
    """A note's diagnostic as a finding."""
    return Finding(found.path, found.line, found.code, found.severity, found.message, target=found.target)
