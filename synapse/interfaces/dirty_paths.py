"""Paths that changed and were not looked at yet, and when it is time to look."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

MAX_PATHS: Final = 4096
"""Above this, looking at everything once is cheaper than looking at each path."""


@dataclass(slots=True)
class DirtyPaths:
    """A set of paths with the moments of its first and last mark; not thread-safe.

    A folder is written with a trailing `/` and stands for all below it. Times are seconds of one
    monotonic clock; `quiet` and `max_wait` are in seconds.
    """

    quiet: float
    max_wait: float
    _paths: set[str] = field(default_factory=set)
    _everything: bool = False
    _first: float = math.inf
    _last: float = math.inf

    def __len__(self) -> int:
        return 1 if self._everything else len(self._paths)

    @property
    def paths(self) -> frozenset[str] | None:
        """What is marked, None for everything."""
        return None if self._everything else frozenset(self._paths)

    def mark(self, path: str, *, now: float) -> None:
        """One path changed; an empty path means that everything may have."""
        if not path or len(self._paths) >= MAX_PATHS:
            self._everything = True
            self._paths.clear()
        elif not self._everything:
            self._paths.add(path)
        self._first = min(self._first, now)
        self._last = now

    def due(self) -> float:
        """When to take them: `quiet` after the last mark, at the latest `max_wait` after the first."""
        return min(self._last + self.quiet, self._first + self.max_wait)

    def take(self) -> tuple[str, ...] | None:
        """The sorted paths, without those below a marked folder, or None for everything; then empty."""
        taken = None if self._everything else tuple(sorted(filter(self._is_outermost, self._paths)))
        self._paths.clear()
        self._everything, self._first, self._last = False, math.inf, math.inf
        return taken

    def _is_outermost(self, path: str) -> bool:
        return not any(folder in self._paths for folder in _folders_above(path))


def _folders_above(path: str) -> Iterator[str]:
    position = path.find("/")
    while 0 <= position < len(path) - 1:
        yield path[: position + 1]
        position = path.find("/", position + 1)
