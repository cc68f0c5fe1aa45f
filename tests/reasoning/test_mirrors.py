"""Inverses that hold nothing of their own are read from what they mirror, or become tables."""

from __future__ import annotations

import random

import pytest
from pyoxigraph import NamedNode, Triple
from reasoning_helpers import EX, audit, reasoner, triples

from synapse.reasoning import Reasoner
from synapse.reasoning.mirrors import Mirror

INVERSE = "p owl:inverseOf q . "
OFTEN = ["{x} p {y}", "{x} p {y}", "{x} p {y}", '{x} p "v"', "{x} r {y}"]
SELDOM = ["{x} q {y}", "{x} owl:sameAs {y}", "r rdfs:subPropertyOf q", "q rdfs:domain C", "q owl:inverseOf p"]
CLOSED = ["", "p a owl:TransitiveProperty . ", "p a owl:SymmetricProperty . ", "r rdfs:subPropertyOf p . "]


def _is_mirror(made: Reasoner, name: str) -> bool:
    predicate = made._terms.ids[NamedNode(EX + name)]
    return isinstance(made._state.network.tables.get(predicate), Mirror)


def _edit(made: Reasoner, *, added: str = "", removed: str = "") -> tuple[set[Triple], set[Triple]]:
    entailments = made.derive(added=triples(added), removed=triples(removed))
    made.accept(entailments)
    return set(entailments.added), set(entailments.removed)


def test_an_inverse_that_nobody_states_is_a_mirror() -> None:
    made = reasoner(INVERSE + "a p b")
    assert _is_mirror(made, "q") and not _is_mirror(made, "p")
    assert _edit(made, added="a p c") == (set(triples("c q a")), set())
    assert _edit(made, removed="a p b") == (set(), set(triples("b q a")))
    (proof,) = made.explain(triples("c q a")[0])
    assert [premise.conclusion for premise in proof.premises if premise.conclusion in triples("a p c")]


def test_a_mirror_shows_no_literal() -> None:
    made = reasoner(INVERSE + "a p b")
    assert _edit(made, added='a p "text"') == (set(), set())
    assert set(made.inferred()) == set(triples("b q a"))


@pytest.mark.parametrize(
    "reason", ["d q c", "q rdfs:range C", "a owl:sameAs d", "r rdfs:subPropertyOf q . c r d"]
)
def test_a_mirror_becomes_a_table_when_something_else_speaks_of_it(reason: str) -> None:
    made = reasoner(INVERSE + "a p b")
    before = set(made.inferred())
    added, removed = _edit(made, added=reason)
    assert not _is_mirror(made, "q")
    fresh = reasoner(INVERSE + "a p b . " + reason)
    assert set(made.inferred()) == set(fresh.inferred()) == before - removed | added


@pytest.mark.parametrize("closed", CLOSED)
def test_edits_beside_mirrors_agree_with_from_scratch_whenever_one_looks(closed: str) -> None:
    for seed in range(20):
        choose = random.Random(seed)
        asserted = set(triples(INVERSE + closed + "x0 p x1"))
        made = Reasoner()
        made.load(asserted)
        held = set(made.inferred())
        for _ in range(12):
            asserted, added, removed = _random_edit(made, asserted, choose)
            assert removed <= held and not added & held
            held = held - removed | added
            if choose.random() < 0.3:  # looking reads tables as a whole; edits in a row do not
                fresh = Reasoner()
                fresh.load(asserted)
                assert held == set(made.inferred()) == set(fresh.inferred())
                assert made.counts == fresh.counts
                audit(made)


def _random_edit(made, asserted, choose):
    template = choose.choice(SELDOM if choose.random() < 0.1 else OFTEN)
    names = {name: f"x{choose.randrange(7)}" for name in "xy"}
    coming = set(triples(template.format(**names)))
    going = set(choose.sample(sorted(asserted, key=str), choose.randint(0, min(2, len(asserted)))))
    going = {triple for triple in going if triple not in triples(INVERSE)}
    entailments = made.derive(added=coming, removed=going)
    if choose.random() < 0.5:
        _ = made.counts  # somebody reads in between: the steps are taken back and done again
    made.accept(entailments)
    return (asserted - going) | coming, set(entailments.added), set(entailments.removed)
