"""What is nearest to a text that names nothing: entities (`did_you_mean`), and plain names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

from synapse.knowledge.candidate import Candidate
from synapse.knowledge.likeness import likeness
from synapse.knowledge.names_index import NamesIndex
from synapse.knowledge.normalise import normalise, numbers, symbols

FLOOR: Final = 0.45
"""Below this two names have nothing to do with each other, and showing one would mislead."""

SLIP: Final = 0.7
"""Edit similarity of two plain names from which one may be a slip of the other: `owened_by`, `tem`."""

RIVAL: Final = 0.2
"""How much less like a text than the best name another may be and still be shown beside it."""


def nearest(index: NamesIndex, text: str, *, limit: int = 5) -> tuple[Candidate, ...]:
    """At most `limit` entities whose id, label or alias is most like `text`, best first.

    The last part of an id counts as a name too: `peple/bob` and `bbo` both find `people/bob`.
    """
    key = normalise(text)
    best: dict[str, float] = {}
    for entry in {entry: None for part in (text, _last_part(text)) for entry in index.candidates(part)}:
        best[entry.entity] = max(_score(key, entry.key), best.get(entry.entity, 0.0))
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        Candidate(entity, index.label(entity), index.types(entity), round(score, 3), "similar")
        for entity, score in ranked[:limit]
        if score >= FLOOR
    )


class NearestNames:
    """Names, such as the paths of notes or the keys of properties, to be found by a misspelling of one."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._last = [normalise(_last_part(name)) for name in self._names]

    def nearest(self, text: str, *, limit: int = 2) -> tuple[str, ...]:
        """At most `limit` names whose last part is that of `text` but for a slip, best first.

        Names that differ in a number are different on purpose: `2026-03-01` is no slip of `2026-03-02`.
        """
        key = normalise(_last_part(text))
        found = process.extract(
            key, self._last, scorer=OSA.normalized_similarity, score_cutoff=SLIP, limit=4 * limit
        )
        whole = normalise(text)
        ranked = sorted(
            (-OSA.normalized_similarity(whole, normalise(self._names[at])) - score, self._names[at])
            for name, score, at in found
            if numbers(name) == numbers(key) and symbols(name) == symbols(key)
        )
        return tuple(name for rank, name in ranked[:limit] if rank < ranked[0][0] + RIVAL)


def _score(key: str, name: str) -> float:
    return max(likeness(key, name).score, 0.95 * likeness(_last_part(key), _last_part(name)).score)


def _last_part(text: str) -> str:
    return text.rstrip("/").rpartition("/")[2]
