"""Where in its file a stated fact stands: found again when asked, never stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from pyoxigraph import NamedNode, Quad, Triple

from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import ASSERTION_GRAPH, ONTOLOGY_GRAPH, path_of
from synapse.rdf.vocab import RDF_TYPE
from synapse.usecases.folder import Folder
from synapse.usecases.scenario_package import packaged_files


@dataclass(frozen=True, slots=True)
class Place:
    """A file and the line of it that states a fact; the line is None when the file no longer says so."""

    path: str
    line: int | None


ASSERTED: Final = "assertion:"
"""What stands for the path of a fact that an agent asserted, before the id of the assertion."""


class Places:
    """The places of facts; remembers what it looked up until `forget`."""

    def __init__(self, folder: Folder | None, *, lexicon: Callable[[], Lexicon]) -> None:
        self._folder = folder
        self._lexicon = lexicon
        self._lines: dict[str, Mapping[Triple, int]] = {}

    def forget(self) -> None:
        """Drop what was remembered: notes or terms have changed."""
        self._lines.clear()

    def find(self, quad: Quad) -> Place | None:
        """The place of a fact from a note or an ontology file; None for any other source."""
        graph = quad.graph_name
        if not isinstance(graph, NamedNode):
            return None
        if (path := path_of(graph)) is not None:
            return Place(path, self._in_note(path).get(quad.triple))
        if graph.value.startswith(ONTOLOGY_GRAPH):
            file = packaged_files().get(graph)
            return (
                None
                if file is None
                else Place(
                    file.name,
                    turtle_line(_read(file.path), quad.triple, base_iri=self._lexicon().names.base_iri),
                )
            )
        return None

    def _in_note(self, path: str) -> Mapping[Triple, int]:
        if path not in self._lines:
            note = self._folder.note(path) if self._folder else None
            lines = self._folder.map(note, self._lexicon()).lines if self._folder and note else {}
            self._lines[path] = {quad.triple: line for quad, line in lines.items()}
        return self._lines[path]


def asserted_in(quad: Quad) -> str | None:
    """The assertion that states a fact, as `assertion:<id>`; None for any other source."""
    graph = quad.graph_name
    if not isinstance(graph, NamedNode) or not graph.value.startswith(ASSERTION_GRAPH):
        return None
    return ASSERTED + graph.value.removeprefix(ASSERTION_GRAPH)


def turtle_line(text: str, triple: Triple, *, base_iri: str) -> int | None:
    """The line of a Turtle document that states a triple: its object's if it can be told, else its subject's.

    Reads the layout people use: a subject begins a line, its statement ends with `.` at a line's end.
    """
    prefixes = {match[2]: match[1] for match in _PREFIX.finditer(text)} | {base_iri: ""}
    subjects = "|".join(map(re.escape, _spellings(triple.subject, prefixes)))
    block = re.search(rf"^(?:{subjects})(?=[\s;]).*?\.\s*$", text, re.MULTILINE | re.DOTALL)
    if not block:
        return None
    start = _after_predicate(block.group(), triple, prefixes)
    objects = "|".join(map(re.escape, _spellings(triple.object, prefixes)))
    found = re.compile(rf"(?:{objects})(?=[\s;,.])").search(block.group(), start)
    return text.count("\n", 0, block.start() + (found.start() if found else 0)) + 1


_PREFIX = re.compile(r"^@prefix\s+([\w-]*:)\s*<([^>]*)>", re.MULTILINE)


def _after_predicate(block: str, triple: Triple, prefixes: Mapping[str, str]) -> int:
    spellings = [*_spellings(triple.predicate, prefixes), *(["a"] if triple.predicate == RDF_TYPE else [])]
    found = re.search(rf"\s(?:{'|'.join(map(re.escape, spellings))})\s", block)
    return found.end() - 1 if found else 0


def _spellings(term: object, prefixes: Mapping[str, str]) -> list[str]:
    """How Turtle may write a term."""
    if not isinstance(term, NamedNode):
        return [str(term)]
    rest = [
        (prefix, term.value[len(space) :])
        for space, prefix in prefixes.items()
        if term.value.startswith(space)
    ]
    names = [f"{prefix}{local}" if prefix else f"<{local}>" for prefix, local in rest]
    return [str(term), *names]


@lru_cache(maxsize=32)
def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
