"""Names as they are compared: one form for every spelling of the same characters.

Contract section 5. Unicode normalisation is UAX #15, case folding is Unicode 3.13; the mark
rule is ours: an accent is a spelling habit in Latin, Greek and Cyrillic, but in other scripts a
mark makes another letter (が is not か), so it stays there.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

MAX_NAME: Final = 512
"""Characters of a name that are compared; a longer one is cut, so that work stays bounded."""

MAX_ACRONYM: Final = 8

# Letters of the Latin, Greek and Cyrillic scripts as they are once decomposed and folded.
_ALPHABET: Final = (
    r"a-z\u00df-\u024f\u0250-\u02af\u1e00-\u1eff\u2c60-\u2c7f\ua722-\ua7ff\uab30-\uab6f"
    r"\u0370-\u03e1\u03f0-\u03ff\u1f00-\u1fff\u0400-\u0482\u048a-\u052f\u1c80-\u1c8a\u1d00-\u1d7f\ua640-\ua66e\ua680-\ua69b"
)
_SPELLING_MARKS: Final = re.compile(
    rf"(?<=[{_ALPHABET}])[\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]+"
)
_ALPHABETIC: Final = re.compile(rf"[{_ALPHABET}]+")
_DIGITS: Final = re.compile(r"\d+")
_INVISIBLE: Final = re.compile(r"[\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]+")
_SEPARATORS: Final = re.compile(r"[\s_\-\u2010-\u2015\u2212\ufe58\uff0d]+")

# Punctuation that people add or leave out without meaning another thing. All else that is
# neither letter nor digit is a symbol of its own: the `+` of C++, the `#` of C#, an emoji.
_QUIET: Final = re.escape(",;:()[]{}\"'`´!?¡¿«»“”‘’„…·、。「」（）")

# `\w` knows no marks; these are the ones that are part of a word: of Semitic, Indic and
# South-East Asian scripts, and the voicing marks of kana.
_MARKS: Final = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    r"\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
)
_TOKEN: Final = re.compile(rf"(?:[^\W_]|[{_MARKS}])+|\.(?=\w)|[^\w\s.{_QUIET}]")

FUNCTION_WORDS: Final = frozenset({
    "a", "al", "an", "and", "as", "at", "by", "con", "de", "del", "desde", "e", "el", "en", "entre", "for",
    "from", "hacia", "hasta", "in", "into", "la", "las", "los", "o", "of", "on", "or", "para", "por", "sin",
    "sobre", "the", "to", "u", "un", "una", "versus", "vs", "with", "without", "y",
})  # fmt: skip
"""Short words of English and Spanish that name nothing by themselves."""


def normalise(name: str) -> str:
    """The form in which names are compared; idempotent, empty when nothing is left to compare."""
    return normalise_text(name[:MAX_NAME])[:MAX_NAME].rstrip()


def normalise_text(text: str) -> str:
    """The same of a text of any length."""
    if text.isascii():
        # Not `str.translate`: it takes ten times as long as to replace two characters.
        return " ".join(text.lower().replace("-", " ").replace("_", " ").split())
    return _SEPARATORS.sub(" ", _fold(text)).strip()


@lru_cache(maxsize=1024)
def type_key(type: str) -> str:
    """The name of a type without namespace, case and blanks: `syn:BlogPost` and `blog-post` are one."""
    local = type.replace("#", "/").replace(":", "/").rpartition("/")[2]
    return normalise(local).replace(" ", "")


def _fold(text: str) -> str:
    """Compatibility caseless form (Unicode 3.13, D146), without the marks of three alphabets."""
    folded = unicodedata.normalize("NFD", _INVISIBLE.sub("", text)).casefold()
    folded = unicodedata.normalize("NFKD", folded).casefold()
    return _SPELLING_MARKS.sub("", unicodedata.normalize("NFKD", folded))


def is_alphabetic(word: str) -> bool:
    """Whether a normalised word is written in Latin, Greek or Cyrillic letters alone."""
    return _ALPHABETIC.fullmatch(word) is not None


def _is_plain(key: str) -> bool:
    """Whether a normalised name is nothing but words and blanks, as most are."""
    return key.replace(" ", "").isalnum()


# Small caches: a mention is compared with a few names, one after the other, and what the next mention
# is compared with is seldom the same; large ones were no faster.
@lru_cache(maxsize=128)
def tokens(key: str) -> tuple[str, ...]:
    """The words and symbols of a normalised name, in order: `c++ course` is `c`, `+`, `+`, `course`."""
    return tuple(key.split() if _is_plain(key) else _TOKEN.findall(key))


@lru_cache(maxsize=128)
def numbers(key: str) -> tuple[str, ...]:
    """Every run of digits or numerals of a normalised name, in order, whatever the script."""
    if key.isascii():
        return tuple(_DIGITS.findall(key))
    marked = "".join(character if is_numeral(character) else " " for character in key)
    return tuple(marked.split())


@lru_cache(maxsize=128)
def symbols(key: str) -> tuple[str, ...]:
    """The symbols among the tokens of a normalised name, sorted."""
    if _is_plain(key):
        return ()
    return tuple(sorted(token for token in tokens(key) if not token[0].isalnum()))


class Parts(NamedTuple):
    """What a normalised name consists of, see `tokens`, `numbers` and `symbols`."""

    tokens: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()


@lru_cache(maxsize=128)
def parts(key: str) -> Parts:
    """The parts of a normalised name; most names are words of plain letters and nothing else."""
    letters = key.replace(" ", "")
    if not (letters.isascii() and letters.isalnum()):
        return Parts(tokens(key), numbers(key), symbols(key))
    return Parts(tuple(key.split()), () if letters.isalpha() else tuple(_DIGITS.findall(key)))


@lru_cache(maxsize=4096)
def is_numeral(character: str) -> bool:
    """Whether a character stands for a number: `7`, `٧`, `七`."""
    return unicodedata.numeric(character, None) is not None


def acronyms(key: str) -> frozenset[str]:
    """The short forms of a normalised name: its initials, with and without function words, and `k8s`.

    One word of six letters or more gives its numeronym (`internationalization` is `i18n`);
    initials need two words.
    """
    parts = key.split() if _is_plain(key) else _TOKEN.findall(key)
    words = [part for part in parts if part[0].isalpha()]
    if len(words) == 1:
        word = words[0]
        return frozenset({f"{word[0]}{len(word) - 2}{word[-1]}"} if len(word) >= 6 else ())
    if FUNCTION_WORDS.isdisjoint(words):
        return frozenset((_initials(words),) if 2 <= len(words) <= MAX_ACRONYM else ())
    content = [word for word in words if word not in FUNCTION_WORDS]
    return frozenset(_initials(kept) for kept in (words, content) if 2 <= len(kept) <= MAX_ACRONYM)


def _initials(words: list[str]) -> str:
    return "".join(map(itemgetter(0), words))
