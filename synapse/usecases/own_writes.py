"""What the memory itself writes into notes: no change to be read, and nobody who is typing."""

from __future__ import annotations

from dataclasses import astuple

from synapse.notes.catalog import Catalog, Seen
from synapse.notes.files import ChangedMeanwhile, FileBytes, NoteFile, Signature, WriteRefused, Written
from synapse.notes.recent_notes import RecentNotes
from synapse.notes.vault import Vault


class OwnWrites:
    """The writes of one process into one notes root. One writer at a time, any number may ask."""

    def __init__(self, vault: Vault, *, catalog: Catalog, recent: RecentNotes) -> None:
        self._vault = vault
        self._catalog = catalog
        self._recent = recent
        self._looks: dict[str, Signature] = {}
        self._under_way: str | None = None

    def write(self, path: str, *, data: bytes, expected: bytes) -> Written | ChangedMeanwhile | WriteRefused:
        """Write a note as `Vault.write` does."""
        self._under_way = path
        try:
            result = self._vault.write(path, data=data, expected=expected)
            if isinstance(result, Written):
                self._remember(result.file)
        finally:
            self._under_way = None
        return result

    def is_under_way(self, path: str) -> bool:
        """Whether this note is being written right now, so that it may look changed already."""
        return path == self._under_way

    def is_settling(self, content: FileBytes) -> bool:
        """Whether somebody else changed this note so shortly ago that they may be typing still."""
        signature = content.file.signature
        return self._looks.get(content.file.path) != signature and signature.settling(
            at_ns=content.read_at_ns
        )

    def forget(self, path: str) -> None:
        """The note went."""
        self._looks.pop(path, None)

    def _remember(self, file: NoteFile) -> None:
        self._looks[file.path] = file.signature
        self._recent.forget(file.path)  # lines below the section may have moved
        # Its digest is what it was: the section does not count. A racy look is read once more.
        self._catalog.touch([Seen(file.path, astuple(file.signature), racy=True)])
