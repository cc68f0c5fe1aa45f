"""A card says how far its content was confirmed, and whether its time is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse.memory import Memory
from synapse.usecases.answers import Card

CASES = {
    "nothing said": ("", None, None),
    "made and not verified": ("generated: {by: agent/x, at: 2026-01-01T00:00:00Z}\n", "unverified", None),
    "verified by a process": ("verified: {by: cron, at: 2026-01-01T00:00:00Z}\n", "machine-confirmed", None),
    "verified by a person too": (
        "verified:\n  - {by: process:nightly, at: 2026-01-01T00:00:00Z}\n"
        "  - {by: human:ana, at: 2026-01-02T00:00:00Z}\n",
        "human-reviewed",
        None,
    ),
    "long past": ("stale_after: 2020-01-01T00:00:00Z\n", None, True),
    "a day long past": ("stale_after: 2020-01-01\n", None, True),
    "far ahead": ("stale_after: 2999-12-31T00:00:00+02:00\n", None, False),
    "no date": ("stale_after: some day\n", None, None),
}


@pytest.mark.parametrize("case", CASES)
def test_trust_and_staleness_come_from_the_families_of_okf(case: str, memory: Memory, notes: Path) -> None:
    frontmatter, trust, stale = CASES[case]
    (notes / "a.md").write_text(f"---\ntype: Metric\n{frontmatter}---\n", encoding="utf-8")
    memory.sync()
    card = memory.card("a")
    assert isinstance(card, Card)
    assert (card.trust, card.stale) == (trust, stale)
