"""Dicts over sorted keys, for the terms that were touched.

A bulk run leaves sorted arrays. Most of a large memory is never touched again, so what a term is paired with
becomes a dict or a set only on first access ("hydration"): a million facts cost the arrays, an edit costs
what it touches.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from synapse.reasoning.keys import Groups, Keys, as_keys, outside
from synapse.reasoning.terms import Pair

Row = tuple[int, int, int]
"""A fact of one predicate: subject, object, level."""

_NOTHING: Final[Any] = MappingProxyType({})
NOBODY: Final[Any] = frozenset()
"""The neighbours of a term that has none: one object for all, to be replaced, not added to."""
_SHORT: Final = 16
"""A row of so few facts is built as fast as one of them is found; so many are found faster at once."""


class Objects(dict[int, dict[int, int]]):
    """subject → {object: level}, hydrated as whole rows; `objects[s]` never fails.

    `known` has what is known of any row: all of it, or single facts, and there None says that a fact does
    not hold. An edit that asks for single facts or changes them goes by `known`: building the rows of
    hubs, where most inverse facts are, took as long as the rest of an edit.
    """

    __slots__ = ("_base", "_base_levels", "_groups", "_levels", "known")

    def __init__(self, keys: Keys, levels: NDArray[np.int32]) -> None:
        super().__init__()
        self.known: defaultdict[int, dict[int, Any]] = defaultdict(dict)
        self._base, self._base_levels = keys, levels
        self._groups, self._levels = Groups(keys), levels.data

    def __missing__(self, subject: int) -> dict[int, int]:
        low, high = self._groups.span(subject)
        objects, levels = self._groups.seconds[low:high], self._levels[low:high]
        found = dict(zip(objects.tolist(), levels.tolist(), strict=True))
        if self.known.get(subject):
            found |= self.known[subject]
            found = {object_: level for object_, level in found.items() if level is not None}
        self[subject] = self.known[subject] = found
        return found

    def level(self, subject: int, object_: int) -> int | None:
        """The level of one fact, None when it does not hold."""
        row = self.known[subject]
        if object_ in row or subject in self:
            return row.get(object_)
        self._learn(subject, object_)
        return self.known[subject].get(object_)

    def look_up(self, rows: Iterable[Row]) -> None:
        """Makes `known` tell the level of each of these facts."""
        known = self.known
        cold = [(s, o) for s, o, _ in rows if s not in self and o not in known[s]]
        if len(cold) < _SHORT:
            for subject, object_ in cold:
                self._learn(subject, object_)
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

    def arrays(self) -> tuple[Keys, NDArray[np.int32]]:
        """All facts as sorted keys, and their levels in the same order."""
        keys, levels = self.untouched()
        rows = [(s << 32 | o, level) for s, objects in self.items() for o, level in objects.items()]
        if rows:
            fresh = np.array(rows, np.int64)
            keys = np.concatenate((keys, fresh[:, 0]))
            levels = np.concatenate((levels, fresh[:, 1].astype(np.int32)))
            order = np.argsort(keys, kind="stable")
            keys, levels = keys[order], levels[order]
        return keys, levels

    def pairs(self) -> Keys:
        """All facts as sorted keys."""
        return self.arrays()[0]

    def untouched(self) -> tuple[Keys, NDArray[np.int32]]:
        """The facts of subjects that are not hydrated, once all are of which something is known."""
        for subject in self.known.keys() - self.keys():
            self[subject]
        if not self:
            return self._base, self._base_levels
        keep = outside(self._base, self)
        return self._base[keep], self._base_levels[keep]

    def _learn(self, subject: int, object_: int) -> None:
        low, high = self._groups.span(subject)
        if high - low <= _SHORT:
            self[subject]
            return
        objects = self._groups.seconds
        place = bisect_left(objects, object_, low, high)
        holds = place < high and objects[place] == object_
        self.known[subject][object_] = self._levels[place] if holds else None

    def _base_levels_of(self, pairs: list[Pair]) -> list[int | None]:
        if not len(self._base):
            return [None] * len(pairs)
        keys = np.array([subject << 32 | object_ for subject, object_ in pairs], np.int64)
        places = np.minimum(np.searchsorted(self._base, keys), len(self._base) - 1)
        held = (self._base[places] == keys).tolist()
        levels = self._base_levels[places].tolist()
        return [level if holds else None for level, holds in zip(levels, held, strict=True)]


class Neighbours(dict[int, set[int]]):
    """term → the terms it is paired with; `neighbours[t]` never fails.

    `source` gives the pairs as sorted keys. It is asked once, at the first question: before, no change needs
    to be kept. Afterwards a change does not hydrate: most terms, such as a class of thousands, are written
    and never read.
    """

    __slots__ = ("_groups", "_late", "_source")

    def __init__(self, source: Callable[[], Keys]) -> None:
        super().__init__()
        self._source = source
        self._groups: Groups | None = None
        self._late: defaultdict[int, dict[int, bool]] = defaultdict(dict)
        """What came (True) and went (False) at terms that nobody has read yet."""

    def put(self, rows: list[Row]) -> None:
        """Adds to each row's object its subject; nothing happens to those that are there."""
        self._change(rows, came=True)

    def take(self, rows: list[Row]) -> None:
        """Removes from each row's object its subject, which is there."""
        self._change(rows, came=False)

    def _change(self, rows: list[Row], *, came: bool) -> None:
        if self._groups is None:
            return
        late = self._late
        for subject, object_, _ in rows:
            known = self.get(object_)
            if known is None:
                late[object_][subject] = came
            elif not came:
                known.discard(subject)
            elif known is NOBODY:
                self[object_] = {subject}
            else:
                known.add(subject)

    def __missing__(self, term: int) -> set[int]:
        if self._groups is None:
            self._groups = Groups(self._source())
        low, high = self._groups.span(term)
        found = set(self._groups.seconds[low:high].tolist())
        for other, came in self._late.pop(term, _NOTHING).items():
            (found.add if came else found.discard)(other)
        kept = self[term] = found or NOBODY
        return kept

    def pairs(self) -> Keys:
        """All pairs as sorted keys, the terms that are looked up first."""
        if self._groups is None:
            return self._source()
        for term in list(self._late):
            self[term]
        base = self._groups.keys
        fresh = as_keys((term, other) for term, others in self.items() for other in others)
        return np.sort(np.concatenate((base[outside(base, self)], fresh)))
