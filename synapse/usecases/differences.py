"""From what graphs are to say to what changes: in the sources' graphs, and on record of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pyoxigraph import NamedNode, Quad

from synapse.knowledge.provenance import Activity, GraphRecord, invalidation
from synapse.rdf.delta import Delta
from synapse.rdf.names import META
from synapse.store.base import Store


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a graph says from now on, and what goes on record of it; no quads and no record drop it."""

    quads: frozenset[Quad] = frozenset()
    record: GraphRecord | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A net change of what sources state, and of what is on record of them."""

    stated: Delta = field(default_factory=Delta)
    meta: Delta = field(default_factory=Delta)

    def __bool__(self) -> bool:
        return bool(self.stated or self.meta)


class Differences:
    """What one activity changes when it makes graphs say something."""

    def __init__(self, store: Store, activity: Activity) -> None:
        self._store = store
        self._activity = activity

    def of(self, replacements: Mapping[NamedNode, Replacement]) -> Difference:
        """The net change of them all, and on record by whom, if there is any."""
        found = _Found()
        for graph, replacement in replacements.items():
            self._compare(graph, replacement, found)
        if found.recorded or found.erased:
            found.recorded |= self.activity().added
        return found.difference()

    def record(self, graph: NamedNode, replacement: Replacement, *, changed: bool) -> Delta:
        """What goes on record of a graph that changed, or whose record differs in more than its activity."""
        old = list(self._store.quads(graph, graph=META))
        new = list(self._record_of(graph, replacement)) if (old or replacement.record) else []
        if changed or _content(old) != _content(new):
            return Delta.of(added=new, removed=old)
        return Delta()

    def activity(self) -> Delta:
        """The activity itself, as far as it is not on record."""
        return Delta(frozenset(quad for quad in self._activity.quads() if not self._holds(quad)))

    def _compare(self, graph: NamedNode, replacement: Replacement, found: _Found) -> None:
        old = frozenset(self._store.quads(graph=graph))
        changed = old != replacement.quads
        if changed:
            found.added |= replacement.quads - old
            found.removed |= old - replacement.quads
        record = self.record(graph, replacement, changed=changed)
        found.recorded |= record.added
        found.erased |= record.removed

    def _record_of(self, graph: NamedNode, replacement: Replacement) -> Iterable[Quad]:
        if replacement.record is None:
            return invalidation(graph, self._activity)
        return replacement.record.quads(self._activity)

    def _holds(self, quad: Quad) -> bool:
        known = self._store.quads(quad.subject, quad.predicate, quad.object, META)  # type: ignore[arg-type]
        return next(known, None) is not None


@dataclass(slots=True)
class _Found:
    """A difference in the making."""

    added: set[Quad] = field(default_factory=set)
    removed: set[Quad] = field(default_factory=set)
    recorded: set[Quad] = field(default_factory=set)
    erased: set[Quad] = field(default_factory=set)

    def difference(self) -> Difference:
        return Difference(
            Delta.of(added=self.added, removed=self.removed),
            Delta.of(added=self.recorded, removed=self.erased),
        )


def _content(quads: Iterable[Quad]) -> set[tuple[NamedNode, str]]:
    """What a record says apart from the activity and the time."""
    return {
        (quad.predicate, str(quad.object))
        for quad in quads
        if not quad.predicate.value.endswith(("AtTime", "GeneratedBy", "InvalidatedBy"))
    }
