"""Trigram postings: which rows share pieces of text with a query, most alike first.

A gram is three characters. The ends of a name are padded with blanks: one typo then leaves at
least one gram of a name of four letters whole, wherever it falls. Up to three letters the single
characters are grams too, because swapping two of them breaks every trigram.

Names are cut into grams one at a time, or many at once by numpy, each gram packed into an integer.
"""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

SHORT: Final = 3
BUDGET: Final = 2_000
"""Row numbers after which no more postings are read, once there are enough, see `_enough`."""
CEILING: Final = 150_000
"""Row numbers after which no more postings are read at all: the bound on the work of a query."""
RIVAL: Final = 0.6
"""The share of the first row's Dice coefficient below which a row is not worth another look: the names
meant have at least 0.84 of it (999 of 1000 typos and swapped words, at 20,000 and at 200,000 rows).
What is kept beyond that are names so like the one meant that it must be asked which of them is."""
_WIDTH: Final = 21
"""Bits of a character in a packed gram: the width of Unicode."""
_SORTED_WHOLE: Final = 256


class Postings:
    """Rows of text by their trigrams; rows are numbered from 0 in the order they were added.

    One thread writes, any number read: rows are only appended, and a query copies what it
    needs in one C call that holds the interpreter lock.
    """

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._rows: dict[str, array[int]] = {}
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
        pieces = grams(text)
        self._sizes[row] = len(pieces)
        for gram in pieces:
            rows = self._rows.get(gram)
            if rows is None:
                self._rows[gram] = array("i", (row,))
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
        return self._by_dice(text, limit=limit, wanted=-(-limit // 4))[0]

    def rivals(self, text: str, *, limit: int) -> list[int]:
        """Those of the nearest rows that may be meant as well as the first of them, see `RIVAL`."""
        nearest, inverse_dice = self._by_dice(text, limit=limit, wanted=1)
        return nearest[: bisect_right(inverse_dice, inverse_dice[0] / RIVAL)] if nearest else []

    def _by_dice(self, text: str, *, limit: int, wanted: int) -> tuple[list[int], list[float]]:
        """The nearest rows and the inverses of their Dice coefficients, so that both ascend."""
        pieces = grams(text)
        chosen = self._rarest(pieces)
        if not chosen:
            return [], []
        hits = np.frombuffer(b"".join(chosen), dtype=np.intc)
        sizes = self._sizes  # after the hits: it has room for every row that a posting names
        shared = _counted(hits, rows=len(sizes), most=len(chosen))
        hidden = sizes if self._hidden else None
        rows = _strongest(shared, most=len(chosen), wanted=wanted, sizes=hidden)
        inverse_dice = (sizes[rows] + len(pieces)) / shared[rows]
        first = _smallest(inverse_dice, limit)
        return rows[first].tolist(), inverse_dice[first].tolist()

    def _rarest(self, pieces: Iterable[str]) -> list[array[int]]:
        """The postings to read: rare grams tell most, so they come first, until the budget is spent."""
        known = sorted(filter(None, map(self._rows.get, pieces)), key=len)
        spent = list(itertools.accumulate(map(len, known)))
        wanted = max(bisect_right(spent, BUDGET), _enough(self._count))
        return known[: max(1, min(wanted, bisect_right(spent, CEILING)))]

    def _build(self, texts: Sequence[str]) -> None:
        codes, rows = _all_grams(texts)
        self._sizes[: len(texts)] = np.bincount(rows, minlength=len(texts))
        starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
        ends = np.append(starts[1:], len(codes))
        for gram, start, end in zip(_unpacked(codes[starts]), starts.tolist(), ends.tolist(), strict=True):
            self._rows[gram] = array("i", rows[start:end].tobytes())


def grams(text: str) -> dict[str, None]:
    """The distinct grams of a text, a single character with two of code 0 before it.

    In order, because a set of strings has another in every process.
    """
    padded = f"  {text} "
    pieces = dict.fromkeys(map("".join, zip(padded, padded[1:], padded[2:], strict=False)))
    if len(text) <= SHORT:
        pieces.update(dict.fromkeys(f"\0\0{character}" for character in text))
    return pieces


def _enough(rows: int) -> int:
    """How many postings tell one of so many rows from the rest: one more whenever the rows double.

    Fewer lose names whose words are swapped, more are read for nothing (docs/resolver.md).
    """
    return rows.bit_length() - 2


def _all_grams(texts: Sequence[str]) -> tuple[Ints, npt.NDArray[np.intc]]:
    """Distinct pairs of packed gram and row of many texts, sorted by gram, then by row."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    joined = "".join(f"  {text} " for text in texts).encode("utf-32-le", "surrogatepass")
    points = np.frombuffer(joined, dtype=np.uint32).astype(np.int64)
    rows = np.repeat(np.arange(len(texts)), lengths + 3)
    packed = (points[:-2] << 2 * _WIDTH) | (points[1:-1] << _WIDTH) | points[2:]
    whole = rows[:-2] == rows[2:]
    single = (lengths[rows] <= SHORT) & _unpadded(lengths)
    codes = np.concatenate([packed[whole], points[single]])
    return _distinct(codes, np.concatenate([rows[:-2][whole], rows[single]]), len(texts))


def _unpacked(codes: Ints) -> list[str]:
    """The grams that were packed into integers."""
    points = np.stack([codes >> 2 * _WIDTH, codes >> _WIDTH, codes], axis=1) & ((1 << _WIDTH) - 1)
    text = points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return [text[start : start + 3] for start in range(0, len(text), 3)]


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
    width = count.bit_length()
    pairs = _sorted_once((np.searchsorted(alphabet, codes) << width) | rows)
    return alphabet[pairs >> width], (pairs & ((1 << width) - 1)).astype(np.intc)


def _sorted_once(values: Ints) -> Ints:
    # Not np.unique: since numpy 2.3 it hashes, ten times slower than sorting on these values.
    ordered = np.sort(values)
    fresh = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    return np.asarray(ordered[fresh], dtype=np.int64)


def _counted(hits: npt.NDArray[np.intc], *, rows: int, most: int) -> npt.NDArray[np.unsignedinteger[Any]]:
    """How often each row was hit, `most` times at the most.

    Bytes, where they can hold it: an eighth of the memory that `bincount` fills and the next
    steps read, which saves a fifth of the search at 200,000 rows.
    """
    width: type[np.unsignedinteger[Any]] = np.uint8 if most < 256 else np.uint16
    counts: npt.NDArray[np.unsignedinteger[Any]] = np.zeros(rows, dtype=width)
    # Both of the very type that numpy adds with: to cast the rows on the way takes twice as long
    # (20,000 rows), to cast a plain 1 far longer.
    np.add.at(counts, hits.astype(np.intp), width(1))
    return counts


def _strongest(
    counts: npt.NDArray[np.unsignedinteger[Any]],
    *,
    most: int,
    wanted: int,
    sizes: npt.NDArray[np.int32] | None,
) -> Ints:
    """The rows hit half of `most` times or more; where fewer than `wanted` are, a quarter, and so on.

    With `sizes` the rows of size 0 are left out.
    """
    least = most
    while True:
        least = max(1, least // 2)
        rows = (counts >= least).nonzero()[0]
        if sizes is not None:
            rows = rows[sizes[rows] > 0]
        if len(rows) >= wanted or least == 1:
            return rows


def _smallest(values: npt.NDArray[np.float64], limit: int) -> Ints:
    """Positions of the smallest values in order; equal values keep theirs."""
    if len(values) <= max(limit, _SORTED_WHOLE):
        return np.asarray(values.argsort(kind="stable")[:limit], dtype=np.int64)
    chosen = np.sort(np.argpartition(values, limit - 1)[:limit])
    return np.asarray(chosen[values[chosen].argsort(kind="stable")], dtype=np.int64)
