"""The facts of one predicate, from both sides, with their levels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from synapse.reasoning.hydration import NOBODY, Neighbours, Objects, Row
from synapse.reasoning.keys import MASK, Keys, swapped
from synapse.reasoning.terms import Pair

LEVEL: Final = itemgetter(2)
"""The level of a row."""

_NO_LEVEL: Final = 1 << 31


class Pairs:
    """A set of (subject, object), readable from both sides."""

    __slots__ = ("objects", "subjects")

    def __init__(self, keys: Keys) -> None:
        self.objects = Neighbours(lambda: keys)
        self.subjects = Neighbours(_backward(self.objects))

    def __contains__(self, pair: Pair) -> bool:
        return pair[1] in self.objects[pair[0]]

    def add(self, rows: list[Row]) -> None:
        """Adds pairs; nothing happens to those that are there."""
        objects = self.objects
        for subject, object_, _ in rows:
            if objects[subject] is NOBODY:
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
        return self.objects.pairs()


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
        self.subjects = Neighbours(_backward(self.objects))
        self.edges = None if edges is None else Pairs(edges)
        self.mirror: Table | None = None
        """The table of the inverse predicate when it holds nothing but these facts the other way round."""
        self.size = len(keys)
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
        for level in set(map(LEVEL, rows)):
            self.lowest = min(self.lowest, level)
            self.highest = max(self.highest, level)

    def rows(self) -> Iterator[Row]:
        """All (subject, object, level)."""
        keys, levels = self.objects.untouched()  # before the first row: a reader may hydrate what it reads
        for subject, objects in list(self.objects.items()):
            for object_, level in objects.items():
                yield subject, object_, level
        yield from zip((keys >> 32).tolist(), (keys & MASK).tolist(), levels.tolist(), strict=True)

    def arrays(self) -> tuple[Keys, NDArray[np.int32]]:
        """All facts as sorted keys, and their levels in the same order."""
        return self.objects.arrays()

    def edge_keys(self) -> Keys:
        """The edges as sorted keys; none for a predicate that is not transitive."""
        return np.empty(0, np.int64) if self.edges is None else self.edges.keys()


def _backward(facts: Objects | Neighbours) -> Callable[[], Keys]:
    return lambda: np.sort(swapped(facts.pairs()))
