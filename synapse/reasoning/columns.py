"""Joins of sorted pair arrays: what the bulk evaluator and the search for inconsistencies run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from synapse.reasoning.keys import MASK, Keys, swapped
from synapse.reasoning.program import Atom

Column = NDArray[np.int64]
NO_KEYS: Final[Keys] = np.empty(0, np.int64)


MAX_ROWS: Final = 1 << 26
"""Rows of one join; more would take gigabytes before anybody could count them."""


class JoinTooLarge(Exception):
    """A join would have more than `MAX_ROWS` rows; nothing was computed."""


class SortedPairs:
    """Sorted distinct keys, with the same pairs sorted by their second part when asked for."""

    __slots__ = ("_backward", "keys")

    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        self._backward: Keys | None = None

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def backward(self) -> Keys:
        """`second << 32 | first`, sorted; computed once."""
        if self._backward is None:
            self._backward = np.sort(swapped(self.keys))
        return self._backward


def distinct(keys: Keys) -> Keys:
    """The keys sorted, each once."""
    keys = np.sort(keys)
    return keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if len(keys) > 1 else keys


def found(needles: Keys, haystack: Keys) -> NDArray[np.bool_]:
    """For each needle whether the sorted haystack holds it."""
    if not len(haystack):
        return np.zeros(len(needles), np.bool_)
    places = np.searchsorted(haystack, needles)
    places[places == len(haystack)] = 0
    return haystack[places] == needles  # type: ignore[no-any-return]


def merged(keys: Keys, fresh: Keys) -> tuple[Keys, NDArray[Any]]:
    """Two sorted disjoint arrays as one, and the positions in `keys` before which `fresh` went."""
    places = np.searchsorted(keys, fresh)
    return np.insert(keys, places, fresh), places


@dataclass(frozen=True, slots=True)
class Bindings:
    """A relation over variables: one column per variable, all of length `size`."""

    columns: dict[int, Column]
    size: int

    @staticmethod
    def unit() -> Bindings:
        """The relation without variables that holds once: the start of every join."""
        return Bindings({}, 1)

    def value(self, term: int) -> Column | int:
        """The column of a variable, or a constant as it is."""
        return self.columns[term] if term < 0 else term

    def rows(self, chosen: NDArray[Any]) -> Bindings:
        """The rows that a mask or an array of positions chooses."""
        columns = {variable: column[chosen] for variable, column in self.columns.items()}
        size = int(chosen.sum()) if chosen.dtype == np.bool_ else len(chosen)
        return Bindings(columns, size)

    def keys(self, atom: Atom) -> Keys:
        """The pairs that `atom` stands for, unsorted, one per row."""
        keys = self.value(atom.subject) << 32 | self.value(atom.object)
        return np.full(self.size, keys, np.int64) if isinstance(keys, int) else keys

    def join(self, atom: Atom, pairs: SortedPairs) -> Bindings:
        """The rows that continue through `pairs` at `atom`."""
        subject_bound = atom.subject >= 0 or atom.subject in self.columns
        object_bound = atom.object >= 0 or atom.object in self.columns
        if subject_bound and object_bound:
            return self.rows(found(self.keys(atom), pairs.keys))
        if subject_bound:
            return self._expand(atom.subject, atom.object, pairs.keys)
        if object_bound:
            return self._expand(atom.object, atom.subject, pairs.backward)
        return self._product(atom, pairs.keys)

    def _expand(self, bound: int, free: int, keys: Keys) -> Bindings:
        """One row per partner of the bound term; `keys` are sorted by it."""
        value = self.value(bound)
        if isinstance(value, int) and self.size == 1:
            return self._slice(value, free, keys)
        starts = np.full(self.size, value, np.int64) << 32 if isinstance(value, int) else value << 32
        low = np.searchsorted(keys, starts)
        counts = np.searchsorted(keys, starts + (1 << 32)) - low
        total = int(counts.sum())
        if total > MAX_ROWS:
            raise JoinTooLarge
        repeated = np.repeat(np.arange(self.size), counts)
        offsets = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
        result = self.rows(repeated)
        result.columns[free] = keys[low[repeated] + offsets] & MASK
        return result

    def _slice(self, value: int, free: int, keys: Keys) -> Bindings:
        """The partners of one constant, for a single row: where most joins start."""
        low, high = np.searchsorted(keys, [value << 32, (value + 1) << 32])
        result = self.rows(np.zeros(high - low, np.int64))
        result.columns[free] = keys[low:high] & MASK
        return result

    def _product(self, atom: Atom, keys: Keys) -> Bindings:
        result = (
            self.rows(np.repeat(np.arange(self.size), len(keys))) if self.columns else Bindings({}, len(keys))
        )
        subjects, objects = keys >> 32, keys & MASK
        if self.size > 1:
            subjects, objects = np.tile(subjects, self.size), np.tile(objects, self.size)
        result.columns[atom.subject] = subjects
        if atom.subject == atom.object:
            return result.rows(subjects == objects)
        result.columns[atom.object] = objects
        return result


def concatenated(parts: Iterable[Keys]) -> Keys:
    """All keys of the parts, sorted, each once."""
    arrays = list(parts)
    return distinct(np.concatenate(arrays)) if arrays else NO_KEYS
