"""Reasoning, side by side in one run: owlrl, reasonable (Rust), a SPARQL INSERT loop, and synapse.

    make bench-reasoning                                  the sizes of docs/benchmarks.md
    python bench/reasoning.py --notes 1000 --university 10000 --rounds 3

Every figure is the median of `--rounds` runs, or of as many as fit into `--patience` seconds per
engine (the note tells). Engines reason over the same triples, already loaded in their own form;
parsing and writing are not counted. Before a figure is shown, the inferred sets are compared.
`reasonable` is no dependency of synapse: `pip install reasonable==0.4.4`.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pyoxigraph as ox
import rdflib
from reasoning_data import NAMESPACE, Data, university, vault

from synapse.rdf.delta import Delta
from synapse.rdf.vocab import OWL, RDF_TYPE, RDFS
from synapse.reasoning import Reasoner
from synapse.reasoning.bulk import Caps, materialise
from synapse.reasoning.reasoner import _keys_by_predicate
from synapse.reasoning.rules_owl import OWL_RL
from synapse.reasoning.terms import Terms
from synapse.store.embedded import EmbeddedStore

LARGEST_STORE = 200_000
"""Triples; the write is measured up to here."""

SPARQL_RULES = [
    "INSERT {?x ?q ?y} WHERE {?p rdfs:subPropertyOf ?q. ?x ?p ?y}",
    "INSERT {?y ?q ?x} WHERE {?p owl:inverseOf ?q. ?x ?p ?y}",
    "INSERT {?y ?p ?x} WHERE {?p owl:inverseOf ?q. ?x ?q ?y}",
    "INSERT {?y ?p ?x} WHERE {?p a owl:SymmetricProperty. ?x ?p ?y}",
    "INSERT {?x ?p ?z} WHERE {?p a owl:TransitiveProperty. ?x ?p ?y. ?y ?p ?z}",
    "INSERT {?x a ?c} WHERE {?p rdfs:domain ?c. ?x ?p ?y}",
    "INSERT {?y a ?c} WHERE {?p rdfs:range ?c. ?x ?p ?y. FILTER(!isLiteral(?y))}",
    "INSERT {?x a ?d} WHERE {?c rdfs:subClassOf ?d. ?x a ?c}",
]
Fact = tuple[str, str, str]


# One engine each: prepares its own form, then returns (seconds of reasoning, inferred facts).


def with_synapse(data: Data) -> tuple[float, set[Fact]]:
    terms = Terms()
    asserted = _keys_by_predicate(terms.facts(data.triples))
    seconds, closure = timed(lambda: materialise(asserted, OWL_RL, terms, Caps(10**8, 10**3)))
    return seconds, comparable(
        terms.triple((subject, predicate, object_))
        for predicate, relation in closure.relations.items()
        for subject, object_, level in relation.rows()
        if level
    )


def with_reasonable(data: Data) -> tuple[float, set[Fact]]:
    import reasonable

    reasoner = reasonable.PyReasoner()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.ttl"
        path.write_bytes(ox.serialize(data.triples, format=ox.RdfFormat.N_TRIPLES))
        reasoner.load_file(str(path))
    seconds, found = timed(reasoner.reason)
    return seconds, comparable(found) - comparable(data.triples)


def with_owlrl(data: Data) -> tuple[float, set[Fact]]:
    import owlrl

    graph = rdflib.Graph()
    graph.parse(data=ox.serialize(data.triples, format=ox.RdfFormat.N_TRIPLES), format="nt")
    closure = owlrl.DeductiveClosure(owlrl.OWLRL_Semantics)
    seconds, _ = timed(lambda: closure.expand(graph))
    return seconds, comparable(graph) - comparable(data.triples)


def with_sparql(data: Data) -> tuple[float, set[Fact]]:
    store = ox.Store()
    store.extend(ox.Quad(*triple) for triple in data.triples)
    seconds, _ = timed(lambda: sparql_loop(store))
    return seconds, comparable(quad.triple for quad in store) - comparable(data.triples)


def sparql_loop(store: ox.Store) -> None:
    prefixes = f"PREFIX rdfs: <{RDFS}> PREFIX owl: <{OWL}> "
    size = -1
    while size != len(store):
        size = len(store)
        for rule in SPARQL_RULES:
            store.update(prefixes + rule)


ENGINES: dict[str, Callable[[Data], tuple[float, set[Fact]]]] = {
    "owlrl": with_owlrl,
    "reasonable": with_reasonable,
    "sparql": with_sparql,
    "synapse": with_synapse,
}


def comparable(triples: Iterable[Iterable[object]]) -> set[Fact]:
    """The facts about instances: without schema facts, and what engines say of all things."""
    facts = set()
    for subject, predicate, object_ in triples:
        s, p, o = (getattr(term, "value", None) or str(term) for term in (subject, predicate, object_))
        typed = p == RDF_TYPE.value and o.startswith(NAMESPACE)
        if s.startswith(NAMESPACE) and (typed or p.startswith(NAMESPACE)):
            facts.add((s, p, o))
    return facts


def timed(work: Callable[[], object]) -> tuple[float, object]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


# What is measured


def materialisation(data: Data, engines: list[str], options: argparse.Namespace) -> Iterator[str]:
    seconds: dict[str, list[float]] = {engine: [] for engine in engines}
    facts: dict[str, set[Fact]] = {}
    for _ in range(options.rounds):  # round by round, so that a busy moment touches all engines
        for engine in engines:
            if not seconds[engine] or sum(seconds[engine]) * 2 < options.patience:
                spent, facts[engine] = ENGINES[engine](data)
                seconds[engine].append(spent)
    ours = statistics.median(seconds["synapse"])
    for engine in engines:
        median = statistics.median(seconds[engine])
        same = "same" if facts[engine] == facts["synapse"] else difference(facts[engine], facts["synapse"])
        note = f"{median / ours:.0f}x, {same}, {len(seconds[engine])} runs"
        yield row(data.name, f"materialise: {engine}", f"{median:.3f} s", note)


def difference(theirs: set[Fact], ours: set[Fact]) -> str:
    return f"{len(theirs - ours)} more and {len(ours - theirs)} fewer facts"


def edits(data: Data, rounds: int) -> Iterator[str]:
    reasoner = Reasoner()
    loading, _ = timed(lambda: reasoner.load(data.triples))
    counts = reasoner.counts
    yield row(
        data.name, "load from triples", f"{loading:.3f} s", f"{counts.asserted} + {counts.inferred} facts"
    )
    choose = random.Random(7)
    places = [choose.randrange(len(data.units)) for _ in range(40 * rounds)]
    chosen = [data.units[place] for place in places]
    near = [data.units[(place + choose.randrange(1, 50)) % len(data.units)] for place in places]
    replaced = [replacement(reasoner, unit, other) for unit, other in zip(chosen, near, strict=True)]
    size = round(statistics.median(map(len, chosen)))
    yield spread(data.name, f"replace a unit of {size} triples: the first", replaced[:1])
    yield spread(data.name, f"replace a unit of {size} triples: derive", replaced)
    yield from written(data, reasoner, chosen[: 20 * rounds], near)
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
    yield from restart(data.name, reasoner)


def written(
    data: Data, reasoner: Reasoner, chosen: list[list[ox.Triple]], near: list[list[ox.Triple]]
) -> Iterator[str]:
    """The same replacements with the write: the unit and what is inferred, in one update on RocksDB."""
    source, inferred = ox.NamedNode(NAMESPACE + "source"), ox.NamedNode(NAMESPACE + "inferred")
    if len(data.triples) > LARGEST_STORE:
        return
    with tempfile.TemporaryDirectory() as folder:
        store = EmbeddedStore(Path(folder) / "store")
        quads = [ox.Quad(*triple, source) for triple in data.triples]
        store.apply(Delta.of(added=[*quads, *(ox.Quad(*triple, inferred) for triple in reasoner.inferred())]))
        seconds = []
        for unit, other in zip(chosen, near, strict=False):
            new = [ox.Triple(unit[0].subject, triple.predicate, triple.object) for triple in other]
            seconds.append(save(store, reasoner, unit, new, (source, inferred)))
            save(store, reasoner, new, unit, (source, inferred))
        store.close()
    yield spread(data.name, "replace a unit: derive and write", seconds)


def save(
    store: EmbeddedStore,
    reasoner: Reasoner,
    old: list[ox.Triple],
    new: list[ox.Triple],
    graphs: tuple[ox.NamedNode, ox.NamedNode],
) -> float:
    start = time.perf_counter()
    entailments = reasoner.derive(removed=old, added=new)
    source, inferred = graphs
    delta = Delta.of(
        added=[
            *(ox.Quad(*t, source) for t in new if t not in old),
            *(ox.Quad(*t, inferred) for t in entailments.added),
        ],
        removed=[
            *(ox.Quad(*t, source) for t in old if t not in new),
            *(ox.Quad(*t, inferred) for t in entailments.removed),
        ],
    )
    store.apply(delta)
    reasoner.accept(entailments)
    return time.perf_counter() - start


def there_and_back(reasoner: Reasoner, facts: list[ox.Triple]) -> tuple[list[float], list[float]]:
    """Deletes each fact and asserts it again: the seconds of both."""
    pairs = [(edit(reasoner, removed=[fact]), edit(reasoner, added=[fact])) for fact in facts]
    return [gone for gone, _ in pairs], [back for _, back in pairs]


def replacement(reasoner: Reasoner, unit: list[ox.Triple], other: list[ox.Triple]) -> float:
    """Gives a note the content of another, measures that, and undoes it."""
    new = [ox.Triple(unit[0].subject, triple.predicate, triple.object) for triple in other]
    seconds = edit(reasoner, removed=unit, added=new)
    edit(reasoner, removed=new, added=unit)
    return seconds


def edit(reasoner: Reasoner, *, added: Iterable[ox.Triple] = (), removed: Iterable[ox.Triple] = ()) -> float:
    seconds, entailments = timed(lambda: reasoner.derive(added=added, removed=removed))
    reasoner.accept(entailments)  # type: ignore[arg-type]
    return seconds


def proofs(name: str, reasoner: Reasoner, choose: random.Random) -> Iterator[str]:
    sample = choose.sample(list(reasoner.inferred()), 500)
    yield spread(name, "explain", [timed(lambda t=triple: reasoner.explain(t))[0] for triple in sample])


def restart(name: str, reasoner: Reasoner) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.npz"
        saving, _ = timed(lambda: reasoner.snapshot(path, 1))
        opening, _ = timed(lambda: Reasoner.from_snapshot(path, 1))
    yield row(name, "open a snapshot", f"{opening:.3f} s", f"saved in {saving:.3f} s")


def cycles(rounds: int) -> Iterator[str]:
    """Deletion in a giant strongly connected component: the worst case of delete-and-rederive."""
    choose = random.Random(1)
    node = [ox.NamedNode(f"{NAMESPACE}n{n}") for n in range(600)]
    reaches = ox.NamedNode(NAMESPACE + "reaches")
    edges = {ox.Triple(choose.choice(node), reaches, choose.choice(node)) for _ in range(1800)}
    reasoner = Reasoner()
    reasoner.load([ox.Triple(reaches, RDF_TYPE, ox.NamedNode(OWL + "TransitiveProperty")), *edges])
    gone, back = there_and_back(reasoner, choose.sample(sorted(edges, key=str), 20 * rounds))
    ratio = statistics.median(gone) / statistics.median(back)
    name = f"cycle of {reasoner.counts.inferred}"
    yield spread(name, "delete an edge", gone)
    yield spread(name, "insert it again", back)
    yield row(name, "deletion by insertion", f"{ratio:.1f}x", f"mean {sum(gone) / sum(back):.1f}x")


def memory(triples: int) -> str:
    """What a process holds that opens a snapshot of a university, and nothing else."""
    data = university(triples)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.npz"
        reasoner = Reasoner()
        reasoner.load(data.triples)
        reasoner.snapshot(path, 1)
        counts = reasoner.counts
        command = [sys.executable, __file__, "--open", str(path)]
        peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return row(
        data.name, "memory after opening", f"{peak} MB", f"{counts.asserted} + {counts.inferred} facts, peak"
    )


def peak_of_opening(path: Path) -> str:
    assert Reasoner.from_snapshot(path, 1) is not None
    return f"{_peak_kilobytes() / 1024:.0f}"


def _peak_kilobytes() -> int:
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage tells a child begins with the size of its parent
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def spread(name: str, what: str, seconds: list[float]) -> str:
    ordered = sorted(seconds)
    p95 = ordered[int(0.95 * len(ordered))]
    return row(name, what, f"{statistics.median(ordered) * 1e3:.3f} ms", f"p95 {p95 * 1e3:.3f} ms")


def row(name: str, what: str, figure: str, note: str) -> str:
    return f"| {name} | {what} | {figure} | {note} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--university", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=60, help="seconds per engine and data set")
    parser.add_argument("--owlrl-at-most", type=int, default=110_000, help="triples; it needs minutes")
    parser.add_argument("--ours-only", action="store_true", help="skip the other engines")
    parser.add_argument("--open", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.open:
        print(peak_of_opening(options.open))
        return
    print(f"{machine()}\n")
    print(row("data", "what", "median", "note"), row("---", "---", "---", "---"), sep="\n")
    for data in (*map(vault, options.notes), *map(university, options.university)):
        for line in (
            *materialisation(data, engines(data, options), options),
            *edits(data, options.rounds),
        ):
            print(line, flush=True)
    print(*cycles(options.rounds), sep="\n", flush=True)
    if options.university:
        print(memory(max(options.university)))
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}.")


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
    installed = [name for name in ENGINES if name in ("sparql", "synapse") or importlib.util.find_spec(name)]
    return [name for name in installed if name != "owlrl" or len(data.triples) <= options.owlrl_at_most]


if __name__ == "__main__":
    sys.exit(main())
