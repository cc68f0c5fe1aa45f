"""The only writer of the dataset: every change goes through this one door.

A commit turns "this graph now says that" into one net Delta, lets the reasoner say what
follows, writes data, consequences and provenance as one unit, and only then lets the
reasoner accept. A commit that fails leaves the store, the history and the reasoner as they were.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import takewhile
from pathlib import Path

from pyoxigraph import NamedNode, Quad, Triple

from synapse.errors import StoreError
from synapse.knowledge.provenance import Activity, ActivityKind, GraphRecord
from synapse.rdf.delta import Change, Delta
from synapse.rdf.names import INFERRED, META
from synapse.rdf.vocab import PROV_ACTIVITY, RDF_TYPE, SYN_VERSION
from synapse.reasoning import Entailments, Inconsistency, Reasoner, ReasonerWarning
from synapse.reasoning.proofs import STATED, Proof
from synapse.reasoning.reasoner import EVALUATOR, RULES
from synapse.store.base import Store, text_of
from synapse.store.history import ActivityLog, Entry
from synapse.usecases.consequences import Consequences
from synapse.usecases.differences import Difference, Differences, Replacement
from synapse.usecases.withheld import Withheld

NOT_SOURCES = frozenset({INFERRED, META})
"""The graphs that state nothing: what was derived, and what is on record of the others."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a commit did: the stated and the inferred change, and contradictions that came or went."""

    activity: Activity
    stated: Delta = field(default_factory=Delta)
    inferred: Change = field(default_factory=Delta)
    contradictions_added: tuple[Inconsistency, ...] = ()
    contradictions_removed: tuple[Inconsistency, ...] = ()
    recorded: bool = False
    """Whether the history has the activity: a commit that changes nothing leaves no trace."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The size of a memory: quads that sources state, triples that were inferred."""

    stated: int
    inferred: int

    def after(self, stated: Change, inferred: Change) -> Counts:
        """The counts after these changes."""
        return Counts(
            self.stated + len(stated.added) - len(stated.removed),
            self.inferred + len(inferred.added) - len(inferred.removed),
        )


