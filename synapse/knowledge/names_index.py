"""Every name of every entity of one memory, and the entities that a piece of text may name."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, Literal, TypeVar

from rapidfuzz import fuzz, process

from synapse.knowledge.normalise import acronyms, normalise
from synapse.knowledge.postings import Postings
from synapse.knowledge.romanise import romanise

Kind = Literal["label", "alias", "id"]
K = TypeVar("K")
T = TypeVar("T")

CANDIDATES: Final = 200
"""Names that a query considers at most (contract section 5)."""
SHORT_FORMS: Final = 40
"""How many of them may be there for their initials alone: two letters fit very many names."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of one entity; `key` is the normalised name."""

    entity: str
    name: str
    key: str
    types: tuple[str, ...] = ()
    kind: Kind = "label"
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """A name to be added in bulk, see `NamesIndex.build`."""

    entity: str
    name: str
    types: tuple[str, ...] = ()
    kind: Kind = "label"
    archived: bool = False


class NamesIndex:
    """Candidates for a name: bounded, in any script, in spite of a typo anywhere.

    One thread writes, any number read. Memory: about 0.4 kB a name.
    """

    def __init__(self) -> None:
        self._entities: dict[str, tuple[Entry, ...]] = {}
        self._table = _Table(())

    @staticmethod
    def build(names: Iterable[Named]) -> NamesIndex:
        """An index of many names at once, several times faster than adding them one by one."""
        index = NamesIndex()
        with _no_collections():
            entries = {(named.entity, named.name, named.kind): _entry(named) for named in names}
            index._entities = _gathered((entry.entity, entry) for entry in entries.values())
            index._table = _Table(itertools.chain.from_iterable(index._entities.values()))
        return index

    def __len__(self) -> int:
        return len(self._entities)

    def __contains__(self, entity: object) -> bool:
        return entity in self._entities

    def add(
        self,
        entity: str,
        name: str,
        *,
        type: str | Iterable[str] | None = None,
        kind: Kind = "label",
        archived: bool = False,
    ) -> None:
        """Let `name` mean `entity` from now on; adding the same again replaces its types and state."""
        types = (type,) if isinstance(type, str) else tuple(type or ())
        entry = _entry(Named(entity, name, types, kind, archived))
        before = self._entities.get(entity, ())
        if entry in before:
            return
        replaced = [old for old in before if (old.name, old.kind) == (name, kind)]
        kept = (old for old in before if old not in replaced)
        self._entities[entity] = (*kept, entry)
        self._table.add(entry)
        self._remove(replaced)

    def discard(self, entity: str, name: str | None = None, *, kind: Kind | None = None) -> None:
        """Forget one name of an entity, or all, of every kind or one; what is not known is no error."""
        before = self._entities.get(entity, ())
        gone = [e for e in before if name in (None, e.name) and kind in (None, e.kind)]
        kept = tuple(entry for entry in before if entry not in gone)
        if kept:
            self._entities[entity] = kept
        else:
            self._entities.pop(entity, None)
        self._remove(gone)

    def entries(self, entity: str) -> tuple[Entry, ...]:
        """Every name of one entity."""
        return self._entities.get(entity, ())

    def label(self, entity: str) -> str:
        """The name to show for an entity: its first label, else any name, else its id."""
        names = self._entities.get(entity, ())
        if len(names) == 1:
            return names[0].name
        return min(names, key=_rank).name if names else entity

    def types(self, entity: str) -> tuple[str, ...]:
        """The types of an entity, over all of its names."""
        names = self.entries(entity)
        if len(names) == 1:
            return names[0].types
        return tuple(dict.fromkeys(type for entry in names for type in entry.types))

    def exact(self, name: str) -> tuple[Entry, ...]:
        """The entries whose normalised name equals that of `name`, bounded as candidates are."""
        return self.of_key(normalise(name))

    def of_key(self, key: str) -> tuple[Entry, ...]:
        """The entries of one normalised name, bounded as candidates are."""
        return self._table.stated.get(key, ())[:CANDIDATES]

    def candidates(self, name: str, *, limit: int = CANDIDATES) -> tuple[Entry, ...]:
        """At most `limit` entries that `name` may mean, the most alike first by shared trigrams.

        Short forms come first: an acronym shares no trigram with what it stands for.
        """
        key = normalise(name)
        found = self._table.short_forms(key)
        for text in dict.fromkeys((key, romanise(key))):
            found += self._table.alike(text, limit=limit)
        return tuple({id(entry): entry for entry in found}.values())[:limit]

    def closest(self, key: str, *, considered: int = CANDIDATES, each: int) -> list[Entry]:
        """The few entries worth a full comparison with a normalised name, of at most `considered` candidates.

        They are the `each` first short forms, and the `each` first rows by edit similarity of the
        names or of their sorted words, which finds typos and other orders, and by trigrams, which
        finds missing words.
        """
        found = self._table.short_forms(key)[:each]
        for text in (key,) if key.isascii() else dict.fromkeys((key, romanise(key))):
            found += self._table.closest(text, considered=considered, each=each)
        return list({id(entry): entry for entry in found}.values())

    def _remove(self, entries: list[Entry]) -> None:
        for entry in entries:
            self._table.remove(entry)
        if self._table.wasteful():
            self._table = _Table(itertools.chain.from_iterable(self._entities.values()))


