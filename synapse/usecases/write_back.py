"""What follows from the notes returns to them, in a managed section that a person sees in the editor."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from pyoxigraph import NamedNode, Quad

from synapse.notes.editor import Refusal, unlike, with_section
from synapse.notes.files import FileBytes, Unreadable, WriteRefused, Written
from synapse.notes.note import Diagnostic
from synapse.notes.section_lines import OWN_LINE
from synapse.rdf.vocab import RDFS_LABEL
from synapse.usecases.answers import WriteBackReport
from synapse.usecases.folder import Folder
from synapse.usecases.section_text import SectionText
from synapse.usecases.view import View, nodes


class WriteBack:
    """Writes the managed sections of one folder's notes."""

    def __init__(
        self,
        folder: Folder,
        *,
        view: View,
        language: str = "en",
        complete: bool = True,
        settled_only: bool = False,
    ) -> None:
        self._folder = folder
        self._view = view
        self._text = SectionText(folder, view=view, language=language, complete=complete)
        self._settled_only = settled_only

    def run(self, *, paths: Collection[str] | None = None, dry_run: bool = False) -> WriteBackReport:
        """Bring sections up to date, all of them or those of `paths`; writes a note only if its bytes differ.

        A note that cannot or must not be written (damaged markers, saved by somebody meanwhile) stays
        as it is and is named in the report.
        """
        tally = _Tally()
        catalog = self._folder.catalog
        for path in sorted(catalog.rows() if paths is None else paths):
            row = catalog.row(path)
            if row is not None and not row.failed:
                self._note(path, tally, dry_run=dry_run)
        return tally.report()

    def paths_of(self, quads: Iterable[Quad]) -> set[str]:
        """The notes whose section may differ once these quads came or went."""
        mentioned: set[NamedNode] = set()
        for quad in quads:
            mentioned.update(nodes((quad.subject, quad.object)))
            if quad.predicate == RDFS_LABEL and isinstance(quad.subject, NamedNode):
                # Whatever is connected to it shows its name.
                mentioned.update(self._neighbors(quad.subject))
        return {path for node in mentioned if (path := self._folder.path_of(node)) is not None}

    def _neighbors(self, node: NamedNode) -> Iterator[NamedNode]:
        store = self._view.store
        for quads in (store.quads(node), store.quads(object=node)):
            yield from nodes(end for quad in quads for end in (quad.subject, quad.object))

    def _note(self, path: str, tally: _Tally, *, dry_run: bool) -> None:
        content = self._folder.vault.read(path)
        if isinstance(content, Unreadable):
            tally.diagnostics.append(content.diagnostic)
        if not isinstance(content, FileBytes):
            return
        new = unlike(content.data, OWN_LINE) or with_section(content.data, self._text.lines(path))
        if isinstance(new, Refusal):
            tally.diagnostics.append(Diagnostic(path, new.line, new.code, "warning", new.reason))
        elif new == content.data:
            tally.unchanged += 1
        elif self._settled_only and self._folder.own_writes.is_settling(content):
            tally.postponed.append(path)
        elif dry_run:
            tally.written.append(path)
            tally.diffs.append(_diff(path, content.data, new))
        else:
            self._write(path, content, new, tally)

    def _write(self, path: str, content: FileBytes, new: bytes, tally: _Tally) -> None:
        result = self._folder.own_writes.write(path, data=new, expected=content.digest)
        if isinstance(result, Written):
            tally.written.append(path)
        elif isinstance(result, WriteRefused):
            tally.diagnostics.append(result.diagnostic)
        # Saved by somebody meanwhile: theirs wins, and the change brings us back here.


@dataclass(slots=True)
class _Tally:
    """What one run of write-back did so far."""

    unchanged: int = 0
    written: list[str] = field(default_factory=list)
    diffs: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    postponed: list[str] = field(default_factory=list)

    def report(self) -> WriteBackReport:
        return WriteBackReport(
            tuple(self.written),
            self.unchanged,
            tuple(self.diagnostics),
            "".join(self.diffs),
            tuple(self.postponed),
        )


def _diff(path: str, old: bytes, new: bytes) -> str:
    before = old.decode(errors="replace").splitlines(keepends=True)
    after = new.decode(errors="replace").splitlines(keepends=True)
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
