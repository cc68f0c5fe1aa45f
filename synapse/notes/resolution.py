"""Which file a link means, and which entity a file is.

The order: the exact path; `./` and `../` from the source's folder only; a suffix of whole path
segments (the source's folder first, then the shortest path, then the first in order); `uri:`,
permalink or title; an alias that exactly one note has; else the entity that the text names, which
stays a stub until a file or an assertion describes it. Markdown links look beside their source first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from pyoxigraph import NamedNode

from synapse.errors import InvalidIdentifier
from synapse.notes.link_keys import (
    FOLDER_NOTES,
    clean,
    fold,
    folder,
    link_keys,
    name_keys,
    spellings,
    stem,
)
from synapse.notes.name_tables import Entry, NameTables
from synapse.notes.note import Dialect, Link, LinkForm
from synapse.rdf.names import Names

__all__ = ["How", "LinkIndex", "Resolution", "link_keys", "name_keys"]

TITLE_DIALECTS: Final = frozenset({Dialect.BASIC_MEMORY, Dialect.LOGSEQ})
"""Where a link may name a note by its title; elsewhere editors would make a new note of it."""

_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:mailto|tel|urn|doi|did|zotero|data|javascript):|//")
_ANY_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:\S*")
_NUMBERS = re.compile(r"[\d.,\s]+")


class How(StrEnum):
    """By which rule a link was resolved."""

    EXACT = "exact"
    RELATIVE = "relative"
    SUFFIX = "suffix"
    ALIAS = "alias"
    TITLE = "title"
    IRI = "iri"
    UNRESOLVED = "unresolved"
    EXTERNAL = "external"
    SELF = "self"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a link means.

    `path` is None when no file has that name; `entity` is None for a link to nothing, to its own
    note or to the outside. `candidates` lists the files among which no rule could choose: the
    first was taken, or none if they are only aliases. `relation_is_name` says that `rel:target`
    was not a typed link but the name of a file.
    """

    path: str | None
    entity: NamedNode | None
    how: How
    candidates: tuple[str, ...] = ()
    relation_is_name: bool = False


