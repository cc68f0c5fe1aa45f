"""An entity that a mention may mean."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """`score` is from 0 to 1; `reason` says what the likeness is, and what keeps it from being certain."""

    id: str
    label: str
    types: tuple[str, ...]
    score: float
    reason: str
