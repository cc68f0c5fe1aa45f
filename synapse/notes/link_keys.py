"""The names by which links and files find each other, folded so that spelling does not matter.

A link and a file *meet* when they share a key. Whatever a link resolves to can change only when a
file that meets it comes, goes or changes its names, so a note need not be read again to know
whether its links still mean the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from synapse.notes.note import Link, LinkForm

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
    whole = fold(stem(path))
    parent, _, name = whole.rpartition("/")
    keys = {whole, name, *(fold(text) for text in (*aliases, title, permalink) if text)}
    if name in FOLDER_NOTES:
        keys |= {parent.rpartition("/")[2] + "/", ANY_FOLDER}
    if iri is not None:
        keys.add(iri)
    if bundle_root:
        keys.add(BUNDLE_ROOT)
    return frozenset(keys)


def link_keys(link: Link) -> frozenset[str]:
    """The keys of one link; empty when it can mean no file (`[[#heading]]`)."""
    keys = _target_keys(clean(link.target), link.form)
    if link.whole is not None:
        keys |= _target_keys(clean(link.whole), link.form)
    return frozenset(keys)


def _target_keys(text: str, form: LinkForm) -> set[str]:
    if not text:
        return set()
    last = fold(text.rstrip("/").rpartition("/")[2])
    keys = {text, fold(text), last, stem(last)}  # the text itself: an IRI is compared exactly
    if text.startswith("/"):
        keys.add(BUNDLE_ROOT)
    if _DOTS.fullmatch(last):
        keys.add(ANY_FOLDER)
    elif form is LinkForm.MARKDOWN or text.endswith("/"):
        keys.add(last + "/")
    return keys
