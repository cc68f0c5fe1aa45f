"""Killed, out of disk, damaged: what was acknowledged is there, and the next look sets the rest right."""

from __future__ import annotations

import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from fault_helpers import knows, said_by_a_fresh_memory, says
from note_files import write

from synapse.errors import StoreError
from synapse.memory import Memory
from synapse.notes.catalog import Catalog, Row, Seen

LIFE = Path(__file__).with_name("life.py")


@pytest.fixture
def data(notes: Path) -> Path:
    return notes.parent / "data"


def killed_after(seconds: float, notes: Path, data: Path, *, seed: int) -> list[str]:
    """What a process acknowledged in the time from its first acknowledgement until it was killed."""
    command = [sys.executable, str(LIFE), str(notes), str(data), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline().strip()
        time.sleep(seconds)
        process.kill()
        return [first, *process.stdout.read().split()]


def test_killed_at_any_moment_nothing_acknowledged_is_lost_and_the_next_look_equals_a_fresh_one(
    notes: Path, data: Path
) -> None:
    rng = random.Random(7)
    for life in range(3):
        acknowledged = killed_after(rng.uniform(0.0, 0.4), notes, data, seed=life)
        for file in notes.glob("n-1*.md"):
            file.unlink()  # between two lives, when nobody looks
        with Memory.open(notes=notes, data=data) as memory:
            for number in acknowledged:
                assert knows(memory, f"kept-{number}", "uses", f"n-{number}"), number
            memory.sync()
            assert says(memory) == said_by_a_fresh_memory(notes)
            assert memory.sync().indexed == 0


def test_a_commit_that_the_catalog_missed_is_found_out_even_when_its_note_is_gone(
    notes: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment between the two writes: a link moved to a new note, which then is deleted."""
    write(notes, "a.md", "[[x]]\n")
    with Memory.open(notes=notes, data=data) as memory:
        memory.install_scenario("core")
        memory.sync()
        new = write(notes, "p/x.md", "---\nuri: https://example.org/x\n---\n[[a]]\n")
        with monkeypatch.context() as patched:
            patched.setattr(Catalog, "update", struck_down)
            with pytest.raises(KeyboardInterrupt):
                memory.sync()
    new.unlink()
    with Memory.open(notes=notes, data=data) as memory:
        memory.sync(paths=["p/x.md"])
        assert says(memory) == said_by_a_fresh_memory(notes)


def struck_down(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


# A full disk


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """While it lasts, writing beyond `size` bytes fails in this process, as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", [0, 20_000, 100_000])
def test_a_disk_that_is_full_during_a_sync_leaves_the_memory_usable_and_complete(
    notes: Path, data: Path, room: int
) -> None:
    write(notes, "kept.md", "---\nuses: '[[n-1]]'\n---\n")
    with Memory.open(notes=notes, data=data) as memory:
        memory.install_scenario("core")
        memory.sync()
        before = says(memory)
        for number in range(120):
            write(notes, f"n-{number}.md", f"---\ndepends_on: '[[n-{number // 2}]]'\n---\n{'[[x]] ' * 9}\n")
        longest = max(file.stat().st_size for file in data.rglob("*") if file.is_file())
        with no_file_longer_than(room if room == 0 else longest + room):
            try:
                memory.sync()
            except StoreError:
                with suppress(StoreError):  # a person's own query needs room for its checkpoint
                    says(memory)
                assert not knows(memory, "n-2", "depends_on", "n-1")
            assert knows(memory, "kept", "uses", "n-1")
        if not knows(memory, "n-2", "depends_on", "n-1"):
            assert says(memory) == before
        memory.sync()
        fresh = said_by_a_fresh_memory(notes)
        assert says(memory) == fresh
        assert memory.sync().indexed == 0
    with Memory.open(notes=notes, data=data) as memory:
        assert says(memory) == fresh
        assert memory.sync().indexed == 0


def test_a_cache_that_cannot_be_written_is_told_of_and_made_good(
    memory: Memory, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(notes, "a.md", "[[b]]\n")
    with monkeypatch.context() as patched:
        patched.setattr(Catalog, "update", full)
        assert [notice.code for notice in memory.sync().notices] == ["not-remembered"]
        assert knows(memory, "a", "mentions", "b")
    (notes / "a.md").unlink()
    write(notes, "p/b.md", "B\n")
    assert memory.sync().notices == ()
    assert says(memory) == said_by_a_fresh_memory(notes)


def full(*_: object, **__: object) -> None:
    raise StoreError("the note cache could not be written: database or disk is full")


def test_a_failed_write_of_the_cache_is_undone_and_the_next_one_works(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "notes.sqlite")
    rows = [Row(Seen(f"{number}.md"), digest="x" * 5000) for number in range(500)]
    with no_file_longer_than(100_000), pytest.raises(StoreError):
        catalog.update(rows, removed=(), assets=["i.png"], activity="urn:a")
    assert (catalog.rows(), catalog.assets, catalog.activity) == ({}, frozenset(), None)
    catalog.update(rows[:1], removed=(), assets=["i.png"], activity="urn:a")
    catalog.close()
    again = Catalog(tmp_path / "notes.sqlite")
    assert (list(again.rows()), again.assets, again.activity) == (["0.md"], {"i.png"}, "urn:a")
    again.close()


# Files that were lost or damaged


def lost(file: Path) -> None:
    file.unlink()


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def overwritten(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:4096] + bytes(byte ^ 0x5A for byte in content[4096:]))


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


@pytest.mark.parametrize("damage", [lost, emptied, overwritten, cut], ids=lambda damage: damage.__name__)
def test_a_damaged_note_cache_is_made_anew_without_a_word(
    notes: Path, data: Path, damage: Callable[[Path], None]
) -> None:
    for number in range(50):
        write(notes, f"{number}.md", f"[[{number + 1}]]\n")
    with Memory.open(notes=notes, data=data) as memory:
        memory.install_scenario("core")
        memory.sync()
    damage(data / "notes.sqlite")
    (notes / "7.md").unlink()
    with Memory.open(notes=notes, data=data) as memory:
        assert memory.sync().failed == 0
        assert says(memory) == said_by_a_fresh_memory(notes)


def test_a_dataset_that_was_lost_is_made_again_from_the_history(notes: Path, data: Path) -> None:
    write(notes, "a.md", "---\ndepends_on: '[[b]]'\n---\n")
    with Memory.open(notes=notes, data=data) as memory:
        memory.install_scenario("core")
        memory.sync()
        before = says(memory)
    shutil.rmtree(data / "store")
    with Memory.open(notes=notes, data=data) as memory:
        assert says(memory) == before
