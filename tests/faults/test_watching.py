"""Whoever watches the notes is killed or overrun: status says so, and the memory catches up by itself."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_helpers import knows, said_by_a_fresh_memory, says, until
from note_files import write

from synapse.interfaces import watcher as watching
from synapse.interfaces.cli.hosting import Rounds
from synapse.interfaces.watcher import Watcher
from synapse.memory import Memory

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


@pytest.fixture
def live(memory: Memory, notes: Path) -> Iterator[Watcher]:
    """A watcher that keeps `memory` in step with `notes`."""
    rounds = Rounds(memory, write_back=True)
    watcher = Watcher(notes, lambda paths: (rounds.run(paths=paths), None)[1])
    rounds.follow(watcher)
    watcher.start()
    rounds.run()
    yield watcher
    watcher.stop()


def strike(thread: threading.Thread) -> None:
    """Raises `SystemExit` inside a thread, at its next instruction: the nearest thing to killing it."""
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))


def threads_of(watcher: Watcher, name: str) -> list[threading.Thread]:
    assert watcher._observer is not None
    assert watcher._worker is not None
    match name:
        case "observer":
            return [watcher._observer]
        case "emitter":
            return list(watcher._observer.emitters)
        case _:
            return [watcher._worker]


@pytest.mark.parametrize("victim", ["observer", "emitter", "worker"])
def test_a_killed_thread_is_reported_then_restarted_and_what_it_missed_is_read(
    memory: Memory, notes: Path, live: Watcher, monkeypatch: pytest.MonkeyPatch, victim: str
) -> None:
    monkeypatch.setattr(watching, "SUPERVISE_SECONDS", 0.3)
    seen: set[str] = set()
    victims = threads_of(live, victim)
    for thread in victims:
        if victim == "worker":
            strike(thread)
        else:
            thread.stop()  # type: ignore[attr-defined]
    write(notes, "missed.md", "---\ndepends_on: '[[b]]'\n---\n")

    def is_back() -> bool:
        seen.add(memory.status().watcher)
        return "dead" in seen and memory.status().watcher == "alive" and live.pending == 0

    until(is_back)
    until(lambda: knows(memory, "missed", "depends_on", "b"))
    write(notes, "after.md", "---\ndepends_on: '[[b]]'\n---\n")
    until(lambda: knows(memory, "after", "depends_on", "b"))
    until(lambda: live.last_error is None)


def test_while_nobody_watches_status_still_counts_what_changed(memory: Memory, notes: Path) -> None:
    rounds = Rounds(memory, write_back=False)
    watcher = Watcher(notes, lambda paths: (rounds.run(paths=paths), None)[1])
    rounds.follow(watcher)
    watcher.start()
    rounds.run()
    watcher.stop()
    write(notes, "missed.md", "[[b]]\n")
    assert (memory.status().watcher, memory.status().pending) == ("off", 1)


def test_edits_from_two_sides_during_many_scans_end_in_what_the_folder_says(
    memory: Memory, notes: Path, live: Watcher
) -> None:
    def edit(side: int) -> None:
        for number in range(50):
            path = f"{side}/{number % 7}.md"
            match number % 4:
                case 3:
                    (notes / path).unlink(missing_ok=True)
                case 2 if (notes / path).exists():
                    (notes / path).rename(notes / str(side) / f"moved-{number % 3}.md")
                case _:
                    write(notes, path, f"---\nuses: '[[{(number * 3) % 7}]]'\n---\n[[moved-1]]\n")

    editors = [threading.Thread(target=edit, args=(side,)) for side in (1, 2)]
    for editor in editors:
        editor.start()
    for editor in editors:
        editor.join()
    until(lambda: live.pending == 0 and not live.reminded)
    assert says(memory) == said_by_a_fresh_memory(notes)
