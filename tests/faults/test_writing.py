"""Somebody is at a note while we write into it: what was saved wins, and we come again when it is quiet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fault_helpers import as_nobody, give_to_nobody, until
from note_files import write

from synapse.interfaces.cli import hosting
from synapse.interfaces.cli.hosting import Ingest, Rounds
from synapse.interfaces.watcher import Watcher
from synapse.memory import Memory
from synapse.notes import files, vault
from synapse.notes.digest import without_section

SECTION = "<!-- synapse:begin -->"


@pytest.fixture
def pair(memory: Memory, notes: Path) -> Path:
    """`a` links to `b`, so `b` is due to get a section; returns the file of `b`."""
    write(notes, "a.md", "[[b]]\n")
    target = write(notes, "b.md", "B\n")
    memory.sync()
    return target


def just_before_the_rename(monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], object]) -> None:
    """Lets `act` happen once, when the new content is on disk and the old one is about to be replaced."""
    replace, done = vault.replace_content, []

    def replaced(target: Path, data: bytes, *, unchanged: Callable[[], bool]) -> os.stat_result | None:
        def asked() -> bool:
            if not done:
                done.append(target)
                act(target)
            return unchanged()

        return replace(target, data, unchanged=asked)

    monkeypatch.setattr(vault, "replace_content", replaced)


def saved_in_place(file: Path) -> None:
    file.write_text("mine\n")


def saved_by_renaming(file: Path) -> None:
    file.with_name("b.md~").write_text("mine\n")
    file.with_name("b.md~").replace(file)


def saved_with_the_same_size_and_time(file: Path) -> None:
    status = file.stat()
    file.write_text("b\n")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize(
    "save",
    [saved_in_place, saved_by_renaming, saved_with_the_same_size_and_time],
    ids=lambda save: save.__name__,
)
def test_what_an_editor_saves_while_we_write_wins_and_gets_its_section_later(
    memory: Memory, pair: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[Path], None]
) -> None:
    just_before_the_rename(monkeypatch, save)
    assert memory.write_back().written == ()
    theirs = pair.read_bytes()
    assert theirs in (b"mine\n", b"b\n")
    assert [path.name for path in pair.parent.iterdir() if path.name.startswith(".")] == []
    memory.sync()
    assert memory.write_back().written == ("b.md",)
    assert without_section(pair.read_bytes()).rstrip() == theirs.rstrip()


@pytest.mark.parametrize("how", ["deleted", "moved"])
def test_a_note_that_goes_while_we_write_is_not_brought_back(
    memory: Memory, pair: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    away = pair.with_name("c.md")
    just_before_the_rename(monkeypatch, Path.unlink if how == "deleted" else lambda file: file.rename(away))
    assert memory.write_back().written == ()
    assert not pair.exists()
    memory.sync()
    memory.write_back()
    assert not pair.exists()
    assert how == "deleted" or away.read_text() == "B\n"


def test_a_note_that_may_not_be_written_is_named_and_written_once_it_may(memory: Memory, pair: Path) -> None:
    give_to_nobody(pair)
    with as_nobody():
        for _ in range(2):
            report = memory.write_back()
            assert [(found.path, found.code) for found in report.diagnostics] == [("b.md", "write-failed")]
    assert pair.read_text() == "B\n"
    assert memory.write_back().written == ("b.md",)


def test_a_full_disk_leaves_the_note_as_it_was(
    memory: Memory, pair: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("synapse.notes.atomic_write.os.fsync", full)
        report = memory.write_back()
    assert [(found.path, found.code) for found in report.diagnostics] == [("b.md", "write-failed")]
    assert [path.name for path in sorted(pair.parent.iterdir())] == ["a.md", "b.md"]
    assert pair.read_text() == "B\n"
    assert memory.write_back().written == ("b.md",)


# Somebody is typing


@contextmanager
def everything_settled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setattr(files, "RACY_NS", 0)
        yield


def test_a_note_saved_just_now_is_put_off_and_stays_due(
    memory: Memory, pair: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        report = memory.write_back(settled_only=True)
        assert (report.written, report.postponed) == ((), ("b.md",))
    assert pair.read_text() == "B\n"
    with everything_settled(monkeypatch):
        report = memory.write_back(settled_only=True)
    assert (report.written, report.postponed) == (("b.md",), ())
    assert SECTION in pair.read_text()


def test_a_note_put_off_is_written_by_a_call_that_does_not_wait(memory: Memory, pair: Path) -> None:
    memory.write_back(settled_only=True)
    assert memory.write_back().written == ("b.md",)
    assert memory.write_back(settled_only=True).postponed == ()


def test_our_own_write_is_nobody_typing(memory: Memory, notes: Path, pair: Path) -> None:
    memory.write_back()
    write(notes, "a.md", "# The shop\n[[b]]\n")
    memory.sync()
    report = memory.write_back(settled_only=True)
    assert report.written == ("b.md",)
    assert "[[a|The shop]]" in pair.read_text()


def test_a_clock_that_runs_ahead_puts_nothing_off(memory: Memory, notes: Path, pair: Path) -> None:
    ahead = 2**32
    os.utime(pair, (ahead, ahead))
    memory.sync()
    assert memory.write_back(settled_only=True).written == ("b.md",)


def test_a_dry_run_says_what_is_put_off(memory: Memory, pair: Path) -> None:
    assert memory.write_back(dry_run=True, settled_only=True).postponed == ("b.md",)
    assert memory.write_back(dry_run=True).written == ("b.md",)


def test_a_host_writes_what_was_put_off_by_itself_when_it_is_quiet(
    memory: Memory, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The editor saves again and again; its text stays, and the section comes after the last save."""
    monkeypatch.setattr(files, "RACY_NS", 400_000_000)
    monkeypatch.setattr(hosting, "SETTLED_SECONDS", 0.45)
    write(notes, "a.md", "[[b]]\n")
    target = write(notes, "b.md", "B\n")
    rounds, done = Rounds(memory, write_back=True), list[Ingest]()
    watcher = Watcher(notes, lambda paths: done.append(rounds.run(paths=paths)))
    rounds.follow(watcher)
    watcher.start()
    try:
        first = rounds.run()
        assert first.write_back is not None
        assert first.write_back.postponed == ("b.md",)
        assert watcher.reminded
        for number in range(10):
            target.write_text(f"B {number}\n")
            until(lambda: watcher.pending == 0)
            assert target.read_text() == f"B {number}\n"
        assert memory.status(wait=True).pending == 0
        assert target.read_text().startswith("B 9\n")
        assert SECTION in target.read_text()
        assert not watcher.reminded
    finally:
        watcher.stop()
