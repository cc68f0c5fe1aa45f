"""The one write door: net, reasoned, on record, and all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice, pairwise
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from synapse.errors import StoreError
from synapse.knowledge.provenance import Activity, GraphRecord
from synapse.rdf.delta import Change, Delta
from synapse.rdf.names import INFERRED, META, file_graph, ontology_graph
from synapse.rdf.vocab import (
    OWL_TRANSITIVE_PROPERTY,
    PROV_WAS_GENERATED_BY,
    PROV_WAS_INVALIDATED_BY,
    RDF_TYPE,
    SYN_DEPENDS_ON,
)
from synapse.reasoning import Entailments
from synapse.reasoning.reasoner import Reasoner
from synapse.store import embedded
from synapse.store.base import no_more, nothing
from synapse.store.embedded import EmbeddedStore
from synapse.store.history import Entry, History
from synapse.usecases.commit import Committer, Counts, Outcome
from synapse.usecases.differences import Replacement

ONTOLOGY = ontology_graph("test/terms")
A, B, C, D = (NamedNode(f"https://synapse.local/{name}") for name in "abcd")
NOTE_A, NOTE_B = file_graph("a.md"), file_graph("b.md")


class FaultyStore(EmbeddedStore):
    """A store that can be told to fail, as a full disk makes it, when the history knows already."""

    faulty = False

    def apply(
        self,
        change: Change,
        *,
        rest: Callable[[], tuple[Change, ...]] = no_more,
        record: Callable[[], None] = nothing,
    ) -> None:
        if self.faulty:
            rest()
            record()
            raise StoreError("No space left on device")
        super().apply(change, rest=rest, record=record)


class Bench:
    """A committer with everything it needs, in memory."""

    def __init__(self) -> None:
        self.store = FaultyStore()
        self.history = History()
        self.committer = Committer(self.store, history=self.history, reasoner=Reasoner())
        self.say(ONTOLOGY, [Triple(SYN_DEPENDS_ON, RDF_TYPE, OWL_TRANSITIVE_PROPERTY)])

    def say(self, graph: NamedNode, triples: Iterable[Triple], *, record: bool = True) -> Outcome:
        quads = frozenset(Quad(t.subject, t.predicate, t.object, graph) for t in triples)
        replacement = Replacement(
            quads, GraphRecord(graph, digest=str(sorted(map(str, quads)))) if record else None
        )
        return self.committer.commit({graph: replacement}, activity=Activity("sync"))

    def inferred(self) -> set[Triple]:
        return {quad.triple for quad in self.store.quads(graph=INFERRED)}

    def state(self) -> tuple[frozenset[Quad], int, frozenset[Triple]]:
        """All there is: the dataset, the length of the history, what the reasoner entails."""
        entries = len(list(self.history.entries()))
        return frozenset(self.store.quads()), entries, frozenset(self.committer.reasoner().inferred())


@pytest.fixture
def bench() -> Bench:
    return Bench()


def depends(subject: NamedNode, object: NamedNode) -> Triple:
    return Triple(subject, SYN_DEPENDS_ON, object)


def test_what_follows_is_written_with_what_was_said(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B)])
    outcome = bench.say(NOTE_B, [depends(B, C)])
    assert {quad.triple for quad in outcome.inferred.added} == {depends(A, C)} == bench.inferred()


def test_a_consequence_goes_with_any_fact_it_rests_on(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B)])
    bench.say(NOTE_B, [depends(B, C)])
    bench.say(NOTE_A, [])
    assert bench.inferred() == set()


def test_a_fact_that_another_graph_states_stays_when_one_drops_it(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B)])
    bench.say(NOTE_B, [depends(A, B), depends(B, C)])
    outcome = bench.say(NOTE_A, [])
    assert not outcome.inferred
    assert bench.inferred() == {depends(A, C)}


def test_a_fact_dropped_by_all_its_graphs_at_once_is_gone(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B)])
    bench.say(NOTE_B, [depends(A, B), depends(B, C)])
    both = {NOTE_A: Replacement(), NOTE_B: Replacement()}
    bench.committer.commit(both, activity=Activity("sync"))
    assert bench.inferred() == set()


def test_what_becomes_stated_is_no_longer_inferred_and_comes_back(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B), depends(B, C)])
    bench.say(NOTE_B, [depends(A, C)])
    assert bench.inferred() == set()
    bench.say(NOTE_B, [])
    assert bench.inferred() == {depends(A, C)}


def test_saying_the_same_again_writes_nothing(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B)])
    before = bench.state()
    assert not bench.say(NOTE_A, [depends(A, B)]).stated
    assert bench.state() == before


def test_every_graph_is_on_record_with_the_activity_that_made_it(bench: Bench) -> None:
    outcome = bench.say(NOTE_A, [depends(A, B)])
    records = list(bench.store.quads(NOTE_A, PROV_WAS_GENERATED_BY, graph=META))
    assert [quad.object for quad in records] == [outcome.activity.node]


def test_a_dropped_graph_is_on_record_as_invalidated(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B)])
    outcome = bench.say(NOTE_A, [], record=False)
    assert [q.object for q in bench.store.quads(NOTE_A, PROV_WAS_INVALIDATED_BY, graph=META)] == [
        outcome.activity.node
    ]
    assert list(bench.store.quads(NOTE_A, PROV_WAS_GENERATED_BY, graph=META)) == []


def test_a_failed_write_leaves_store_history_and_reasoner_as_they_were(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B)])
    before = bench.state()
    bench.store.faulty = True
    with pytest.raises(StoreError):
        bench.say(NOTE_B, [depends(B, C)])
    bench.store.faulty = False
    assert bench.state() == before
    bench.say(NOTE_B, [depends(B, C)])
    assert bench.inferred() == {depends(A, C)}


def test_a_history_that_cannot_be_written_stops_the_commit(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B)])
    quads, _, inferred = bench.state()
    bench.history.close()
    with pytest.raises(StoreError):
        bench.say(NOTE_B, [depends(B, C)])
    assert frozenset(bench.store.quads()) == quads
    assert frozenset(bench.committer.reasoner().inferred()) == inferred


def test_a_preview_tells_what_a_commit_would_do_and_does_nothing(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B)])
    before = bench.state()
    quad = Quad(B, SYN_DEPENDS_ON, C, NOTE_B)
    outcome = bench.committer.preview({NOTE_B: Replacement(frozenset({quad}))}, activity=Activity("sync"))
    assert {q.triple for q in outcome.inferred.added} == {depends(A, C)}
    assert bench.state() == before


def test_what_the_history_knows_and_the_dataset_lost_is_written_again(bench: Bench) -> None:
    """A power cut: the history reached the disk, the dataset's last transactions did not."""
    bench.say(NOTE_A, [depends(A, B)])
    kept = frozenset(bench.store.quads())
    bench.say(NOTE_B, [depends(B, C)])
    bench.say(NOTE_A, [depends(A, B), depends(C, D)])
    full = frozenset(bench.store.quads())
    bench.store.apply(Delta.between(full, kept))
    restarted = Committer(bench.store, history=bench.history, reasoner=Reasoner())
    assert restarted.recover() == 2
    sources = {quad for quad in bench.store.quads() if quad.graph_name != META}
    assert sources == {quad for quad in full if quad.graph_name != META}
    assert restarted.recover() == 0


