"""The status of a memory: what it holds, how fresh that is, and who owns it."""

from __future__ import annotations

import os
from pathlib import Path

from synapse.knowledge.provenance import now
from synapse.notes.note import Dialect
from synapse.usecases.answers import Notice, Owner, Status
from synapse.usecases.rooms import Rooms
from synapse.usecases.status import Freshness


class StatusReport:
    """Tells how one memory of this process is doing."""

    def __init__(self, rooms: Rooms, freshness: Freshness, *, notes: Path | None, data: Path | None) -> None:
        self._rooms = rooms
        self._freshness = freshness
        self._notes = notes
        self._data = data
        self._owner = Owner(os.getpid(), now())

    def read(self, *, wait: bool = False) -> Status:
        """See `Memory.status`."""
        done = self._freshness.wait() if wait else True
        rooms = self._rooms
        counts = rooms.committer.counts()
        return Status(
            notes=len(rooms.catalog.rows()),
            entities=rooms.entities(),
            triples=counts.stated,
            inferred=counts.inferred,
            from_scenarios=rooms.from_scenarios(),
            last_sync=rooms.catalog.synced_at,
            pending=self._freshness.pending(),
            watcher=self._freshness.watcher_state,
            owner=self._owner,
            dialect=str(rooms.folder.dialect if rooms.folder else Dialect.OBSIDIAN),
            scenarios=tuple(f"{name} {version}" for name, version in rooms.scenarios.installed().items()),
            notes_root=str(self._notes) if self._notes else None,
            data_dir=str(self._data) if self._data else None,
            notices=self._notices(done=done),
        )

    def _notices(self, *, done: bool) -> tuple[Notice, ...]:
        incomplete = (Notice(found.code, found.message) for found in self._rooms.committer.warnings())
        waiting = () if done else (Notice("still-pending", "gave up waiting after a minute"),)
        return (*incomplete, *waiting)
