"""From a mention to the entity it means: connect, ask or create (contract section 5)."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from synapse.errors import InvalidIdentifier
from synapse.knowledge.candidate import Candidate
from synapse.knowledge.likeness import Likeness, likeness
from synapse.knowledge.names_index import Entry, NamesIndex
from synapse.knowledge.normalise import normalise, type_key
from synapse.knowledge.resolve_settings import ResolveSettings

_COMPARED_FULLY: Final = 2

Reason = Literal["ambiguous", "label_conflict", "revive_candidate", "similar"]
By = Literal["id", "label", "alias", "similar"]

_DECIDED: Final = frozenset({"number", "symbol"})
"""Doubts that set two entities apart: another year is another thing, not a duplicate."""


@dataclass(frozen=True, slots=True)
class Connect:
    """The mention means this entity; `by` says which of its names did, or that one was similar."""

    entity: str
    score: float
    by: By


@dataclass(frozen=True, slots=True)
class Ask:
    """The mention may mean one of these, best first; nothing is to be written before it is settled."""

    reason: Reason
    did_you_mean: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Create:
    """Nothing known is like the mention: it names a new entity."""


Resolution = Connect | Ask | Create


class _Match(NamedTuple):
    entry: Entry
    likeness: Likeness


class Resolver:
    """Resolves mentions against one index; holds no state of its own, so threads may share it."""

    def __init__(self, index: NamesIndex, settings: ResolveSettings | None = None) -> None:
        self._index = index
        self._settings = settings or ResolveSettings()

    def resolve(self, mention: str, *, type: str | Iterable[str] | None = None) -> Resolution:
        """What `mention` means; `type` is what the caller knows of it, as the index writes types.

        Work is bounded, whatever the size of the memory. Raises `InvalidIdentifier` when
        nothing is left of the mention once blanks and dashes are taken away.
        """
        key = normalise(mention)
        if not key:
            raise InvalidIdentifier("an empty name means nothing", hint="give an id, a label or an alias")
        types = _types(type)
        exact = self._index.of_key(key)
        return self._exact(mention, types, exact) if exact else self._similar(key, types)

    def possible_duplicates(
        self, name: str, *, type: str | Iterable[str] | None = None, entity: str | None = None
    ) -> tuple[Candidate, ...]:
        """Other entities that an entity of this name may double, best first; `entity` is the one itself.

        Those of the same name or a score that would connect, even where a doubt forbids to
        connect silently; another number, version or symbol is no duplicate.
        """
        types = _types(type)
        matches = [
            match
            for match in self._matches(normalise(name))
            if match.entry.entity != entity
            and match.likeness.doubt not in _DECIDED
            and (match.likeness.score >= self._settings.connect or match.likeness.doubt == "acronym")
            and _compatible(types, match.entry)
        ]
        return self._candidates(matches)

    def _exact(self, mention: str, types: tuple[str, ...], entries: Sequence[Entry]) -> Resolution:
        live = [entry for entry in entries if not entry.archived]
        if verbatim := [entry for entry in live if entry.kind == "id" and _same(entry.name, mention)]:
            return Connect(verbatim[0].entity, 1.0, "id")
        fitting = [entry for entry in live if _compatible(types, entry)]
        if fitting:
            return self._one_of(mention, fitting)
        if live:
            return self._ask("label_conflict", entries)
        return self._ask("revive_candidate", entries)

    def _one_of(self, mention: str, fitting: list[Entry]) -> Resolution:
        """The one entity of these names; its very spelling decides between `US` and `us`."""
        for named in (fitting, [entry for entry in fitting if _same(entry.name, mention)]):
            if len({entry.entity for entry in named}) == 1:
                return Connect(named[0].entity, 1.0, named[0].kind)
        return self._ask("ambiguous", fitting)

    def _similar(self, key: str, types: tuple[str, ...]) -> Resolution:
        matches = self._matches(key)
        likely = [match for match in matches if match.likeness.score >= self._settings.ask]
        live = [match for match in likely if not match.entry.archived]
        certain = [match for match in likely if self._certain(match, types)]
        if certain and certain[0].entry.archived:
            return Ask("revive_candidate", self._candidates(certain))
        if not live:
            return Create()
        if live[0] not in certain:
            return Ask("similar", self._candidates(live))
        runner_up = live[1].likeness.score if len(live) > 1 else 0.0
        if live[0].likeness.score - runner_up < self._settings.margin:
            return Ask("ambiguous", self._candidates(live))
        return Connect(live[0].entry.entity, round(live[0].likeness.score, 3), "similar")

    def _certain(self, match: _Match, types: tuple[str, ...]) -> bool:
        """Whether nothing forbids to connect: high score, no doubt, no other type, not a proper name."""
        return (
            match.likeness.doubt is None
            and match.likeness.score >= self._settings.connect
            and not self._settings.bears_name((*types, *match.entry.types))
            and _compatible(types, match.entry)
        )

    def _matches(self, key: str) -> list[_Match]:
        """The best match of each entity, best first."""
        entries = self._index.closest(key, considered=self._settings.compared, each=_COMPARED_FULLY)
        best: dict[str, _Match] = {}
        for entry in entries:
            match = _Match(entry, likeness(key, entry.key, proper=self._settings.bears_name(entry.types)))
            known = best.get(entry.entity)
            if known is None or _rank(match) < _rank(known):
                best[entry.entity] = match
        return sorted(best.values(), key=_rank)

    def _candidates(self, matches: Iterable[_Match]) -> tuple[Candidate, ...]:
        return tuple(
            self._candidate(match.entry, match.likeness.score, match.likeness.doubt or "similar")
            for match in itertools.islice(matches, self._settings.suggestions)
        )

    def _ask(self, reason: Reason, entries: Iterable[Entry]) -> Ask:
        first = {entry.entity: entry for entry in reversed(tuple(entries))}
        named = sorted(first.values(), key=lambda entry: (entry.archived, entry.entity))
        return Ask(
            reason,
            tuple(self._candidate(entry, 1.0, "same name") for entry in named[: self._settings.suggestions]),
        )

    def _candidate(self, entry: Entry, score: float, reason: str) -> Candidate:
        label, types = self._index.label(entry.entity), self._index.types(entry.entity)
        return Candidate(
            entry.entity, label, types, round(score, 3), "archived" if entry.archived else reason
        )


def _rank(match: _Match) -> tuple[float, bool, bool, str]:
    found = match.likeness
    return -found.score, found.doubt is not None, match.entry.archived, match.entry.entity


def _types(type: str | Iterable[str] | None) -> tuple[str, ...]:
    return (type,) if isinstance(type, str) else tuple(type or ())


def _compatible(types: tuple[str, ...], entry: Entry) -> bool:
    """Whether the entity may be of these types: what has no type yet, as a stub, may be of any."""
    return not types or not entry.types or not {*map(type_key, types)}.isdisjoint(map(type_key, entry.types))


def _same(left: str, right: str) -> bool:
    return unicodedata.normalize("NFC", left) == unicodedata.normalize("NFC", right)
