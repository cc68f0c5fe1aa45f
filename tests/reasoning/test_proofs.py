"""Proofs: named rules, asserted leaves, no circles, several on request."""

from __future__ import annotations

from reasoning_helpers import reasoner, triple, triples
from test_maintenance import random_ontology

from synapse.reasoning import Proof
from synapse.reasoning.proofs import STATED
from synapse.reasoning.reasoner import Reasoner


def holds_up(proof: Proof, state: Reasoner) -> bool:
    """Leaves are asserted, and no fact stands above itself."""

    def walk(step: Proof, above: frozenset) -> bool:
        if step.rule == STATED:
            return state.is_asserted(step.conclusion) and not step.premises
        below = above | {step.conclusion}
        return all(p.conclusion not in below and walk(p, below) for p in step.premises)

    return walk(proof, frozenset())


def test_a_proof_names_rules_and_premises_in_w3c_order() -> None:
    state = reasoner("dep a owl:TransitiveProperty . x dep y . y dep z")
    (proof,) = state.explain(triple("x dep z"))
    assert proof.rule == "prp-trp"
    assert [p.conclusion for p in proof.premises] == triples(
        "dep a owl:TransitiveProperty . x dep y . y dep z"
    )
    assert all(p.rule == STATED for p in proof.premises)


def test_an_asserted_fact_is_its_own_proof_and_may_have_others() -> None:
    state = reasoner("C rdfs:subClassOf D . x a C . x a D")
    stated, derived = state.explain(triple("x a D"), limit=5)
    assert stated.rule == STATED and derived.rule == "cax-sco"


def test_several_proofs_differ_in_their_last_step() -> None:
    state = reasoner("p rdfs:domain C . q rdfs:range C . x p y . z q x . D rdfs:subClassOf C . x a D")
    proofs = state.explain(triple("x a C"), limit=10)
    assert {proof.rule for proof in proofs} == {"prp-dom", "prp-rng", "cax-sco"}
    assert len(state.explain(triple("x a C"), limit=2)) == 2


def test_no_proof_goes_in_a_circle() -> None:
    state = reasoner("p owl:inverseOf q . p a owl:SymmetricProperty . x p y")
    for inferred in state.inferred():
        for proof in state.explain(inferred, limit=20):
            assert holds_up(proof, state)


def test_every_proof_of_random_ontologies_holds_up() -> None:
    for seed in range(12):
        _, axioms, facts = random_ontology(seed)
        state = Reasoner()
        state.load(t for statement in (*axioms[:5], *facts[:9]) for t in statement)
        for inferred in list(state.inferred())[:60]:
            proofs = state.explain(inferred, limit=3)
            assert proofs and all(holds_up(proof, state) for proof in proofs)


def test_a_proof_deeper_than_the_stack_is_built() -> None:
    state = reasoner("R owl:someValuesFrom C . R owl:onProperty p . R rdfs:subClassOf C . x600 a C")
    state.accept(state.derive(added=triples(" . ".join(f"x{n} p x{n + 1}" for n in range(600)))))
    (proof,) = state.explain(triple("x0 a C"))
    assert sum(1 for _ in proof.steps()) > 1_200


def test_an_inconsistency_comes_with_the_facts_it_rests_on() -> None:
    state = reasoner("C owl:disjointWith D . E rdfs:subClassOf D . x a C . x a E")
    (found,) = state.inconsistencies()
    assert found.rule == "cax-dw"
    assert set(found.premises) == set(triples("C owl:disjointWith D . x a C . x a D"))
    assert all(state.explain(premise) for premise in found.premises)
