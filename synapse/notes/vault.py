"""Note files: list them, read them without tearing, write them guarded by digest.

Paths are NFC outside and as the disk spells them inside. Disk state decides everything: the vault
remembers nothing between calls, so it may be used from several threads.
"""

from __future__ import annotations

import os
import stat
import time
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from synapse.notes.atomic_write import replace_content
from synapse.notes.exclusions import Exclusions, is_conflict_copy, placeholder_name
from synapse.notes.files import (
    ChangedMeanwhile,
    FileBytes,
    NoteFile,
    Signature,
    Unreadable,
    Vanished,
    WriteRefused,
    Written,
    digest_of,
)
from synapse.notes.listing import (
    Listing,
    file_diagnostic,
    is_note_name,
    is_usable,
    list_notes,
    not_downloaded,
    root_status,
)
from synapse.notes.templates import Templates
from synapse.notes.true_names import locate

READ_ATTEMPTS: Final = 5
SETTLE_SECONDS: Final = 0.05
MAX_BYTES: Final = 64 * 1024 * 1024

# A note that became a pipe must not block, one that became a link must not be followed.
_READ_FLAGS: Final = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_GONE: Final = (FileNotFoundError, NotADirectoryError)


class Vault:
    """The note files below one root.

    `suffixes` are matched ignoring case; `ignore` holds patterns as `Exclusions` reads them; what lies in a
    folder of `templates` is an asset; a note of more than `max_bytes` is unreadable. Every method raises
    `NotesUnavailable` when the root is missing.
    """

    def __init__(
        self,
        root: Path,
        *,
        suffixes: Sequence[str] = (".md",),
        ignore: Sequence[str] = (),
        templates: Sequence[str] = (),
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.root = root.resolve()
        self._suffixes = tuple(suffix.casefold() for suffix in suffixes)
        self._exclusions = Exclusions.of(ignore)
        self._templates = Templates.of(templates)
        self._max_bytes = max_bytes

    def list(self) -> Listing:
        """All notes and assets, sorted by path, with a diagnostic for each thing left out on purpose."""
        return list_notes(
            self.root, suffixes=self._suffixes, exclusions=self._exclusions, templates=self._templates
        )

    def stat(self, path: str) -> NoteFile | Unreadable | None:
        """The note at `path` as it is now; None when there is none, or none that would be listed."""
        path = unicodedata.normalize("NFC", path)
        try:
            found = self._found(path) if self._is_note(path) else None
        except OSError as error:
            return _unreadable(path, error)
        if found is None:
            root_status(self.root)
        return found

    def read(
        self, note: NoteFile | str, *, expect_content: bool = False
    ) -> FileBytes | Unreadable | Vanished:
        """The bytes of a note, all from one moment, with the signature of that moment.

        `note` is a path, or (faster) what `list` or `stat` just returned. With `expect_content` (the
        note held something before) an empty file is looked at once more after 50 ms: editors that
        truncate and then write leave it empty for an instant.
        """
        content = self._read(note)
        if expect_content and isinstance(content, FileBytes) and not content.data:
            time.sleep(SETTLE_SECONDS)
            content = self._read(note)
        return content

    def write(self, path: str, *, data: bytes, expected: bytes) -> Written | ChangedMeanwhile | WriteRefused:
        """Replaces the note at `path` if its bytes still have the digest `expected` (`FileBytes.digest`).

        Never creates a note, and never brings back one that was deleted meanwhile.
        """
        file = self.stat(path)
        if file is None:
            return ChangedMeanwhile(unicodedata.normalize("NFC", path))
        if isinstance(file, Unreadable):
            return WriteRefused(file.path, file.diagnostic)
        try:
            return self._replace(file, data, expected)
        except _GONE:
            return ChangedMeanwhile(file.path)
        except OSError as error:
            return _refused(file.path, "write-failed", f"the note cannot be written: {error.strerror}")

    def _found(self, path: str) -> NoteFile | Unreadable | None:
        if found := locate(self.root, path):
            return NoteFile(path, found[0], Signature.of(found[1]))
        folder, slash, name = path.rpartition("/")
        awaited = locate(self.root, folder + slash + placeholder_name(name))
        return Unreadable(path, not_downloaded(path)) if awaited else None

    def _is_note(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        listed = is_note_name(name, self._suffixes) and not is_conflict_copy(name)
        left_out = self._exclusions.covers(path) or self._templates.hold(path)
        return listed and is_usable(path) and not left_out

    def _read(self, note: NoteFile | str) -> FileBytes | Unreadable | Vanished:
        file = self.stat(note) if isinstance(note, str) else note
        if not isinstance(file, NoteFile):
            return file or Vanished(unicodedata.normalize("NFC", str(note)))
        try:
            return self._read_untorn(file)
        except _GONE:
            root_status(self.root)
            return Vanished(file.path)
        except OSError as error:
            return _unreadable(file.path, error)

    def _read_untorn(self, file: NoteFile) -> FileBytes | Unreadable:
        for _ in range(READ_ATTEMPTS):
            before, data, after = self._read_once(self.root / file.raw)
            if not stat.S_ISREG(before.st_mode) or before.st_size > self._max_bytes:
                return self._no_note(file.path, before)
            signature = Signature.of(after)
            if signature == Signature.of(before) and len(data) == signature.size:
                now = time.time_ns()
                return FileBytes(NoteFile(file.path, file.raw, signature), data, digest_of(data), now)
        busy = f"the note kept changing during {READ_ATTEMPTS} readings; it is read again later"
        return Unreadable(file.path, file_diagnostic(file.path, "busy", busy))

    def _read_once(self, path: Path) -> tuple[os.stat_result, bytes, os.stat_result]:
        """The `fstat` before, the bytes and the `fstat` after one reading; no bytes if it is no note."""
        handle = os.open(path, _READ_FLAGS)
        try:
            before = os.fstat(handle)
            if not stat.S_ISREG(before.st_mode) or before.st_size > self._max_bytes:
                return before, b"", before
            # One byte more than there should be shows a file that grew.
            return before, os.read(handle, before.st_size + 1), os.fstat(handle)
        finally:
            os.close(handle)

    def _no_note(self, path: str, status: os.stat_result) -> Unreadable:
        if stat.S_ISREG(status.st_mode):
            message = f"the note has {status.st_size:,} bytes, more than {self._max_bytes:,}; split it"
            return Unreadable(path, file_diagnostic(path, "too-large", message, severity="error"))
        return Unreadable(path, file_diagnostic(path, "not-a-file", "the note is no regular file any more"))

    def _replace(
        self, file: NoteFile, data: bytes, expected: bytes
    ) -> Written | ChangedMeanwhile | WriteRefused:
        target = self.root / file.raw
        if not target.lstat().st_mode & stat.S_IWUSR:
            return _refused(file.path, "read-only", "the note is marked read-only; make it writable first")
        status = replace_content(target, data, unchanged=lambda: self._has_digest(file, expected))
        if status is None:
            return ChangedMeanwhile(file.path)
        return Written(NoteFile(file.path, file.raw, Signature.of(status)), digest_of(data))

    def _has_digest(self, file: NoteFile, expected: bytes) -> bool:
        content = self._read(file.path)
        return isinstance(content, FileBytes) and content.file.raw == file.raw and content.digest == expected


def _unreadable(path: str, error: OSError) -> Unreadable:
    message = f"the note cannot be read: {error.strerror}; its previous facts stay"
    return Unreadable(path, file_diagnostic(path, "unreadable", message, severity="error"))


def _refused(path: str, code: str, message: str) -> WriteRefused:
    return WriteRefused(path, file_diagnostic(path, code, message))
