"""A memory as it was: folded from the history up to a moment, in RAM, and reasoned over again."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import chain, islice
from typing import Final, TypeVar

from pyoxigraph import NamedNode, Triple

from synapse.errors import InvalidInput
from synapse.notes.catalog import Catalog
from synapse.rdf.delta import Delta
from synapse.rdf.names import shortened
from synapse.store.embedded import EmbeddedStore
from synapse.store.history import ActivityLog, Entry, Learned
from synapse.usecases.answers import Unresolved
from synapse.usecases.commit import NOT_SOURCES
from synapse.usecases.rooms import MemoryOptions, Rooms

CONSIDERED: Final = 500
"""Facts of an entity that are looked at for the time since when it is known."""

Answer = TypeVar("Answer")

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?", re.ASCII)


class Past:
    """The past of one memory: the last moment asked for is kept until the memory changes."""

    def __init__(self, rooms: Rooms, *, options: MemoryOptions, lock: threading.RLock) -> None:
        """`lock` is the one that whoever changes the memory holds: a past is folded between changes."""
        self._rooms, self._options, self._lock = rooms, options, lock
        self._kept: tuple[str, Rooms] | None = None

    def at(self, moment: str | None) -> Rooms:
        """The rooms as they were at a moment, as for `rooms_as_of`; None gives them as they are."""
        if moment is None:
            return self._rooms
        with self._lock:
            if self._kept is None or self._kept[0] != moment:
                self._kept = moment, rooms_as_of(self._rooms, moment, options=self._options)
            return self._kept[1]

    def told(self, answer: Answer | Unresolved, moment: str | None) -> Answer | Unresolved:
        """The answer; one that nothing was known then says since when something is."""
        if moment is None or not isinstance(answer, Unresolved) or answer.reason != "unknown":
            return answer
        node = self._rooms.finder.find(answer.mention)
        since = None if isinstance(node, Unresolved) else self._known_since(node)
        if since is None:
            return answer
        return replace(answer, then=f"it is known since {since}")

    def _known_since(self, node: NamedNode) -> str | None:
        """The earliest moment since when some fact about a node, or one that points at it, is stated."""
        store, history = self._rooms.store, self._rooms.history
        quads = islice(chain(store.quads(node), store.quads(object=node)), CONSIDERED)
        stated = {quad.triple for quad in quads if quad.graph_name not in NOT_SOURCES}
        learned = (history.learned(triple) for triple in stated)
        return min((found.since for found in learned if found is not None), default=None)

    def forget(self) -> None:
        """The memory changed, and a moment may lie after that: fold the history anew when asked."""
        self._kept = None


class PastHistory:
    """A history that ends at a moment; nothing can be appended to the past."""

    def __init__(self, history: ActivityLog, *, until: str) -> None:
        self._history = history
        self._until = until

    def entries(self, *, newest_first: bool = False) -> Iterator[Entry]:
        """The activities up to the moment."""
        return (e for e in self._history.entries(newest_first=newest_first) if e.at <= self._until)

    def changes(self, iri: str) -> tuple[Delta, Delta]:
        """The change and the meta change of one activity."""
        return self._history.changes(iri)

    def learned(self, triple: Triple, *, until: str | None = None) -> Learned | None:
        """Since when a triple had been stated at that moment, or an earlier one."""
        return self._history.learned(triple, until=min(until or self._until, self._until))

    def removals(self, triple: Triple) -> list[str]:
        """The activities that had taken a triple out of a source by then."""
        known = {entry.iri for entry in self.entries()}
        return [iri for iri in self._history.removals(triple) if iri in known]

    def generation(self) -> int:
        """The past is folded anew each time; nothing is kept of it."""
        return 0

    def append(self, entry: Entry, *, change: Delta, meta: Delta) -> None:
        """What is written to a memory in the past stays in its RAM."""

    def withdraw(self, iri: str) -> None:
        """Nothing was appended, so there is nothing to take back."""

    def close(self) -> None:
        """The history belongs to the memory of today."""


def rooms_as_of(rooms: Rooms, moment: str, options: MemoryOptions) -> Rooms:
    """The rooms of a memory as it was at a moment, an xsd:dateTime in UTC or a day, which counts to its end.

    Raises `InvalidInput` for text that is neither.
    """
    store = EmbeddedStore()
    past = Rooms(
        store=store,
        history=PastHistory(rooms.history, until=end_of(moment)),
        catalog=Catalog(),
        names=rooms.names,
        notes=None,
        options=options,
    )
    past.committer.replay()
    return past


def start_of(moment: str) -> str:
    """The first instant that a moment covers, comparable with the times of the history."""
    return _plain(moment)


def end_of(moment: str) -> str:
    """The last instant that a moment covers, comparable with the times of the history."""
    plain = _plain(moment)
    # Times of the history have microseconds; "~" sorts after every digit and after "Z".
    return plain + ("~" if len(plain) < 26 else "Z")


def _plain(moment: str) -> str:
    """A moment as the history writes its times, as far as it goes and without the `Z`."""
    text = moment.strip()
    try:
        if not _MOMENT.fullmatch(text):
            raise ValueError(text)
        datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{shortened(moment)} is no moment",
            hint="write a day, 2026-03-01, or 2026-03-01T09:30:00Z, in UTC",
        ) from None
    return text.replace(" ", "T").removesuffix("Z")