class LinkIndex:
    """The files of one folder and the names they have; cheap to change, asked for every link."""

    def __init__(
        self, names: Names, *, dialect: Dialect = Dialect.OBSIDIAN, alias_links: bool = True
    ) -> None:
        self._names = names
        self._dialect = dialect
        self._alias_links = alias_links
        self._entries: dict[str, Entry] = {}
        self._bundles: set[str] = set()
        self._tables = NameTables()

    def __contains__(self, path: str) -> bool:
        return path in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def add(
        self,
        path: str,
        *,
        aliases: Sequence[str] = (),
        iri: str | None = None,
        title: str | None = None,
        permalink: str | None = None,
        bundle_root: bool = False,
    ) -> frozenset[str]:
        """Add a note, or replace what it is called.

        Returns the keys whose links may mean something else now. These are the note's own and, when
        two notes contend for one `uri:`, the other's too. Raises `InvalidIdentifier` for a path that
        cannot be an id.
        """
        node = self._names.entity(stem(path))
        entry = Entry(path, node, tuple(aliases), iri, title, permalink, bundle_root)
        old = self._entries.get(path)
        if old == entry:
            return frozenset()
        touched = self.remove(path)
        self._entries[path] = entry
        for table, name in self._tables.rows(entry):
            table.add(name, path)
        if bundle_root:
            self._bundles.add(folder(path))
        return touched | self._touched(entry)

    def add_asset(self, path: str) -> frozenset[str]:
        """Add a file that is no note (an image, a PDF, a canvas): a link target named by its whole path."""
        return self.add(path)

    def remove(self, path: str) -> frozenset[str]:
        """Forget a note or an asset; returns the keys as `add` does."""
        entry = self._entries.get(path)
        if entry is None:
            return frozenset()
        touched = self._touched(entry)
        del self._entries[path]
        for table, name in self._tables.rows(entry):
            table.remove(name, path)
        if entry.bundle_root:
            self._bundles.discard(folder(path))
        return touched

    def entity_of(self, path: str) -> NamedNode:
        """The node of a file: its `uri:` if no other file is that node too, else its id's IRI."""
        entry = self._entries.get(path)
        if entry is None:
            return self._names.entity(stem(path))
        if entry.iri is None or self.rivals(path):
            return entry.node
        return NamedNode(entry.iri)

    def rivals(self, path: str) -> tuple[str, ...]:
        """The other files that are, or claim to be, the node that this file's `uri:` names."""
        entry = self._entries.get(path)
        if entry is None or entry.iri is None:
            return ()
        claimants = (*self._tables.iri.get(entry.iri), *self._files_named_by(entry.iri))
        return tuple(dict.fromkeys(other for other in claimants if other != path))

    def namesakes(self, path: str) -> tuple[str, ...]:
        """The other files whose paths give the same id: `A.md` and `A.MD`."""
        own = stem(path)
        others = self._tables.exact.get(fold(own))
        return tuple(other for other in others if other != path and stem(other) == own)

    def resolve(self, link: Link, *, source: str) -> Resolution:
        """What `link` in the note `source` means."""
        if link.whole is not None:
            named = self._find(clean(link.whole), link.form, source)
            if named is not None and named.path is not None:
                return replace(named, relation_is_name=True)
            if _EXTERNAL.match(clean(link.whole)):
                return Resolution(None, None, How.EXTERNAL, relation_is_name=True)
        text = clean(link.target)
        if not text:
            is_self = link.fragment is not None
            return Resolution(source if is_self else None, None, How.SELF if is_self else How.NOTHING)
        return self._find(text, link.form, source) or self._unresolved(text, link.form, source)

    # -- which keys a change touches ------------------------------------------------------

    def _touched(self, entry: Entry) -> frozenset[str]:
        contenders = {*self._tables.iri.get(entry.node.value), *self.rivals(entry.path)}
        return entry.keys().union(*(self._entries[other].keys() for other in contenders))

    def _files_named_by(self, iri: str) -> Sequence[str]:
        if not iri.startswith(self._names.base_iri):
            return ()
        identifier = self._names.id(NamedNode(iri))
        paths = self._tables.exact.get(fold(identifier)) if identifier else ()
        return [path for path in paths if self._entries[path].node.value == iri]

    # -- the rules, in order --------------------------------------------------------------

    def _find(self, text: str, form: LinkForm, source: str) -> Resolution | None:
        if _EXTERNAL.match(text):
            return self._by_iri(text, source)
        if text.startswith("/"):
            return self._rooted(text, source)
        if text in {".", ".."} or text.startswith(("./", "../")):
            return self._beside(text, form, source)
        beside = self._beside(text, form, source) if form is LinkForm.MARKDOWN else None
        return (
            beside or self._by_path(text, source) or self._by_iri(text, source) or self._by_name(text, source)
        )

    def _by_path(self, text: str, source: str) -> Resolution | None:
        if _is_folder(text):
            return self._chosen(self._folder_note(_joined("", text)), How.EXACT, source)
        if "//" in text or "/." in text:
            text = _joined("", text) or ""
        exact = self._at(text)
        if exact:
            return self._chosen(exact, How.EXACT, source)
        home = folder(source)
        near = self._at(f"{home}/{text}") if home else ()
        if near:
            return self._chosen(near, How.SUFFIX, source)
        for spelling in spellings(text):
            paths = self._tables.suffix.get(fold(spelling))
            if paths:
                return self._chosen(_same_case(paths, spelling), How.SUFFIX, source)
        return None

    def _beside(self, text: str, form: LinkForm, source: str) -> Resolution | None:
        path = _joined(folder(source), text)
        if path is None:
            return None
        is_folder = _is_folder(text)
        found = () if is_folder else self._at(path)
        if not found and (is_folder or form is LinkForm.MARKDOWN):
            found = self._folder_note(path)
        return self._chosen(found, How.RELATIVE, source)

    def _rooted(self, text: str, source: str) -> Resolution | None:
        """`/x` from the bundle's root; without one from the top, else the outermost folder that has it."""
        home = folder(source)
        roots = [root] if (root := self._bundle_of(source)) is not None else _ancestors(home)
        for root in roots:
            path = _joined(root, text.lstrip("/"))
            if path is None:
                continue
            found = (() if _is_folder(text) else self._at(path)) or self._folder_note(path)
            if found:
                return self._chosen(found, How.EXACT, source)
        return None

    def _by_iri(self, text: str, source: str) -> Resolution | None:
        paths = self._tables.iri.get(text)
        if len(paths) != 1 or self.rivals(paths[0]):
            return None
        return self._chosen(paths, How.IRI, source)

    def _by_name(self, text: str, source: str) -> Resolution | None:
        name = fold(text)
        if self._dialect in TITLE_DIALECTS and (titled := self._tables.title.get(name)):
            return self._chosen(titled, How.TITLE, source)
        known_as = self._tables.alias.get(name) if self._alias_links else ()
        return self._chosen(known_as, How.ALIAS, source) if len(known_as) == 1 else None

    def _unresolved(self, text: str, form: LinkForm, source: str) -> Resolution:
        if _EXTERNAL.match(text) or (form is LinkForm.MARKDOWN and _ANY_SCHEME.fullmatch(text)):
            return Resolution(None, None, How.EXTERNAL)
        if _NUMBERS.fullmatch(text):
            return Resolution(None, None, How.NOTHING)
        entity = self._named(text, form, source)
        if entity == self.entity_of(source):
            return Resolution(source, None, How.SELF)
        aliased = self._tables.alias.get(fold(text)) if self._alias_links else ()
        return Resolution(None, entity, How.UNRESOLVED, tuple(aliased))

    def _named(self, text: str, form: LinkForm, source: str) -> NamedNode | None:
        """The entity whose path the text spells, None when it leads out of the folder or names none."""
        beside = form is LinkForm.MARKDOWN or text.startswith(("./", "../"))
        base = folder(source) if beside else ""
        if text.startswith("/"):
            base = self._bundle_of(source) or ""
        path = _joined(base, text.lstrip("/"))
        try:
            return self._names.entity(stem(path)) if path else None
        except InvalidIdentifier:
            return None

    # -- looking up -----------------------------------------------------------------------

    def _at(self, path: str) -> Sequence[str]:
        for spelling in spellings(path):
            paths = self._tables.exact.get(fold(spelling))
            if paths:
                return _same_case(paths, spelling)
        return ()

    def _folder_note(self, base: str | None) -> Sequence[str]:
        if base is None:
            return ()
        for name in FOLDER_NOTES:
            paths = self._at(f"{base}/{name}" if base else name)
            if paths:
                return paths
        return ()

    def _bundle_of(self, source: str) -> str | None:
        if not self._bundles:
            return None
        return next((root for root in reversed(_ancestors(folder(source))) if root in self._bundles), None)

    def _chosen(self, paths: Sequence[str], how: How, source: str) -> Resolution | None:
        if not paths:
            return None
        path = paths[0]
        rest = tuple(paths) if len(paths) > 1 else ()
        if path == source:
            return Resolution(path, None, How.SELF, rest)
        return Resolution(path, self.entity_of(path), how, rest)


def _same_case(paths: Sequence[str], spelling: str) -> Sequence[str]:
    """The paths written exactly as the link is, if there are any; they are preferred."""
    if len(paths) == 1:
        return paths
    return [path for path in paths if stem(path).endswith(spelling)] or paths


def _is_folder(text: str) -> bool:
    return text.endswith(("/", "/.", "/..")) or text in {".", ".."}


def _ancestors(path: str) -> list[str]:
    """The root and every folder on the way to `path`, outermost first."""
    if not path:
        return [""]
    segments = path.split("/")
    return ["", *("/".join(segments[:end]) for end in range(1, len(segments) + 1))]


def _joined(base: str, text: str) -> str | None:
    """`text` from the folder `base` with `.` and `..` worked out; None when it leads out of the root."""
    segments = base.split("/") if base else []
    for segment in text.split("/"):
        if segment == "..":
            if not segments:
                return None
            segments.pop()
        elif segment not in {"", "."}:
            segments.append(segment)
    return "/".join(segments)
