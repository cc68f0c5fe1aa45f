"""The engines of the reasoning benchmark, each in a process of its own, so that it can be stopped.

An engine prepares its own form of the data and returns two functions: one that reasons, which is
timed, and one that tells the inferred facts, which are compared.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import pyoxigraph as ox
import rdflib
from reasoning_data import NAMESPACE, Data, university, vault

from synapse.rdf.vocab import OWL, RDF_TYPE, RDFS
from synapse.reasoning.bulk import Caps, materialise
from synapse.reasoning.reasoner import _keys_by_predicate
from synapse.reasoning.rules_owl import OWL_RL
from synapse.reasoning.terms import Terms

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
Facts = set[Fact]
Prepared = tuple[Callable[[], object], Callable[[], Facts]]


def synapse(data: Data) -> Prepared:
    terms = Terms()
    asserted = _keys_by_predicate(terms.facts(data.triples))
    closures = []

    def facts() -> Facts:
        return comparable(
            terms.triple((subject, predicate, object_))
            for predicate, relation in closures[-1].relations.items()
            for subject, object_, level in relation.rows()
            if level
        )

    return lambda: closures.append(materialise(asserted, OWL_RL, terms, Caps(10**8, 10**3))), facts


def reasonable(data: Data) -> Prepared:
    import reasonable

    reasoner = reasonable.PyReasoner()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.ttl"
        path.write_bytes(ox.serialize(data.triples, format=ox.RdfFormat.N_TRIPLES))
        reasoner.load_file(str(path))
    found: list[object] = []
    return lambda: found.extend(reasoner.reason()), lambda: comparable(found) - comparable(data.triples)


def owlrl(data: Data) -> Prepared:
    import owlrl

    graph = rdflib.Graph()
    graph.parse(data=ox.serialize(data.triples, format=ox.RdfFormat.N_TRIPLES), format="nt")
    closure = owlrl.DeductiveClosure(owlrl.OWLRL_Semantics)
    return lambda: closure.expand(graph), lambda: comparable(graph) - comparable(data.triples)


def sparql(data: Data) -> Prepared:
    store = ox.Store()
    store.extend(ox.Quad(*triple) for triple in data.triples)

    def facts() -> Facts:
        return comparable(quad.triple for quad in store) - comparable(data.triples)

    return lambda: sparql_loop(store), facts


def sparql_loop(store: ox.Store) -> None:
    prefixes = f"PREFIX rdfs: <{RDFS}> PREFIX owl: <{OWL}> "
    size = -1
    while size != len(store):
        size = len(store)
        for rule in SPARQL_RULES:
            store.update(prefixes + rule)


ENGINES: Final[dict[str, Callable[[Data], Prepared]]] = {
    "owlrl": owlrl,
    "reasonable": reasonable,
    "sparql": sparql,
    "synapse": synapse,
}
DATA: Final[dict[str, Callable[[int], Data]]] = {"vault": vault, "university": university}


def installed() -> list[str]:
    """The engines that can run here."""
    return [name for name in ENGINES if name in ("sparql", "synapse") or importlib.util.find_spec(name)]


def comparable(triples: Iterable[Iterable[object]]) -> Facts:
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


class Runner:
    """One engine over one data set, in a child process that makes the same data from the same seed."""

    def __init__(self, engine: str, data: Data) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, far = context.Pipe()
        self._child = context.Process(target=_serve, args=(engine, data.name, far), daemon=True)
        self._child.start()
        self.facts: Facts | None = None

    def run(self, limit: float) -> float | None:
        """The seconds of one run; None when it was stopped after `limit` seconds, preparation not counted."""
        with_facts = self.facts is None
        self._pipe.send(with_facts)
        self._pipe.recv()
        if not self._pipe.poll(limit):
            self.stop()
            return None
        seconds: float = self._pipe.recv()
        if with_facts:
            self.facts = self._pipe.recv()
        return seconds

    def stop(self) -> None:
        """Ends the child."""
        self._child.kill()
        self._child.join()


def _serve(engine: str, name: str, pipe: Connection) -> None:
    kind, size = name.split("-")
    data = DATA[kind](int(size))
    while True:
        with_facts = pipe.recv()
        work, facts = ENGINES[engine](data)
        pipe.send("prepared")
        seconds, _ = timed(work)
        pipe.send(seconds)
        if with_facts:
            pipe.send(facts())
