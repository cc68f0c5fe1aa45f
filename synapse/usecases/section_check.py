"""Managed sections that synapse leaves alone: somebody wrote into them, or they would not be read as one."""

from __future__ import annotations

from collections.abc import Iterator

from synapse.notes.editor import Refusal, unlike, with_section
from synapse.notes.files import FileBytes
from synapse.notes.note import Diagnostic
from synapse.notes.section import SECTION_START
from synapse.notes.section_lines import OWN_LINE
from synapse.usecases.folder import Folder
from synapse.usecases.section_text import SectionText
from synapse.usecases.view import View

_PROBE = ("- x",)
_MARKER = SECTION_START.encode()


class SectionCheck:
    """What write-back would refuse to write in one folder's notes; nothing where no note has a section."""

    def __init__(self, folder: Folder, *, view: View) -> None:
        self._folder = folder
        self._text = SectionText(folder, view=view)

    def diagnostics(self) -> Iterator[Diagnostic]:
        """The refusals by path. Damaged markers are not among them: those are told when a note is read."""
        found: list[Diagnostic] = []
        has_sections = False
        for path, row in sorted(self._folder.catalog.rows().items()):
            content = None if row.failed else self._folder.vault.read(path)
            if isinstance(content, FileBytes):
                has_sections |= _MARKER in content.data
                found += self._refusals(path, content.data)
        return iter(found if has_sections else ())

    def _refusals(self, path: str, data: bytes) -> Iterator[Diagnostic]:
        refusal = unlike(data, OWN_LINE) or self._hidden(path, data)
        if refusal is not None:
            yield Diagnostic(path, refusal.line, refusal.code, "warning", refusal.reason)

    def _hidden(self, path: str, data: bytes) -> Refusal | None:
        """The refusal of a section that would not be found again, where there is something to put in one."""
        tried = with_section(data, _PROBE)
        if not isinstance(tried, Refusal) or tried.code != "section-hidden":
            return None
        return tried if self._text.lines(path) else None
