"""What a note is called by its own frontmatter: aliases, title, permalink, `uri:`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from synapse.errors import InvalidIdentifier
from synapse.notes.keys import LABEL_KEYS, key_of
from synapse.notes.link_keys import name_keys, stem
from synapse.notes.note import Diagnostic, Dialect, Link, Note, Property, Record, Scalar
from synapse.rdf.names import iri, shortened

RESERVED_IRIS: Final = "urn:synapse:"
"""Graphs, activities and agents of the memory itself; no note may claim to be one."""


@dataclass(frozen=True, slots=True)
class NoteNames:
    """The names of one note besides its path, and what was wrong with them."""

    aliases: tuple[str, ...] = ()
    iri: str | None = None
    title: str | None = None
    permalink: str | None = None
    bundle_root: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()

    def keys(self, path: str) -> frozenset[str]:
        """The keys under which links find the note at `path`."""
        return name_keys(
            path, self.aliases, self.iri, self.title, permalink=self.permalink, bundle_root=self.bundle_root
        )


def names_of(note: Note, *, dialect: Dialect = Dialect.OBSIDIAN) -> NoteNames:
    """The names that a note gives itself; a `uri:` that is no usable IRI gives a diagnostic and no name."""
    whole = [item for item in spelled_out(note.properties) if item.origin in {"frontmatter", "inline"}]
    own = [(key_of(item), item) for item in whole]
    uris = [item for item in note.properties if item.key == "uri" and item.origin == "frontmatter"]
    address, diagnostics = _uri_of(note, uris)
    aliases = (item for key, item in own if key == "aliases")
    titles = _texts(item for key, item in own if key in LABEL_KEYS)
    permalinks = _texts(item for key, item in own if key == "permalink")
    return NoteNames(
        aliases=tuple(dict.fromkeys(text for item in aliases for text in alias_texts(item, dialect))),
        iri=address,
        title=next(titles, None) or _title_of_file(note.path, dialect),
        permalink=next(permalinks, None),
        bundle_root=_is_bundle_root(note),
        diagnostics=diagnostics,
    )


def spelled_out(items: Iterable[Property]) -> Iterator[Property]:
    """The items without the links that stand inside a longer text, which is an item of its own."""
    items = tuple(items)
    texts = {_place(item) for item in items if isinstance(item.value, Scalar)}
    return (item for item in items if not (isinstance(item.value, Link) and _place(item) in texts))


def alias_texts(item: Property, dialect: Dialect) -> Iterator[str]:
    """The aliases of one property; Logseq separates several by commas."""
    text = text_of(item)
    parts = text.split(",") if dialect is Dialect.LOGSEQ else [text]
    yield from (part.strip() for part in parts if part.strip())


def text_of(item: Property) -> str:
    """A property's value as one line of text: a link is what it shows, a nested map nothing."""
    if isinstance(item.value, Scalar):
        return item.value.text.strip()
    if isinstance(item.value, Link):
        return (item.value.label or item.value.whole or item.value.target).strip()
    return ""


def _place(item: Property) -> tuple[str, int, int | None]:
    return item.key, item.line, item.index


def _texts(items: Iterator[Property]) -> Iterator[str]:
    return (text for item in items if (text := text_of(item)))


def _uri_of(note: Note, items: list[Property]) -> tuple[str | None, tuple[Diagnostic, ...]]:
    if not items:
        return None, ()
    problem = _uri_problem(items)
    if problem is None:
        return text_of(items[0]), ()
    message = f"`uri:` {problem}; the note keeps the id of its path. Give one absolute IRI, as https://…"
    return None, (Diagnostic(note.path, items[0].line, "uri-invalid", "warning", message),)


def _uri_problem(items: list[Property]) -> str | None:
    if len(items) > 1 or items[0].index is not None:
        return "is a list, and a note has one identity"
    if isinstance(items[0].value, Record):
        return "is a map"
    text = text_of(items[0])
    if text.startswith(RESERVED_IRIS):
        return f"{shortened(text)} belongs to the memory itself"
    try:
        iri(text)
    except InvalidIdentifier as error:
        return f"cannot be used: {error.message}"
    return None


def _title_of_file(path: str, dialect: Dialect) -> str | None:
    """Logseq keeps the page `a/b` in `a___b.md`."""
    if dialect is not Dialect.LOGSEQ:
        return None
    return unquote(stem(path).rpartition("/")[2].replace("___", "/"))


def _is_bundle_root(note: Note) -> bool:
    name = note.path.rpartition("/")[2]
    return name == "index.md" and any(item.key == "okf_version" for item in note.properties)
