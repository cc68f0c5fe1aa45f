"""What lies in a folder of notes: one walk over the disk, nothing opened.

Symbolic links are never followed: one that stays inside the root is a second name of something
that is listed anyway, one that leaves it would let a note reach any file of the machine.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from synapse.errors import InvalidIdentifier, NotesUnavailable
from synapse.notes.exclusions import Exclusions, awaited_name, is_conflict_copy
from synapse.notes.files import NoteFile, Signature
from synapse.notes.note import Diagnostic, Severity
from synapse.notes.templates import Templates
from synapse.rdf.names import checked_id, shortened

_GONE: Final = (FileNotFoundError, NotADirectoryError)


@dataclass(frozen=True, slots=True)
class Listing:
    """The notes and assets of a root, sorted by path, and what could not be seen.

    `unlisted` are folders whose content is unknown, `withheld` notes that exist and cannot be
    examined. Ask `may_exist` before taking an absent path for a deleted note.
    """

    notes: tuple[NoteFile, ...]
    assets: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    unlisted: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()

    def may_exist(self, path: str) -> bool:
        """Whether the note at `path`, absent from `notes`, may still be there: then its facts stay."""
        return path in self.withheld or any(path.startswith(folder + "/") for folder in self.unlisted)


def list_notes(
    root: Path, *, suffixes: Sequence[str], exclusions: Exclusions, templates: Templates
) -> Listing:
    """Everything below `root`, an absolute path; raises `NotesUnavailable` when it cannot be listed."""
    before = root_status(root)
    walk = _Walk(root, tuple(suffix.casefold() for suffix in suffixes), exclusions, templates)
    walk.run()
    # A drive unmounted during the walk looks like a folder that somebody emptied.
    if not os.path.samestat(before, root_status(root)):
        raise NotesUnavailable(f"the notes folder {root} was replaced while it was being listed")
    return walk.listing()


def root_status(root: Path) -> os.stat_result:
    """`stat` of the notes root; raises `NotesUnavailable` when it is missing or no folder."""
    try:
        status = root.stat()
    except OSError as error:
        raise unavailable(root, error) from error
    if not stat.S_ISDIR(status.st_mode):
        raise NotesUnavailable(f"{root} is not a folder", hint="give the folder that holds the notes")
    return status


def unavailable(root: Path, error: OSError) -> NotesUnavailable:
    """The error to raise when the root itself cannot be read."""
    return NotesUnavailable(
        f"the notes folder {root} cannot be read: {error.strerror}",
        hint="check that it exists, is mounted and may be read; nothing was changed",
    )


def is_note_name(name: str, suffixes: Sequence[str]) -> bool:
    """Whether a file name ends as notes do; `suffixes` are casefolded."""
    return name.casefold().endswith(tuple(suffixes))


def is_usable(path: str) -> bool:
    """Whether a path (NFC) can be part of an id: UTF-8 on disk, not too long, no control characters."""
    try:
        checked_id(path)
    except InvalidIdentifier:
        return False
    return True


def file_diagnostic(path: str, code: str, message: str, *, severity: Severity = "warning") -> Diagnostic:
    """A diagnostic about a file as a whole, shown at its first line."""
    return Diagnostic(path, 1, code, severity, message)


def not_downloaded(path: str) -> Diagnostic:
    """The diagnostic of a note that only a cloud placeholder stands for."""
    message = "the cloud has not delivered this note; its old facts stay"
    return file_diagnostic(path, "not-downloaded", message)


def printable(path: str) -> str:
    """`path` with the bytes that are not UTF-8 escaped, so that it can be printed and stored."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


