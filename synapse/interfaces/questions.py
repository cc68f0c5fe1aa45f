"""Why a write asks back, in words: the same on the command line and for agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

QUESTIONS: Final[Mapping[str, str]] = {
    "similar": "something known is called much like it",
    "ambiguous": "several are called so",
    "label_conflict": "what is called so is of another type",
    "revive_candidate": "what is called so is archived",
    "unknown": "nothing is called so",
}
"""Reason to words."""
