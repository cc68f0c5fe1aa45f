"""The notes roots this person has used, most recent first: a small JSON file, written atomically."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

KEPT: Final = 200


@dataclass(frozen=True, slots=True)
class KnownRoot:
    """A notes root and the data folder its memory was last opened in; both absolute."""

    notes: Path
    data: Path


class KnownRoots:
    """A convenience that can be lost: an absent or unreadable file is an empty list, never an error."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def all(self) -> tuple[KnownRoot, ...]:
        """Every known root, the one used last first."""
        try:
            entries = json.loads(self._file.read_text(encoding="utf-8"))["roots"]
            return tuple(KnownRoot(Path(entry["notes"]), Path(entry["data"])) for entry in entries)
        except (OSError, ValueError, KeyError, TypeError):
            return ()

    def last(self) -> KnownRoot | None:
        """The root used last."""
        return next(iter(self.all()), None)

    def of_data(self, data: Path) -> KnownRoot | None:
        """The root whose memory lives in `data`."""
        return next((root for root in self.all() if root.data == data), None)

    def holds(self, notes: Path) -> bool:
        """Whether `notes` itself is a known root."""
        return any(root.notes == notes for root in self.all())

    def remember(self, used: KnownRoot) -> None:
        """Put `used` first; a folder that cannot be written keeps the list as it was."""
        known = self.all()
        if known[:1] == (used,):
            return
        roots = [used, *(root for root in known if root != used)][:KEPT]
        entries = [{"notes": str(root.notes), "data": str(root.data)} for root in roots]
        with contextlib.suppress(OSError):
            replace_text(self._file, json.dumps({"roots": entries}, indent=2, ensure_ascii=False) + "\n")


def replace_text(file: Path, text: str) -> None:
    """Write `text` (UTF-8) so that a reader sees the old file or the new one, whatever happens."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        if file.exists():
            shutil.copymode(file, temporary)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
