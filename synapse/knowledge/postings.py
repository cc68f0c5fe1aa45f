"""Trigram postings: which rows share pieces of text with a query, most alike first.

A gram is three characters packed into one integer (21 bits each, the width of Unicode), so a
whole vocabulary is cut by numpy at once. The ends of a name are padded with blanks: one typo
then leaves at least one gram of a name of four letters whole, wherever it falls. Up to three
letters the single characters are grams too, because swapping two of them breaks every trigram.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

SHORT: Final = 3
ENOUGH: Final = 16
"""Postings read whatever their length: fewer lose names whose words are swapped (docs/resolver.md)."""
BUDGET: Final = 12_000
"""Row numbers after which no more postings are read, once `ENOUGH` are."""
CEILING: Final = 150_000
"""Row numbers after which no more postings are read at all: the bound on the work of a query."""
_SPARSE: Final = 8
_WIDTH: Final = 21


class Postings:
    """Rows of text by their trigrams; rows are numbered from 0 in the order they were added.

    One thread writes, any number read: rows are only appended, and a query copies what it
    needs in one C call that holds the interpreter lock.
    """

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._rows: dict[int, array[int]] = {}
        self._sizes = np.zeros(max(64, len(texts)), dtype=np.int32)
        self._count = len(texts)
        self._hidden = 0
        if texts:
            self._build(texts)

    def __len__(self) -> int:
        return self._count

    def add(self, text: str) -> int:
        """Append one row and return its number."""
        row = self._count
        if row == len(self._sizes):
            self._sizes = np.concatenate([self._sizes, np.zeros(row, dtype=np.int32)])
        codes = grams(text)
        self._sizes[row] = len(codes)
        for code in codes:
            rows = self._rows.get(code)
            if rows is None:
                self._rows[code] = array("i", (row,))
            else:
                rows.append(row)
        self._count = row + 1
        return row

    def hide(self, row: int) -> None:
        """Leave a row out of every answer."""
        self._hidden += self._sizes[row] > 0
        self._sizes[row] = 0

    def show(self, row: int, text: str) -> None:
        """Bring a hidden row back; `text` is the one it was added with."""
        self._hidden -= self._sizes[row] == 0
        self._sizes[row] = len(grams(text))

    def nearest(self, text: str, *, limit: int) -> list[int]:
        """At most `limit` rows by the Dice coefficient of their grams with those of `text`."""
        codes = grams(text)
        chosen = self._rarest(codes)
        if not chosen:
            return []
        hits = np.frombuffer(b"".join(chosen), dtype=np.intc)
        sizes = self._sizes if self._hidden else None
        rows, shared = _strongest(hits, sizes=sizes, sparse=self._count > _SPARSE * len(hits))
        dice = shared / (self._sizes[rows] + len(codes))
        nearest: list[int] = rows[_best(dice, limit)].tolist()
        return nearest

    def _rarest(self, codes: Iterable[int]) -> list[array[int]]:
        """The postings to read: rare grams tell most, so they come first, until the budget is spent."""
        known = sorted((rows for code in codes if (rows := self._rows.get(code))), key=len)
        spent = 0
        for position, rows in enumerate(known):
            spent += len(rows)
            if position and spent > (BUDGET if position >= ENOUGH else CEILING):
                return known[:position]
        return known

    def _build(self, texts: Sequence[str]) -> None:
        codes, rows = _all_grams(texts)
        self._sizes[: len(texts)] = np.bincount(rows, minlength=len(texts))
        starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
        ends = np.append(starts[1:], len(codes))
        for code, start, end in zip(codes[starts].tolist(), starts.tolist(), ends.tolist(), strict=True):
            self._rows[code] = array("i", rows[start:end].tobytes())


def grams(text: str) -> set[int]:
    """The packed grams of a text."""
    points = [32, 32, *map(ord, text), 32]
    packed = {
        (first << 2 * _WIDTH) | (second << _WIDTH) | third
        for first, second, third in zip(points, points[1:], points[2:], strict=False)
    }
    if len(text) <= SHORT:
        packed.update(points[2:-1])
    return packed


def _all_grams(texts: Sequence[str]) -> tuple[Ints, npt.NDArray[np.intc]]:
    """Distinct (gram, row) pairs of many texts, sorted by gram, then by row."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    joined = "".join(f"  {text} " for text in texts).encode("utf-32-le", "surrogatepass")
    points = np.frombuffer(joined, dtype=np.uint32).astype(np.int64)
    rows = np.repeat(np.arange(len(texts)), lengths + 3)
    packed = (points[:-2] << 2 * _WIDTH) | (points[1:-1] << _WIDTH) | points[2:]
    whole = rows[:-2] == rows[2:]
    single = (lengths[rows] <= SHORT) & _unpadded(lengths)
    codes = np.concatenate([packed[whole], points[single]])
    return _distinct(codes, np.concatenate([rows[:-2][whole], rows[single]]), len(texts))


def _unpadded(lengths: Ints) -> npt.NDArray[np.bool_]:
    """Marks the characters of each text itself, not its three blanks."""
    ends = np.cumsum(lengths + 3)
    mask = np.ones(int(ends[-1]), dtype=np.bool_)
    starts = ends - lengths - 3
    for pads in (starts, starts + 1, ends - 1):
        mask[pads] = False
    return mask


def _distinct(codes: Ints, rows: Ints, count: int) -> tuple[Ints, npt.NDArray[np.intc]]:
    """The pairs without repetition, by one sort of one integer a pair."""
    alphabet = _sorted_once(codes)
    pairs = _sorted_once(np.searchsorted(alphabet, codes) * count + rows)
    return alphabet[pairs // count], (pairs % count).astype(np.intc)


def _sorted_once(values: Ints) -> Ints:
    # Not np.unique: since numpy 2.3 it hashes, ten times slower than sorting on these values.
    ordered = np.sort(values)
    fresh = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    return np.asarray(ordered[fresh], dtype=np.int64)


def _strongest(
    hits: npt.NDArray[np.intc], *, sizes: npt.NDArray[np.int32] | None, sparse: bool
) -> tuple[Ints, npt.NDArray[np.integer[Any]]]:
    """The rows that were hit and how often; those of size 0 and those hit a quarter as often are left out.

    A quarter is far below any name that could be meant. With `sparse` the hits are sorted, else all
    rows are counted at once, which is faster until the rows are many times the hits.
    """
    # Sixteen bits hold any count (a name has at most some 500 grams) and are read four times as fast.
    rows, counts = _sorted_counts(hits) if sparse else (None, np.bincount(hits).astype(np.uint16))
    if sizes is not None:
        counts[(sizes[: len(counts)] if rows is None else sizes[rows]) == 0] = 0
    strong = np.flatnonzero(counts >= max(1, -(-int(counts.max()) // 4)))
    return (strong if rows is None else rows[strong]), counts[strong]


def _sorted_counts(hits: npt.NDArray[np.intc]) -> tuple[Ints, npt.NDArray[np.integer[Any]]]:
    ordered = np.sort(hits)
    bounds = np.concatenate([[0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, [len(ordered)]])
    return ordered[bounds[:-1]].astype(np.int64), bounds[1:] - bounds[:-1]


def _best(scores: npt.NDArray[np.float64], limit: int) -> Ints:
    """Positions of the highest scores, best first; equal scores keep their order."""
    if len(scores) > limit:
        chosen = np.sort(np.argpartition(-scores, limit - 1)[:limit])
    else:
        chosen = np.arange(len(scores))
    order = np.argsort(-scores[chosen], kind="stable")
    return np.asarray(chosen[order], dtype=np.int64)
