"""File events on a notes folder, gathered into calls that say which paths to look at.

An event never says what happened, only where to look: editors truncate, rename and touch in ways
no event type tells apart, and kernels merge and lose events. Disk state decides, at the called side.
"""

from __future__ import annotations

import errno
import logging
import math
import os
import threading
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final, Literal

from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from synapse.errors import NotesUnavailable
from synapse.interfaces.dirty_paths import DirtyPaths
from synapse.interfaces.file_events import EVENTS, LostEvents, Marker
from synapse.notes.exclusions import Exclusions

logger = logging.getLogger(__name__)

State = Literal["alive", "dead", "off"]
OnChange = Callable[[Collection[str] | None], None]

SUPERVISE_SECONDS: Final = 1.0
_JOIN_SECONDS: Final = 10.0
_LIMITS: Final = (errno.ENOSPC, errno.EMFILE)


class Watcher:
    """Calls `on_change` with the paths below `root` that may have changed.

    Paths are relative to `root`, NFC, sorted; `people/` with a trailing slash means all below that
    folder; None means everything (events were lost, the observer was restarted, or `reconcile_every`
    seconds have passed). A batch is complete after `quiet` seconds without an event, at the latest
    `max_wait` seconds after its first. Calls come from one thread, never two at once; an error in one
    is logged, kept in `last_error`, and everything is looked at again a little later.

    Start it before the first synchronisation, so that no change falls between the two. With `poll`,
    the folder is compared each second instead: for network drives, where no events come.
    """

    def __init__(
        self,
        root: Path,
        on_change: OnChange,
        *,
        quiet: float = 0.05,
        max_wait: float = 0.5,
        reconcile_every: float = 300,
        poll: bool = False,
        ignore: Sequence[str] = (),
    ) -> None:
        self._root = root.resolve()
        self._on_change = on_change
        self._reconcile_every = reconcile_every
        self._poll = poll
        self._marker = Marker(self._root, Exclusions.of(ignore), self._mark)
        self._alarm = LostEvents(self._mark)
        self._changed = threading.Condition()
        self._dirty = DirtyPaths(quiet, max_wait)
        self._in_hand: Collection[str] | None = ()
        self._reminding = False
        self._failures = 0
        self._call_error: Exception | None = None
        self._watch_error: Exception | None = None
        self._reconcile_at = 0.0
        self._remind_at = math.inf
        self._restart_at = 0.0
        self._stopping = True
        self._struck = False
        self._worker: threading.Thread | None = None
        self._observer: BaseObserver | None = None
        self._watched: os.stat_result | None = None

    @property
    def state(self) -> State:
        """`off` before `start` and after `stop`, `dead` while no events can arrive, else `alive`."""
        if self._stopping:
            return "off"
        working = self._worker is not None and self._worker.is_alive() and not self._struck
        return "alive" if working and self._is_watching() else "dead"

    @property
    def pending(self) -> int:
        """How many paths wait or are being worked on; everything, or a retry to come, counts as one."""
        with self._changed:
            in_hand = 1 if self._in_hand is None else len(self._in_hand)
            return len(self._dirty) + in_hand + (self._failures > 0)

    @property
    def waiting(self) -> frozenset[str] | None:
        """The paths that `pending` counts, None when everything is to be looked at."""
        with self._changed:
            marked = self._dirty.paths
            if marked is None or self._in_hand is None or self._failures:
                return None
            return marked.union(self._in_hand)

    @property
    def reminded(self) -> bool:
        """Whether a call asked for with `remind` is still to come, or under way."""
        return self._reminding or self._remind_at < math.inf

    def remind(self, seconds: float) -> None:
        """Calls `on_change` after `seconds` even if nothing changes until then, with no paths then."""
        with self._changed:
            self._remind_at = min(self._remind_at, time.monotonic() + seconds)
            self._changed.notify_all()

    @property
    def last_error(self) -> Exception | None:
        """What went wrong last, in a call or in watching; None once it went well again."""
        return self._call_error or self._watch_error

    def start(self) -> None:
        """Begins to watch; raises `NotesUnavailable` when the root is missing. No-op when running."""
        if not self._stopping:
            return
        try:
            self._open_observer()
        except OSError as error:
            raise NotesUnavailable(
                f"the notes folder {self._root} cannot be watched: {error.strerror}",
                hint="check that it exists and may be read",
            ) from error
        logging.getLogger("watchdog.observers").addHandler(self._alarm)
        self._reconcile_at = time.monotonic() + self._reconcile_every
        self._stopping = False
        self._worker = threading.Thread(target=self._run, name="synapse-watcher", daemon=True)
        self._worker.start()

    def stop(self) -> None:
        """Ends after the call in progress, if any; what is still pending is left to the next start."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        logging.getLogger("watchdog.observers").removeHandler(self._alarm)
        if self._worker is not None and self._worker is not threading.current_thread():
            self._worker.join()
        self._close_observer()
        self._dirty.take()
        self._remind_at = math.inf

    def _mark(self, path: str) -> None:
        with self._changed:
            was_clean = not self._dirty
            self._dirty.mark(path, now=time.monotonic())
            if was_clean:
                self._changed.notify_all()

    def _run(self) -> None:
        """Works until `stop`, whatever is raised here: without this thread nobody would look again."""
        while not self._stopping:
            try:
                self._work()
            except BaseException as raised:
                logger.exception("The watcher of %s was struck down; it starts again", self._root)
                self._struck = True
                self._ended(raised if isinstance(raised, Exception) else RuntimeError(repr(raised)))
                with self._changed:
                    self._changed.wait_for(lambda: self._stopping, SUPERVISE_SECONDS)
                self._struck = False

    def _work(self) -> None:
        while not self._stopping:
            self._supervise()
            self._reconcile_when_due()
            with self._changed:
                now = time.monotonic()
                due = min(self._dirty.due(), self._remind_at)
                if now < due:
                    next_due = min(due, self._reconcile_at, now + SUPERVISE_SECONDS)
                    self._changed.wait(max(0.0, next_due - now))
                    continue
                paths = self._take(now)
            self._deliver(paths)

    def _take(self, now: float) -> Collection[str] | None:
        if now >= self._remind_at:
            self._remind_at, self._reminding = math.inf, True
        self._in_hand = () if now < self._dirty.due() else self._dirty.take()
        return self._in_hand

    def _deliver(self, paths: Collection[str] | None) -> None:
        error: Exception | None = None
        try:
            self._on_change(paths)
        except Exception as raised:
            logger.exception("Changes in %s were not taken in; trying again", self._root)
            error = raised
        self._ended(error)

    def _ended(self, error: Exception | None) -> None:
        with self._changed:
            self._in_hand, self._reminding = (), False
            self._call_error = error
            self._failures = self._failures + 1 if error else 0
            if error:
                self._retry_later()

    def _retry_later(self) -> None:
        """Everything again, after longer and longer pauses: which paths were dealt with nobody knows."""
        pause = min(2.0 ** min(self._failures - 1, 30), self._reconcile_every)
        self._reconcile_at = min(self._reconcile_at, time.monotonic() + pause)

    def _reconcile_when_due(self) -> None:
        now = time.monotonic()
        if now >= self._reconcile_at:
            self._reconcile_at = now + self._reconcile_every
            self._mark("")

    def _supervise(self) -> None:
        """Restarts an observer that died, or whose root was exchanged for another folder."""
        now = time.monotonic()
        if now < self._restart_at or self._is_watching():
            return
        logger.warning("No events arrive from %s any more; restarting the observer", self._root)
        self._restart_at = now + SUPERVISE_SECONDS
        self._close_observer()
        try:
            self._open_observer()
        except OSError as error:
            self._watch_error = error
        else:
            self._watch_error = None
            self._mark("")

    def _is_watching(self) -> bool:
        observer = self._observer
        if observer is None or not observer.is_alive():
            return False
        emitters = list(observer.emitters)
        return bool(emitters) and all(emitter.is_alive() for emitter in emitters) and self._root_is_same()

    def _root_is_same(self) -> bool:
        try:
            return self._watched is not None and os.path.samestat(self._root.stat(), self._watched)
        except OSError:
            return False

    def _open_observer(self) -> None:
        self._watched = self._root.stat()
        try:
            self._observer = self._started(PollingObserver() if self._poll else Observer())
        except OSError as error:
            if self._poll or error.errno not in _LIMITS:
                raise
            logger.warning("The system's limit of watches is reached; polling %s instead", self._root)
            self._observer = self._started(PollingObserver())

    def _started(self, observer: BaseObserver) -> BaseObserver:
        observer.schedule(self._marker, str(self._root), recursive=True, event_filter=EVENTS)
        try:
            observer.start()
        except BaseException:
            observer.stop()
            raise
        return observer

    def _close_observer(self) -> None:
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            observer.join(_JOIN_SECONDS)
