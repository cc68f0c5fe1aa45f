"""Reasoning, side by side in one run: owlrl, reasonable (Rust), a SPARQL INSERT loop, and synapse.

    make bench-reasoning                                  the sizes of docs/benchmarks.md
    python bench/reasoning.py --notes 1000 --university 10000 --rounds 3

Every figure is the median of `--rounds` runs, or of as many as fit into `--patience` seconds per
engine (the note tells). Engines reason over the same triples, already loaded in their own form, each
in a process of its own; parsing and writing are not counted. One that is still at its first run after
`--limit` seconds is stopped, and the row gives bounds. Before a figure is shown, the inferred sets are
compared. The run ends with the gates that were missed, and exits 1 when there are any.
`reasonable` is no dependency of synapse: `pip install reasonable==0.4.4`.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyoxigraph as ox
from reasoning_data import NAMESPACE, Data, university, vault
from reasoning_engines import Facts, Runner, installed, timed

from synapse.rdf.delta import Delta
from synapse.rdf.names import INFERRED
from synapse.rdf.vocab import OWL, RDF_TYPE
from synapse.reasoning import Reasoner
from synapse.store.embedded import EmbeddedStore
from synapse.usecases.consequences import Consequences

LARGEST_STORE = 200_000
"""Triples; the write is measured up to here."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What a figure has to reach; `least` is a lower bound, `most` an upper one."""

    data: str
    what: str
    unit: str
    most: float = float("inf")
    least: float = 0.0

    def missed(self, figure: float) -> str | None:
        """How a figure misses the gate, None when it does not."""
        if self.least <= figure <= self.most:
            return None
        bound = f"over {self.most:g}" if figure > self.most else f"under {self.least:g}"
        return f"{self.data}, {self.what}: {figure:.3g} {self.unit}, {bound}"


GATES: Final = (
    Gate("vault-10000", "materialise: times reasonable", "times", least=10),
    Gate("university-100000", "materialise: times owlrl", "times", least=300),
    Gate("vault-10000", "replace a unit: derive", "ms", most=2),
    Gate("vault-10000", "replace a unit: derive and write", "ms", most=10),
    Gate("vault-10000", "a run of reasonable by a replacement", "times", least=1000),
    Gate("vault-10000", "explain", "ms", most=1),
    Gate("cycle", "deletion by insertion", "times", most=10),
    Gate("university-1000000", "open a snapshot", "s", most=2),
    Gate("university-1000000", "memory after opening", "MB", most=450),
)
FIGURES: Final[dict[tuple[str, str], float]] = {}
"""What was measured, by data and name, in the unit of its gate."""


def missed_gates() -> list[str]:
    """The gates of what was measured that were missed."""
    measured = [(gate, FIGURES[gate.data, gate.what]) for gate in GATES if (gate.data, gate.what) in FIGURES]
    return [text for gate, figure in measured if (text := gate.missed(figure))]


def unmeasured_gates() -> list[str]:
    """The gates that this run says nothing about: smaller sizes, engines that are absent."""
    return [f"{gate.data}, {gate.what}" for gate in GATES if (gate.data, gate.what) not in FIGURES]


# What is measured


def materialisation(data: Data, engines: list[str], options: argparse.Namespace) -> Iterator[str]:
    runners = {engine: Runner(engine, data) for engine in engines}
    seconds: dict[str, list[float]] = {engine: [] for engine in engines}
    stopped: set[str] = set()
    for _ in range(options.rounds):  # round by round, so that a busy moment touches all engines
        for engine in engines:
            if not seconds[engine] or sum(seconds[engine]) * 2 < options.patience:
                spent = None if engine in stopped else runners[engine].run(options.limit)
                seconds[engine] += [] if spent is None else [spent]
                stopped |= {engine} if spent is None else set()
    for runner in runners.values():
        runner.stop()
    facts = {engine: runner.facts or set() for engine, runner in runners.items()}
    for engine in engines:
        yield engine_row(data, engine, seconds, options.limit, facts)


def engine_row(
    data: Data, engine: str, seconds: dict[str, list[float]], limit: float, facts: dict[str, Facts]
) -> str:
    """The median of an engine's runs and how many times ours it is; bounds of both when it was stopped."""
    ours = statistics.median(seconds["synapse"])
    median = statistics.median(seconds[engine] or [limit])
    times = FIGURES[data.name, f"materialise: times {engine}"] = median / ours
    if not seconds[engine]:
        figure, note = f"over {median:.0f} s", f"more than {times:.0f}x, stopped unfinished"
    else:
        same = "same" if facts[engine] == facts["synapse"] else difference(facts[engine], facts["synapse"])
        figure, note = f"{median:.3f} s", f"{times:.0f}x, {same}, {len(seconds[engine])} runs"
    if engine == "reasonable":
        FIGURES[data.name, "reasonable, s"] = median
    return row(data.name, f"materialise: {engine}", figure, note)


