"""Edits of the reasoning benchmark: what a saved note costs, with and without the write to RocksDB."""

from __future__ import annotations

import gc
import random
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

import pyoxigraph as ox
from reasoning_data import NAMESPACE, Data
from reasoning_engines import timed
from reasoning_figures import FIGURES, row, spread

from synapse.rdf.delta import Delta
from synapse.rdf.names import INFERRED
from synapse.rdf.vocab import OWL, RDF_TYPE
from synapse.reasoning import Reasoner
from synapse.store.embedded import EmbeddedStore
from synapse.usecases.consequences import Consequences

LARGEST_STORE: Final = 200_000
"""Triples; the write is measured up to here."""
EACH_TURN: Final = 720
"""Triples in the units that a turn replaces, three units at least: a third of them with the write."""
SOURCE: Final = ox.NamedNode(NAMESPACE + "source")

Unit = list[ox.Triple]


class Edits:
    """Replacements of units, some in each turn: the turns lie between the runs of the engines.

    The machine's speed changes by a third from minute to minute; edits that took half a second in all met one
    moment of it. No unit is replaced twice, so each edit touches rows for the first time.
    """

    def __init__(self, data: Data, turns: int) -> None:
        self.reasoner = Reasoner()
        self.loading, _ = timed(lambda: self.reasoner.load(data.triples))
        self.counts = self.reasoner.counts
        gc.collect()
        gc.freeze()  # as a memory does after its first synchronisation
        self.name = data.name
        self._kept = set(data.triples)
        self._folder = tempfile.TemporaryDirectory()
        self._store = self._written() if len(data.triples) <= LARGEST_STORE else None
        self._turns = list(_turns(data, turns))
        self._chosen = [unit for turn in self._turns for unit, _ in turn]
        self.seconds: dict[str, list[float]] = {"derive": [], "write": [], "delete": [], "insert": []}

    def turn(self) -> None:
        """Replaces the units of the next turn."""
        edits = self._turns.pop(0)
        derived = -(-len(edits) * 2 // 3)  # the rest is not touched before it is written
        for unit, new in edits[:derived]:
            self.seconds["derive"].append(edit(self.reasoner, removed=unit, added=new))
            edit(self.reasoner, removed=new, added=unit)
        if self._store is not None:
            written = edits[derived:]
            self.seconds["write"] += [save(self._store, self.reasoner, old, new) for old, new in written]
            for old, new in written:
                save(self._store, self.reasoner, new, old)
        edges = [triple for unit, _ in edits[:derived] for triple in unit if self._is_path(triple)]
        gone, back = there_and_back(self.reasoner, edges[:20])
        self.seconds["delete"] += gone
        self.seconds["insert"] += back
        assert self.reasoner.counts == self.counts, "every edit was undone"

    def rows(self) -> Iterator[str]:
        """What all turns together found; ends the writing."""
        name, counts, seconds = self.name, self.counts, self.seconds
        yield row(
            name, "load from triples", f"{self.loading:.3f} s", f"{counts.asserted} + {counts.inferred} facts"
        )
        size = round(statistics.median(map(len, self._chosen)))
        yield spread(name, f"replace a unit of {size} triples, the first", seconds["derive"][:1])
        yield spread(name, "replace a unit: derive", seconds["derive"])
        yield from rerun(name, statistics.median(seconds["derive"]))
        others = {
            "replace a unit: derive and write": "write",
            "delete a transitive edge": "delete",
            "insert it again": "insert",
        }
        yield from (spread(name, what, seconds[key]) for what, key in others.items() if seconds[key])
        if self._store is not None:
            self._store.close()
        self._folder.cleanup()

    def _written(self) -> EmbeddedStore:
        store = EmbeddedStore(Path(self._folder.name) / "store")
        inferred = (ox.Quad(*triple, INFERRED) for triple in self.reasoner.inferred())
        store.apply(Delta.of(added=chain((ox.Quad(*triple, SOURCE) for triple in self._kept), inferred)))
        return store

    def _is_path(self, triple: ox.Triple) -> bool:
        return triple.predicate.value.endswith(("depends_on", "within")) and triple in self._kept


def _turns(data: Data, turns: int) -> Iterator[list[tuple[Unit, Unit]]]:
    """Units of the data, each with what replaces it."""
    choose = random.Random(7)
    size = max(3, EACH_TURN // round(statistics.median(map(len, data.units))))
    places = choose.sample(range(len(data.units)), min(size * turns, len(data.units)))
    for start in range(turns):
        yield [(data.units[place], _replacement(data, place, choose)) for place in places[start::turns]]


def _replacement(data: Data, place: int, choose: random.Random) -> Unit:
    other = data.units[(place + choose.randrange(1, 50)) % len(data.units)]
    return renamed(other, data.units[place])


def renamed(other: Unit, unit: Unit) -> Unit:
    """The content of another note, said of this one."""
    return [ox.Triple(unit[0].subject, triple.predicate, triple.object) for triple in other]


def rerun(name: str, replacement: float) -> Iterator[str]:
    """`reasonable` knows no deletion: what an edit costs there is a run over everything."""
    run = FIGURES.get((name, "reasonable, s"))
    if run is not None:
        what = "a run of reasonable by a replacement"
        times = FIGURES[name, what] = run / replacement
        yield row(name, what, f"{times:.0f}x", "")


def save(store: EmbeddedStore, reasoner: Reasoner, old: Unit, new: Unit) -> float:
    """Derives and writes an edit in the steps of a commit (`synapse.usecases.commit`)."""
    start = time.perf_counter()
    entailments = reasoner.derive(removed=old, added=new)
    stated = Delta.of(
        added=(ox.Quad(*triple, SOURCE) for triple in new),
        removed=(ox.Quad(*triple, SOURCE) for triple in old),
    )
    store.apply(stated, rest=lambda: (Consequences(entailments),))
    reasoner.accept(entailments)
    return time.perf_counter() - start


def there_and_back(reasoner: Reasoner, facts: list[ox.Triple]) -> tuple[list[float], list[float]]:
    """Deletes each fact and asserts it again: the seconds of both."""
    pairs = [(edit(reasoner, removed=[fact]), edit(reasoner, added=[fact])) for fact in facts]
    return [gone for gone, _ in pairs], [back for _, back in pairs]


def edit(reasoner: Reasoner, *, added: Iterable[ox.Triple] = (), removed: Iterable[ox.Triple] = ()) -> float:
    seconds, entailments = timed(lambda: reasoner.derive(added=added, removed=removed))
    reasoner.accept(entailments)  # type: ignore[arg-type]
    return seconds


def cycles(rounds: int) -> Iterator[str]:
    """Deletion in a giant strongly connected component: the worst case of delete-and-rederive."""
    choose = random.Random(1)
    node = [ox.NamedNode(f"{NAMESPACE}n{n}") for n in range(600)]
    reaches = ox.NamedNode(NAMESPACE + "reaches")
    edges = {ox.Triple(choose.choice(node), reaches, choose.choice(node)) for _ in range(1800)}
    reasoner = Reasoner()
    reasoner.load([ox.Triple(reaches, RDF_TYPE, ox.NamedNode(OWL + "TransitiveProperty")), *edges])
    gone, back = there_and_back(reasoner, choose.sample(sorted(edges, key=str), 20 * rounds))
    ratio = FIGURES["cycle", "deletion by insertion"] = statistics.median(gone) / statistics.median(back)
    name = f"cycle of {reasoner.counts.inferred}"
    yield spread(name, "delete an edge", gone)
    yield spread(name, "insert it again", back)
    yield row(name, "deletion by insertion", f"{ratio:.1f}x", f"mean {sum(gone) / sum(back):.1f}x")
