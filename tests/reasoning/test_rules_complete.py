"""What reasoning over files adds to what a memory infers: axioms, reflexive facts, more rules."""

from __future__ import annotations

import pytest
from pyoxigraph import NamedNode
from reasoning_helpers import reasoner, triple, triples
from test_maintenance import random_ontology

from synapse.rdf.vocab import OWL
from synapse.reasoning.reasoner import Reasoner, Regime
from synapse.reasoning.rules_complete import BEYOND, complete_rules, reflexive

SAME_AS, DIFFERENT_FROM = NamedNode(OWL + "sameAs"), NamedNode(OWL + "differentFrom")

EXAMPLES = {
    "different-sym": ("x owl:differentFrom y", "y owl:differentFrom x", "x owl:sameAs y"),
    "different-all": ("A a owl:AllDifferent . A owl:members (x y z)", "z owl:differentFrom x", "A a B"),
    "different-fp": (
        "p a owl:FunctionalProperty . x p v . y p w . v owl:differentFrom w",
        "x owl:differentFrom y",
        "x p v . y p w . v owl:differentFrom w",
    ),
    "different-ifp": (
        "p a owl:InverseFunctionalProperty . x p v . y p w . x owl:differentFrom y",
        "v owl:differentFrom w",
        "p a owl:FunctionalProperty . x p v . y p w . x owl:differentFrom y",
    ),
    "different-pdw": (
        "p owl:propertyDisjointWith q . x p y . x q z",
        "y owl:differentFrom z",
        "p owl:propertyDisjointWith q . x p y . x p z",
    ),
    "disjoint-sym": ("C owl:disjointWith D", "D owl:disjointWith C", "C rdfs:subClassOf D"),
    "disjoint-com": ("C owl:complementOf D", "D owl:complementOf C", "C owl:disjointWith D"),
    "disjoint-all": (
        "A a owl:AllDisjointClasses . A owl:members (C D E)",
        "C owl:disjointWith E",
        "A a owl:AllDisjointProperties . A owl:members (C D E)",
    ),
    "inverse-sym": ("p owl:inverseOf q", "q owl:inverseOf p", "p owl:equivalentProperty q"),
    "chain-trp": (
        "p owl:propertyChainAxiom (p p)",
        "p a owl:TransitiveProperty",
        "p owl:propertyChainAxiom (p p p)",
    ),
    "prp-rfp": (
        "p a owl:ReflexiveProperty . x a owl:NamedIndividual",
        "x p x",
        "p a owl:SymmetricProperty . x a owl:NamedIndividual",
    ),
}


def complete(text: str, regime: Regime = Regime.OWL_RL) -> Reasoner:
    terms = {term for t in triples(text) for term in t}
    return reasoner(text, regime=regime, rules=complete_rules(regime, terms))


@pytest.mark.parametrize("name", sorted({rule.name for rule in BEYOND}))
def test_a_rule_beyond_the_tables_fires_with_a_proof_and_not_on_its_neighbour(name: str) -> None:
    given, then, near = EXAMPLES[name]
    (proof,) = complete(given).explain(triple(then))
    assert name in {step.rule for step in proof.steps()}
    assert triple(then) not in complete(near)
    assert triple(then) not in reasoner(given), "a memory keeps to the tables"


def test_whatever_is_inferred_to_differ_would_be_a_contradiction_as_equals() -> None:
    found = 0
    for name, (given, _, _) in EXAMPLES.items():
        if not name.startswith("different"):
            continue
        state = complete(given)
        for fact in list(state.inferred()):
            if fact.predicate == DIFFERENT_FROM:
                found += 1
                same = type(fact)(fact.subject, SAME_AS, fact.object)
                assert reasoner(given).derive(added=[same]).inconsistencies_added
    assert found > 8


def test_a_memory_infers_nothing_that_the_complete_rules_do_not() -> None:
    for seed in range(12):
        _, axioms, facts = random_ontology(seed)
        asserted = [t for statement in (*axioms[:5], *facts) for t in statement]
        trimmed, whole = Reasoner(), Reasoner(rules=complete_rules(Regime.OWL_RL, ()))
        trimmed.load(asserted)
        whole.load(asserted)
        assert set(trimmed.inferred()) <= set(whole.inferred())
        assert set(trimmed.inconsistencies()) <= set(whole.inconsistencies()), seed


def test_the_axiomatic_rows_of_owl_rl_hold_of_no_data_at_all() -> None:
    state = complete("")
    for fact in ("owl:Thing a owl:Class", "owl:Nothing a owl:Class", "rdfs:label a owl:AnnotationProperty"):
        assert triple(fact) in state
    assert triple("xsd:integer a rdfs:Datatype") in state


def test_a_class_is_below_thing_and_above_nothing() -> None:
    state = complete("C a owl:Class . x a C")
    for fact in ("C rdfs:subClassOf owl:Thing", "owl:Nothing rdfs:subClassOf C", "x a owl:Thing"):
        assert triple(fact) in state


def test_a_range_of_bytes_is_one_of_integers() -> None:
    assert triple("p rdfs:range xsd:integer") in complete("p rdfs:range xsd:byte")


def test_reflexive_facts_hold_of_resources_of_their_kind_and_never_of_literals() -> None:
    told = triples('C a owl:Class . p a owl:ObjectProperty . x p "v"')
    facts = set(reflexive(Regime.OWL_RL, told))
    wanted = "C rdfs:subClassOf C . C owl:equivalentClass C . p owl:equivalentProperty p . x owl:sameAs x"
    assert set(triples(wanted)) <= facts
    assert triple("x rdfs:subClassOf x") not in facts
    assert all(fact.subject == fact.object for fact in facts)


def test_rdfs_knows_the_membership_properties_that_are_in_use() -> None:
    state = complete("x rdf:_3 y", Regime.RDFS)
    assert triple("x rdfs:member y") in state and triple("rdf:_3 a rdf:Property") in state
    assert triple("rdf:_1 a rdf:Property") not in state


def test_rdfs_finds_resources_properties_and_reflexive_facts() -> None:
    facts = set(reflexive(Regime.RDFS, triples("x p y . C a rdfs:Class")))
    wanted = "x a rdfs:Resource . p a rdf:Property . p rdfs:subPropertyOf p . C rdfs:subClassOf C"
    assert set(triples(wanted)) <= facts


def test_without_a_regime_nothing_is_added() -> None:
    assert complete_rules(Regime.NONE, ()) == ()
    assert not list(reflexive(Regime.NONE, triples("x p y")))
