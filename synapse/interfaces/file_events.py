"""Events of the file system as marks on paths, for the watcher to gather."""

from __future__ import annotations

import logging
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Final

from watchdog.events import (
    DirAttribEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)

from synapse.notes.exclusions import Exclusions

logger = logging.getLogger(__name__)

# A modified folder only tells that an entry changed, which has an event of its own. Attributes
# count: a permission may have been given.
EVENTS: Final[list[type[FileSystemEvent]]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileClosedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    FileAttribEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
    DirAttribEvent,
]


class Marker(FileSystemEventHandler):
    """Turns an event into marks: where from and where to, unless nothing there can be a note."""

    def __init__(self, root: Path, exclusions: Exclusions, mark: Callable[[str], None]) -> None:
        self._root = str(root)
        self._prefix = self._root.rstrip(os.sep) + os.sep
        self._exclusions = exclusions
        self._mark = mark

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Mark both places of an event."""
        for place in (event.src_path, event.dest_path):
            if place:
                self._mark_place(os.fsdecode(place), folder=event.is_directory)

    def _mark_place(self, place: str, *, folder: bool) -> None:
        if place == self._root:
            self._mark("")
        elif place.startswith(self._prefix):
            relative = place[len(self._prefix) :].replace(os.sep, "/")
            path = unicodedata.normalize("NFC", relative)
            if not self._exclusions.covers(path, folder=folder):
                self._mark(path + "/" if folder else path)


class LostEvents(logging.Handler):
    """Marks everything when watchdog warns: it tells of an overflown kernel queue only in its log."""

    def __init__(self, mark: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._mark = mark

    def emit(self, record: logging.LogRecord) -> None:
        """Take a warning of watchdog."""
        logger.warning("Events may have been lost (%s); everything is looked at again", record.getMessage())
        self._mark("")
