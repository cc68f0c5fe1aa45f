"""Incremental maintenance equals a run from scratch after every edit, whatever the rules."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from pyoxigraph import NamedNode, Triple
from reasoning_helpers import EX, audit, from_scratch, naive_closure, triples

from synapse.rdf.vocab import RDFS
from synapse.reasoning import loops
from synapse.reasoning.reasoner import Reasoner
from synapse.reasoning.rule import Rule, TriplePattern, Variable

PROGRAMS, BATCH = 400, 50
X, Y, Z = Variable("x"), Variable("y"), Variable("z")


def _random_program(choose: random.Random) -> tuple[tuple[Rule, ...], Callable[[], Triple]]:
    """2 to 6 rules over few predicates and constants, and a source of random facts."""
    predicates = [NamedNode(f"{EX}p{n}") for n in range(choose.randint(2, 5))]
    constants = [NamedNode(f"{EX}c{n}") for n in range(choose.randint(3, 9))]
    rules = tuple(_random_rule(choose, predicates, constants) for _ in range(choose.randint(2, 6)))
    return rules, lambda: Triple(*(choose.choice(some) for some in (constants, predicates, constants)))


def _random_rule(choose: random.Random, predicates: list[NamedNode], constants: list[NamedNode]) -> Rule:
    p, q, r = (choose.choice(predicates) for _ in range(3))
    constant = choose.choice(constants)
    body, head = choose.choice(
        [
            ([(X, q, Y)], (X, p, Y)),
            ([(X, q, Y)], (Y, p, X)),
            ([(X, p, Y)], (Y, p, X)),
            ([(X, p, Y), (Y, p, Z)], (X, p, Z)),
            ([(X, p, Y), (Y, p, Z)], (X, p, Z)),
            ([(X, q, Y), (Y, r, Z)], (X, p, Z)),
            ([(X, q, Y), (X, r, Z)], (Y, p, Z)),
            ([(X, q, Y), (Y, r, constant)], (X, p, constant)),
            ([(X, q, constant)], (X, p, X)),
            ([(X, q, X)], (X, p, constant)),
            ([(X, q, Y), (Y, q, X), (X, r, Y)], (Y, p, X)),
        ]
    )
    return Rule("random", tuple(TriplePattern(*pattern) for pattern in body), TriplePattern(*head))


@pytest.mark.parametrize("batch", range(PROGRAMS // BATCH))
def test_random_programs_and_edits_agree_with_from_scratch_after_every_edit(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        choose = random.Random(seed)
        rules, fact = _random_program(choose)
        asserted = {fact() for _ in range(choose.randint(3, 14))}
        reasoner = Reasoner(rules=rules)
        reasoner.load(asserted)
        for _ in range(8):
            asserted = _edit_and_compare(reasoner, asserted, fact, choose, rules)


def _edit_and_compare(reasoner, asserted, fact, choose, rules):
    before = set(reasoner.inferred())
    removed = set(choose.sample(sorted(asserted, key=str), min(len(asserted), choose.randint(0, 3))))
    added = {fact() for _ in range(choose.randint(0, 2))}
    entailments = reasoner.derive(added=added, removed=removed)
    assert set(reasoner.inferred()) == before, "deriving changes nothing"
    reasoner.accept(entailments)
    asserted = (asserted - removed) | added
    after = set(reasoner.inferred())
    assert after == from_scratch(asserted, rules=rules)
    assert after == before - set(entailments.removed) | set(entailments.added)
    assert set(entailments.removed) <= before and not set(entailments.added) & before
    audit(reasoner)
    return asserted


def test_the_fuzz_notices_a_level_that_forgets_the_other_premises(monkeypatch: pytest.MonkeyPatch) -> None:
    """The classic mistake, built in on purpose: an insertion one level above the fact that fired it."""
    monkeypatch.setattr(loops._Source, "level", lambda source: f"l{len(source.body) - 1} + 1")
    loops._compiled.cache_clear()
    try:
        with pytest.raises(AssertionError):
            for batch in range(PROGRAMS // BATCH):
                test_random_programs_and_edits_agree_with_from_scratch_after_every_edit(batch)
    finally:
        loops._compiled.cache_clear()


def test_a_derivation_through_an_inferred_axiom_is_found_again() -> None:
    """Its axiom has a higher level than the fact it replaces, its premise a lower one."""
    implies, narrower = NamedNode(EX + "implies"), NamedNode(RDFS + "subPropertyOf")
    q, p = Variable("q"), Variable("p")
    rules = (
        Rule("axiom", (TriplePattern(p, implies, q),), TriplePattern(p, narrower, q)),
        Rule("prp-spo1", (TriplePattern(p, narrower, q), TriplePattern(X, p, Y)), TriplePattern(X, q, Y)),
    )
    state = Reasoner(rules=rules)
    state.load(triples("p implies q . r rdfs:subPropertyOf q . c p d . c r d"))
    for fact in triples("x r y . x p y"):  # one after the other: a bulk run may give a higher level
        state.accept(state.derive(added=[fact]))
    entailments = state.derive(removed=triples("x r y"))
    assert not entailments.removed
    state.accept(entailments)
    assert triples("x q y")[0] in state
    audit(state)


def test_the_bulk_run_agrees_with_an_evaluator_that_has_no_indexes() -> None:
    for seed in range(60):
        choose = random.Random(10_000 + seed)
        rules, fact = _random_program(choose)
        asserted = {fact() for _ in range(choose.randint(3, 14))}
        assert from_scratch(asserted, rules=rules) == naive_closure(asserted, rules), seed


# Random ontologies: every family of axioms over a few names.

AXIOMS = [
    "{p} rdfs:domain {c}", "{p} rdfs:range {c}", "{p} rdfs:subPropertyOf {q}", "{p} owl:inverseOf {q}",
    "{p} a owl:TransitiveProperty", "{p} a owl:SymmetricProperty", "{p} a owl:FunctionalProperty",
    "{p} a owl:InverseFunctionalProperty", "{p} owl:equivalentProperty {q}",
    "{p} owl:propertyChainAxiom ({q} {r})", "{p} owl:propertyChainAxiom ({p} {p})",
    "{c} rdfs:subClassOf {d}", "{c} owl:equivalentClass {d}", "{c} owl:intersectionOf ({d} {e})",
    "{c} owl:unionOf ({d} {e})", "{c} owl:oneOf ({x} {y})", "{c} owl:hasKey ({p} {q})",
    "{c} owl:someValuesFrom {d} . {c} owl:onProperty {p}", "{c} owl:hasValue {x} . {c} owl:onProperty {p}",
    "{c} owl:someValuesFrom owl:Thing . {c} owl:onProperty {p}",
    "{c} owl:allValuesFrom {d} . {c} owl:onProperty {p}", "{c} owl:complementOf {d}",
    "{c} owl:maxCardinality 1 . {c} owl:onProperty {p}", "{c} owl:disjointWith {d}",
    "{c} owl:maxQualifiedCardinality 1 . {c} owl:onProperty {p} . {c} owl:onClass {d}",
    "{p} owl:propertyDisjointWith {q}", "{p} a owl:AsymmetricProperty", "{p} a owl:IrreflexiveProperty",
]  # fmt: skip
FACTS = ["{x} {p} {y}", "{x} {p} {y}", "{x} {p} {y}", "{x} a {c}", "{x} owl:sameAs {y}", '{x} {p} "v"']


def _random_statement(choose: random.Random, templates: list[str]) -> list[Triple]:
    names = {v: f"p{choose.randrange(4)}" for v in "pqr"}
    names |= {v: f"C{choose.randrange(5)}" for v in "cde"}
    names |= {v: f"x{choose.randrange(7)}" for v in "xyz"}
    return triples(choose.choice(templates).format(**names))


def random_ontology(seed: int) -> tuple[random.Random, list[list[Triple]], list[list[Triple]]]:
    choose = random.Random(seed)
    axioms = [_random_statement(choose, AXIOMS) for _ in range(choose.randint(2, 8))]
    facts = [_random_statement(choose, FACTS) for _ in range(choose.randint(5, 14))]
    return choose, axioms, facts


@pytest.mark.parametrize("batch", range(8))
def test_random_ontologies_agree_with_from_scratch_after_every_edit(batch: int) -> None:
    for seed in range(batch * 6, (batch + 1) * 6):
        choose, axioms, facts = random_ontology(seed)
        asserted = {t for statement in (*axioms, *facts) for t in statement}
        reasoner = Reasoner()
        reasoner.load(asserted)
        for _ in range(6):
            asserted = _edit_ontology(reasoner, asserted, choose)


def _edit_ontology(reasoner, asserted, choose):
    removed = set(choose.sample(sorted(asserted, key=str), min(len(asserted), choose.randint(0, 2))))
    templates = AXIOMS if choose.random() < 0.2 else FACTS
    added = set(_random_statement(choose, templates))
    before, had = set(reasoner.inferred()), set(reasoner.inconsistencies())
    entailments = reasoner.derive(added=added, removed=removed)
    reasoner.accept(entailments)
    asserted = (asserted - removed) | added
    fresh = Reasoner()
    fresh.load(asserted)
    assert set(reasoner.inferred()) == set(fresh.inferred())
    assert set(reasoner.inferred()) == before - set(entailments.removed) | set(entailments.added)
    assert _violations(reasoner.inconsistencies()) == _violations(fresh.inconsistencies())
    changed = had - set(entailments.inconsistencies_removed) | set(entailments.inconsistencies_added)
    assert _violations(changed) == _violations(fresh.inconsistencies())
    assert reasoner.counts == fresh.counts
    audit(reasoner)
    return asserted


def _violations(found):
    return {(inconsistency.rule, frozenset(inconsistency.premises)) for inconsistency in found}


def test_the_bulk_run_agrees_with_the_oracle_on_random_ontologies() -> None:
    from synapse.reasoning.rules_owl import OWL_RL

    for seed in range(15):
        _, axioms, facts = random_ontology(500 + seed)
        asserted = {t for statement in (*axioms[:4], *facts[:6]) for t in statement}
        assert from_scratch(asserted) == naive_closure(asserted, OWL_RL), seed
