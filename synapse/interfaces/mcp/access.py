"""What a connection may do: read < read_write < full (contract, section 7)."""

from __future__ import annotations

from enum import StrEnum


class Level(StrEnum):
    """The level of a connection; each may do what the levels before it may."""

    READ = "read"
    READ_WRITE = "read_write"
    FULL = "full"

    def permits(self, needed: Level) -> bool:
        """Whether this level is enough for something that needs `needed`."""
        order = list(Level)
        return order.index(self) >= order.index(needed)
