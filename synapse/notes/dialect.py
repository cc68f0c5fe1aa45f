"""Which dialect a folder of notes is written in, seen from its files and never guessed link by link."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from synapse.notes.note import Dialect

EVIDENCE: Final[tuple[tuple[str, Dialect], ...]] = (
    (".obsidian", Dialect.OBSIDIAN),
    ("dendron.yml", Dialect.DENDRON),
    ("logseq/config.edn", Dialect.LOGSEQ),
    (".foam", Dialect.FOAM),
    (".vscode/foam.json", Dialect.FOAM),
    (".bmignore", Dialect.BASIC_MEMORY),
    (".basic-memory", Dialect.BASIC_MEMORY),
)
"""Files and folders, relative to the root, that one tool alone leaves there; the first found decides."""

OKF_MCP_ROOT: Final = "docs/index.md"
"""The index of a bundle that the okf-mcp server keeps under `docs/`."""

_OKF_VERSION = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?:(?!(?:---|\.\.\.)[ \t]*\r?$).*\n)*?okf_version[ \t]*:", re.M
)


def declares_okf(index: str) -> bool:
    """Whether the text of an `index.md` declares itself the root of an OKF bundle (SPEC v0.2, section 12)."""
    return _OKF_VERSION.match(index) is not None


def detect_dialect(entries: Iterable[str], *, index: str = "", docs_index: str = "") -> Dialect:
    """The dialect that the files of a root give away; Obsidian's when nothing does.

    `entries` are the paths of `EVIDENCE` that exist, or simply all paths known; `index` is the text
    of the root's `index.md`, `docs_index` that of `docs/index.md`, each `""` when there is none.
    """
    present = {entry.rstrip("/") for entry in entries}
    for path, dialect in EVIDENCE:
        if path in present or any(entry.startswith(path + "/") for entry in present):
            return dialect
    if declares_okf(index):
        return Dialect.OKF
    return Dialect.OKF_MCP if declares_okf(docs_index) else Dialect.OBSIDIAN


def dialect_of(root: Path) -> Dialect:
    """The dialect that the files at a root give away."""
    evidence = [path for path, _ in EVIDENCE if (root / path).exists()]
    return detect_dialect(
        evidence, index=_beginning(root / "index.md"), docs_index=_beginning(root / OKF_MCP_ROOT)
    )


def _beginning(path: Path) -> str:
    """The first 8 KiB of a file, which hold its frontmatter; nothing when it cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(8192).decode(errors="replace")
    except OSError:
        return ""
