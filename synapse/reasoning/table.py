"""The facts of one predicate: a sorted base array, and dicts for the subjects that were touched.

A bulk run leaves sorted arrays. Most of a large memory is never touched again, so subjects
and objects become dicts only on first access ("hydration"): a million facts cost the arrays,
an edit costs what it touches.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]
"""Pairs of ids as `first << 32 | second`, sorted, without duplicates."""

Row = tuple[int, int, int]
"""A fact of one predicate: subject, object, level."""

MASK: Final = 0xFFFF_FFFF
_NOTHING: Final[Any] = MappingProxyType({})
_NOBODY: Final[Any] = frozenset()
_SHORT: Final = 16
LEVEL: Final = itemgetter(2)
"""The level of a row."""
_MANY: Final = 1_000
"""Batches of changes that wait to be sorted by object."""

_NO_LEVEL: Final = 1 << 31


def swapped(keys: Keys) -> Keys:
    """The same pairs with first and second exchanged; not sorted."""
    return (keys & MASK) << 32 | keys >> 32


def as_keys(pairs: list[tuple[int, int]]) -> Keys:
    """Sorted keys of distinct pairs."""
    if not pairs:
        return np.empty(0, np.int64)
    array = np.array(pairs, np.int64)
    return np.sort(array[:, 0] << 32 | array[:, 1])


def _group(keys: memoryview, first: int) -> tuple[int, list[int]]:
    """Where the keys with this first part start, and these keys; most groups are short."""
    low, end = bisect_left(keys, first << 32), (first + 1) << 32
    window: list[int] = keys[low : low + _SHORT].tolist()
    if len(window) == _SHORT and window[-1] < end:
        return low, keys[low : bisect_left(keys, end, low + _SHORT)].tolist()
    return low, window[: bisect_left(window, end)]


class Objects(dict[int, dict[int, int]]):
    """subject → {object: level}, hydrated as whole rows; `objects[s]` never fails.

    `known` has what is known of any row: all of it, or single facts, and there None says that a fact does
    not hold. An edit that asks for single facts or changes them goes by `known`: building the rows of
    hubs, where most inverse facts are, took as long as the rest of an edit.
    """

    __slots__ = ("_base", "_base_levels", "_keys", "_levels", "known")

    def __init__(self, keys: Keys, levels: NDArray[np.int32]) -> None:
        super().__init__()
        self.known: defaultdict[int, dict[int, Any]] = defaultdict(dict)
        self._base, self._base_levels = keys, levels
        self._keys, self._levels = keys.data, levels.data

    def __missing__(self, subject: int) -> dict[int, int]:
        low, keys = _group(self._keys, subject)
        first, levels = subject << 32, self._levels[low : low + len(keys)]
        found = {key - first: level for key, level in zip(keys, levels, strict=True)}
        if self.known.get(subject):
            found |= self.known[subject]
            found = {object_: level for object_, level in found.items() if level is not None}
        self[subject] = self.known[subject] = found
        return found

    def level(self, subject: int, object_: int) -> int | None:
        """The level of one fact, None when it does not hold."""
        row = self.known[subject]
        if object_ not in row and subject not in self:
            row[object_] = self._base_level(subject << 32 | object_)
        return row.get(object_)

    def look_up(self, rows: Iterable[Row]) -> None:
        """Makes `known` tell the level of each of these facts."""
        known = self.known
        cold = [(s, o) for s, o, _ in rows if o not in known[s] and s not in self]
        if len(cold) < _SHORT:
            for subject, object_ in cold:
                known[subject][object_] = self._base_level(subject << 32 | object_)
        else:
            for (subject, object_), level in zip(cold, self._base_levels_of(cold), strict=True):
                known[subject][object_] = level

    def drop(self, rows: Iterable[Row]) -> None:
        """Removes facts that hold."""
        known = self.known
        for subject, object_, _ in rows:
            if subject in self:
                del known[subject][object_]
            else:
                known[subject][object_] = None

    def complete(self) -> None:
        """Hydrates every row of which something is known."""
        for subject in self.known.keys() - self.keys():
            self[subject]

    def _base_level(self, key: int) -> int | None:
        place = bisect_left(self._keys, key)
        if place < len(self._keys) and self._keys[place] == key:
            return self._levels[place]
        return None

    def _base_levels_of(self, pairs: list[tuple[int, int]]) -> list[int | None]:
        if not len(self._base):
            return [None] * len(pairs)
        keys = np.array([subject << 32 | object_ for subject, object_ in pairs], np.int64)
        places = np.minimum(np.searchsorted(self._base, keys), len(self._base) - 1)
        held = (self._base[places] == keys).tolist()
        levels = self._base_levels[places].tolist()
        return [level if holds else None for level, holds in zip(levels, held, strict=True)]


class Subjects(dict[int, set[int]]):
    """object → subjects, hydrated like `Objects` from keys sorted by object.

    A change does not hydrate: most objects, such as a class of thousands, are written and never read.
    """

    __slots__ = ("_base", "_keys", "_late", "_waiting")

    def __init__(self, base: Keys) -> None:
        super().__init__()
        self._base = base
        self._keys: memoryview | None = None
        self._waiting: list[tuple[list[Row], bool]] = []
        """What came and went while no object at all has been read, oldest first."""
        self._late: defaultdict[int, dict[int, bool]] = defaultdict(dict)
        """What came (True) and went (False) at objects that nobody has read yet."""

    def put(self, rows: list[Row]) -> None:
        """Adds the subjects of rows; nothing happens to those that are there."""
        if not self:
            self._wait(rows, came=True)
            return
        late = self._late
        for subject, object_, _ in rows:
            known = self.get(object_)
            if known is None:
                late[object_][subject] = True
            elif known is _NOBODY:
                self[object_] = {subject}
            else:
                known.add(subject)

    def take(self, rows: list[Row]) -> None:
        """Removes the subjects of rows, which are there."""
        if not self:
            self._wait(rows, came=False)
            return
        late = self._late
        for subject, object_, _ in rows:
            known = self.get(object_)
            if known is None:
                late[object_][subject] = False
            else:
                known.discard(subject)

    def _wait(self, rows: list[Row], *, came: bool) -> None:
        self._waiting.append((rows, came))
        if len(self._waiting) > _MANY:
            self._sort_out()

    def _sort_out(self) -> None:
        for rows, came in self._waiting:
            for subject, object_, _ in rows:
                self._late[object_][subject] = came
        self._waiting.clear()

    def __missing__(self, object_: int) -> set[int]:
        self._sort_out()
        if self._keys is None:
            self._keys = np.sort(swapped(self._base)).data
        subjects = {key & MASK for key in _group(self._keys, object_)[1]}
        for subject, came in self._late.pop(object_, _NOTHING).items():
            (subjects.add if came else subjects.discard)(subject)
        found = self[object_] = subjects or _NOBODY
        return found


class Pairs:
    """A set of (subject, object), readable from both sides."""

    __slots__ = ("_base", "objects", "subjects")

    def __init__(self, keys: Keys) -> None:
        self._base = keys
        self.objects = Subjects(np.sort(swapped(keys)))
        self.subjects = Subjects(keys)

    def __contains__(self, pair: tuple[int, int]) -> bool:
        return pair[1] in self.objects[pair[0]]

    def add(self, rows: list[Row]) -> None:
        """Adds pairs; nothing happens to those that are there."""
        objects = self.objects
        for subject, object_, _ in rows:
            if objects[subject] is _NOBODY:
                objects[subject] = {object_}
            else:
                objects[subject].add(object_)
        self.subjects.put(rows)

    def of(self, rows: Iterable[Row]) -> list[Row]:
        """Those of the rows that are here."""
        objects = self.objects
        return [row for row in rows if row[1] in objects[row[0]]]

    def discard(self, rows: list[Row]) -> None:
        """Removes pairs that are here."""
        for subject, object_, _ in rows:
            self.objects[subject].discard(object_)
        self.subjects.take(rows)

    def keys(self) -> Keys:
        """All pairs as sorted keys."""
        touched = self.objects
        base = self._base[~np.isin(self._base >> 32, list(touched))]
        fresh = as_keys([(subject, object_) for subject, objects in touched.items() for object_ in objects])
        return np.sort(np.concatenate((base, fresh)))


@dataclass(slots=True)
class Occupancy:
    """Counts how often any table of a network went from empty to filled or back."""

    changes: int = 0


class Table:
    """All facts of one predicate with their levels: 0 is asserted, n is 1 + the highest premise.

    `lowest`, `highest` and `highest_edge` are bounds of the levels that it ever held. They only
    widen, and tell which rules cannot matter to a deletion without a look at a single fact.
    """

    __slots__ = (
        "_base",
        "_levels",
        "edges",
        "highest",
        "highest_edge",
        "known",
        "lowest",
        "mirror",
        "objects",
        "occupancy",
        "predicate",
        "size",
        "subjects",
    )

    def __init__(
        self,
        predicate: int,
        keys: Keys,
        levels: NDArray[np.int32],
        edges: Keys | None,
        occupancy: Occupancy,
    ) -> None:
        self.predicate = predicate
        self.occupancy = occupancy
        self.objects = Objects(keys, levels)
        self.known = self.objects.known
        self.subjects = Subjects(keys)
        self.edges = None if edges is None else Pairs(edges)
        self.mirror: Table | None = None
        """The table of the inverse predicate when it holds nothing but these facts the other way round."""
        self.size = len(keys)
        self._base, self._levels = keys, levels
        self.lowest = int(levels.min()) if len(levels) else _NO_LEVEL
        self.highest = int(levels.max()) if len(levels) else -1
        self.highest_edge = -1
        if edges is not None and len(edges):
            self.highest_edge = int(levels[np.searchsorted(keys, edges)].max())

    @staticmethod
    def empty(predicate: int, occupancy: Occupancy, *, transitive: bool) -> Table:
        """A table without facts."""
        nothing = np.empty(0, np.int64)
        return Table(predicate, nothing, np.empty(0, np.int32), nothing if transitive else None, occupancy)

    def level(self, subject: int, object_: int) -> int | None:
        """The level of a fact, None when it does not hold."""
        return self.objects.level(subject, object_)

    def add(self, rows: list[Row], *, edge: bool) -> None:
        """Adds different facts that do not hold, at least one; transitive ones as edges or as paths."""
        known = self.known
        for subject, object_, level in rows:
            known[subject][object_] = level
        self.subjects.put(rows)
        self._widen(rows)
        self._resize(len(rows))
        if edge and self.edges is not None:
            self.add_edges(rows)

    def add_edges(self, rows: list[Row]) -> None:
        """Makes facts of a transitive predicate edges."""
        assert self.edges is not None
        self.edges.add(rows)
        self.highest_edge = max(self.highest_edge, *map(LEVEL, rows))

    def drop(self, rows: list[Row], *, edge: bool) -> None:
        """Removes different facts that hold, at least one; transitive ones are all edges or all paths."""
        self.objects.drop(rows)
        self.subjects.take(rows)
        self._resize(-len(rows))
        if edge and self.edges is not None:
            self.edges.discard(rows)

    def restate(self, row: Row, *, edge: bool) -> None:
        """Gives a fact that holds another level, and makes it an edge or a path."""
        subject, object_, level = row
        self.known[subject][object_] = level
        self._widen([row])
        if self.edges is not None and edge:
            self.add_edges([row])
        elif self.edges is not None:
            self.edges.discard(self.edges.of([row]))

    def _resize(self, change: int) -> None:
        if self.mirror is not None:
            self.mirror.size += change
        if not self.size or not self.size + change:
            self.occupancy.changes += 1
        self.size += change

    def _widen(self, rows: list[Row]) -> None:
        levels = list(map(LEVEL, rows))
        self.lowest, self.highest = min(self.lowest, *levels), max(self.highest, *levels)

    def rows(self) -> Iterator[Row]:
        """All (subject, object, level)."""
        keys, levels = self._untouched()  # before the first row: a reader may hydrate what it reads
        for subject, objects in list(self.objects.items()):
            for object_, level in objects.items():
                yield subject, object_, level
        yield from zip((keys >> 32).tolist(), (keys & MASK).tolist(), levels.tolist(), strict=True)

    def arrays(self) -> tuple[Keys, NDArray[np.int32]]:
        """All facts as sorted keys, and their levels in the same order."""
        keys, levels = self._untouched()
        rows = [(s << 32 | o, level) for s, objects in self.objects.items() for o, level in objects.items()]
        if rows:
            fresh = np.array(rows, np.int64)
            keys = np.concatenate((keys, fresh[:, 0]))
            levels = np.concatenate((levels, fresh[:, 1].astype(np.int32)))
            order = np.argsort(keys, kind="stable")
            keys, levels = keys[order], levels[order]
        return keys, levels

    def edge_keys(self) -> Keys:
        """The edges as sorted keys; none for a predicate that is not transitive."""
        return np.empty(0, np.int64) if self.edges is None else self.edges.keys()

    def _untouched(self) -> tuple[Keys, NDArray[np.int32]]:
        self.objects.complete()
        if not self.objects:
            return self._base, self._levels
        keep = ~np.isin(self._base >> 32, np.fromiter(self.objects, np.int64, len(self.objects)))
        return self._base[keep], self._levels[keep]
