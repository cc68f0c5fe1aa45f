"""The notes that were parsed last, so that whoever asks for one again does not wait for the disk."""

from __future__ import annotations

from typing import Final

from synapse.notes.note import Note

KEPT: Final = 1_000
"""Notes; a parsed note of 200 words takes about 4 kB."""


class RecentNotes:
    """Notes by path, the latest `KEPT` of them."""

    def __init__(self) -> None:
        self._notes: dict[str, Note] = {}

    def get(self, path: str) -> Note | None:
        """The note, None when it is not among the latest."""
        return self._notes.get(path)

    def put(self, note: Note) -> None:
        """Remember a note in place of the oldest, or of what was known at its path."""
        self._notes.pop(note.path, None)
        self._notes[note.path] = note
        if len(self._notes) > KEPT:
            del self._notes[next(iter(self._notes))]

    def forget(self, path: str) -> None:
        """The note changed or went."""
        self._notes.pop(path, None)
