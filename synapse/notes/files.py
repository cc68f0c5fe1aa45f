"""Files of a vault as frozen values: what was seen, what was read, how a write ended.

A path is relative to the root, `/` separators, NFC; `raw` is the same path as the disk spells it.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import Final

from synapse.notes.note import Diagnostic

RACY_NS: Final = 2_000_000_000
"""Nanoseconds; the coarsest time stamp in use (FAT) has a step of two seconds."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What `stat` says of a file's content: equal signatures, same bytes, unless `racy`."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @staticmethod
    def of(status: os.stat_result) -> Signature:
        """The signature in a result of `os.lstat` or `os.fstat`."""
        return Signature(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)

    def racy(self, *, at_ns: int) -> bool:
        """Whether a change within the same clock tick could hide behind this signature.

        True when the file changed less than two seconds before `at_ns` (nanoseconds since 1970), or
        after it. Git's term and remedy: do not trust it, read the file again next time.
        """
        return at_ns - self._changed_ns < RACY_NS

    def settling(self, *, at_ns: int) -> bool:
        """Whether somebody may still be at it: the file changed within two seconds of `at_ns`.

        A time far ahead of ours is a wrong clock, not somebody typing.
        """
        return abs(at_ns - self._changed_ns) < RACY_NS

    @property
    def _changed_ns(self) -> int:
        return max(self.mtime_ns, self.ctime_ns)


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A note on disk: its path, the same path as spelled on disk, and its signature."""

    path: str
    raw: str
    signature: Signature


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A note as it was read: bytes that belong together, with their digest and the time of reading."""

    file: NoteFile
    data: bytes
    digest: bytes
    read_at_ns: int

    @property
    def racy(self) -> bool:
        """Whether the signature may not be used to skip this file at the next synchronisation."""
        return self.file.signature.racy(at_ns=self.read_at_ns)


@dataclass(frozen=True, slots=True)
class Vanished:
    """There is no such note: whatever was known from it goes."""

    path: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The note is (or may be) there and cannot be read now: it is not deleted, its facts stay."""

    path: str
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class Written:
    """The bytes are on disk; `digest` is theirs, `file` has the new signature (racy for two seconds)."""

    file: NoteFile
    digest: bytes


@dataclass(frozen=True, slots=True)
class ChangedMeanwhile:
    """Somebody changed, moved or deleted the file since it was read: theirs stays, nothing was written."""

    path: str


@dataclass(frozen=True, slots=True)
class WriteRefused:
    """The file could not or may not be written, `diagnostic` says why; it is as it was."""

    path: str
    diagnostic: Diagnostic


def digest_of(data: bytes) -> bytes:
    """The SHA-256 digest of a whole file, managed section included: the guard of a write."""
    return hashlib.sha256(data).digest()
