"""Why a name that resembles a known one is asked about, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_WORDS: Final[Mapping[str, str]] = {
    "number": "another number, version or year",
    "symbol": "a sign differs, as in C and C++ or in a path",
    "spelling": "one letter differs in a short word",
    "word": "one word differs",
    "words": "other or missing words",
    "order": "the same words in another order",
    "acronym": "may be short for it",
    "romanised": "may be the same in another alphabet",
    "similar": "alike",
    "same name": "has this very name",
    "archived": "archived",
}


def in_words(doubt: str) -> str:
    """What tells two names apart, for people and agents; a doubt that has no words stays as it is."""
    return _WORDS.get(doubt, doubt)