def difference(theirs: Facts, ours: Facts) -> str:
    return f"{len(theirs - ours)} more and {len(ours - theirs)} fewer facts"


def edits(data: Data, rounds: int) -> Iterator[str]:
    reasoner = Reasoner()
    loading, _ = timed(lambda: reasoner.load(data.triples))
    counts = reasoner.counts
    gc.collect()
    gc.freeze()  # as a memory does after its first synchronisation
    yield row(
        data.name, "load from triples", f"{loading:.3f} s", f"{counts.asserted} + {counts.inferred} facts"
    )
    choose = random.Random(7)
    places = choose.sample(range(len(data.units)), min(60 * rounds, len(data.units)))
    units = [data.units[place] for place in places]
    others = [data.units[(place + choose.randrange(1, 50)) % len(data.units)] for place in places]
    derived = len(units) * 2 // 3  # the rest is not touched before it is written
    chosen, near = units[:derived], others[:derived]
    replaced = [replacement(reasoner, unit, other) for unit, other in zip(chosen, near, strict=True)]
    size = round(statistics.median(map(len, chosen)))
    yield spread(data.name, f"replace a unit of {size} triples, the first", replaced[:1])
    yield spread(data.name, "replace a unit: derive", replaced)
    yield from rerun(data.name, statistics.median(replaced))
    yield from written(data, reasoner, units[derived:], others[derived:])
    kept = set(data.triples)
    edges = [
        t
        for unit in chosen
        for t in unit
        if t.predicate.value.endswith(("depends_on", "within")) and t in kept
    ]
    gone, back = there_and_back(reasoner, edges[:100])
    yield spread(data.name, "delete a transitive edge", gone)
    yield spread(data.name, "insert it again", back)
    yield from proofs(data.name, reasoner, choose)
    yield from restart(data.name, reasoner, rounds)


def rerun(name: str, replacement: float) -> Iterator[str]:
    """`reasonable` knows no deletion: what an edit costs there is a run over everything."""
    run = FIGURES.get((name, "reasonable, s"))
    if run is not None:
        what = "a run of reasonable by a replacement"
        times = FIGURES[name, what] = run / replacement
        yield row(name, what, f"{times:.0f}x", "")


def written(
    data: Data, reasoner: Reasoner, chosen: list[list[ox.Triple]], near: list[list[ox.Triple]]
) -> Iterator[str]:
    """Further replacements with the write: the unit and what is inferred, in one update on RocksDB.

    Nobody takes each edit back: they are undone after the last, and in the reasoner alone.
    """
    source = ox.NamedNode(NAMESPACE + "source")
    if len(data.triples) > LARGEST_STORE:
        return
    with tempfile.TemporaryDirectory() as folder:
        store = EmbeddedStore(Path(folder) / "store")
        quads = [ox.Quad(*triple, source) for triple in data.triples]
        store.apply(Delta.of(added=[*quads, *(ox.Quad(*triple, INFERRED) for triple in reasoner.inferred())]))
        news = [renamed(other, unit) for unit, other in zip(chosen, near, strict=True)]
        edits = list(zip(chosen, news, strict=True))
        seconds = [save(store, reasoner, unit, new, source) for unit, new in edits]
        for unit, new in edits:
            edit(reasoner, removed=new, added=unit)
        store.close()
    yield spread(data.name, "replace a unit: derive and write", seconds)


def save(
    store: EmbeddedStore,
    reasoner: Reasoner,
    old: list[ox.Triple],
    new: list[ox.Triple],
    source: ox.NamedNode,
) -> float:
    """Derives and writes an edit in the steps of a commit (`synapse.usecases.commit`)."""
    start = time.perf_counter()
    entailments = reasoner.derive(removed=old, added=new)
    stated = Delta.of(
        added=(ox.Quad(*triple, source) for triple in new),
        removed=(ox.Quad(*triple, source) for triple in old),
    )
    store.apply(stated, rest=lambda: (Consequences(entailments),))
    reasoner.accept(entailments)
    return time.perf_counter() - start


def there_and_back(reasoner: Reasoner, facts: list[ox.Triple]) -> tuple[list[float], list[float]]:
    """Deletes each fact and asserts it again: the seconds of both."""
    pairs = [(edit(reasoner, removed=[fact]), edit(reasoner, added=[fact])) for fact in facts]
    return [gone for gone, _ in pairs], [back for _, back in pairs]