def test_the_counts_follow_every_commit(bench: Bench) -> None:
    bench.committer.counts()
    bench.say(NOTE_A, [depends(A, B), Triple(A, NamedNode("urn:p"), Literal("x"))])
    bench.say(NOTE_B, [depends(B, C)])
    bench.say(NOTE_A, [depends(A, B)])
    counts = bench.committer.counts()
    assert (counts.stated, counts.inferred) == (3, 1)


def test_the_counts_of_a_memory_that_began_empty_are_those_of_its_dataset(bench: Bench) -> None:
    def counted() -> Counts:
        return Committer(bench.store, history=bench.history, reasoner=Reasoner()).counts()

    assert bench.committer.counts() == counted()
    bench.say(NOTE_A, [depends(A, B), depends(B, C)])
    bench.say(NOTE_B, [depends(A, C), depends(C, D)])
    bench.say(NOTE_A, [])
    assert bench.committer.counts() == counted()
    bench.store.apply(Delta(removed=frozenset(bench.store.quads(graph=INFERRED))))
    bench.committer.rebuild(activity=Activity("reason"))
    assert bench.committer.counts() == counted()


def test_a_recovered_memory_that_began_empty_is_counted_anew(bench: Bench) -> None:
    bench.say(NOTE_A, [depends(A, B), depends(B, C)])
    restarted = Committer(EmbeddedStore(), history=bench.history, reasoner=Reasoner())
    restarted.recover()
    assert restarted.counts() == bench.committer.counts() != Counts(0, 0)


def test_a_reopened_memory_takes_the_reasoner_from_its_snapshot(tmp_path: Path) -> None:
    def opened() -> tuple[EmbeddedStore, History, Committer]:
        store, history = EmbeddedStore(tmp_path / "store"), History(tmp_path / "history.sqlite")
        snapshot = tmp_path / "reasoner.npz"
        return store, history, Committer(store, history=history, reasoner=Reasoner(), snapshot=snapshot)

    store, history, committer = opened()
    terms = Quad(SYN_DEPENDS_ON, RDF_TYPE, OWL_TRANSITIVE_PROPERTY, ONTOLOGY)
    facts = frozenset({Quad(A, SYN_DEPENDS_ON, B, NOTE_A), Quad(B, SYN_DEPENDS_ON, C, NOTE_A)})
    said = {ONTOLOGY: Replacement(frozenset({terms})), NOTE_A: Replacement(facts)}
    committer.commit(said, activity=Activity("sync"))
    committer.save_snapshot()
    store.close()
    history.close()

    store, history, committer = opened()
    store.apply(Delta.of(removed=store.quads(graph=NOTE_A)))  # so that only the snapshot can know
    assert set(committer.reasoner().inferred()) == {depends(A, C)}
    store.apply(Delta.of(added=facts))
    outcome = committer.commit(
        {NOTE_B: Replacement(frozenset({Quad(C, SYN_DEPENDS_ON, D, NOTE_B)}))}, activity=Activity("sync")
    )
    assert {quad.triple for quad in outcome.inferred.added} == {depends(A, D), depends(B, D)}
    store.close()
    history.close()

    store, history, committer = opened()
    assert {depends(A, D)} < set(committer.reasoner().inferred()), "an outdated snapshot is not used"
    store.close()
    history.close()