class Committer:
    """The write door of one memory. One writer at a time; readers of the store never wait."""

    def __init__(
        self,
        store: Store,
        *,
        history: ActivityLog,
        reasoner: Reasoner,
        snapshot: Path | None = None,
        withheld: Withheld | None = None,
    ) -> None:
        """`snapshot` is where the reasoner's state is kept between runs; it can be deleted at any time."""
        self._store = store
        self._withheld = withheld
        self._history = history
        self._reasoner = reasoner
        self._snapshot = snapshot
        self._snapshot_generation = -1
        self._loaded = False
        is_empty = next(store.quads(), None) is None
        self._counts = Counts(0, 0) if is_empty else None  # counting millions takes seconds
        self._suspect = False
        self.lock = threading.RLock()

    def commit(self, replacements: Mapping[NamedNode, Replacement], *, activity: Activity) -> Outcome:
        """Make each graph say what its replacement says; a graph that already does is not touched."""
        with self.lock:
            self._settle()
            difference = Differences(self._store, activity).of(replacements)
            return self._write(difference, activity) if difference else Outcome(activity)

    def preview(self, replacements: Mapping[NamedNode, Replacement], *, activity: Activity) -> Outcome:
        """What `commit` would do, with nothing written."""
        with self.lock:
            stated = Differences(self._store, activity).of(replacements).stated
            entailments = self._derive(stated)
            self._reasoner.discard(entailments)
            return Outcome(activity, stated, Consequences(entailments))

    def counts(self) -> Counts:
        """How many quads sources state, and how many triples are inferred."""
        with self.lock:
            if self._counts is None:
                inferred = self._store.count(INFERRED)
                other = inferred + self._store.count(META)
                self._counts = Counts(self._store.count() - other, inferred)
            return self._counts

    def warnings(self) -> tuple[ReasonerWarning, ...]:
        """What makes the inferred facts incomplete, as far as the reasoner is loaded or they are many."""
        with self.lock:
            many = 2 * self.counts().inferred > self._reasoner.limits.max_inferred
            return self.reasoner().warnings if self._loaded or many else ()

    def last(self, kind: ActivityKind) -> str | None:
        """The newest activity of a kind that changed something, None before any."""
        entries = self._history.entries(newest_first=True)
        return next((entry.iri for entry in entries if entry.kind == kind), None)

    def graphs(self) -> Iterator[NamedNode]:
        """The graphs that hold something."""
        return self._store.graph_names()

    def reasoner(self) -> Reasoner:
        """The reasoner over everything stated, loaded at first use; hold `lock` while using it."""
        with self.lock:
            if not self._loaded:
                self._reasoner = self._from_snapshot() or self._from_store()
                self._loaded = True
            return self._reasoner

    def save_snapshot(self) -> None:
        """Keep the reasoner's state for the next run, unless it is kept already or nothing needed it."""
        with self.lock:
            generation = self._history.generation()
            if self._snapshot is None or not self._loaded or generation == self._snapshot_generation:
                return
            try:
                self._reasoner.snapshot(self._snapshot, generation)
            except OSError:
                return  # a full disk: the next run reads the dataset instead

    def stated_triples(self) -> Iterator[Triple]:
        """Every triple that a source states and that may have consequences, once."""
        seen: set[Triple] = set()
        hidden = self._withheld.archived() if self._withheld else frozenset[NamedNode]()
        for quad in self._store.quads():
            if quad.graph_name not in NOT_SOURCES and quad.triple not in seen:
                seen.add(quad.triple)
                if not hidden or hidden.isdisjoint((quad.subject, quad.object)):
                    yield quad.triple

    def explain(self, triple: Triple, *, limit: int) -> tuple[Proof, ...]:
        """At most `limit` proofs of a triple; none when it does not hold."""
        with self.lock:
            proofs = self.reasoner().explain(triple, limit=limit)
            if not proofs and self._withheld and self._stated_elsewhere(triple, Delta()):
                return (Proof(triple, STATED),)
            return proofs

    def rebuild(self, *, activity: Activity) -> Outcome:
        """Make the inferred graph equal to a materialisation from nothing."""
        with self.lock:
            self._reasoner = self._from_store()
            self._loaded = True
            wanted = {_quad(triple, INFERRED) for triple in self.reasoner().inferred()}
            change = Delta.between(self._store.quads(graph=INFERRED), wanted)
            record = Replacement(frozenset(wanted), GraphRecord(INFERRED, version=self.version))
            if change or self.inferred_version() != self.version:
                differences = Differences(self._store, activity)
                meta = differences.record(INFERRED, record, changed=bool(change)).then(differences.activity())
                self._apply(Delta(), lambda: change, meta, activity)
            if change:  # then the inferred graph was not what it was taken for
                self._counts = None
            return Outcome(activity, inferred=change)

    @property
    def version(self) -> str:
        """What the inferred graph depends on beside the facts: the reasoner and what is withheld."""
        regime = self._reasoner.regime
        digest = hashlib.sha256(repr((EVALUATOR, RULES[regime])).encode()).hexdigest()
        withheld = f"/{self._withheld.version}" if self._withheld else ""
        return f"{regime.value}/{digest[:12]}{withheld}"

    def inferred_version(self) -> str | None:
        """The regime and rules that the stored inferred graph was made with, None before any."""
        return text_of(self._store, INFERRED, SYN_VERSION, graph=META)

    def recover(self) -> int:
        """Apply again what the history knows and the dataset does not; the number of activities repeated."""
        with self.lock:
            torn, missing = self._store.torn, self._missing()
            if torn or missing:
                self._store.mark(torn=True)
                for entry in reversed(missing):
                    stated, meta = self._history.changes(entry.iri)
                    self._store.apply(stated.then(meta))
                self._restore("recovery", torn=torn)
            return len(missing)

    def replay(self) -> None:
        """Fill an empty dataset with what the history amounts to and what follows from it, on no record."""
        with self.lock:
            self._counts = None
            self._store.apply(Delta(frozenset(self._folded())))
            inferred = frozenset(_quad(triple, INFERRED) for triple in self.reasoner().inferred())
            self._store.apply(Delta(inferred))

    def _from_snapshot(self) -> Reasoner | None:
        generation = self._history.generation()
        if self._snapshot is None or generation == 0:
            return None
        found = Reasoner.from_snapshot(
            self._snapshot, generation, regime=self._reasoner.regime, limits=self._reasoner.limits
        )
        self._snapshot_generation = -1 if found is None else generation
        return found

    def _from_store(self) -> Reasoner:
        self._reasoner.load(self.stated_triples())
        return self._reasoner

    def _folded(self) -> set[Quad]:
        """What the history amounts to."""
        held: set[Quad] = set()
        for entry in self._history.entries():
            for change in self._history.changes(entry.iri):
                held -= change.removed
                held |= change.added
        return held

    def _missing(self) -> list[Entry]:
        """The newest activities, which the dataset does not know."""
        entries = self._history.entries(newest_first=True)
        return list(takewhile(lambda entry: not self._is_applied(entry), entries))

    def _restore(self, reason: str, *, torn: bool) -> None:
        """Reason anew over what the dataset holds; a torn one is first made to hold what the history says."""
        self._counts = None
        if torn:
            held = (quad for quad in self._store.quads() if quad.graph_name != INFERRED)
            self._store.apply(Delta.between(held, self._folded()))
        self.rebuild(activity=Activity("reason", reason=reason))
        self._store.mark(torn=False)

    def _is_applied(self, entry: Entry) -> bool:
        known = self._store.quads(NamedNode(entry.iri), RDF_TYPE, PROV_ACTIVITY, META)
        return next(known, None) is not None

    def _write(self, difference: Difference, activity: Activity) -> Outcome:
        stated, meta = difference.stated, difference.meta
        self.reasoner()  # if it must be loaded, then from the dataset as it was
        conclude = cache(partial(self._concluded, stated))
        if stated.removed or self._withheld:
            conclude()  # before the dataset, which is looked at for this, is written
        try:
            self._apply(stated, lambda: conclude()[1], meta, activity)
        except StoreError:
            self._reasoner.discard(conclude()[0])
            raise
        entailments, inferred = conclude()
        self._reasoner.accept(entailments)
        if self._counts:
            self._counts = self._counts.after(stated, inferred)
        came, went = entailments.inconsistencies_added, entailments.inconsistencies_removed
        return Outcome(activity, stated, inferred, came, went, recorded=True)

    def _concluded(self, stated: Delta) -> tuple[Entailments, Consequences]:
        entailments = self._derive(stated)
        return entailments, Consequences(entailments)

    def _apply(self, stated: Delta, inferred: Callable[[], Change], meta: Delta, activity: Activity) -> None:
        """Write to the history what sources state and who did it, and everything to the dataset.

        What follows is found out while what is stated is being written, if that is much.
        """
        iri = activity.node.value
        entry = Entry(0, iri, activity.kind, activity.agent, activity.at, activity.reason)
        try:
            self._store.apply(
                stated,
                rest=lambda: (inferred(), meta),
                record=lambda: self._history.append(entry, change=stated, meta=meta),
            )
        except StoreError:
            self._history.withdraw(iri)
            # A bulk change that was cut short is written in part, consequences included.
            self._suspect, self._counts = True, None
            raise

    def _settle(self) -> None:
        """Make good what a failed write left behind."""
        if self._suspect or self._store.torn:
            self._restore("after a failed write", torn=self._store.torn)
            self._suspect = False

    def _derive(self, stated: Delta) -> Entailments:
        """What follows, seen as triples: a fact that another graph states too neither comes nor goes."""
        arriving: Iterable[Triple] = (quad.triple for quad in stated.added)
        leaving = {quad.triple for quad in stated.removed}
        leaving = {triple for triple in leaving if not self._stated_elsewhere(triple, stated)}
        if self._withheld:
            arriving = set(arriving)
            arriving, leaving = self._withheld.edit(stated, arriving, leaving - arriving)
        return self.reasoner().derive(added=arriving, removed=leaving)

    def _stated_elsewhere(self, triple: Triple, change: Delta) -> bool:
        quads = self._store.quads(triple.subject, triple.predicate, triple.object)  # type: ignore[arg-type]
        return any(quad.graph_name not in NOT_SOURCES and quad not in change.removed for quad in quads)


def _quad(triple: Triple, graph: NamedNode) -> Quad:
    return Quad(triple.subject, triple.predicate, triple.object, graph)
