"""What a key written by a person or an agent means: `depends on` is `syn:depends_on`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pyoxigraph import NamedNode

from synapse.rdf.names import Names, fold_key


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

    def type(self, key: str) -> NamedNode:
        """The class of a key, CURIE or IRI; raises `InvalidIdentifier` for text that names none."""
        return self.types.get(fold_key(key)) or self._other(key)

    def _other(self, key: str) -> NamedNode:
        term = self._own.get(key)
        if term is None:
            term = self._own[key] = self.names.expand(key) or self.names.key(key)
        return term


def _first_by_key(pairs: Iterable[tuple[str, NamedNode]]) -> dict[str, NamedNode]:
    terms: dict[str, NamedNode] = {}
    for key, term in pairs:
        terms.setdefault(fold_key(key), term)
    return terms
