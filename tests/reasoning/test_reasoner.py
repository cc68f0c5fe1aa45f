"""The door: derive changes nothing, accept makes it so, caps are told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, NamedNode, Triple
from reasoning_helpers import audit, from_scratch, reasoner, term, triple, triples

from synapse.reasoning import Limits, Reasoner

SERVICES = (
    "dep a owl:TransitiveProperty . dep owl:inverseOf req . dep rdfs:domain Service"
    " . Service rdfs:subClassOf Thing . a1 dep b1 . b1 dep c1"
)


def test_deriving_shows_what_would_change_and_changes_nothing() -> None:
    state = reasoner(SERVICES)
    before = set(state.inferred())
    entailments = state.derive(added=triples("c1 dep d1"))
    assert triple("a1 dep d1") in entailments.added and triple("c1 a Thing") in entailments.added
    assert set(state.inferred()) == before and triple("c1 dep d1") not in state
    state.accept(entailments)
    assert triple("a1 dep d1") in state and not state.is_asserted(triple("a1 dep d1"))
    assert state.counts.inferred == len(before) + len(entailments.added)


def test_only_the_latest_derivation_can_be_accepted_and_only_once() -> None:
    state = reasoner(SERVICES)
    first = state.derive(added=triples("c1 dep d1"))
    second = state.derive(added=triples("c1 dep e1"))
    with pytest.raises(ValueError, match="latest"):
        state.accept(first)
    state.accept(second)
    with pytest.raises(ValueError, match="once"):
        state.accept(second)
    assert triple("c1 dep d1") not in state


def test_a_discarded_derivation_cannot_be_accepted() -> None:
    state = reasoner(SERVICES)
    entailments = state.derive(added=triples("c1 dep d1"))
    state.discard(entailments)
    with pytest.raises(ValueError):
        state.accept(entailments)


def test_a_fact_moves_between_asserted_and_inferred() -> None:
    state = reasoner(SERVICES)
    stated = state.derive(added=triples("a1 dep c1"))
    assert stated.removed == (triple("a1 dep c1"),) and not stated.added
    state.accept(stated)
    assert state.is_asserted(triple("a1 dep c1"))
    dropped = state.derive(removed=triples("a1 dep c1"))
    assert dropped.added == (triple("a1 dep c1"),) and not dropped.removed
    state.accept(dropped)
    audit(state)


def test_what_is_asserted_already_or_never_was_does_not_count() -> None:
    state = reasoner(SERVICES)
    entailments = state.derive(added=triples("a1 dep b1"), removed=triples("x1 dep y1 . a1 dep c1"))
    assert not entailments.added and not entailments.removed
    state.accept(entailments)
    assert triple("a1 dep c1") in state


def test_a_triple_both_added_and_removed_stays() -> None:
    state = reasoner(SERVICES)
    entailments = state.derive(added=triples("a1 dep b1"), removed=triples("a1 dep b1"))
    assert not entailments.removed
    state.accept(entailments)
    assert state.is_asserted(triple("a1 dep b1"))


def test_an_axiom_edit_gives_the_difference_of_two_runs() -> None:
    state = reasoner(SERVICES)
    entailments = state.derive(removed=triples("dep a owl:TransitiveProperty"))
    assert set(entailments.removed) == set(triples("a1 dep c1 . c1 req a1"))
    state.accept(entailments)
    audit(state)


def test_a_property_that_equals_another_carries_a_predicate_not_seen_before() -> None:
    state = reasoner("p owl:sameAs q . q owl:sameAs r")
    entailments = state.derive(added=triples("x p y"))
    assert set(entailments.added) == set(triples("x q y . x r y"))


def test_literals_never_become_subjects() -> None:
    state = reasoner('p owl:inverseOf q . p rdfs:range C . p a owl:SymmetricProperty . x p "text"')
    assert not any(str(found.subject).startswith('"') for found in state.inferred())


def test_blank_nodes_are_plain_terms() -> None:
    state = Reasoner()
    node = BlankNode("n")
    state.load([Triple(node, term("a"), term("C")), *triples("C rdfs:subClassOf D")])
    assert Triple(node, term("a"), term("D")) in state


def test_an_unknown_triple_does_not_hold_and_has_no_proof() -> None:
    state = reasoner(SERVICES)
    assert triple("nobody dep nothing") not in state and state.explain(triple("nobody dep nothing")) == ()


def test_a_malformed_list_says_nothing() -> None:
    broken = "C owl:unionOf l . l rdf:first D . x a D"
    looped = broken + " . l rdf:rest l"
    assert triple("x a C") not in reasoner(broken) and triple("x a C") not in reasoner(looped)
    assert triple("x a C") in reasoner(broken + " . l rdf:rest rdf:nil")


def test_equal_list_members_do_not_break_the_list() -> None:
    state = reasoner("C owl:oneOf (x y) . x owl:sameAs z")
    assert triple("z a C") in state and triple("y a C") in state


# Caps


def test_the_cap_on_inferred_facts_is_told_and_ends_when_there_is_room() -> None:
    chain = " . ".join(f"n{n} dep n{n + 1}" for n in range(30))
    state = reasoner("dep a owl:TransitiveProperty . " + chain, limits=Limits(max_inferred=100))
    assert [warning.code for warning in state.warnings] == ["inferred-cap"]
    entailments = state.derive(removed=triples(" . ".join(f"n{n} dep n{n + 1}" for n in range(5, 30))))
    assert not entailments.warnings
    state.accept(entailments)
    assert set(state.inferred()) == from_scratch(
        triples("dep a owl:TransitiveProperty . " + " . ".join(f"n{n} dep n{n + 1}" for n in range(5)))
    )


def test_an_edit_that_reaches_the_cap_is_told() -> None:
    state = reasoner("dep a owl:TransitiveProperty . n0 dep n1", limits=Limits(max_inferred=20))
    entailments = state.derive(added=triples(" . ".join(f"n{n} dep n{n + 1}" for n in range(1, 30))))
    assert [warning.code for warning in entailments.warnings] == ["inferred-cap"]


def test_too_many_equals_leave_equality_out_and_come_back() -> None:
    limits = Limits(max_equals=5)
    equal = [f"x{n} owl:sameAs x{n + 1}" for n in range(9)]
    state = reasoner("x0 p y . C rdfs:subClassOf D . x0 a C", limits=limits)
    entailments = state.derive(added=triples(" . ".join(equal)))
    assert [warning.code for warning in entailments.warnings] == ["equality-cap"]
    state.accept(entailments)
    assert triple("x1 p y") not in state and triple("x0 a D") in state
    fewer = state.derive(removed=triples(" . ".join(equal[3:])))
    state.accept(fewer)
    assert not state.warnings and triple("x3 p y") in state
    audit(state)


def test_the_cap_on_contradictions_is_told() -> None:
    text = "C owl:disjointWith D . " + " . ".join(f"x{n} a C . x{n} a D" for n in range(9))
    state = reasoner(text, limits=Limits(max_inconsistencies=4))
    assert len(state.inconsistencies()) == 4
    assert [warning.code for warning in state.warnings] == ["inconsistency-cap"]


# Any sequence of edits

STATEMENTS = [
    *(f"{s} {p} {o}" for s in "uvw" for p in ("p", "q", "dep") for o in "uvw"),
    *(f"{s} a {c}" for s in "uvw" for c in ("C", "D")),
    "dep a owl:TransitiveProperty", "p rdfs:subPropertyOf dep", "p owl:inverseOf q", "C rdfs:subClassOf D",
    "dep rdfs:range C", "q a owl:SymmetricProperty", "u owl:sameAs v", "C owl:disjointWith E",
]  # fmt: skip
edits = st.lists(st.tuples(st.booleans(), st.sampled_from(STATEMENTS)), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(edits, min_size=1, max_size=6))
def test_any_sequence_of_edits_ends_where_a_fresh_run_does(sequence: list) -> None:
    state, asserted = Reasoner(), set()
    for edit in sequence:
        added = {triple(text) for plus, text in edit if plus}
        removed = {triple(text) for plus, text in edit if not plus}
        state.accept(state.derive(added=added, removed=removed))
        asserted = (asserted - removed) | added
        assert set(state.inferred()) == from_scratch(asserted)
        for inferred in state.inferred():
            (proof,) = state.explain(inferred)
            assert all(step.premises or step.conclusion in asserted for step in proof.steps())
    audit(state)


def test_names_in_any_script_are_terms_like_others() -> None:
    state = Reasoner()
    bird, idea = NamedNode("https://e/ñandú"), NamedNode("https://e/概念")
    state.load([Triple(bird, term("a"), idea), Triple(idea, term("rdfs:subClassOf"), term("C"))])
    assert Triple(bird, term("a"), term("C")) in state
