"""Reading with a helper gives what reading without one gives, whatever becomes of the helper."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from synapse.notes import helper_process, shared_reading
from synapse.notes.files import FileBytes, Vanished
from synapse.notes.helper_process import HelperProcess, Process
from synapse.notes.mapping import Mapping
from synapse.notes.note import Dialect, Note
from synapse.notes.note_names import NoteNames, names_of
from synapse.notes.resolution import LinkIndex
from synapse.notes.shared_reading import Mapper, Parsed, SharedReading
from synapse.notes.vault import Vault
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import Names

Look = FileBytes | Vanished
MANY = 10


@dataclass(frozen=True)
class NamedNote:
    """A parsed note and its names."""

    note: Note
    names: NoteNames


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_reading, "WORTHWHILE", MANY)
    monkeypatch.setattr(shared_reading, "BATCH", 3)


@pytest.fixture
def looks(real_vault: Path) -> list[Look]:
    """A real vault as it was read, with files that vanished in between."""
    vault = Vault(real_vault)
    found: list[Look] = []
    for number, file in enumerate(vault.list().notes):
        content = vault.read(file)
        assert isinstance(content, FileBytes)
        found += [content, Vanished(file.path)] if number % 5 == 0 else [content]
    return found


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    """The helpers that will have been started."""
    found: list[Process] = []
    start = helper_process._started

    def start_and_remember(module: str, function: str) -> Process:
        process = start(module, function)
        assert process is not None
        found.append(process)
        return process

    monkeypatch.setattr(helper_process, "_started", start_and_remember)
    return found


@pytest.fixture
def mapped_by_helper(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the notes that a helper will have been asked to map."""
    paths: list[str] = []
    ask = HelperProcess.ask

    def ask_and_remember(helper: HelperProcess, method: str, *arguments: object) -> object:
        answer = ask(helper, method, *arguments)
        if method == "map" and answer is not None:
            paths.extend(arguments[0])  # type: ignore[call-overload]
        return answer

    monkeypatch.setattr(HelperProcess, "ask", ask_and_remember)
    return paths


def parsed(looks: Iterable[Look], *, expected: int = MANY) -> list[Parsed | Vanished]:
    with SharedReading(Dialect.OBSIDIAN) as reading:
        return list(reading.parsed(looks, expected=expected))


def alone(looks: Iterable[Look]) -> list[Parsed | Vanished]:
    return parsed(looks, expected=1)


def named(reading: SharedReading, looks: Iterable[Look]) -> list[NamedNote]:
    notes = (found.note for found in reading.parsed(looks, expected=MANY) if isinstance(found, Parsed))
    return [NamedNote(note, names_of(note)) for note in notes]


def mapper_of(notes: Iterable[NamedNote]) -> Mapper:
    index = LinkIndex(Names())
    for read in notes:
        index.add(read.note.path, aliases=read.names.aliases, iri=read.names.iri)
    return Mapper(index, Lexicon(Names()), Dialect.OBSIDIAN)


def by_path(mapped: Iterable[tuple[NamedNote, Mapping]]) -> dict[str, tuple[Mapping, list[int]]]:
    """Each mapping, and its lines in order, which dictionaries do not compare."""
    return {read.note.path: (mapping, list(mapping.lines.values())) for read, mapping in mapped}


def test_two_processes_parse_what_one_parses_in_the_same_order(looks: list[Look]) -> None:
    assert parsed(looks) == alone(looks)


def test_two_processes_map_what_one_maps(looks: list[Look], mapped_by_helper: list[str]) -> None:
    with SharedReading(Dialect.OBSIDIAN) as reading:
        notes = named(reading, looks)
        mapper = mapper_of(notes)
        found = by_path(reading.mapped(notes, mapper))
    assert found == by_path((read, mapper.map(read.note)) for read in notes)
    assert mapped_by_helper


def test_a_note_that_is_not_as_the_helper_knows_it_is_mapped_here(
    looks: list[Look], mapped_by_helper: list[str]
) -> None:
    with SharedReading(Dialect.OBSIDIAN) as reading:
        notes = [replace(read, note=replace(read.note, tags=())) for read in named(reading, looks)]
        mapper = mapper_of(notes)
        found = by_path(reading.mapped(notes, mapper))
    assert found == by_path((read, mapper.map(read.note)) for read in notes)
    assert not mapped_by_helper


def test_neither_end_waits_for_the_other_when_pipes_hold_less_than_a_note(
    looks: list[Look], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper_process, "PIPE", 4096)
    large = [look for look in looks if isinstance(look, FileBytes)]
    text = b"A paragraph with a [[link]] and a #tag.\n\n" * 2000
    large = [replace(look, data=look.data + text) for look in large[:40]]
    assert parsed(large) == alone(large)


def test_a_helper_that_dies_while_parsing_costs_no_note(looks: list[Look], started: list[Process]) -> None:
    def deadly() -> Iterator[Look]:
        for number, look in enumerate(looks):
            if number == len(looks) // 2:
                started[0].kill()
            yield look

    assert parsed(deadly()) == alone(looks)
    assert started[0].returncode is not None


def test_a_helper_that_dies_while_mapping_costs_no_note(looks: list[Look], started: list[Process]) -> None:
    with SharedReading(Dialect.OBSIDIAN) as reading:
        notes = named(reading, looks)
        mapper = mapper_of(notes)
        mapped = reading.mapped(notes, mapper)
        first = next(mapped)
        started[0].kill()
        found = by_path([first, *mapped])
    assert found == by_path((read, mapper.map(read.note)) for read in notes)


def test_a_helper_that_cannot_learn_the_names_costs_no_note(looks: list[Look]) -> None:
    class Unsendable(LinkIndex):
        def __reduce__(self) -> str:
            raise ValueError("it cannot be sent")

    with SharedReading(Dialect.OBSIDIAN) as reading:
        notes = named(reading, looks)
        mapper = Mapper(Unsendable(Names()), Lexicon(Names()), Dialect.OBSIDIAN)
        found = by_path(reading.mapped(notes, mapper))
    assert found == by_path((read, mapper.map(read.note)) for read in notes)


def test_without_a_helper_this_process_reads_alone(
    looks: list[Look], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert parsed(looks) == alone(looks)


def test_a_reader_that_stops_early_leaves_no_process(looks: list[Look], started: list[Process]) -> None:
    with SharedReading(Dialect.OBSIDIAN) as reading:
        next(reading.parsed(looks, expected=MANY))
    assert started[0].returncode is not None
