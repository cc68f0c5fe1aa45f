"""The names by which links and files find each other, folded so that spelling does not matter.

A link and a file *meet* when they share a key. Whatever a link resolves to can change only when a
file that meets it comes, goes or changes its names, so a note need not be read again to know
whether its links still mean the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from synapse.notes.note import Link

NOTE_SUFFIX: Final = ".md"
FOLDER_NOTES: Final = ("index", "readme")
"""What a link to a folder means, first found first: `dir/index.md`, else `dir/README.md`."""

BUNDLE_ROOT: Final = "/ bundle root"
"""Shared by every link that starts with `/` and every file that marks where `/` is."""

ANY_FOLDER: Final = "/"
"""Shared by links that name a folder only by dots (`.`, `..`) and all notes of folders."""

_DOTS = re.compile(r"\.{0,2}")


def clean(text: str) -> str:
    """The text of a target as a path is written: NFC, plain blanks, none at the ends."""
    if text.isascii():
        return text.strip()
    return unicodedata.normalize("NFC", text.replace("\u00a0", " ")).strip()


def fold(text: str) -> str:
    """`clean` text as it is compared: `Straße` and `STRASSE`, NFC and NFD are one."""
    if text.isascii():
        return text.strip().lower()
    return unicodedata.normalize("NFC", clean(text).casefold())


def stem(path: str) -> str:
    """A path without one final `.md` in any case: `v1.2 notes.md` is `v1.2 notes`."""
    return path[: -len(NOTE_SUFFIX)] if path.lower().endswith(NOTE_SUFFIX) else path


def folder(path: str) -> str:
    """The folder of a path without a slash at its end; `""` is the root."""
    return path.rpartition("/")[0]


def spellings(text: str) -> tuple[str, ...]:
    """What a target may name, first choice first: without its `.md`, and as it stands."""
    bare = stem(text)
    return (text,) if bare == text else (bare, text)


@lru_cache(maxsize=16_384)
def name_key(text: str) -> str:
    """What a name and all targets that could mean it share: the last segment, folded, without `.md`.

    `a/b`, `/B.md`, `b/` and `https://x.org/b` share one: a note has few links, and is rather mapped
    once in vain than kept under many keys.
    """
    last = fold(text).rstrip("/").rpartition("/")[2].strip()
    while last.endswith(NOTE_SUFFIX):
        last = last.removesuffix(NOTE_SUFFIX).rstrip()
    return ANY_FOLDER if _DOTS.fullmatch(last) else last


def name_keys(
    path: str,
    aliases: Iterable[str] = (),
    iri: str | None = None,
    title: str | None = None,
    *,
    permalink: str | None = None,
    bundle_root: bool = False,
) -> frozenset[str]:
    """The keys of one file, of what it is called by its path and by its own frontmatter."""
    own = name_key(path)
    keys = {own, *(name_key(text) for text in (*aliases, iri, title, permalink) if text)}
    if own in FOLDER_NOTES:
        keys |= {name_key(folder(path)), ANY_FOLDER}
    if bundle_root:
        keys.add(BUNDLE_ROOT)
    return frozenset(keys)


def link_keys(link: Link) -> frozenset[str]:
    """The keys of one link; empty when it can mean no file (`[[#heading]]`)."""
    keys = set[str]()
    for target in (link.target, link.whole):
        if target and (text := clean(target)):
            keys.add(name_key(text))
            if text.startswith("/"):
                keys.add(BUNDLE_ROOT)
    return frozenset(keys)
