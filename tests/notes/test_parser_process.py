"""Parsing with a helper gives what parsing without one gives, whatever becomes of the helper."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from synapse.notes import parser_process
from synapse.notes.files import FileBytes, Vanished
from synapse.notes.note import Dialect
from synapse.notes.parser_process import Parsed, parse_all
from synapse.notes.vault import Vault

Look = FileBytes | Vanished
MANY = 10


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_process, "WORTHWHILE", MANY)
    monkeypatch.setattr(parser_process, "BATCH", 3)


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


def alone(looks: Iterable[Look]) -> list[Parsed | Vanished]:
    return list(parse_all(looks, dialect=Dialect.OBSIDIAN, expected=1))


def remembered(monkeypatch: pytest.MonkeyPatch) -> list[parser_process.Process]:
    """The helpers that will have been started."""
    started: list[parser_process.Process] = []
    start = parser_process._started

    def start_and_remember() -> parser_process.Process:
        process = start()
        assert process is not None
        started.append(process)
        return process

    monkeypatch.setattr(parser_process, "_started", start_and_remember)
    return started


def test_two_processes_read_what_one_reads_in_the_same_order(looks: list[Look]) -> None:
    assert list(parse_all(looks, dialect=Dialect.OBSIDIAN, expected=MANY)) == alone(looks)


def test_neither_end_waits_for_the_other_when_pipes_hold_less_than_a_note(
    looks: list[Look], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser_process, "PIPE", 4096)
    large = [look for look in looks if isinstance(look, FileBytes)]
    text = b"A paragraph with a [[link]] and a #tag.\n\n" * 2000
    large = [replace(look, data=look.data + text) for look in large[:40]]
    assert list(parse_all(large, dialect=Dialect.OBSIDIAN, expected=MANY)) == alone(large)


def test_a_helper_that_dies_on_the_way_costs_no_note(
    looks: list[Look], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = remembered(monkeypatch)

    def deadly() -> Iterator[Look]:
        for number, look in enumerate(looks):
            if number == len(looks) // 2:
                started[0].kill()
            yield look

    assert list(parse_all(deadly(), dialect=Dialect.OBSIDIAN, expected=MANY)) == alone(looks)
    assert started[0].returncode is not None


def test_without_a_helper_this_process_reads_alone(
    looks: list[Look], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert list(parse_all(looks, dialect=Dialect.OBSIDIAN, expected=MANY)) == alone(looks)


def test_a_reader_that_stops_early_leaves_no_process(
    looks: list[Look], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = remembered(monkeypatch)
    parsed = parse_all(looks, dialect=Dialect.OBSIDIAN, expected=MANY)
    next(parsed)
    parsed.close()
    assert started[0].returncode is not None
