"""Whether a word is a slip of a known one: one or two letters away, whatever the language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyoxigraph import NamedNode
from rapidfuzz.distance import OSA
from rapidfuzz.process import extractOne

from synapse.rdf.lexicon import SPANISH, WELL_KNOWN

_LONG: Final = ((9, 2), (5, 1))
"""From this many letters on, so many slips still make the same word; shorter words differ by one."""

SUGGESTED: Final[Mapping[str, NamedNode]] = {
    key: term for key, term in WELL_KNOWN.items() if key not in SPANISH or len(key) >= 9
}
"""The short Spanish keys are one letter away from other words: `ficha`, `creador`, `atlas`."""


def nearest_word(key: str, known: Mapping[str, object]) -> str | None:
    """The known key that a key is a slip of, None when none is near or a number makes the difference.

    Distance is optimal string alignment (Damerau-Levenshtein without edited transpositions).
    """
    slips = next((slips for length, slips in _LONG if len(key) >= length), 0)
    if not slips or key in known:
        return None
    found = extractOne(key, known.keys(), scorer=OSA.distance, score_cutoff=slips)
    if found is None or _digits(found[0]) != _digits(key):
        return None
    return found[0]


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