class _Table:
    """Entries by key, by short form and by trigram. An emptied row stays until the table is rebuilt."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.stated = _gathered((entry.key, entry) for entry in entries)
        self._short = _gathered((short, key) for key in self.stated for short in acronyms(key))
        spelled = dict(self.stated)
        others = _gathered((other, key) for key in self.stated for other in _other_spellings(key))
        for spelling, keys in others.items():
            meant = (entry for key in keys for entry in self.stated[key])
            spelled[spelling] = (*self.stated.get(spelling, ()), *meant)
        self._spellings = list(spelled)
        self._row_of = {spelling: row for row, spelling in enumerate(spelled)}
        self._rows = list(spelled.values())
        self._postings = Postings(self._spellings)
        self._empty = 0

    def add(self, entry: Entry) -> None:
        same = self.stated.get(entry.key, ())
        self.stated[entry.key] = (*same, entry)
        for short in () if same else acronyms(entry.key):
            self._short[short] = (*self._short.get(short, ()), entry.key)
        for spelling in _spellings(entry.key):
            self._add_row(spelling, entry)

    def _add_row(self, spelling: str, entry: Entry) -> None:
        row = self._row_of.get(spelling)
        if row is None:
            # The row exists before any posting names it: a reader never finds a number without one.
            self._rows.append((entry,))
            self._spellings.append(spelling)
            self._row_of[spelling] = self._postings.add(spelling)
            return
        if not self._rows[row]:
            self._postings.show(row, spelling)
            self._empty -= 1
        self._rows[row] = (*self._rows[row], entry)

    def remove(self, entry: Entry) -> None:
        _drop(self.stated, entry.key, entry)
        for short in () if entry.key in self.stated else acronyms(entry.key):
            _drop(self._short, short, entry.key)
        for spelling in _spellings(entry.key):
            row = self._row_of[spelling]
            self._rows[row] = tuple(kept for kept in self._rows[row] if kept != entry)
            if not self._rows[row]:
                self._postings.hide(row)
                self._empty += 1

    def wasteful(self) -> bool:
        return self._empty > 64 and self._empty * 2 > len(self._rows)

    def alike(self, text: str, *, limit: int) -> list[Entry]:
        rows = self._rows
        found = self._postings.nearest(text, limit=limit)
        return [entry for row in found for entry in rows[row][:limit]][:limit]

    def closest(self, text: str, *, considered: int, each: int) -> list[Entry]:
        found = self._postings.rivals(text, limit=considered)
        if len(found) > each:
            spellings = [self._spellings[row] for row in found]
            by_edit = [found[position] for position in _most_alike(text, spellings, each)]
            found = list(dict.fromkeys(by_edit + found[:each]))
        return [entry for row in found for entry in self._one_each(row, each)]

    def _one_each(self, row: int, most: int) -> Iterable[Entry]:
        """The entries of a row, one for each entity: the name itself rather than the path that ends in it."""
        entries = self._rows[row]
        if len(entries) == 1:
            return entries
        spelling = self._spellings[row]
        best: dict[str, Entry] = {}
        for entry in entries[:CANDIDATES]:
            if entry.entity not in best or entry.key == spelling:
                best[entry.entity] = entry
        return list(best.values())[:most]

    def short_forms(self, key: str) -> list[Entry]:
        """What `key` abbreviates, then what abbreviates `key`."""
        keys = (*self._short.get(key, ())[:SHORT_FORMS], *acronyms(key))
        return [entry for short in keys for entry in self.stated.get(short, ())][:SHORT_FORMS]


def _most_alike(text: str, spellings: list[str], each: int) -> list[int]:
    """Positions of the spellings nearest by edits, or once the words of both are sorted, best first.

    Insertions and deletions only (Indel): `likeness` decides, and OSA takes three times as long here.
    """
    alike = process.extract(text, spellings, scorer=fuzz.ratio, processor=None, limit=each)
    if " " in text:
        alike += process.extract(text, spellings, scorer=fuzz.token_sort_ratio, processor=None, limit=each)
        alike.sort(key=itemgetter(1), reverse=True)
    return list(dict.fromkeys([position for _, _, position in alike]))[:each]


def _rank(entry: Entry) -> int:
    return ("label", "alias", "id").index(entry.kind)


def _spellings(key: str) -> set[str]:
    """A key as it is looked for: itself, its last part if it is a path, and both romanised."""
    return {key, *_other_spellings(key)}


def _other_spellings(key: str) -> Iterable[str]:
    if key.isascii() and "/" not in key:
        return ()
    tail = key.rpartition("/")[2].strip() or key
    return {romanise(key), romanise(tail)} - {key}


def _gathered(pairs: Iterable[tuple[K, T]]) -> dict[K, tuple[T, ...]]:
    """The values of each key in order; hardly any key has more than one, so none gets a list at first."""
    gathered: dict[K, tuple[T, ...]] = {}
    more: dict[K, list[T]] = {}
    for key, value in pairs:
        if key in gathered:
            more.setdefault(key, []).append(value)
        else:
            gathered[key] = (value,)
    for key, values in more.items():
        gathered[key] += tuple(values)
    return gathered


@contextmanager
def _no_collections() -> Iterator[None]:
    """Hundreds of thousands of values are made that all stay: to look for garbage is a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _drop(table: dict[str, tuple[T, ...]], key: str, value: T) -> None:
    kept = tuple(other for other in table.get(key, ()) if other != value)
    if kept:
        table[key] = kept
    else:
        table.pop(key, None)


def _entry(named: Named) -> Entry:
    return Entry(named.entity, named.name, normalise(named.name), named.types, named.kind, named.archived)
