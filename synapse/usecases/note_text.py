"""The text of one note, as its file says it now."""

from __future__ import annotations

from dataclasses import dataclass

from synapse.errors import InvalidInput, NotesUnavailable
from synapse.notes.files import FileBytes, Unreadable
from synapse.rdf.names import shortened
from synapse.usecases.folder import Folder


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note's path in the notes root, and its Markdown with the managed section."""

    path: str
    text: str


def note_text(folder: Folder, path: str) -> NoteText:
    """The text of the note at `path`, which must be one that the memory knows.

    Raises `InvalidInput` for any other path, `NotesUnavailable` when the file cannot be read now.
    """
    # Only what the catalog knows is read: no path leads out of the notes root.
    if folder.catalog.row(path) is None:
        raise InvalidInput(f"{shortened(path)} is no note of this memory", hint="give its path with .md")
    content = folder.vault.read(path)
    if isinstance(content, FileBytes):
        return NoteText(path, content.data.decode("utf-8-sig", errors="replace"))
    reason = content.diagnostic.message if isinstance(content, Unreadable) else "it has just gone"
    raise NotesUnavailable(f"{path} cannot be read: {reason}")
