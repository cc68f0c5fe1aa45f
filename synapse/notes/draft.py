"""The statements of one note while they are gathered: each once, with the line that says it first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode, Quad

from synapse.notes.note import Diagnostic, Severity
from synapse.rdf.literals import plain
from synapse.rdf.vocab import SCHEMA_KEYWORDS


@dataclass(slots=True)
class Draft:
    """What has been read of the note `path` so far."""

    path: str
    graph: NamedNode
    subject: NamedNode
    keys: set[str] = field(default_factory=set)
    _lines: dict[Quad, int] = field(default_factory=dict)
    _diagnostics: list[Diagnostic] = field(default_factory=list)
    _tags: set[tuple[NamedNode, str]] = field(default_factory=set)

    def state(self, subject: NamedNode, predicate: NamedNode, object: NamedNode | Literal, line: int) -> None:
        """State a triple in the note's graph; a fact stated again keeps its first line."""
        self._lines.setdefault(Quad(subject, predicate, object, self.graph), line)

    def tag(self, subject: NamedNode, name: str, line: int) -> None:
        """State a tag; `#TAG` after `#tag` is the same one and keeps the first spelling."""
        name = name.strip().removeprefix("#").strip()
        if name and (subject, name.casefold()) not in self._tags:
            self._tags.add((subject, name.casefold()))
            self.state(subject, SCHEMA_KEYWORDS, plain(name), line)

    def report(
        self, line: int, code: str, severity: Severity, message: str, *, target: str | None = None
    ) -> None:
        """Tell the reader of the note what could not be taken as written; `target` is that of a link."""
        self._diagnostics.append(Diagnostic(self.path, line, code, severity, message, target))

    def lines(self) -> Mapping[Quad, int]:
        """The quads in the order of their first statement, each with its line."""
        return self._lines

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All reports, each once, in the order they were made."""
        return tuple(dict.fromkeys(self._diagnostics))
