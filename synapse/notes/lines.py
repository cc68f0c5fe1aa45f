"""Offsets of a text: from UTF-8 bytes to characters, and from characters to lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

Range = tuple[int, int]
"""Offsets `[start, end)`."""

_NEWLINE = re.compile("\n")


def with_newlines(text: str) -> str:
    """`text` with every line end as LF; the number of each line stays."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def inside(offset: int, ranges: Sequence[Range]) -> bool:
    """Whether one of these ranges, in order and apart from each other, holds the offset."""
    position = bisect_right(ranges, offset, key=_start) - 1
    return position >= 0 and offset < ranges[position][1]


def _start(item: Range) -> int:
    return item[0]


class Lines:
    """Where the lines of a text begin; only LF ends a line. `first` is the number of its first line."""

    __slots__ = ("_bytes", "_characters", "_data", "_first")

    def __init__(self, text: str, *, first: int = 1) -> None:
        self._first = first
        self._characters = [0, *(match.end() for match in _NEWLINE.finditer(text))]
        # In ASCII a byte is a character, which spares most notes a second table.
        self._data = None if text.isascii() else text.encode()
        self._bytes = _line_starts(self._data) if self._data is not None else self._characters

    def line(self, character: int) -> int:
        """The number of the line that holds the character at this offset."""
        return bisect_right(self._characters, character) + self._first - 1

    def character(self, byte: int) -> int:
        """The offset in characters of an offset in UTF-8 bytes."""
        if self._data is None:
            return byte
        row = bisect_right(self._bytes, byte) - 1
        return self._characters[row] + len(self._data[self._bytes[row] : byte].decode())


def _line_starts(data: bytes) -> list[int]:
    starts = [0]
    position = data.find(b"\n")
    while position >= 0:
        starts.append(position + 1)
        position = data.find(b"\n", position + 1)
    return starts