def replacement(reasoner: Reasoner, unit: list[ox.Triple], other: list[ox.Triple]) -> float:
    """Gives a note the content of another, measures that, and undoes it."""
    new = renamed(other, unit)
    seconds = edit(reasoner, removed=unit, added=new)
    edit(reasoner, removed=new, added=unit)
    return seconds


def renamed(other: list[ox.Triple], unit: list[ox.Triple]) -> list[ox.Triple]:
    """The content of another note, said of this one."""
    return [ox.Triple(unit[0].subject, triple.predicate, triple.object) for triple in other]


def edit(reasoner: Reasoner, *, added: Iterable[ox.Triple] = (), removed: Iterable[ox.Triple] = ()) -> float:
    seconds, entailments = timed(lambda: reasoner.derive(added=added, removed=removed))
    reasoner.accept(entailments)  # type: ignore[arg-type]
    return seconds


def proofs(name: str, reasoner: Reasoner, choose: random.Random) -> Iterator[str]:
    sample = choose.sample(list(reasoner.inferred()), 500)
    yield spread(name, "explain", [timed(lambda t=triple: reasoner.explain(t))[0] for triple in sample])


def restart(name: str, reasoner: Reasoner, rounds: int) -> Iterator[str]:
    """Opening a snapshot, each time in a process that does nothing else."""
    counts = reasoner.counts
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.npz"
        saving, _ = timed(lambda: reasoner.snapshot(path, 1))
        opened = [opened_alone(path) for _ in range(rounds)]
    opening = FIGURES[name, "open a snapshot"] = statistics.median(seconds for seconds, _ in opened)
    peak = FIGURES[name, "memory after opening"] = statistics.median(peak for _, peak in opened)
    yield row(name, "open a snapshot", f"{opening:.3f} s", f"saved in {saving:.3f} s")
    facts = f"{counts.asserted} + {counts.inferred} facts, peak"
    yield row(name, "memory after opening", f"{peak:.0f} MB", facts)


def opened_alone(path: Path) -> tuple[float, float]:
    """Seconds and megabytes that another process takes to open a snapshot."""
    command = [sys.executable, __file__, "--open", str(path)]
    seconds, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(peak)


def open_here(path: Path) -> None:
    """What that process does."""
    seconds, reasoner = timed(lambda: Reasoner.from_snapshot(path, 1))
    assert reasoner is not None
    print(f"{seconds:.3f} {_peak_kilobytes() / 1024:.0f}")


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


def _peak_kilobytes() -> int:
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage tells a child begins with the size of its parent
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def spread(name: str, what: str, seconds: list[float]) -> str:
    ordered = sorted(seconds)
    p95 = ordered[int(0.95 * len(ordered))]
    median = FIGURES[name, what] = statistics.median(ordered) * 1e3
    return row(name, what, f"{median:.3f} ms", f"p95 {p95 * 1e3:.3f} ms")


def row(name: str, what: str, figure: str, note: str) -> str:
    return f"| {name} | {what} | {figure} | {note} |"


def main() -> int:
    options = arguments()
    if options.open:
        open_here(options.open)
        return 0
    print(f"{machine()}\n")
    print(row("data", "what", "median", "note"), row("---", "---", "---", "---"), sep="\n")
    for data in (*map(vault, options.notes), *map(university, options.university)):
        for line in materialisation(data, engines(data, options), options):
            print(line, flush=True)
        for line in edits(data, options.rounds):
            print(line, flush=True)
    print(*cycles(options.rounds), sep="\n", flush=True)
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}.")
    missed = missed_gates()
    for text in unmeasured_gates():
        print(f"not measured: {text}")
    for text in missed:
        print(f"missed: {text}")
    return 1 if missed else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--university", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=60, help="seconds per engine and data set")
    parser.add_argument("--limit", type=float, default=120, help="seconds after which a run is stopped")
    parser.add_argument("--owlrl-at-most", type=int, default=110_000, help="triples; it needs minutes")
    parser.add_argument("--ours-only", action="store_true", help="skip the other engines")
    parser.add_argument("--open", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def machine() -> str:
    """Where and with what the figures were taken."""
    packages = ("numpy", "pyoxigraph", "owlrl", "reasonable")
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    return (
        f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores {platform.machine()},"
        f" Python {platform.python_version()}, {versions}, load {os.getloadavg()[0]:.1f}"
    )


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def engines(data: Data, options: argparse.Namespace) -> list[str]:
    """The engines that are installed and that this size does not keep busy for hours."""
    if options.ours_only:
        return ["synapse"]
    return [name for name in installed() if name != "owlrl" or len(data.triples) <= options.owlrl_at_most]


if __name__ == "__main__":
    sys.exit(main())
