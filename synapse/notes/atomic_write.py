"""Replace a file's content so that a crash, a full disk or an editor never leaves half of it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from synapse.durable import sync_folder


def replace_content(target: Path, data: bytes, *, unchanged: Callable[[], bool]) -> os.stat_result | None:
    """Puts `data` in the place of the regular file `target`; mode, owner and attributes stay.

    `unchanged` is asked last, when the new content is safe on disk; when it says no, nothing happens
    and None is returned, else the `stat` of the new file. Raises `OSError` and leaves `target` as it
    was. Between the question and the rename lie some microseconds that POSIX offers no way to close.
    """
    temporary = _beside(target)
    try:
        _write_new(temporary, data, like=target)
        if not unchanged():
            return None
        temporary.replace(target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
    sync_folder(target.parent)  # the rename itself
    # Only now: a rename moves the time of the last status change.
    return target.lstat()


def _beside(target: Path) -> Path:
    """A hidden name in the same folder, one for each target: what a crash leaves, the next write takes."""
    mark = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]
    return target.with_name(f".synapse-{mark}.tmp")


def _write_new(path: Path, data: bytes, *, like: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    # "x" refuses an existing name, so a link planted there is never written through.
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        _take_on(path, like=like)
        os.fsync(file.fileno())


def _take_on(path: Path, *, like: Path) -> None:
    """Gives `path` the mode, owner and extended attributes of `like`, and the present as its time."""
    original = like.lstat()
    if hasattr(os, "chown"):
        # Only a privileged process may give files away; another one owns both already.
        with contextlib.suppress(PermissionError):
            os.chown(path, original.st_uid, original.st_gid)
    shutil.copystat(like, path, follow_symlinks=False)
    os.utime(path)
