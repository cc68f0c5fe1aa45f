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
    """subject → {object: level}; `objects[s]` never fails, and what is absent is looked for once."""

    __slots__ = ("_keys", "_levels")

    def __init__(self, keys: Keys, levels: NDArray[np.int32]) -> None:
        super().__init__()
        self._keys, self._levels = keys.data, levels.data

    def __missing__(self, subject: int) -> dict[int, int]:
        low, keys = _group(self._keys, subject)
        if not keys:
            self[subject] = _NOTHING
            return _NOTHING  # type: ignore[no-any-return]
        first, levels = subject << 32, self._levels[low : low + len(keys)]
        found = {key - first: level for key, level in zip(keys, levels, strict=True)}
        self[subject] = found
        return found


class Subjects(dict[int, set[int]]):
    """object → subjects, hydrated like `Objects` from keys sorted by object.

    A change does not hydrate: most objects, such as a class of thousands, are written and never read.
    """

    __slots__ = ("_base", "_keys", "_late")

    def __init__(self, base: Keys) -> None:
        super().__init__()
        self._base = base
        self._keys: memoryview | None = None
        self._late: defaultdict[int, dict[int, bool]] = defaultdict(dict)
        """What came (True) and went (False) at objects that nobody has read yet."""

    def put(self, object_: int, subject: int) -> None:
        """Adds a subject; nothing happens when it is there."""
        known = self.get(object_)
        if known is None:
            self._late[object_][subject] = True
        elif known is _NOBODY:
            self[object_] = {subject}
        else:
            known.add(subject)

    def take(self, object_: int, subject: int) -> None:
        """Removes a subject that is there."""
        known = self.get(object_)
        if known is None:
            self._late[object_][subject] = False
        else:
            known.discard(subject)

    def __missing__(self, object_: int) -> set[int]:
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

    def add(self, subject: int, object_: int) -> None:
        """Adds a pair; nothing happens when it is there."""
        objects = self.objects[subject]
        if objects is _NOBODY:
            objects = self.objects[subject] = set()
        objects.add(object_)
        self.subjects.put(object_, subject)

    def discard(self, subject: int, object_: int) -> None:
        """Removes a pair; nothing happens when it is not there."""
        if object_ in self.objects[subject]:
            self.objects[subject].discard(object_)
            self.subjects.take(object_, subject)

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
        "lowest",
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
        self.subjects = Subjects(keys)
        self.edges = None if edges is None else Pairs(edges)
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
        return self.objects[subject].get(object_)

    def put(self, subject: int, object_: int, level: int) -> None:
        """Adds a fact, or changes its level."""
        objects = self.objects[subject]
        if object_ not in objects:
            if objects is _NOTHING:
                objects = self.objects[subject] = {}
            self.subjects.put(object_, subject)
            self.size += 1
            if self.size == 1:
                self.occupancy.changes += 1
        objects[object_] = level
        self._widen(level)

    def _widen(self, level: int) -> None:
        self.lowest, self.highest = min(self.lowest, level), max(self.highest, level)

    def set_edge(self, subject: int, object_: int, *, edge: bool) -> None:
        """Makes a fact of a transitive predicate an edge or a path; one that is gone is neither."""
        assert self.edges is not None
        if edge:
            self.edges.add(subject, object_)
            self.highest_edge = max(self.highest_edge, self.objects[subject][object_])
        else:
            self.edges.discard(subject, object_)

    def add(self, rows: list[Row]) -> None:
        """Adds different facts that do not hold, at least one."""
        all_objects, put = self.objects, self.subjects.put
        for subject, object_, level in rows:
            objects = all_objects[subject]
            if objects is _NOTHING:
                objects = all_objects[subject] = {}
            objects[object_] = level
            put(object_, subject)
        levels = [level for _, _, level in rows]
        self._widen(min(levels))
        self._widen(max(levels))
        if not self.size:
            self.occupancy.changes += 1
        self.size += len(rows)

    def drop(self, rows: Iterable[tuple[int, int]]) -> None:
        """Removes different facts that hold, at least one."""
        all_objects, take = self.objects, self.subjects.take
        for subject, object_ in rows:
            del all_objects[subject][object_]
            take(object_, subject)
            self.size -= 1
        if not self.size:
            self.occupancy.changes += 1

    def rows(self) -> Iterator[Row]:
        """All (subject, object, level)."""
        touched = list(self.objects.items())
        keys, levels = self._untouched()  # before the first row: a reader may hydrate what it reads
        for subject, objects in touched:
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
        if not self.objects:
            return self._base, self._levels
        keep = ~np.isin(self._base >> 32, np.fromiter(self.objects, np.int64, len(self.objects)))
        return self._base[keep], self._levels[keep]
