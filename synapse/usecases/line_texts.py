"""The lines that state facts, as their files say them now: read when somebody asks why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pyoxigraph import NamedNode

from synapse.errors import NotesUnavailable
from synapse.notes.digest import note_digest
from synapse.notes.files import FileBytes, Unreadable
from synapse.notes.lines import with_newlines
from synapse.usecases.answers import Explanation, Proof, Provenance, ProvenFact, Source, Unresolved
from synapse.usecases.folder import Folder
from synapse.usecases.scenario_package import packaged_files

LONGEST: Final = 200
"""Characters of a line that are shown."""

GONE: Final = "the file is gone"
CHANGED: Final = "the file has changed since it was read"
UNREADABLE: Final = "the file cannot be read now"
NO_LINE: Final = "no line of the file says so any more"


class LineTexts:
    """The lines of the files that one answer names; each file is read once.

    Each source that is a file gets the text of its line, or why there is none. In a memory as it was
    no source does, for nobody keeps what the files said then.
    """

    def __init__(self, folder: Folder | None) -> None:
        """`folder` None is that of a memory as it was, or of one without notes."""
        self._folder = folder
        self._files: dict[str, Sequence[str] | str] = {}
        self._proofs: dict[int, Proof] = {}

    def explained(self, answer: Explanation | Unresolved) -> Explanation | Unresolved:
        """An explanation with the lines its proofs rest on."""
        if isinstance(answer, Unresolved):
            return answer
        return replace(answer, proofs=tuple(map(self._in_proof, answer.proofs)))

    def proven(self, answer: Provenance | Unresolved) -> Provenance | Unresolved:
        """Facts with the lines that state them or that their proofs rest on."""
        if isinstance(answer, Unresolved):
            return answer
        return replace(answer, facts=tuple(map(self._in_fact, answer.facts)))

    def _in_fact(self, fact: ProvenFact) -> ProvenFact:
        proof = fact.proof and self._in_proof(fact.proof)
        return replace(fact, sources=tuple(map(self._in_source, fact.sources)), proof=proof)

    def _in_proof(self, proof: Proof) -> Proof:
        # Parts of a proof are shared: as a tree it may be far larger than what it is made of.
        if id(proof) not in self._proofs:
            self._proofs[id(proof)] = replace(
                proof,
                premises=tuple(map(self._in_proof, proof.premises)),
                sources=tuple(map(self._in_source, proof.sources)),
            )
        return self._proofs[id(proof)]

    def _in_source(self, source: Source) -> Source:
        if source.path is None or self._folder is None:
            return source
        if source.graph not in self._files:
            self._files[source.graph] = self._read(source, self._folder)
        found = self._files[source.graph]
        if isinstance(found, str):
            return replace(source, text_missing=found)
        if source.line is None or source.line > len(found):
            return replace(source, text_missing=NO_LINE)
        text = found[source.line - 1].strip()
        return replace(source, text=text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")

    def _read(self, source: Source, folder: Folder) -> Sequence[str] | str:
        """The lines of a file, or in words why they are not those that were read."""
        if source.kind != "file":
            file = packaged_files().get(NamedNode(source.graph))
            return GONE if file is None else _lines(file.path.read_bytes())
        path = source.path or ""
        try:
            content = folder.vault.read(path)
        except NotesUnavailable:
            return GONE
        row = folder.catalog.row(path)
        if not isinstance(content, FileBytes):
            return UNREADABLE if isinstance(content, Unreadable) else GONE
        if row is None or row.digest != note_digest(content.data):
            return CHANGED
        return _lines(content.data)


def _lines(data: bytes) -> list[str]:
    return with_newlines(data.decode("utf-8-sig", errors="replace")).split("\n")
