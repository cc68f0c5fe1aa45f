"""Which files and folders are never notes: hidden ones, temporary ones, and those a person excludes."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_NEVER_FOLDERS: Final = frozenset({"node_modules"})
# Vim probes whether it may create files in a folder with one of this name.
_NEVER_FILES: Final = frozenset({"4913"})
_TEMPORARY_ENDINGS: Final = ("~", ".tmp", ".swp")
_OFFICE_LOCK: Final = "~$"
# Syncthing; Dropbox and Nextcloud in English and Spanish.
_CONFLICT: Final = re.compile(
    r"\.sync-conflict-|\([^()]*(?:conflicted copy|copia en conflicto)[^()]*\)", re.IGNORECASE
)
_CLOUD_PLACEHOLDER: Final = re.compile(r"\.(?P<name>.+)\.icloud", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The built-in rules and a person's patterns, over NFC paths relative to the root.

    A pattern with a `/` inside it or in front is matched against the whole path, any other against
    one name at any depth; a trailing `/` restricts it to folders. `* ? [abc]` are wildcards, and `*`
    matches `/` too.
    """

    everything: re.Pattern[str] | None = None
    folders: re.Pattern[str] | None = None

    @staticmethod
    def of(patterns: Sequence[str]) -> Exclusions:
        """The exclusions of these patterns, as `Templates/`, `*.excalidraw.md`, `archive/2019/*`."""
        normal = [unicodedata.normalize("NFC", pattern.strip()) for pattern in patterns]
        general = [pattern for pattern in normal if not pattern.endswith("/")]
        return Exclusions(_either(general), _either([pattern.rstrip("/") for pattern in normal]))

    def folder(self, path: str) -> bool:
        """Whether the folder at `path` is left out with everything in it; its parents are not looked at."""
        name = path.rpartition("/")[2]
        return name.startswith(".") or name in _NEVER_FOLDERS or _matches(self.folders, path)

    def file(self, path: str) -> bool:
        """Whether the file at `path` is neither a note nor an asset; its parents are not looked at."""
        name = path.rpartition("/")[2]
        return _is_temporary(name) or _matches(self.everything, path)

    def covers(self, path: str, *, folder: bool = False) -> bool:
        """Whether `path` or any folder above it is left out."""
        own = self.folder(path) if folder else self.file(path)
        return own or any(self.folder(parent) for parent in _parents(path))


def is_conflict_copy(name: str) -> bool:
    """Whether a synchronisation tool made this file because two devices changed one note."""
    return _CONFLICT.search(name) is not None


def awaited_name(name: str) -> str | None:
    """The file that a cloud placeholder stands for: `.bob.md.icloud` is `bob.md`, not downloaded yet."""
    match = _CLOUD_PLACEHOLDER.fullmatch(name)
    return match["name"] if match else None


def placeholder_name(name: str) -> str:
    """The inverse of `awaited_name`."""
    return f".{name}.icloud"


def _is_temporary(name: str) -> bool:
    hidden = name.startswith((".", _OFFICE_LOCK))
    return hidden or name.endswith(_TEMPORARY_ENDINGS) or name in _NEVER_FILES


def _parents(path: str) -> Iterator[str]:
    parent = path.rpartition("/")[0]
    while parent:
        yield parent
        parent = parent.rpartition("/")[0]


def _either(patterns: Sequence[str]) -> re.Pattern[str] | None:
    wanted = [_expression(pattern) for pattern in patterns if pattern]
    return re.compile("|".join(wanted)) if wanted else None


def _expression(pattern: str) -> str:
    anchored = fnmatch.translate(pattern.removeprefix("/"))
    return anchored if "/" in pattern else rf"(?:.*/)?{anchored}"


def _matches(pattern: re.Pattern[str] | None, path: str) -> bool:
    return pattern is not None and pattern.match(path) is not None
