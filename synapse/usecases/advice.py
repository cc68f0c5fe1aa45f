"""What was probably meant: by a link that leads to no file, by a property that nobody uses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from pyoxigraph import NamedNode

from synapse.errors import InvalidIdentifier
from synapse.knowledge.nearest import NearestNames
from synapse.notes.note import Diagnostic
from synapse.rdf.lexicon import WELL_KNOWN
from synapse.rdf.names import decode, fold_key, shortened, spoken
from synapse.rdf.vocab import PREFIXES
from synapse.usecases.answers import CheckReport, Finding, Notice, SyncReport
from synapse.usecases.rooms import Rooms
from synapse.usecases.slips import SUGGESTED, nearest_word
from synapse.usecases.turns import in_turns

ADVISED: Final = 20
"""Broken links of one report that get advice: each takes some milliseconds among ten thousand notes."""

CALLED: Final = 2
"""Notes that are named for a link which is the title of several."""

_LOGIC: Final = tuple(PREFIXES[name] for name in ("rdf", "rdfs", "owl"))
_UNKNOWN: Final = "nothing has a property {}"

Report = TypeVar("Report", SyncReport, CheckReport)
Item = TypeVar("Item", Diagnostic, Finding)


def advised(report: Report, rooms: Rooms, *, of: Collection[str] | None = None) -> Report:
    """The report, its broken links with the notes that are called so, else named much like it.

    `of`: only the links of these notes, when just they were looked at.
    """
    broken = [
        item
        for item in report.diagnostics
        if item.code == "link-unresolved" and (of is None or item.path in of)
    ]
    if not broken:
        return report
    # Those of different notes before a second one of the same: one note may have thousands.
    chosen = in_turns(broken, lambda item: item.path)[:ADVISED]
    known = NearestNames(path.rpartition(".")[0] for path in rooms.catalog.rows())
    better = {id(item): _advised(item, rooms, known) for item in chosen}
    found = tuple(better.get(id(item), item) for item in report.diagnostics)
    return replace(report, diagnostics=found)


def _advised(item: Item, rooms: Rooms, known: NearestNames) -> Item:
    target = item.target or ""
    near = _called(rooms, target)[:CALLED] or known.nearest(target)
    return replace(item, message=f"{item.message}; did you mean {' or '.join(near)}?") if near else item


def _called(rooms: Rooms, name: str) -> list[str]:
    """The notes whose title or alias is a name.

    A link means a file by its name, and in most dialects no title; who writes one means that note.
    """
    assert rooms.folder is not None  # whose links these are
    entries = rooms.naming.index().exact(name)
    nodes = {NamedNode(entry.entity) for entry in entries if entry.kind != "id"}
    return sorted(rooms.view.node(node) for node in nodes if rooms.folder.path_of(node) is not None)


class Properties:
    """The properties of one memory, by what people call them in a question or a write."""

    def __init__(self, rooms: Rooms) -> None:
        self._view, self._lexicon, self._used = rooms.view, rooms.lexicon, rooms.used_properties

    def asked(self, keys: Sequence[str]) -> list[NamedNode]:
        """The properties of these keys; raises `InvalidIdentifier` for one that nothing has."""
        return [self._known(key) for key in keys]

    def _known(self, key: str) -> NamedNode:
        term = self._lexicon().asked(key)
        if not self._exists(term):
            hint = self._advice(key) or "the card of an entity shows its properties"
            raise InvalidIdentifier(_UNKNOWN.format(shortened(key)), hint=hint)
        return term

    def doubt(self, key: str) -> Notice | None:
        """What to say of a property that nothing has, or that is a slip of a known one; None of any other."""
        if self._exists(self._lexicon().asked(key)):
            return next(iter(self.slips([key])), None)
        parts = [_UNKNOWN.format(shortened(key)), self._advice(key)]
        return Notice("unknown-property", "; ".join(filter(None, parts)))

    def slips(self, keys: Iterable[str]) -> tuple[Notice, ...]:
        """What to tell of keys that name properties of this memory's own, a slip away from known ones."""
        found = {key: self._slip(key) for key in keys}
        return tuple(
            Notice(
                "property-slip", f"{shortened(key)} is a property of this memory's own; did you mean {meant}?"
            )
            for key, meant in found.items()
            if meant is not None
        )

    def _slip(self, key: str) -> str | None:
        """The property that was meant by an own one: of a vocabulary, or, if it is new, an own one in use."""
        lexicon, own = self._lexicon(), self._view.names.vocabulary
        term = lexicon.asked(key)
        if not term.value.startswith(own):
            return None
        word = fold_key(decode(term.value.removeprefix(own)))
        known: dict[str, NamedNode] = {**SUGGESTED, **lexicon.properties}
        if not self._exists(term):
            used = (each for each in self._used if each.value.startswith(own) and self._exists(each))
            known |= {fold_key(decode(each.value.removeprefix(own))): each for each in used}
        meant = nearest_word(word, known)
        return None if meant is None else self._shown(known[meant])

    def _advice(self, key: str) -> str:
        keys = dict(self._keys())
        near = NearestNames(keys).nearest(spoken(key), limit=4)
        # What somebody mistyped before is no better than the question.
        shown = [key for key in dict.fromkeys(keys[name] for name in near) if self._slip(key) is None][:2]
        return f"did you mean {' or '.join(shown)}?" if shown else ""

    def _exists(self, term: NamedNode) -> bool:
        if next(self._view.store.quads(predicate=term), None) is not None:
            return True
        known = {*self._lexicon().properties.values(), *WELL_KNOWN.values()}
        return term in known or term.value.startswith(_LOGIC)

    def _keys(self) -> Iterator[tuple[str, str]]:
        """What people may call each property, with the key that is shown: by labels first, then as shown."""
        for key, term in self._lexicon().properties.items():
            yield key, self._shown(term)
        for term in dict.fromkeys([*self._used, *self._lexicon().properties.values()]):
            yield self._shown(term), self._shown(term)

    def _shown(self, term: NamedNode) -> str:
        return spoken(self._view.node(term))
