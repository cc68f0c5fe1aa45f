"""Real files, real events: every change ends in a call that names the place to look."""

from __future__ import annotations

import logging
import shutil
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

from synapse.errors import NotesUnavailable
from synapse.interfaces.watcher import Watcher
from synapse.notes.files import Written, digest_of
from synapse.notes.vault import Vault

DEADLINE = 20.0
"""Seconds until a test gives up; generous, for events arrive in milliseconds."""


def until(condition: Callable[[], object]) -> None:
    """Waits until `condition` holds; fails the test at the deadline."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "nothing came before the deadline"
        time.sleep(0.01)


class Calls:
    """What `on_change` was called with, and what a watcher's user would do about it."""

    def __init__(self) -> None:
        self.batches: list[Collection[str] | None] = []
        self.errors: list[Exception] = []
        self.running = 0
        self.most_at_once = 0
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, paths: Collection[str] | None) -> None:
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        self.batches.append(paths)
        self.gate.wait(DEADLINE)
        self.running -= 1
        if self.errors:
            raise self.errors.pop()

    @property
    def paths(self) -> set[str]:
        """Every path named so far."""
        return {path for batch in self.batches for path in batch or ()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture(params=[False, True], ids=["events", "polling"])
def watcher(root: Path, calls: Calls, request: pytest.FixtureRequest) -> Iterator[Watcher]:
    (root / "people").mkdir()
    (root / "people/bob.md").write_text("bob")
    watcher = Watcher(root, calls, poll=request.param)
    watcher.start()
    yield watcher
    watcher.stop()


@pytest.fixture
def live(root: Path, calls: Calls) -> Iterator[Watcher]:
    """A watcher on events only, over an empty folder."""
    watcher = Watcher(root, calls)
    watcher.start()
    yield watcher
    watcher.stop()


# What is noticed


def test_a_new_a_changed_and_a_deleted_note_are_named(watcher: Watcher, root: Path, calls: Calls) -> None:
    (root / "people/ana.md").write_text("ana")
    until(lambda: "people/ana.md" in calls.paths)
    calls.batches.clear()
    (root / "people/bob.md").write_text("bob changed")
    until(lambda: "people/bob.md" in calls.paths)
    calls.batches.clear()
    (root / "people/bob.md").unlink()
    until(lambda: "people/bob.md" in calls.paths)


def test_a_moved_folder_is_named_at_both_ends(watcher: Watcher, root: Path, calls: Calls) -> None:
    (root / "people").rename(root / "persons")
    until(lambda: {"people/", "persons/"} <= calls.paths)


def test_a_folder_moved_in_with_its_notes_is_watched_from_then_on(
    live: Watcher, root: Path, calls: Calls, tmp_path: Path
) -> None:
    (tmp_path / "new/deep").mkdir(parents=True)
    (tmp_path / "new").rename(root / "new")
    until(lambda: "new/" in calls.paths)
    (root / "new/deep/a.md").write_text("a")
    until(lambda: {"new/", "new/deep/a.md"} & calls.paths and live.pending == 0)
    calls.batches.clear()
    (root / "new/deep/a.md").write_text("changed")
    until(lambda: "new/deep/a.md" in calls.paths)


def test_saving_by_truncating_and_writing_is_one_path(live: Watcher, root: Path, calls: Calls) -> None:
    with (root / "a.md").open("w") as file:
        file.truncate()
        file.write("half, ")
        file.flush()
        file.write("whole")
    until(lambda: calls.batches and live.pending == 0)
    assert calls.paths == {"a.md"}


@pytest.mark.parametrize("temporary", [".a.md.swp", "a.md~", "a.md.tmp", ".#a.md"])
def test_saving_by_renaming_a_temporary_file_is_one_path(
    live: Watcher, root: Path, calls: Calls, temporary: str
) -> None:
    (root / temporary).write_text("saved")
    (root / temporary).rename(root / "a.md")
    until(lambda: calls.batches and live.pending == 0)
    assert calls.paths == {"a.md"}


def test_our_own_write_names_the_note_and_nothing_else(root: Path, calls: Calls) -> None:
    (root / "a.md").write_bytes(b"old")
    watcher = Watcher(root, calls)
    watcher.start()
    assert isinstance(Vault(root).write("a.md", data=b"new", expected=digest_of(b"old")), Written)
    until(lambda: calls.batches and watcher.pending == 0)
    watcher.stop()
    assert calls.paths == {"a.md"}


def test_a_decomposed_name_is_named_composed(live: Watcher, root: Path, calls: Calls) -> None:
    (root / unicodedata.normalize("NFD", "Ñandú.md")).write_text("ave")
    until(lambda: "Ñandú.md" in calls.paths)


def test_hidden_folders_temporary_files_and_reading_are_not_noticed(root: Path, calls: Calls) -> None:
    for folder in (".obsidian", "node_modules", "Templates"):
        (root / folder).mkdir()
    (root / "read.md").write_text("read me")
    watcher = Watcher(root, calls, ignore=["Templates/"])
    watcher.start()
    for path in (".obsidian/workspace.json", "node_modules/x.md", "Templates/t.md", "a.md.tmp", "4913"):
        (root / path).write_text("noise")
    (root / "read.md").read_text()
    # Events come in order: once the last one is here, the others would have been.
    (root / "last.md").write_text("signal")
    until(lambda: "last.md" in calls.paths and watcher.pending == 0)
    watcher.stop()
    assert calls.paths == {"last.md"}


# How calls are made


def test_a_burst_of_files_is_one_call(root: Path, calls: Calls) -> None:
    watcher = Watcher(root, calls, quiet=1.0, max_wait=DEADLINE)
    watcher.start()
    for number in range(300):
        (root / f"{number}.md").write_text("x")
    until(lambda: calls.batches and watcher.pending == 0)
    watcher.stop()
    assert len(calls.batches) == 1
    assert calls.paths == {f"{number}.md" for number in range(300)}


def test_events_that_never_pause_are_delivered_all_the_same(root: Path, calls: Calls) -> None:
    watcher = Watcher(root, calls, quiet=DEADLINE * 10, max_wait=0.2)
    watcher.start()
    (root / "a.md").write_text("x")
    until(lambda: "a.md" in calls.paths)
    watcher.stop()


def test_changes_during_a_call_wait_for_the_next_one(live: Watcher, root: Path, calls: Calls) -> None:
    calls.gate.clear()
    (root / "first.md").write_text("x")
    until(lambda: calls.batches)
    (root / "second.md").write_text("x")
    until(lambda: live.pending == 2)
    assert calls.paths == {"first.md"}
    calls.gate.set()
    until(lambda: "second.md" in calls.paths and live.pending == 0)
    assert calls.most_at_once == 1


def test_a_reminder_is_under_way_until_its_call_ends_and_no_path_waits_for_it(
    live: Watcher, calls: Calls
) -> None:
    calls.gate.clear()
    live.remind(0.01)
    until(lambda: calls.batches == [()])
    assert (live.pending, live.waiting, live.reminded) == (0, frozenset(), True)
    calls.gate.set()
    until(lambda: not live.reminded)


def test_an_error_in_a_call_is_kept_and_everything_is_tried_again(
    live: Watcher, root: Path, calls: Calls, caplog: pytest.LogCaptureFixture
) -> None:
    calls.errors.append(RuntimeError("the disk is on fire"))
    (root / "a.md").write_text("x")
    until(lambda: live.last_error is not None)
    assert (str(live.last_error), live.pending) == ("the disk is on fire", 1)
    assert "trying again" in caplog.text
    until(lambda: None in calls.batches and live.last_error is None)
    assert (live.state, live.pending) == ("alive", 0)


def test_everything_is_reconciled_now_and_then(root: Path, calls: Calls) -> None:
    watcher = Watcher(root, calls, reconcile_every=0.1)
    watcher.start()
    until(lambda: calls.batches.count(None) >= 2)
    watcher.stop()


def test_lost_events_mean_everything(live: Watcher, calls: Calls) -> None:
    logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed")
    until(lambda: None in calls.batches)


@pytest.mark.skipif(sys.platform != "linux", reason="the queue of inotify")
def test_a_kernel_queue_that_really_overflows_means_everything(
    live: Watcher, root: Path, calls: Calls
) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 100_000:
        pytest.skip(f"{limit} events are too many to make here")
    observer = live._observer
    assert observer is not None
    (emitter,) = observer.emitters
    # While this lock is held, watchdog cannot take events from the kernel.
    with emitter._inotify._lock:  # type: ignore[attr-defined]
        for _ in range(limit // 2 + 500):
            (root / "a.md").touch()
            (root / "b.md").touch()
    until(lambda: None in calls.batches)


# Life and death


def test_it_is_off_alive_and_off_again(root: Path, calls: Calls) -> None:
    watcher = Watcher(root, calls)
    states: list[str] = [watcher.state]
    for step in [watcher.start, watcher.start, watcher.stop, watcher.stop] * 2:
        step()
        states.append(watcher.state)
    assert states == ["off", *["alive", "alive", "off", "off"] * 2]
    assert not [thread for thread in threading.enumerate() if thread.name == "synapse-watcher"]


def test_it_can_be_stopped_from_inside_a_call(root: Path) -> None:
    watcher = Watcher(root, lambda _: stop())
    stop = watcher.stop
    watcher.start()
    (root / "a.md").write_text("x")
    until(lambda: watcher.state == "off")


def test_a_missing_root_cannot_be_watched(tmp_path: Path, calls: Calls) -> None:
    watcher = Watcher(tmp_path / "missing", calls)
    with pytest.raises(NotesUnavailable):
        watcher.start()
    assert watcher.state == "off"


@pytest.mark.parametrize("victim", ["observer", "emitter"])
def test_a_killed_observer_is_restarted_with_a_look_at_everything(
    live: Watcher, root: Path, calls: Calls, victim: str
) -> None:
    observer = live._observer
    assert observer is not None
    (emitter,) = observer.emitters
    thread = observer if victim == "observer" else emitter
    thread.stop()
    thread.join()
    until(lambda: None in calls.batches and live.state == "alive" and live.pending == 0)
    (root / "after.md").write_text("x")
    until(lambda: "after.md" in calls.paths)


@pytest.mark.parametrize("how", ["deleted", "moved away"])
def test_a_root_that_goes_is_dead_until_it_is_back(live: Watcher, root: Path, calls: Calls, how: str) -> None:
    shutil.rmtree(root) if how == "deleted" else root.rename(root.with_name("elsewhere"))
    until(lambda: live.state == "dead" and live.last_error is not None and live.pending == 0)
    calls.batches.clear()
    root.mkdir()
    until(lambda: live.state == "alive" and live.last_error is None and live.pending == 0)
    assert None in calls.batches
    (root / "back.md").write_text("x")
    until(lambda: "back.md" in calls.paths)
