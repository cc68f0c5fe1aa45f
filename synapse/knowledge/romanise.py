"""Greek, Cyrillic and odd Latin letters in plain ones, to find a name written in another alphabet.

The tables follow the common English romanisations (BGN/PCGN 1947 for Russian without its
apostrophes, 1965 for Ukrainian letters; ELOT 743 for Greek without its digraphs). They only
propose: people romanise in many ways, so a name found like this is always asked about.
"""

from __future__ import annotations

from typing import Final

_LATIN: Final = {
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ı": "i",
}  # fmt: skip
_CYRILLIC: Final = {
    "а": "a", "б": "b", "в": "v", "г": "g", "ґ": "g", "д": "d", "е": "e", "є": "ye", "ж": "zh", "з": "z",
    "и": "i", "і": "i", "й": "y", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r",
    "с": "s", "т": "t", "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch",
    "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "yu", "я": "ya", "ђ": "dj", "ј": "j", "љ": "lj", "њ": "nj",
    "ћ": "c", "џ": "dz",
}  # fmt: skip
_GREEK: Final = {
    "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i", "κ": "k",
    "λ": "l", "μ": "m", "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r", "σ": "s", "ς": "s", "τ": "t",
    "υ": "y", "φ": "f", "χ": "ch", "ψ": "ps", "ω": "o",
}  # fmt: skip
_TABLE: Final = str.maketrans(_LATIN | _CYRILLIC | _GREEK)


def romanise(key: str) -> str:
    """A normalised name with every letter of the tables in Latin; other characters stay as they are."""
    return key if key.isascii() else key.translate(_TABLE)
