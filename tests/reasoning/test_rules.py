"""Every rule of the catalogue fires on its own example, not on its neighbour's, and takes back."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from reasoning_helpers import audit, reasoner, triple, triples

from synapse.reasoning.reasoner import Reasoner, Regime
from synapse.reasoning.rules_owl import OWL_RL
from synapse.reasoning.rules_rdfs import RDFS


@dataclass(frozen=True)
class Example:
    """`given` entails `then` (None: an inconsistency) by the rule; without `key` it does not."""

    given: str
    key: str
    then: str | None
    near: str = ""
    """A neighbour that looks similar and must not entail `then`; by default `given` without `key`."""
    regime: Regime = Regime.OWL_RL


SVF = "R owl:someValuesFrom C . R owl:onProperty p . "
MAXQ = "R owl:maxQualifiedCardinality {n} . R owl:onProperty p . R owl:onClass {c} . x a R . x p y . "

EXAMPLES = {
    "eq-sym": Example("", "x owl:sameAs y", "y owl:sameAs x", "x owl:differentFrom y"),
    "eq-trans": Example("x owl:sameAs y . ", "y owl:sameAs z", "x owl:sameAs z"),
    "eq-rep-s": Example("x p z . ", "x owl:sameAs y", "y p z", "x p z . z owl:sameAs y"),
    "eq-rep-p": Example("x p z . ", "p owl:sameAs q", "x q z", "x p z . p owl:sameAs r"),
    "eq-rep-o": Example("z p x . ", "x owl:sameAs y", "z p y", "z p x . z owl:sameAs y"),
    "eq-diff1": Example("x owl:sameAs y . ", "x owl:differentFrom y", None, "x owl:differentFrom y"),
    "eq-diff2": Example("A a owl:AllDifferent . A owl:members (x y z) . ", "x owl:sameAs z", None),
    "eq-diff3": Example("A a owl:AllDifferent . A owl:distinctMembers (x y) . ", "x owl:sameAs y", None),
    "prp-dom": Example("x p y . ", "p rdfs:domain C", "x a C", "x p y . q rdfs:domain C"),
    "prp-rng": Example("x p y . ", "p rdfs:range C", "y a C", 'x p "text" . p rdfs:range C'),
    "prp-fp": Example("x p y . p a owl:FunctionalProperty . ", "x p z", "y owl:sameAs z"),
    "prp-ifp": Example("x p z . p a owl:InverseFunctionalProperty . ", "y p z", "x owl:sameAs y"),
    "prp-irp": Example(
        "p a owl:IrreflexiveProperty . ", "x p x", None, "p a owl:IrreflexiveProperty . x p y"
    ),
    "prp-symp": Example(
        "p a owl:SymmetricProperty . ", "x p y", "y p x", "x p y . q a owl:SymmetricProperty"
    ),
    "prp-asyp": Example("p a owl:AsymmetricProperty . x p y . ", "y p x", None),
    "prp-trp": Example("p a owl:TransitiveProperty . x p y . ", "y p z", "x p z"),
    "prp-spo1": Example("x p y . ", "p rdfs:subPropertyOf q", "x q y", "x p y . q rdfs:subPropertyOf p"),
    "prp-spo2": Example("p owl:propertyChainAxiom (q r q) . x q y . y r z . ", "z q w", "x p w"),
    "prp-eqp1": Example("x p y . ", "p owl:equivalentProperty q", "x q y"),
    "prp-eqp2": Example("x q y . ", "p owl:equivalentProperty q", "x p y"),
    "prp-pdw": Example("p owl:propertyDisjointWith q . x p y . ", "x q y", None),
    "prp-adp": Example("A a owl:AllDisjointProperties . A owl:members (p q r) . x p y . ", "x r y", None),
    "prp-inv1": Example("p owl:inverseOf q . ", "x p y", "y q x"),
    "prp-inv2": Example("p owl:inverseOf q . ", "x q y", "y p x"),
    "prp-key": Example(
        "C owl:hasKey (p q) . x a C . y a C . x p v . y p v . x q w . ", "y q w", "x owl:sameAs y"
    ),
    "prp-npa1": Example(
        "N owl:sourceIndividual x . N owl:assertionProperty p . N owl:targetIndividual y . ", "x p y", None
    ),
    "prp-npa2": Example(
        "N owl:sourceIndividual x . N owl:assertionProperty p . N owl:targetValue 3 . ", "x p 3", None
    ),
    "cls-nothing2": Example("", "x a owl:Nothing", None, "x a owl:Thing"),
    "cls-int1": Example("C owl:intersectionOf (D E F) . x a D . x a E . ", "x a F", "x a C"),
    "cls-int2": Example(
        "C owl:intersectionOf (D E) . ", "x a C", "x a E", "C owl:intersectionOf (D E) . x a D"
    ),
    "cls-uni": Example("C owl:unionOf (D E) . ", "x a E", "x a C"),
    "cls-com": Example("C owl:complementOf D . x a C . ", "x a D", None),
    "cls-svf1": Example(SVF + "y a C . ", "x p y", "x a R", SVF + "x p y . y a D"),
    "cls-svf2": Example("R owl:someValuesFrom owl:Thing . R owl:onProperty p . ", "x p y", "x a R"),
    "cls-avf": Example("R owl:allValuesFrom C . R owl:onProperty p . x p y . ", "x a R", "y a C"),
    "cls-hv1": Example("R owl:hasValue v . R owl:onProperty p . ", "x a R", "x p v"),
    "cls-hv2": Example("R owl:hasValue v . R owl:onProperty p . ", "x p v", "x a R"),
    "cls-maxc1": Example("R owl:maxCardinality 0 . R owl:onProperty p . x a R . ", "x p y", None),
    "cls-maxc2": Example(
        "R owl:maxCardinality 1 . R owl:onProperty p . x a R . x p y . ", "x p z", "y owl:sameAs z"
    ),
    "cls-maxqc1": Example(MAXQ.format(n=0, c="C"), "y a C", None),
    "cls-maxqc2": Example(
        "R owl:maxQualifiedCardinality 0 . R owl:onProperty p . R owl:onClass owl:Thing . x a R . ",
        "x p y",
        None,
    ),
    "cls-maxqc3": Example(MAXQ.format(n=1, c="C") + "y a C . x p z . ", "z a C", "y owl:sameAs z"),
    "cls-maxqc4": Example(MAXQ.format(n=1, c="owl:Thing"), "x p z", "y owl:sameAs z"),
    "cls-oo": Example("", "C owl:oneOf (x y)", "y a C", "C owl:unionOf (x y)"),
    "cax-sco": Example("C rdfs:subClassOf D . ", "x a C", "x a D", "D rdfs:subClassOf C . x a C"),
    "cax-eqc1": Example("C owl:equivalentClass D . ", "x a C", "x a D"),
    "cax-eqc2": Example("C owl:equivalentClass D . ", "x a D", "x a C"),
    "cax-dw": Example("C owl:disjointWith D . x a C . ", "x a D", None),
    "cax-adc": Example("A a owl:AllDisjointClasses . A owl:members (C D E) . x a C . ", "x a E", None),
    "scm-sco": Example("C rdfs:subClassOf D . ", "D rdfs:subClassOf E", "C rdfs:subClassOf E"),
    "scm-eqc1": Example("", "C owl:equivalentClass D", "D rdfs:subClassOf C", "C rdfs:subClassOf D"),
    "scm-eqc2": Example("C rdfs:subClassOf D . ", "D rdfs:subClassOf C", "C owl:equivalentClass D"),
    "scm-spo": Example("p rdfs:subPropertyOf q . ", "q rdfs:subPropertyOf r", "p rdfs:subPropertyOf r"),
    "scm-eqp1": Example("", "p owl:equivalentProperty q", "q rdfs:subPropertyOf p", "p rdfs:subPropertyOf q"),
    "scm-eqp2": Example("p rdfs:subPropertyOf q . ", "q rdfs:subPropertyOf p", "p owl:equivalentProperty q"),
    "scm-dom1": Example("p rdfs:domain C . ", "C rdfs:subClassOf D", "p rdfs:domain D"),
    "scm-dom2": Example("q rdfs:domain C . ", "p rdfs:subPropertyOf q", "p rdfs:domain C"),
    "scm-rng1": Example("p rdfs:range C . ", "C rdfs:subClassOf D", "p rdfs:range D"),
    "scm-rng2": Example("q rdfs:range C . ", "p rdfs:subPropertyOf q", "p rdfs:range C"),
    "scm-hv": Example(
        "R owl:hasValue v . R owl:onProperty p . S owl:hasValue v . S owl:onProperty q . ",
        "p rdfs:subPropertyOf q",
        "R rdfs:subClassOf S",
    ),
    "scm-svf1": Example(
        SVF + "S owl:someValuesFrom D . S owl:onProperty p . ", "C rdfs:subClassOf D", "R rdfs:subClassOf S"
    ),
    "scm-svf2": Example(
        SVF + "S owl:someValuesFrom C . S owl:onProperty q . ",
        "p rdfs:subPropertyOf q",
        "R rdfs:subClassOf S",
    ),
    "scm-avf1": Example(
        "R owl:allValuesFrom C . R owl:onProperty p . S owl:allValuesFrom D . S owl:onProperty p . ",
        "C rdfs:subClassOf D",
        "R rdfs:subClassOf S",
    ),
    "scm-avf2": Example(
        "R owl:allValuesFrom C . R owl:onProperty p . S owl:allValuesFrom C . S owl:onProperty q . ",
        "p rdfs:subPropertyOf q",
        "S rdfs:subClassOf R",
    ),
    "scm-int": Example("", "C owl:intersectionOf (D E)", "C rdfs:subClassOf E", "C owl:unionOf (D E)"),
    "scm-uni": Example("", "C owl:unionOf (D E)", "E rdfs:subClassOf C", "C owl:intersectionOf (D E)"),
    "eq-ref": Example("", "x owl:differentFrom x", None, "x owl:differentFrom y"),
    "scm-cls": Example("C a owl:Class . ", "C owl:sameAs D", "C owl:equivalentClass D"),
    "scm-op": Example("p a owl:ObjectProperty . ", "p owl:sameAs q", "p owl:equivalentProperty q"),
    "scm-dp": Example("p a owl:DatatypeProperty . ", "p owl:sameAs q", "p owl:equivalentProperty q"),
    "rdfs12": Example(
        "",
        "p a rdfs:ContainerMembershipProperty",
        "p rdfs:subPropertyOf rdfs:member",
        "p a rdfs:Class",
        Regime.RDFS,
    ),
    "rdfs13": Example(
        "", "D a rdfs:Datatype", "D rdfs:subClassOf rdfs:Literal", "D a rdfs:Class", Regime.RDFS
    ),
}

NAMES = sorted({rule.name for rule in (*OWL_RL, *RDFS)})
BOTH = sorted({rule.name for rule in OWL_RL} & {rule.name for rule in RDFS})


def fires(state: Reasoner, name: str, example: Example) -> bool:
    if example.then is None:
        return any(found.rule == name for found in state.inconsistencies())
    return triple(example.then) in state


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_fires_and_its_proof_names_it(name: str) -> None:
    example = EXAMPLES[name]
    state = reasoner(example.given + example.key, regime=example.regime)
    assert fires(state, name, example)
    if example.then is not None:
        rules = {
            step.rule for proof in state.explain(triple(example.then), limit=9) for step in proof.steps()
        }
        assert name in rules
    audit(state)


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_does_not_fire_on_its_neighbour(name: str) -> None:
    example = EXAMPLES[name]
    assert not fires(reasoner(example.near or example.given, regime=example.regime), name, example)


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_takes_back_what_it_concluded(name: str) -> None:
    example = EXAMPLES[name]
    state = reasoner(example.given, regime=example.regime)
    key = [t for t in triples(example.given + example.key) if t not in triples(example.given)]
    before = set(state.inferred()), state.inconsistencies()
    arrived = state.derive(added=key)
    assert not fires(state, name, example), "deriving changes nothing"
    state.accept(arrived)
    assert fires(state, name, example)
    audit(state)
    gone = state.derive(removed=key)
    state.accept(gone)
    assert not fires(state, name, example)
    assert (set(state.inferred()), state.inconsistencies()) == before
    assert set(gone.removed) == set(arrived.added) and set(gone.added) == set(arrived.removed)
    assert set(gone.inconsistencies_removed) == set(arrived.inconsistencies_added)
    audit(state)


def test_every_example_belongs_to_a_rule() -> None:
    assert sorted(EXAMPLES) == NAMES


@pytest.mark.parametrize("name", BOTH)
def test_rdfs_and_owl_rl_agree_on_the_rules_they_share(name: str) -> None:
    example = EXAMPLES[name]
    assert fires(reasoner(example.given + example.key, regime=Regime.RDFS), name, example)


def test_owl_thing_in_an_intersection_asks_for_nothing() -> None:
    assert triple("x a C") in reasoner("C owl:intersectionOf (owl:Thing D) . x a D")


def test_without_a_regime_nothing_follows() -> None:
    state = reasoner("C rdfs:subClassOf D . x a C", regime=Regime.NONE)
    assert not list(state.inferred()) and triple("x a C") in state