@pytest.fixture
def small_bulks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a change of ten quads a bulk one, written by fives."""
    monkeypatch.setattr(embedded, "BULK_QUADS", 10)
    monkeypatch.setattr(embedded, "LOADED_QUADS", 5)


class TearingStore(EmbeddedStore):
    """A store whose next bulk change fails in the middle, as on a full disk."""

    tears = False

    def _bulk_load(self, quads: Iterator[Quad]) -> None:
        if self.tears:
            super()._bulk_load(islice(quads, 7))
            raise OSError(28, "No space left on device")
        super()._bulk_load(quads)


class FullHistory(History):
    """A history that finds the disk full the next time."""

    full = False

    def append(self, entry: Entry, *, change: Delta, meta: Delta) -> None:
        if self.full:
            raise StoreError("the history could not be written: database or disk is full")
        super().append(entry, change=change, meta=meta)


class BrokenReasoner(Reasoner):
    """A reasoner that finds a fault of its own the next time."""

    broken = False

    def derive(self, *, added: Iterable[Triple] = (), removed: Iterable[Triple] = ()) -> Entailments:
        if self.broken:
            raise RuntimeError("a fault in the reasoner")
        return super().derive(added=added, removed=removed)


class Disk:
    """A memory's write door on disk, which can be opened again."""

    def __init__(self, folder: Path) -> None:
        self.store = TearingStore(folder / "store")
        self.history = FullHistory(folder / "history.sqlite")
        self.reasoner = BrokenReasoner()
        self.committer = Committer(self.store, history=self.history, reasoner=self.reasoner)

    def say(self, graph: NamedNode, triples: Iterable[Triple]) -> Outcome:
        quads = frozenset(Quad(t.subject, t.predicate, t.object, graph) for t in triples)
        said = Replacement(quads, GraphRecord(graph, digest=str(len(quads))))
        return self.committer.commit({graph: said}, activity=Activity("sync"))

    def facts(self) -> frozenset[Quad]:
        return frozenset(quad for quad in self.store.quads() if quad.graph_name != META)

    def close(self) -> None:
        self.store.close()
        self.history.close()


def chain(length: int) -> list[Triple]:
    ends = [NamedNode(f"https://synapse.local/n{number}") for number in range(length + 1)]
    return [depends(first, second) for first, second in pairwise(ends)]


@pytest.mark.usefixtures("small_bulks")
@pytest.mark.parametrize("restart", [True, False])
@pytest.mark.parametrize("fault", ["dataset", "history", "reasoner"])
def test_a_bulk_write_that_fails_midway_leaves_nothing_behind(
    tmp_path: Path, fault: str, restart: bool
) -> None:
    """Neither in the process that saw it fail, nor when that ends before another write."""
    disk = Disk(tmp_path)
    disk.say(ONTOLOGY, [Triple(SYN_DEPENDS_ON, RDF_TYPE, OWL_TRANSITIVE_PROPERTY)])
    disk.say(NOTE_A, [depends(A, B), depends(B, C)])
    before = disk.facts()
    disk.store.tears, disk.history.full = fault == "dataset", fault == "history"
    disk.reasoner.broken = fault == "reasoner"
    with pytest.raises((StoreError, RuntimeError)):
        disk.say(NOTE_B, chain(12))
    disk.store.tears = disk.history.full = disk.reasoner.broken = False
    assert disk.facts() > before, "the fault that is mended here"
    if restart:
        disk.close()
        disk = Disk(tmp_path)
        disk.committer.recover()
        assert disk.facts() == before
    disk.say(NOTE_A, [depends(A, B), depends(B, C), depends(C, D)])
    fresh = Reasoner()
    fresh.load(disk.committer.stated_triples())
    assert set(disk.committer.stated_triples()) == {
        Triple(SYN_DEPENDS_ON, RDF_TYPE, OWL_TRANSITIVE_PROPERTY), depends(A, B), depends(B, C), depends(C, D)
    }  # fmt: skip
    assert {quad.triple for quad in disk.facts() if quad.graph_name == INFERRED} == set(fresh.inferred())
    assert not disk.store.torn
    disk.close()


@pytest.mark.usefixtures("small_bulks")
def test_a_bulk_write_that_succeeds_leaves_no_mark(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.say(NOTE_B, chain(12))
    assert not disk.store.torn
    disk.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history.sqlite", "store"]
