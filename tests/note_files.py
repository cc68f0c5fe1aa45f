"""Files of a notes root, written by a test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write(root: Path, path: str, content: str | bytes = "text\n") -> Path:
    """Write a file below `root` in UTF-8, its folders made as needed; line ends stay as they are."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def write_notes(root: Path, texts: Mapping[str, str]) -> Path:
    """Write the texts to their paths below `root`, and return it."""
    for path, text in texts.items():
        write(root, path, text)
    return root
