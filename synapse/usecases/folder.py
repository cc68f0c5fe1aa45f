"""The notes root as a memory sees it: what changed on disk, what each note says, what its links mean."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Final

from pyoxigraph import NamedNode

from synapse.errors import NotesUnavailable
from synapse.notes.catalog import Catalog, Row, Seen
from synapse.notes.digest import note_digest
from synapse.notes.files import FileBytes, NoteFile, Unreadable, Vanished
from synapse.notes.listing import Listing
from synapse.notes.mapping import Mapping
from synapse.notes.note import Diagnostic, Dialect, Note
from synapse.notes.note_names import NoteNames, names_of
from synapse.notes.parser import parse_note
from synapse.notes.recent_notes import RecentNotes
from synapse.notes.resolution import LinkIndex
from synapse.notes.shared_reading import Mapper, Parsed, SharedReading
from synapse.notes.templates import Templates
from synapse.notes.vault import Vault
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import Names, path_of
from synapse.usecases.own_writes import OwnWrites

UNREADABLE: Final = frozenset({"not-utf-8", "nul-byte"})
"""The diagnostics of a note that could not be read at all."""

MANY_NOTES: Final = 20
"""From this many notes on, an empty folder is more likely an unmounted drive than somebody's wish."""

READER: Final = "3"
"""The version of how notes are read; a change reads every note again."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note that was read because its bytes or their meaning may have changed."""

    note: Note
    names: NoteNames
    seen: Seen


@dataclass(frozen=True, slots=True)
class Changes:
    """What the disk says against the catalog: notes to map again, notes that went, files left alone."""

    found: int
    read: tuple[ReadNote, ...] = ()
    touched: tuple[Seen, ...] = ()
    removed: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    assets: frozenset[str] = frozenset()


