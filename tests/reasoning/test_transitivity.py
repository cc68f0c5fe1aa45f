"""Edges come and go in graphs with cycles: the paths are those of the graph, and each is proven by a walk."""

from __future__ import annotations

import random

import pytest
from pyoxigraph import NamedNode, Triple
from reasoning_helpers import EX, audit, from_scratch, reasoner, triple, triples
from test_proofs import holds_up

from synapse.reasoning import transitivity
from synapse.reasoning.reasoner import Reasoner
from synapse.reasoning.transitivity import TransitiveClosure

P = NamedNode(EX + "p")
AXIOMS = [
    "p a owl:TransitiveProperty",
    "p a owl:TransitiveProperty . p owl:inverseOf q",
    "p a owl:TransitiveProperty . p a owl:SymmetricProperty",
    "p a owl:TransitiveProperty . q rdfs:subPropertyOf p . p owl:inverseOf r . r rdfs:subPropertyOf q",
    "p a owl:TransitiveProperty . q owl:propertyChainAxiom (p q) . q rdfs:subPropertyOf p",
    "T rdfs:subClassOf owl:TransitiveProperty . p a T",
    "p owl:propertyChainAxiom (p p) . p owl:inverseOf q . q a owl:TransitiveProperty",
]


def _random_edge(choose: random.Random, size: int, properties: str) -> Triple:
    return triple(f"n{choose.randrange(size)} {choose.choice(properties)} n{choose.randrange(size)}")


@pytest.mark.parametrize("few", [0, transitivity._FEW])
@pytest.mark.parametrize("axioms", AXIOMS)
def test_paths_follow_the_edges_through_any_sequence_of_edits(
    axioms: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transitivity, "_FEW", few)
    for seed in range(4):
        choose = random.Random(seed)
        size, properties = choose.randint(4, 9), "pq" if " q" in axioms else "p"
        given = set(triples(axioms))
        edges = {_random_edge(choose, size, properties) for _ in range(size + choose.randrange(6))}
        state = Reasoner()
        state.load(given | edges)
        for _ in range(9):
            gone = set(choose.sample(sorted(edges, key=str), min(len(edges), choose.randint(1, 3))))
            come = {_random_edge(choose, size, properties) for _ in range(choose.randrange(3))}
            state.accept(state.derive(added=come, removed=gone))
            edges = edges - gone | come
            assert set(state.inferred()) == from_scratch(given | edges), (seed, axioms)
            audit(state)


@pytest.mark.parametrize("few", [0, transitivity._FEW])
@pytest.mark.parametrize("axioms", AXIOMS)
def test_paths_of_long_chains_survive_when_notes_point_elsewhere(
    axioms: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bulk run gives paths of long chains other levels than edits do, and a path may rest on either."""
    monkeypatch.setattr(transitivity, "_FEW", few)
    properties = "pq" if " q" in axioms else "p"
    for seed in range(3):
        choose = random.Random(seed)
        given = set(triples(axioms))
        notes = {number: _pointing_down(choose, number, properties) for number in range(1, 26)}
        state = Reasoner()
        state.load(given.union(*notes.values()))
        for _ in range(8):
            before = set().union(*notes.values())
            for number in choose.sample(sorted(notes), choose.randint(1, 4)):
                notes[number] = _pointing_down(choose, number, properties)
            after = set().union(*notes.values())
            state.accept(state.derive(added=after - before, removed=before - after))
            assert set(state.inferred()) == from_scratch(given | after), (seed, axioms)
            audit(state)


def _pointing_down(choose: random.Random, number: int, properties: str) -> set[Triple]:
    """The edges of a note: a few, to some of the notes shortly before it."""
    ends = {choose.randrange(max(0, number - 6), number) for _ in range(choose.randint(0, 2))}
    return {triple(f"n{number} {choose.choice(properties)} n{end}") for end in ends}


@pytest.mark.parametrize("axioms", AXIOMS)
def test_every_path_has_a_proof_without_circles(axioms: str) -> None:
    choose = random.Random(3)
    state = Reasoner()
    state.load([*triples(axioms), *(_random_edge(choose, 6, "p") for _ in range(9))])
    for _ in range(4):  # edits leave other levels behind than a load does
        state.accept(
            state.derive(added=[_random_edge(choose, 6, "p")], removed=[_random_edge(choose, 6, "p")])
        )
    for fact in state.inferred():
        proofs = state.explain(fact, limit=3)
        assert proofs and all(holds_up(proof, state) for proof in proofs)


@pytest.mark.parametrize(
    ("method", "wrong"),
    [
        ("connects", lambda self, start, end, below: True),
        ("_linked", lambda self, origin, neighbours, below: set(range(1_000))),
        ("beyond", lambda self, subject, object_: {}),
        ("before", lambda self, subject, ends: iter(())),
        ("level", lambda self, subject, object_: None),
    ],
)
def test_the_comparison_notices_a_search_that_errs(
    method: str, wrong: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TransitiveClosure, method, wrong)
    with pytest.raises((AssertionError, KeyError)):
        for axioms in AXIOMS:
            test_paths_follow_the_edges_through_any_sequence_of_edits(axioms, 0, monkeypatch)


def test_a_lost_edge_with_a_detour_changes_nothing() -> None:
    state = reasoner("p a owl:TransitiveProperty . a p b . b p c . c p d . d p a . a p c")
    entailments = state.derive(removed=triples("a p c"))
    assert (entailments.removed, entailments.added) == ((), (triple("a p c"),))


def test_a_cut_cycle_loses_the_paths_around_it() -> None:
    state = reasoner("p a owl:TransitiveProperty . a p b . b p c . c p a")
    state.accept(state.derive(removed=triples("c p a")))
    assert {t for t in state.inferred() if t.predicate == P} == {triple("a p c")}


def test_a_proof_walks_the_fewest_edges() -> None:
    state = reasoner("p a owl:TransitiveProperty . a p b . b p c . c p d . d p e . a p d")
    (proof,) = state.explain(triple("a p e"))
    assert [step.conclusion for step in proof.premises[1:]] == triples("a p d . d p e")