@dataclass(slots=True)
class _Walk:
    """One walk; it gathers what `listing` then sorts into a value."""

    root: Path
    suffixes: tuple[str, ...]
    exclusions: Exclusions
    templates: Templates
    notes: list[NoteFile] = field(default_factory=list)
    assets: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    withheld: list[str] = field(default_factory=list)

    def run(self) -> None:
        folders = [""]
        while folders:
            folders.extend(self._folder(folders.pop()))

    def listing(self) -> Listing:
        return Listing(
            notes=tuple(self._one_spelling_each()),
            assets=tuple(sorted(set(self.assets))),
            diagnostics=tuple(sorted(self.diagnostics, key=lambda found: (found.path, found.code))),
            unlisted=tuple(sorted(self.unlisted)),
            withheld=tuple(sorted(self.withheld)),
        )

    def _folder(self, raw: str) -> Iterable[str]:
        """Takes in one folder; returns the on-disk paths of those inside it."""
        try:
            with os.scandir(self.root / raw) as entries:
                return [found for entry in entries for found in self._entry(entry, raw)]
        except _GONE as error:
            if raw == "":
                raise unavailable(self.root, error) from error
        except OSError as error:
            if raw == "":
                raise unavailable(self.root, error) from error
            self._unlisted(_nfc(raw), error)
        return ()

    def _entry(self, entry: os.DirEntry[str], parent: str) -> Iterator[str]:
        """Takes in one directory entry; yields its on-disk path when it is a folder to walk."""
        raw = f"{parent}/{entry.name}" if parent else entry.name
        path = _nfc(raw)
        if entry.is_dir(follow_symlinks=False):
            if not self.exclusions.folder(path):
                yield raw
        elif awaited := awaited_name(entry.name):
            self._awaited(_nfc(f"{parent}/{awaited}" if parent else awaited))
        elif not self.exclusions.file(path):
            self._file(entry, raw, path)

    def _file(self, entry: os.DirEntry[str], raw: str, path: str) -> None:
        if entry.is_symlink():
            self._symlink(raw, path)
        elif is_conflict_copy(entry.name):
            self._report(path, "conflict-copy", "a conflict copy is not indexed; merge it and delete it")
        elif not is_note_name(entry.name, self.suffixes) or self.templates.hold(path):
            if is_usable(path):  # else nothing can link to it, as to the `Icon\r` files of macOS
                self.assets.append(path)
        elif not is_usable(path):
            hint = "rename it: UTF-8, at most 1024 characters with its folders, no control characters"
            self._report(path, "unusable-name", f"the name of this note cannot be an id; {hint}")
        else:
            self._note(entry.path, raw, path)

    def _note(self, place: str, raw: str, path: str) -> None:
        try:
            # Not `DirEntry.stat`: on Windows it lacks what `fstat` of the open file has.
            status = os.lstat(place)
        except _GONE:
            return
        except OSError as error:
            self.withheld.append(path)
            self._report(path, "unreadable", f"the note cannot be examined: {error.strerror}")
            return
        if stat.S_ISREG(status.st_mode):
            self.notes.append(NoteFile(path, raw, Signature.of(status)))
        else:
            self._report(path, "not-a-file", "a device, pipe or socket is not a note")

    def _symlink(self, raw: str, path: str) -> None:
        target = Path(os.path.realpath(self.root / raw))
        if not target.is_relative_to(self.root):
            self._report(
                path,
                "symlink-outside",
                "a symbolic link that leaves the notes folder is not followed; copy the file in",
            )
        elif target.exists() and is_note_name(path, self.suffixes):
            inside = _nfc(target.relative_to(self.root).as_posix())
            self._report(path, "symlink-inside", f"a second name of {inside}; link to that", severity="info")

    def _awaited(self, path: str) -> None:
        if is_note_name(path, self.suffixes):
            self.withheld.append(path)
            self.diagnostics.append(not_downloaded(path))

    def _unlisted(self, path: str, error: OSError) -> None:
        self.unlisted.append(path)
        self._report(path, "folder-unreadable", f"the folder cannot be listed: {error.strerror}")

    def _report(self, path: str, code: str, message: str, *, severity: Severity = "warning") -> None:
        self.diagnostics.append(file_diagnostic(printable(path), code, message, severity=severity))

    def _one_spelling_each(self) -> Iterator[NoteFile]:
        """One file a path: two on-disk spellings of a name in NFC cannot both be the entity."""
        seen = ""
        for note in sorted(self.notes, key=lambda note: (note.path, note.raw != note.path, note.raw)):
            if note.path == seen:
                self._report(
                    note.path,
                    "same-name",
                    f"two files have this name in different Unicode spellings; {shortened(ascii(note.raw))} "
                    "is not indexed, rename one",
                )
            else:
                seen = note.path
                yield note


def _nfc(path: str) -> str:
    return unicodedata.normalize("NFC", path)
