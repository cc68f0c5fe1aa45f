"""The entities nearest to a text that names none: the `did_you_mean` of the read commands."""

from __future__ import annotations

from typing import Final

from synapse.knowledge.candidate import Candidate
from synapse.knowledge.likeness import likeness
from synapse.knowledge.names_index import NamesIndex
from synapse.knowledge.normalise import normalise

FLOOR: Final = 0.45
"""Below this two names have nothing to do with each other, and showing one would mislead."""


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


def _score(key: str, name: str) -> float:
    return max(likeness(key, name).score, 0.95 * likeness(_last_part(key), _last_part(name)).score)


def _last_part(text: str) -> str:
    return text.rstrip("/").rpartition("/")[2]
