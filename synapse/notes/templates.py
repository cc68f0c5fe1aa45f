"""Folders of templates: what lies in them is full of placeholders, which are odd in any other note."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Templates:
    """The folders of templates, at any depth, whatever their case."""

    folders: tuple[str, ...] = ()

    @staticmethod
    def of(folders: Sequence[str]) -> Templates:
        """The templates below these folders, as `Templates` or `meta/templates`."""
        return Templates(tuple(dict.fromkeys(_folded(folder).strip("/") for folder in folders)))

    def hold(self, path: str) -> bool:
        """Whether the file at `path` (NFC, relative to the root) is a template."""
        above = f"/{_folded(path).rpartition('/')[0]}/"
        return any(f"/{folder}/" in above for folder in self.folders)


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
