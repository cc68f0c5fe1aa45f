"""Pairs of ids as sorted 64-bit keys, and where those of each first id start and end."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Collection, Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from synapse.reasoning.terms import Pair

Keys = NDArray[np.int64]
"""Pairs of ids as `first << 32 | second`, sorted, without duplicates."""

MASK: Final = 0xFFFF_FFFF
_SECOND: Final = 0 if sys.byteorder == "little" else 1
"""Which half of a key holds the second id."""


def swapped(keys: Keys) -> Keys:
    """The same pairs with first and second exchanged; not sorted."""
    return (keys & MASK) << 32 | keys >> 32


def as_keys(pairs: Iterable[Pair]) -> Keys:
    """Sorted keys of distinct pairs."""
    listed = list(pairs)
    if not listed:
        return np.empty(0, np.int64)
    array = np.array(listed, np.int64)
    return np.sort(array[:, 0] << 32 | array[:, 1])


def outside(keys: Keys, firsts: Collection[int]) -> NDArray[np.bool_]:
    """For each key whether its first id is none of these."""
    return ~np.isin(keys >> 32, np.fromiter(firsts, np.int64, len(firsts)))


class Groups:
    """Sorted keys by their first id.

    The firsts are found once, when something is looked up. They are far fewer than the keys, so that a search
    stays in the processor's cache; among all keys it waits for main memory at most of its steps.
    """

    __slots__ = ("_firsts", "_starts", "keys", "seconds")

    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        self._firsts: memoryview | None = None
        self._starts = keys.data
        self.seconds = keys.view(np.uint32)[_SECOND::2].data
        """The second ids in the order of the keys."""

    def span(self, first: int) -> tuple[int, int]:
        """Where the keys with this first id start and end."""
        if self._firsts is None:
            self._firsts = self._found_firsts()
        place = bisect_left(self._firsts, first)
        if place < len(self._firsts) and self._firsts[place] == first:
            return self._starts[place], self._starts[place + 1]
        return 0, 0

    def _found_firsts(self) -> memoryview:
        firsts = self.keys >> 32
        starts = np.flatnonzero(np.diff(firsts, prepend=-1))
        self._starts = np.append(starts, len(firsts)).data
        return np.ascontiguousarray(firsts[starts]).data
