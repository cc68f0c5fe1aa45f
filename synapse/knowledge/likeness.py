"""How alike two names are, and whether anything but a slip of the keyboard tells them apart.

The score is the better of edit similarity (optimal string alignment, Boytsov 2011) and token-set
similarity. A score alone cannot tell `Kubernets` from `Kubernetes` and yet keep `sprint 2024`
from `sprint 2025` or `Daniel` from `Daniela`, so every pair that is not certainly one name
carries a *doubt*: what a person would have to decide. Only a pair without doubt may connect.
"""

from __future__ import annotations

from operator import ne
from typing import Final, Literal, NamedTuple

from rapidfuzz.distance import OSA, LCSseq, Prefix

from synapse.knowledge.normalise import (
    FUNCTION_WORDS,
    MAX_ACRONYM,
    Parts,
    acronyms,
    is_alphabetic,
    is_numeral,
    numbers,
    parts,
)
from synapse.knowledge.romanise import romanise

Doubt = Literal["number", "symbol", "spelling", "word", "words", "order", "acronym", "romanised"]

SLIP_LENGTH: Final = 10
"""Letters a word needs before one slip in it is likelier than another word: one in ten is 0.90."""
_SPACING_LENGTH: Final = 6
_UNLIKE: Final = 0.59
"""The most that names score which each hold a word the other lacks: just below where the resolver asks."""
_WORDS: Final = 24
"""Words of a name that are paired with each other; the work grows with their square."""


# A tuple, as `Parts` is: some are made for each comparison, and a frozen dataclass takes longer to make.
class Likeness(NamedTuple):
    """`score` from 0 to 1; `doubt` None when nothing but spelling tells the two names apart."""

    score: float
    doubt: Doubt | None


def likeness(left: str, right: str, *, proper: bool = False) -> Likeness:
    """Compares two normalised names; symmetric. `proper` names are given in part: `Ana` for `Ana Ruiz`."""
    if left == right:
        return Likeness(1.0, None)
    if _are_short_and_long(left, right):
        return Likeness(0.85, "acronym")
    found = _compared(left, right, proper)
    if left.isascii() and right.isascii():
        return found
    latin = romanise(left), romanise(right)
    if latin == (left, right):
        return found
    score = 0.95 if latin[0] == latin[1] else min(_compared(*latin, proper).score, 0.95)
    return Likeness(score, "romanised") if score > found.score else found


def _are_short_and_long(left: str, right: str) -> bool:
    if len(left) > MAX_ACRONYM < len(right) or left[:1] != right[:1] or len(left) == len(right):
        return False
    short, long = (left, right) if len(left) < len(right) else (right, left)
    return short in acronyms(long)


def _compared(left: str, right: str, proper: bool) -> Likeness:
    mine, theirs = parts(left), parts(right)
    doubt = _doubt(mine, theirs)
    edit = OSA.normalized_similarity(left, right)
    if doubt is None:
        same_letters = _letters(mine.tokens) == _letters(theirs.tokens)
        return Likeness(max(edit, 0.95) if same_letters else edit, None)
    if doubt == "symbol":
        return Likeness(edit, doubt)
    similarity, unlike = _paired(mine, theirs, proper)
    score = min(max(edit, similarity), 0.99)
    return Likeness(min(score, _UNLIKE) if unlike else score, doubt)


def _doubt(mine: Parts, theirs: Parts) -> Doubt | None:
    if mine.numbers != theirs.numbers:
        return "number"
    if mine.symbols != theirs.symbols:
        return "symbol"
    return _word_doubt(mine.tokens, theirs.tokens)


def _word_doubt(mine: tuple[str, ...], theirs: tuple[str, ...]) -> Doubt | None:
    """None when the letters are the same, in words that may be put so, or one slip in a long word is all."""
    if len(mine) == len(theirs):
        different = [*map(ne, mine, theirs)]
        if sum(different) == 1:
            place = different.index(True)
            return None if is_slip(mine[place], theirs[place]) else "word"
        if True in different and sorted(mine) == sorted(theirs):
            return None if _order_is_free(mine) else "order"
    letters = "".join(mine)
    if letters != "".join(theirs):
        return "words"
    # Where all but a letter is punctuation, that may be the name: `?x` is not `x`.
    return None if len(letters) >= (2 if mine == theirs else _SPACING_LENGTH) else "spelling"


