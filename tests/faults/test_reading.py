"""The disk changes, refuses and lies while notes are read: no fact is lost, none is made up."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from fault_helpers import as_nobody, give_to_nobody, knows, said_by_a_fresh_memory, says
from note_files import write

from synapse.errors import NotesUnavailable
from synapse.memory import Memory

FACT = "---\ndepends_on: '[[{}]]'\n---\n"


@pytest.fixture
def chain(memory: Memory, notes: Path) -> Memory:
    """`a` depends on `p/b`, which depends on `c`."""
    write(notes, "a.md", FACT.format("p/b"))
    write(notes, "p/b.md", FACT.format("c"))
    write(notes, "c.md", "C\n")
    memory.sync()
    assert knows(memory, "a", "depends_on", "c")
    return memory


def opening(monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[Path], object]) -> None:
    """Lets `act` happen once, just before the note of this name is opened."""
    open_, done = os.open, []

    def opened(path: Path, flags: int, *rest: int, **named: int) -> int:
        if not done and Path(path).name == name:
            done.append(path)
            act(Path(path))
        return open_(path, flags, *rest, **named)

    monkeypatch.setattr("synapse.notes.vault.os.open", opened)


# Vanishing


@pytest.mark.parametrize("known", [True, False])
def test_a_file_that_vanishes_between_listing_and_reading_is_gone(
    chain: Memory, notes: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    name = "c.md" if known else "new.md"
    write(notes, name, "[[a]]\n")
    opening(monkeypatch, name, Path.unlink)
    report = chain.sync()
    assert (report.found, report.failed, report.unchanged) == (2 if known else 3, 0, report.found)
    assert says(chain) == said_by_a_fresh_memory(notes)


def test_a_folder_that_vanishes_between_listing_and_reading_is_gone(
    chain: Memory, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(notes, "p/b.md", "changed\n")
    opening(monkeypatch, "b.md", lambda file: file.parent.rename(notes / "q"))
    chain.sync()
    assert not knows(chain, "p/b", "depends_on", "c")
    chain.sync()
    assert says(chain) == said_by_a_fresh_memory(notes)


def test_the_root_that_vanishes_during_a_scan_changes_nothing(
    chain: Memory, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = says(chain)
    write(notes, "a.md", "changed\n")
    opening(monkeypatch, "a.md", lambda _: notes.rename(notes.with_name("away")))
    with pytest.raises(NotesUnavailable):
        chain.sync()
    assert says(chain) == before
    notes.with_name("away").rename(notes)
    chain.sync()
    assert says(chain) == said_by_a_fresh_memory(notes)


# Refusing


def test_a_note_that_may_not_be_read_keeps_its_facts_and_is_named(chain: Memory, notes: Path) -> None:
    note = write(notes, "p/b.md", FACT.format("d"))
    note.chmod(0)
    with as_nobody():
        for _ in range(2):
            report = chain.sync()
            assert [(found.path, found.code) for found in report.diagnostics] == [("p/b.md", "unreadable")]
            assert (report.failed, report.removed) == (1, 0)
            assert knows(chain, "a", "depends_on", "c")
    note.chmod(0o644)
    assert chain.sync().failed == 0
    assert knows(chain, "a", "depends_on", "d")
    assert says(chain) == said_by_a_fresh_memory(notes)


def test_a_new_note_that_may_not_be_read_is_what_links_mean(chain: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[b]] [[x]]\n")
    note = write(notes, "p/x.md", "---\ntitle: X\n---\n")
    note.chmod(0)
    with as_nobody():
        chain.sync(paths=["a.md", "p/x.md"])
    assert knows(chain, "a", "mentions", "p/x")
    note.chmod(0o644)
    chain.sync()
    assert says(chain) == said_by_a_fresh_memory(notes)


@pytest.mark.parametrize("change", ["forbidden", "edited and restored"])
def test_links_that_could_not_be_moved_are_moved_later(notes: Path, change: str) -> None:
    """A note that cannot be mapped again now still says the same when its bytes are back."""
    data = notes.parent / "data"
    note = write(notes, "a.md", text := "[[apollo]]\n")
    with Memory.open(notes=notes, data=data) as first:
        first.install_scenario("core")
        first.sync()
    write(notes, "projects/apollo.md", "Apollo\n")
    with Memory.open(notes=notes, data=data) as memory:
        assert knows(memory, "a", "mentions", "apollo")
        give_to_nobody(notes.parent)
        note.chmod(0) if change == "forbidden" else note.write_text("something else\n")
        with as_nobody():
            memory.sync(paths=["projects/apollo.md"])
        note.chmod(0o644)
        note.write_text(text)
        memory.sync(paths=["a.md"])
        assert knows(memory, "a", "mentions", "projects/apollo")
        assert says(memory) == said_by_a_fresh_memory(notes)


def test_a_folder_that_may_not_be_listed_keeps_its_facts_and_is_named(chain: Memory, notes: Path) -> None:
    (notes / "p").chmod(0)
    with as_nobody():
        for paths in (None, ["p/b.md"], ["p/"]):
            report = chain.sync(paths=paths)
            assert report.removed == 0
            assert knows(chain, "a", "depends_on", "c")
        assert "folder-unreadable" in {found.code for found in chain.sync().diagnostics}
    (notes / "p").chmod(0o755)
    assert chain.sync().diagnostics == ()
    assert says(chain) == said_by_a_fresh_memory(notes)


def test_a_root_that_may_not_be_read_aborts_and_deletes_nothing(chain: Memory, notes: Path) -> None:
    before = says(chain)
    notes.chmod(0)
    with as_nobody():
        with pytest.raises(NotesUnavailable, match="Permission denied"):
            chain.sync()
        with pytest.raises(NotesUnavailable):
            chain.sync(paths=["people/"])
        assert chain.sync(paths=["a.md"]).removed == 0
    assert says(chain) == before
    notes.chmod(0o755)
    assert chain.sync().removed == 0


# Something else in its place


@pytest.mark.parametrize("name", ["p", "p.md"])
@pytest.mark.parametrize("paths", [None, ("p", "p.md", "p/"), ("p/",)])
def test_a_folder_replaced_by_a_file_takes_its_notes_with_it(
    chain: Memory, notes: Path, name: str, paths: tuple[str, ...] | None
) -> None:
    (notes / "p").rename(notes.with_name("elsewhere"))
    write(notes, name, "[[a]]\n")
    assert chain.sync(paths=paths).removed == 1
    assert not knows(chain, "a", "depends_on", "c")
    assert says(chain) == said_by_a_fresh_memory(notes)
    (notes / name).unlink()
    notes.with_name("elsewhere").rename(notes / "p")
    chain.sync(paths=paths)
    assert says(chain) == said_by_a_fresh_memory(notes)


def test_a_root_replaced_by_a_file_changes_nothing(chain: Memory, notes: Path) -> None:
    before = says(chain)
    notes.rename(notes.with_name("away"))
    notes.write_text("no folder")
    with pytest.raises(NotesUnavailable, match="not a folder"):
        chain.sync()
    assert says(chain) == before
    notes.unlink()
    notes.with_name("away").rename(notes)


@pytest.mark.parametrize("kind", ["pipe", "folder", "link out", "link in"])
def test_a_note_replaced_by_what_is_no_note_is_gone_and_nothing_hangs(
    chain: Memory, notes: Path, kind: str
) -> None:
    note = notes / "c.md"
    note.unlink()
    outside = write(notes.parent, "secret.md", "[[a]]\n")
    match kind:
        case "pipe":
            os.mkfifo(note)
        case "folder":
            note.mkdir()
        case "link out":
            note.symlink_to(outside)
        case "link in":
            note.symlink_to(notes / "a.md")
    chain.sync(paths=["c.md"])
    assert says(chain) == said_by_a_fresh_memory(notes)
    chain.sync()
    assert says(chain) == said_by_a_fresh_memory(notes)


# While a scan goes on


def test_fifty_edits_during_a_scan_are_all_known_after_the_next(chain: Memory, notes: Path) -> None:
    for number in range(60):
        write(notes, f"n/{number:02}.md", FACT.format(f"n/{number - 1:02}"))
    edits = iter(range(50))
    dirty: set[str] = set()

    def edit(done: int, _: int) -> None:
        """One edit after each note that is read, of notes that were and of notes that will be."""
        number = next(edits, None)
        if number is None:
            return
        path = f"n/{(number * 7) % 60:02}.md"
        dirty.add(path)
        match number % 5:
            case 0:
                (notes / path).unlink(missing_ok=True)
            case 1 if (notes / path).exists():
                (notes / path).rename(notes / "n" / f"moved-{number}.md")
                dirty.add(f"n/moved-{number}.md")
            case _:
                write(notes, path, f"edit {number} [[{(number * 3) % 60:02}]]\n")

    chain.sync(progress=edit)
    assert next(edits, None) is None
    chain.sync(paths=sorted(dirty))
    assert says(chain) == said_by_a_fresh_memory(notes)
