"""Words that look like a slip: keys and types one letter away from a known term, unknown statuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad, QuerySolutions

from synapse.knowledge.normalise import type_key
from synapse.knowledge.vocabulary import Unknown, Vocabulary
from synapse.notes.note import Severity
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import decode, fold_key, path_of, shortened
from synapse.rdf.vocab import RDF_TYPE, RDFS_LABEL, SYN_STATUS
from synapse.usecases.answers import Finding, RelatedPlace, SourceKind
from synapse.usecases.places import ASSERTED, Place, Places, asserted_in
from synapse.usecases.slips import SUGGESTED, nearest_word
from synapse.usecases.view import View

OTHER_PLACES: Final = 10
"""Further uses of a word told in one finding."""


class VocabularyCheck:
    """The words of one memory's notes, against the terms and statuses that its scenarios bring."""

    def __init__(self, view: View, *, places: Places, lexicon: Lexicon, statuses: Vocabulary) -> None:
        self._view = view
        self._places = places
        self._lexicon = lexicon
        self._statuses = statuses

    def findings(self) -> Iterator[Finding]:
        """One finding for each doubtful word, at its first use."""
        known = {**SUGGESTED, **self._lexicon.properties}
        for term in self._own("?subject ?term ?object"):
            yield from self._near(term, known, "key", self._view.store.quads(predicate=term))
        for term in self._own(f"?subject {RDF_TYPE} ?term"):
            uses = self._view.store.quads(predicate=RDF_TYPE, object=term)
            yield from self._near(term, self._lexicon.types, "type", uses)
        yield from self._unknown_statuses()

    def _own(self, pattern: str) -> list[NamedNode]:
        """The terms of the memory's own vocabulary in one position of its quads."""
        own = Literal(self._view.names.vocabulary)
        query = (
            f"SELECT DISTINCT ?term {{ GRAPH ?graph {{ {pattern} }} FILTER(STRSTARTS(STR(?term), {own})) }}"
        )
        solutions = self._view.store.query(query)
        assert isinstance(solutions, QuerySolutions)
        return sorted((row["term"] for row in solutions), key=str)

    def _near(
        self, term: NamedNode, known: Mapping[str, NamedNode], what: str, uses: Iterable[Quad]
    ) -> Iterator[Finding]:
        written = decode(term.value.removeprefix(self._view.names.vocabulary))
        meant = nearest_word(fold_key(written), known)
        if meant is None:
            return
        found = self._places_of(uses)
        if not found:
            return
        first, *others = found
        also = f" (and {len(others)} more like it)" if others else ""
        suggestion = f"{self._spelled(meant, known[meant])} ({self._view.node(known[meant])})"
        message = f"the {what} {shortened(written)} is this memory's own{also}; did you mean {suggestion}?"
        related = tuple(
            RelatedPlace(f"also {shortened(written)}", _kind(place), place.path, place.line)
            for place in others[:OTHER_PLACES]
        )
        # `cover` beside `covers` is another form of a word more often than a slip.
        severity: Severity = "info" if _differ_in_ending(fold_key(written), meant) else "warning"
        yield Finding(
            first.path, first.line or 1, f"{what}-unknown", severity, message, related, kind=_kind(first)
        )

    def _places_of(self, uses: Iterable[Quad]) -> list[Place]:
        """Where notes say this of themselves, by path, then the assertions that do.

        Lines are looked up for the few that are told. A nested map has words of its own: `required` of
        a parameter is no relation.
        """
        uses = list(uses)
        asserted = (asserted_in(quad) for quad in uses)
        assertions = [Place(path, None) for path in sorted(filter(None, asserted))]
        return [*self._in_notes(uses), *assertions]

    def _in_notes(self, uses: Iterable[Quad]) -> list[Place]:
        quads = {(path, quad) for quad in uses if (path := _note_of(quad)) is not None and not _nested(quad)}
        ordered = sorted(quads, key=lambda use: (use[0], str(use[1])))
        told = (
            self._places.find(quad) or Place(path, None) for path, quad in islice(ordered, OTHER_PLACES + 1)
        )
        first = sorted(told, key=lambda place: (place.path, place.line or 1))
        return [*first, *(Place(path, None) for path, _ in ordered[OTHER_PLACES + 1 :])]

    def _spelled(self, key: str, term: NamedNode) -> str:
        """A folded key as its ontology writes it: the local name, or the label in that language."""
        local = term.value.replace("#", "/").rstrip("/").rpartition("/")[2]
        labels = (quad.object for quad in self._view.store.quads(term, RDFS_LABEL))
        words = [local, *(label.value for label in labels if isinstance(label, Literal))]
        return next((word for word in words if fold_key(word) == key), key)

    def _unknown_statuses(self) -> Iterator[Finding]:
        status = self._lexicon.properties.get("status", SYN_STATUS)
        for quad in self._view.store.quads(predicate=status):
            if not isinstance(quad.object, Literal) or not isinstance(quad.subject, NamedNode):
                continue
            types, word = self._view.types(quad.subject), quad.object.value
            if isinstance(self._statuses.normalise_status(types, word), Unknown) and _note_of(quad):
                yield self._unknown_status(self._places.find(quad), word, types)

    def _unknown_status(self, place: Place | None, word: str, types: Iterable[str]) -> Finding:
        kinds = (self._statuses.types.get(type_key(name)) for name in types)
        kind = next(kind for kind in kinds if kind and kind.statuses)
        message = f"{shortened(word)} is no known status of {kind.name}; those are {', '.join(kind.statuses)}"
        path, line = (place.path, place.line or 1) if place else ("", 1)
        return Finding(path, line, "status-unknown", "warning", message)


def _kind(place: Place) -> SourceKind:
    return "assertion" if place.path.startswith(ASSERTED) else "file"


def _note_of(quad: Quad) -> str | None:
    return path_of(quad.graph_name) if isinstance(quad.graph_name, NamedNode) else None


def _nested(quad: Quad) -> bool:
    return isinstance(quad.subject, NamedNode) and "#" in quad.subject.value


def _differ_in_ending(one: str, other: str) -> bool:
    """Whether two words begin alike up to the last two letters of each."""
    alike = max(len(one), len(other)) - 2
    return one[:alike] == other[:alike]