def is_slip(left: str, right: str) -> bool:
    """Whether two long words differ by one letter too many, or two swapped, well inside the word.

    Elsewhere one letter makes another word: the ends carry gender, number and person
    (`Alejandro`, `Alejandra`), beginnings negate, and letters that replace each other make
    minimal pairs (`deferencia`, `diferencia`). In other scripts a letter may be a word itself.
    """
    shorter, longer = (left, right) if len(left) <= len(right) else (right, left)
    if len(longer) < SLIP_LENGTH or OSA.distance(left, right, score_cutoff=1) != 1:
        return False
    if not is_alphabetic(left + right):
        return False
    inside = left[:2] == right[:2] and not longer.startswith(shorter) and left[-1] == right[-1]
    return inside and (len(shorter) < len(longer) or sorted(left) == sorted(right))


def _order_is_free(words: tuple[str, ...]) -> bool:
    # `search index` and `index search` are two things; `from A to B` has a direction.
    return len(words) >= 3 and FUNCTION_WORDS.isdisjoint(words)


def _letters(words: tuple[str, ...]) -> list[str]:
    return sorted("".join(words))


def _paired(mine: Parts, theirs: Parts, proper: bool) -> tuple[float, bool]:
    """The token-set similarity, and whether each name holds content words that the other has none for.

    The similarity is the share of letters in words that answer to each other (Dice).
    """
    left, right = _words(mine), _words(theirs)
    total = len("".join(left + right))
    both = _drop_common(left, right)
    matched = total - len("".join(left + right)) + _pair_off(left, right, short=both)
    share = matched / total if total else 0.0
    apart = not (FUNCTION_WORDS.issuperset(left) or FUNCTION_WORDS.issuperset(right))
    # A name that holds all words of another is likely a longer form of it, unless it is much longer.
    contained = both and (proper or share >= 0.5) and not apart
    return max(share, 0.6 + 0.3 * share) if contained else share, apart


def _words(name: Parts) -> list[str]:
    first = name.tokens[:_WORDS]
    return [token for token in first if token[0].isalnum()] if name.symbols else [*first]


def _drop_common(left: list[str], right: list[str]) -> bool:
    """Removes from both lists the words that they share, and says whether there are any."""
    before = len(left)
    for word in tuple(left):
        if word in right:
            left.remove(word)
            right.remove(word)
    return len(left) < before


def _pair_off(left: list[str], right: list[str], *, short: bool) -> float:
    """Removes the closest pairs from both lists; the letters they share, weighed by closeness.

    `short` lets abbreviations count, which only other words in common make likely.
    """
    matched = 0.0
    if not (left and right):
        return matched
    close = [(closeness, a, b) for a in left for b in right if (closeness := _closeness(a, b, short))]
    for closeness, a, b in sorted(close, reverse=True):
        if a in left and b in right:
            left.remove(a)
            right.remove(b)
            matched += closeness * (len(a) + len(b))
    return matched


def _closeness(left: str, right: str, short: bool) -> float:
    """How far one word may stand for the other: a number, an abbreviation, a form, a spelling; 0 if not."""
    if not (left.isalpha() or right.isalpha()) and numbers(left) and numbers(right):
        return 0.5 if _without_numbers(left) == _without_numbers(right) else 0.0
    smaller, larger = (left, right) if len(left) <= len(right) else (right, left)
    if left[0] == right[0]:
        if short and _abbreviates(smaller, larger):
            return 0.8
        stem = Prefix.similarity(left, right)
        if stem >= 4 and stem >= 0.7 * len(smaller):
            return 0.7
    if len(smaller) < 3 or len(smaller) < 0.6 * len(larger):
        return 0.0
    return OSA.normalized_similarity(left, right, score_cutoff=0.6)


def _without_numbers(word: str) -> str:
    return "" if word.isdecimal() else "".join(letter for letter in word if not is_numeral(letter))


def _abbreviates(short: str, long: str) -> bool:
    """`j` for john, `dept` for department, `db` for database: its letters, in order."""
    return LCSseq.similarity(short, long) == len(short) and short not in FUNCTION_WORDS
