"""Many notes are read by two processes at once: this one, and a helper that does nothing else.

Of a first look at a large folder, what can be shared are parsing, a function of a note's bytes, and
mapping, a function of the parsed note and the names of all. The helper maps notes that it parsed.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import chain, islice
from types import TracebackType
from typing import Any, Final, Protocol, TypeVar

from pyoxigraph import RdfFormat, parse, serialize

from synapse.notes.files import FileBytes
from synapse.notes.helper_process import FAILURES, HelperProcess
from synapse.notes.helper_process import serve as serve_desk
from synapse.notes.mapping import Mapping, map_note
from synapse.notes.note import Diagnostic, Dialect, Note
from synapse.notes.note_names import NoteNames
from synapse.notes.parser import parse_note
from synapse.notes.resolution import LinkIndex
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import file_graph

WORTHWHILE: Final = 2_000
"""Notes; starting the helper takes as long as parsing 500."""

BATCH: Final = 64

Item = TypeVar("Item")
Other = TypeVar("Other")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file and what it says."""

    content: FileBytes
    note: Note


class Named(Protocol):
    """A parsed note with its names."""

    @property
    def note(self) -> Note: ...
    @property
    def names(self) -> NoteNames: ...


NamedNote = TypeVar("NamedNote", bound=Named)


@dataclass(frozen=True, slots=True)
class Mapper:
    """Maps notes; all that their meaning depends on beside themselves."""

    index: LinkIndex
    lexicon: Lexicon
    dialect: Dialect

    def map(self, note: Note, names: NoteNames | None = None) -> Mapping:
        """What the note says as RDF."""
        return map_note(note, index=self.index, lexicon=self.lexicon, dialect=self.dialect, names=names)


class SharedReading:
    """One reading of a folder. The helper is started when there is enough to read, and ends with it."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._helper: HelperProcess | None = None
        self._known: dict[str, Note] = {}

    def __enter__(self) -> SharedReading:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._known.clear()
        if self._helper is not None:
            self._helper.close()

    def parsed(
        self, looks: Iterable[FileBytes | Other], *, expected: int
    ) -> Generator[Parsed | Other, None, None]:
        """The looks in their order, those that are bytes with the note that they say.

        `expected` is about how many there are; only from `WORTHWHILE` on is there a helper.
        """
        if expected < WORTHWHILE or (os.cpu_count() or 1) < 2:
            yield from (self._parsed(look) for look in looks)
            return
        self._helper = HelperProcess(__name__, serve.__name__)
        waiting: deque[tuple[list[FileBytes | Other], Future[Any] | list[Parsed | Other]]] = deque()
        for batch in _batches(looks):
            asked = self._asked_to_parse(batch)
            waiting.append((batch, [self._parsed(look) for look in batch] if asked is None else asked))
            while waiting and _is_done(waiting[0][1]):
                yield from self._parsed_by(*waiting.popleft())
        for batch, answer in waiting:
            yield from self._parsed_by(batch, answer)

    def mapped(self, notes: Sequence[NamedNote], mapper: Mapper) -> Iterator[tuple[NamedNote, Mapping]]:
        """Each note with what it says as RDF, in no particular order."""
        theirs = deque(_batches(read for read in notes if self._known.get(read.note.path) is read.note))
        own = deque(_batches(read for read in notes if self._known.get(read.note.path) is not read.note))
        if theirs and self._helper is not None:
            self._helper.ask("learn", mapper)
        asked: deque[tuple[list[NamedNote], Future[Any]]] = deque()
        while theirs or own or asked:
            while theirs and (answer := self._asked_to_map(theirs[0])) is not None:
                asked.append((theirs.popleft(), answer))
            if asked and (asked[0][1].done() or not (theirs or own)):
                yield from _mapped_by(*asked.popleft(), mapper)
            else:
                batch = own.popleft() if own else theirs.pop()
                yield from ((read, mapper.map(read.note, read.names)) for read in batch)

    def _asked_to_parse(self, looks: list[FileBytes | Other]) -> Future[Any] | None:
        assert self._helper is not None
        files = [(look.file.path, look.data) for look in looks if isinstance(look, FileBytes)]
        return self._helper.ask("parse", self._dialect, files)

    def _asked_to_map(self, batch: list[NamedNote]) -> Future[Any] | None:
        return None if self._helper is None else self._helper.ask("map", [read.note.path for read in batch])

    def _parsed_by(
        self, looks: list[FileBytes | Other], answer: Future[Any] | list[Parsed | Other]
    ) -> Iterator[Parsed | Other]:
        if isinstance(answer, list):
            yield from answer
            return
        try:
            notes: list[Note] = answer.result()
        except FAILURES:
            yield from (self._parsed(look) for look in looks)
            return
        self._known.update((note.path, note) for note in notes)
        rest = iter(notes)
        for look in looks:
            yield Parsed(look, next(rest)) if isinstance(look, FileBytes) else look

    def _parsed(self, look: FileBytes | Other) -> Parsed | Other:
        if isinstance(look, FileBytes):
            return Parsed(look, parse_note(look.file.path, look.data, dialect=self._dialect))
        return look


def _is_done(answer: Future[Any] | list[Any]) -> bool:
    return isinstance(answer, list) or answer.done()


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _mapped_by(
    batch: list[NamedNote], answer: Future[Any], mapper: Mapper
) -> Iterator[tuple[NamedNote, Mapping]]:
    try:
        mappings = _unpacked([read.note for read in batch], answer.result(), mapper.index)
    except FAILURES:
        mappings = [mapper.map(read.note, read.names) for read in batch]
    yield from zip(batch, mappings, strict=True)


Packed = tuple[bytes, list[tuple[list[int], tuple[Diagnostic, ...], list[str]]]]
"""Mappings between processes: all their quads as text, and of each the lines, diagnostics and keys."""


def _packed(mappings: Sequence[Mapping]) -> Packed:
    """Text and numbers: pickled one by one, terms take as long as mapping."""
    quads = list(chain.from_iterable(mapping.lines for mapping in mappings))
    text = serialize(quads, format=RdfFormat.N_QUADS)
    assert text is not None  # it is only when a file is named to write to
    return text, [
        (list(mapping.lines.values()), mapping.diagnostics, list(mapping.keys)) for mapping in mappings
    ]


def _unpacked(notes: Sequence[Note], packed: Packed, index: LinkIndex) -> list[Mapping]:
    text, parts = packed
    quads = parse(text, RdfFormat.N_QUADS)
    return [
        Mapping(
            file_graph(note.path),
            index.entity_of(note.path),
            dict(zip(islice(quads, len(lines)), lines, strict=True)),
            diagnostics,
            frozenset(keys),
        )
        for note, (lines, diagnostics, keys) in zip(notes, parts, strict=True)
    ]


@dataclass(slots=True)
class _Desk:
    """What the helper is asked to do."""

    notes: dict[str, Note] = field(default_factory=dict)
    mapper: Mapper | None = None

    def parse(self, dialect: Dialect, files: list[tuple[str, bytes]]) -> list[Note]:
        notes = [parse_note(path, data, dialect=dialect) for path, data in files]
        self.notes.update((note.path, note) for note in notes)
        return notes

    def learn(self, mapper: Mapper) -> None:
        self.mapper = mapper

    def map(self, paths: list[str]) -> Packed:
        assert self.mapper is not None
        return _packed([self.mapper.map(self.notes[path]) for path in paths])


def serve() -> None:
    """What the helper runs."""
    serve_desk(_Desk())
