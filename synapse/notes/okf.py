"""The Open Knowledge Format v0.2 (v0.1 is read too): reserved files, trust, staleness.

Section numbers are those of the specification's SPEC.md; `okf_checks.py` has the rules of conformance.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from synapse.notes.note import Dialect

RESERVED_FILES: Final = frozenset({"index.md", "log.md"})
"""Files that are no concepts, at every level (section 3.1)."""

OKF_DIALECTS: Final = frozenset({Dialect.OKF, Dialect.OKF_MCP})

HUMAN: Final = "human:"
"""The prefix of an actor who is a person (section 7)."""


class TrustTier(StrEnum):
    """How far the content of a concept was confirmed (section 5.3)."""

    UNVERIFIED = "unverified"
    MACHINE_CONFIRMED = "machine-confirmed"
    HUMAN_REVIEWED = "human-reviewed"


def is_reserved(path: str) -> bool:
    """Whether the file at `path` is an index or a log, not a concept."""
    return path.rpartition("/")[2] in RESERVED_FILES


def trust_tier(verified_by: Iterable[str]) -> TrustTier:
    """The tier that the actors of `verified` earn together."""
    actors = [actor.strip() for actor in verified_by if actor.strip()]
    if any(actor.startswith(HUMAN) for actor in actors):
        return TrustTier.HUMAN_REVIEWED
    return TrustTier.MACHINE_CONFIRMED if actors else TrustTier.UNVERIFIED


def is_stale(stale_after: str, *, now: datetime) -> bool | None:
    """Whether the instant or day `stale_after` (ISO 8601) has come; None when it is no date.

    `now` is aware; a `stale_after` without an offset is taken as UTC.
    """
    try:
        instant = datetime.fromisoformat(stale_after.strip())
    except ValueError:
        return None
    return now >= (instant if instant.tzinfo else instant.replace(tzinfo=UTC))
