"""From a path to the file it truly names, on every kind of file system.

A file system may fold case or Unicode spelling: there `lstat("Bob.md")` finds `bob.md`, and a
renamed note would be taken for its old self. And a path in NFC may be spelled otherwise on disk.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path


def locate(root: Path, path: str) -> tuple[str, os.stat_result] | None:
    """The on-disk path and `lstat` of the regular file at `path` (NFC), or None.

    Symbolic links are not followed at any step, so what is found lies inside `root`. Raises
    `OSError` when a folder on the way cannot be searched: then nobody knows.
    """
    return _descend(root, "", path.split("/"))


def _descend(root: Path, parent: str, names: Sequence[str]) -> tuple[str, os.stat_result] | None:
    for name in _spellings(root / parent, names[0]):
        raw = f"{parent}/{name}" if parent else name
        status = _status(root / raw)
        if status is None:
            continue
        if len(names) == 1:
            if stat.S_ISREG(status.st_mode):
                return raw, status
        elif stat.S_ISDIR(status.st_mode) and (found := _descend(root, raw, names[1:])):
            return found
    return None


def _spellings(folder: Path, name: str) -> Iterator[str]:
    """The names in `folder` that are `name` in NFC, the exact one first; lists the folder only if it must."""
    if name in ("", ".", ".."):
        return
    exact = _status(folder / name)
    is_true_name = exact is not None and not _folds(folder, name, exact)
    if is_true_name:
        yield name
    if name.isascii() and (is_true_name or exact is None):
        return
    for entry in _names(folder):
        if unicodedata.normalize("NFC", entry) == name and not (is_true_name and entry == name):
            yield entry


def _folds(folder: Path, name: str, status: os.stat_result) -> bool:
    """Whether another spelling of `name` finds the same file, so that `name` may not be the true one."""
    others = {name.swapcase(), unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)}
    found = (_status(folder / other) for other in others - {name})
    return any(other is not None and os.path.samestat(other, status) for other in found)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _status(path: Path) -> os.stat_result | None:
    """`lstat`, or None when nothing is there (or can be: the name is too long for this file system)."""
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ):
            return None
        raise