class Folder:
    """One notes root: its vault, the catalog of what was read, and the index that links resolve in."""

    def __init__(
        self,
        vault: Vault,
        *,
        catalog: Catalog,
        names: Names,
        dialect: Dialect,
        templates: Sequence[str] = (),
        alias_links: bool = True,
    ) -> None:
        self.vault = vault
        self.catalog = catalog
        self.dialect = dialect
        self._names = names
        self._templates = Templates.of(templates)
        self._alias_links = alias_links
        self._index: LinkIndex | None = None
        self._paths: dict[NamedNode, str] | None = None
        self._recent = RecentNotes()
        self.own_writes = OwnWrites(vault, catalog=catalog, recent=self._recent)
        self._listing = Listing(())
        self.in_step = False
        """Whether this process has seen that the catalog knows of the memory's last synchronisation."""

    def changes(
        self,
        *,
        version: str,
        paths: Collection[str] | None,
        reading: SharedReading,
        strays: Collection[str] = (),
        progress: Progress | None = None,
    ) -> Changes:
        """What to do so that the memory says what the disk says; `paths` None looks at everything.

        `reading` parses what is read. `strays` are notes that the memory knows and the catalog does not.
        """
        listing = self._partial(paths) if paths is not None else None
        if listing is None:
            listing = self._listing = self._listed()
            gone = {path for path in (*self.catalog.rows(), *strays) if not listing.may_exist(path)}
            gone -= {file.path for file in listing.notes}
            found, assets = len(listing.notes), frozenset(listing.assets)
        else:
            gone = {path for path in paths or () if self.catalog.row(path)}
            gone -= {file.path for file in listing.notes} | set(listing.withheld)
            new = sum(self.catalog.row(file.path) is None for file in listing.notes)
            found, assets = len(self.catalog) + new - len(gone), self.catalog.assets
        return self._read_changed(
            listing.notes, gone, found, assets, version=version, reading=reading, progress=progress
        )

    def distrust(self, graphs: Iterable[NamedNode]) -> tuple[str, ...]:
        """Take every note for changed; returns the notes that only these graphs know, so that they can go.

        For when the catalog missed a commit: it was thrown away, or the process ended between the two.
        """
        self.catalog.distrust()
        paths = (path_of(graph) for graph in graphs)
        return tuple(sorted(path for path in paths if path is not None and self.catalog.row(path) is None))

    def listing_diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the last full look at the folder left out, and why."""
        return self._listing.diagnostics

    def index(self) -> LinkIndex:
        """The names that links resolve in, as of the last synchronisation."""
        if self._index is None:
            index = LinkIndex(self._names, dialect=self.dialect, alias_links=self._alias_links)
            for row in self.catalog.rows().values():
                _add(index, row.path, row.names)
            for asset in self.catalog.assets:
                index.add_asset(asset)
            self._index = index
        return self._index

    def stale_notes(self, *, version: str) -> int:
        """How many notes came, went or look different from what the catalog knows; reads no file."""
        listing = self.vault.list()
        differ = sum(self._looks_different(file, version) for file in listing.notes)
        seen = {file.path for file in listing.notes}
        return differ + sum(path not in seen and not listing.may_exist(path) for path in self.catalog.rows())

    def looks_changed(self, path: str, *, version: str) -> bool:
        """Whether one note came, went or looks different from what the catalog knows; reads no file."""
        # A write of ours may end between the two looks, and is known to the second.
        return (
            self._differs(path, version)
            and not self.own_writes.is_under_way(path)
            and self._differs(path, version)
        )

    def path_of(self, node: NamedNode) -> str | None:
        """The note that describes a node, None when no file of this folder is it."""
        if self._paths is None:
            index = self.index()
            self._paths = {index.entity_of(path): path for path in self.catalog.rows()}
        return self._paths.get(node)

    def forget_index(self) -> None:
        """Build the index anew from the catalog at its next use."""
        self._index = self._paths = None

    def rename(self, changes: Changes) -> frozenset[str]:
        """Bring the index up to date; returns the keys under which links may now mean something else."""
        index, keys = self.index(), set[str]()
        if changes.read or changes.removed:
            self._paths = None
        for path in changes.removed:
            keys |= index.remove(path)
            self._recent.forget(path)
            self.own_writes.forget(path)
        for read in changes.read:
            keys |= _add(index, read.note.path, read.names)
            self._recent.put(read.note)
        for problem in changes.unreadable:
            if problem.path not in index:  # it is there, and links may mean it
                keys |= _add(index, problem.path, NoteNames())
        for asset in self.catalog.assets - changes.assets:
            keys |= index.remove(asset)
        for asset in changes.assets - self.catalog.assets:
            keys |= index.add_asset(asset)
        return frozenset(keys)

    def referrers(self, keys: Collection[str], *, besides: Changes) -> tuple[list[ReadNote], list[Row]]:
        """The unchanged notes with a link under one of these keys, not parsed again where they are known.

        With them the rows of those that must be read first: saved since, or not readable now. Whatever
        becomes of their bytes, they are mapped again when they are looked at next.
        """
        known = {read.note.path for read in besides.read} | set(besides.removed)
        referring: list[ReadNote] = []
        outdated: list[Row] = []
        for path in sorted(self.catalog.referrers(keys) - known):
            row, note = self.catalog.row(path), self.note(path)
            if row and note and row.digest == note.digest:
                referring.append(ReadNote(note, names_of(note, dialect=self.dialect), row.seen))
            elif row:
                outdated.append(replace(row.outdated(), link_keys=self.catalog.link_keys(path)))
        return referring, outdated

    def note(self, path: str) -> Note | None:
        """What the note at `path` says; read from disk when this process has not parsed it yet."""
        known = self._recent.get(path)
        if known is not None:
            return known
        content = self.vault.read(path)
        if not isinstance(content, FileBytes):
            return None
        note = parse_note(path, content.data, dialect=self.dialect)
        self._recent.put(note)
        return note

    def map(self, note: Note, lexicon: Lexicon) -> Mapping:
        """The quads of a note, each with its line."""
        return self.mapper(lexicon).map(note)

    def mapper(self, lexicon: Lexicon) -> Mapper:
        """What maps the notes as of the last synchronisation."""
        return Mapper(self.index(), lexicon, self.dialect)

    def row(self, read: ReadNote, mapping: Mapping, *, version: str) -> Row:
        """The catalog's row of a note that was read and mapped."""
        note, names = read.note, read.names
        told = _told((*note.diagnostics, *names.diagnostics, *mapping.diagnostics))
        return Row(
            read.seen,
            note.digest,
            version,
            names,
            failed=any(found.code in UNREADABLE for found in note.diagnostics),
            diagnostics=(_template(note.path),) if told and self._templates.hold(note.path) else told,
            link_keys=mapping.keys,
        )

    def _listed(self) -> Listing:
        """Everything in the folder; when it is empty instead of full of notes, an unmounted drive."""
        listing = self.vault.list()
        known = len(self.catalog.rows())
        if known >= MANY_NOTES and not any(self.vault.root.iterdir()):
            raise NotesUnavailable(
                f"{self.vault.root} is empty, and {known} notes were known there; nothing was changed",
                hint="mount or restore the folder; if it is meant to be empty, put any file into it",
            )
        return listing

    def _partial(self, paths: Collection[str]) -> Listing | None:
        """A listing of just these paths; None when they are not all notes, as after a folder was moved."""
        files: list[NoteFile] = []
        withheld: list[str] = []
        for path in paths:
            file = self.vault.stat(path)
            if isinstance(file, NoteFile):
                files.append(file)
            elif isinstance(file, Unreadable):
                withheld.append(path)
            elif self.catalog.row(path) is None:
                return None
        return Listing(tuple(files), withheld=tuple(withheld))

    def _read_changed(
        self,
        files: Sequence[NoteFile],
        gone: set[str],
        found: int,
        assets: frozenset[str],
        *,
        version: str,
        reading: SharedReading,
        progress: Progress | None,
    ) -> Changes:
        read: list[ReadNote] = []
        touched: list[Seen] = []
        unreadable: list[Unreadable] = []
        candidates = [file for file in files if self._may_differ(file, version)]
        looks = (self._look(file, version) for file in candidates)
        for done, look in enumerate(reading.parsed(looks, expected=len(candidates)), start=1):
            match look:
                case Parsed(content, note):
                    read.append(self._read_note(content, note))
                case Seen() as seen:
                    touched.append(seen)
                case Unreadable() as problem:
                    unreadable.append(problem)
                case Vanished(path):
                    found -= 1
                    gone.add(path)
            if progress:
                progress(done, len(candidates))
        return Changes(found, tuple(read), tuple(touched), tuple(sorted(gone)), tuple(unreadable), assets)

    def _may_differ(self, file: NoteFile, version: str) -> bool:
        row = self.catalog.row(file.path)
        return row is None or row.racy or self._looks_different(file, version)

    def _differs(self, path: str, version: str) -> bool:
        try:
            file = self.vault.stat(path)
        except NotesUnavailable:
            return True
        if isinstance(file, NoteFile):
            return self._looks_different(file, version)
        return file is not None or path.endswith("/") or self.catalog.row(path) is not None

    def _looks_different(self, file: NoteFile, version: str) -> bool:
        row = self.catalog.row(file.path)
        return row is None or row.version != version or row.signature != astuple(file.signature)

    def _look(self, file: NoteFile, version: str) -> FileBytes | Seen | Unreadable | Vanished:
        row = self.catalog.row(file.path)
        content = self.vault.read(file, expect_content=row is not None)
        if not isinstance(content, FileBytes):
            return content
        if row and row.version == version and row.digest == note_digest(content.data):
            return _seen(content)
        return content

    def _read_note(self, content: FileBytes, note: Note) -> ReadNote:
        return ReadNote(note, names_of(note, dialect=self.dialect), _seen(content))


def _seen(content: FileBytes) -> Seen:
    return Seen(content.file.path, astuple(content.file.signature), content.racy)


def _told(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Each diagnostic once, by line."""
    return tuple(sorted(set(diagnostics), key=lambda found: (found.line, found.code, found.message)))


def _add(index: LinkIndex, path: str, names: NoteNames) -> frozenset[str]:
    return index.add(
        path,
        aliases=names.aliases,
        iri=names.iri,
        title=names.title,
        permalink=names.permalink,
        bundle_root=names.bundle_root,
    )


def _template(path: str) -> Diagnostic:
    return Diagnostic(path, 1, "template", "info", "a template: its placeholders are not told one by one")
