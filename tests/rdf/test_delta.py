"""Deltas: net, composable, invertible, and the same when an engine runs them as an update request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from synapse.rdf.delta import Delta

SUBJECTS = [NamedNode(f"urn:s{number}") for number in range(3)]
GRAPHS = [NamedNode(f"urn:g{number}") for number in range(2)]
OBJECTS = [*SUBJECTS, Literal('say "hi"\n\\'), Literal("día", language="es"), Literal(1)]

quads = st.builds(
    Quad,
    st.sampled_from(SUBJECTS),
    st.just(NamedNode("urn:p")),
    st.sampled_from(OBJECTS),
    st.sampled_from(GRAPHS),
)
quad_sets = st.frozensets(quads, max_size=8)
deltas = st.builds(lambda added, removed: Delta.of(added=added, removed=removed), quad_sets, quad_sets)


def applied(delta: Delta, to: frozenset[Quad]) -> frozenset[Quad]:
    return (to - delta.removed) | delta.added


@given(quad_sets, quad_sets)
def test_nothing_is_both_added_and_removed(one: frozenset[Quad], other: frozenset[Quad]) -> None:
    delta = Delta.of(added=one, removed=other)
    assert not delta.added & delta.removed


@given(quad_sets, quad_sets)
def test_the_change_between_two_states_leads_from_one_to_the_other(
    old: frozenset[Quad], new: frozenset[Quad]
) -> None:
    delta = Delta.between(old, new)
    assert applied(delta, old) == new
    assert bool(delta) == (old != new)
    assert len(delta) == len(old ^ new)


@given(quad_sets, quad_sets, quad_sets)
def test_two_changes_in_turn_are_one_net_change(
    first: frozenset[Quad], second: frozenset[Quad], third: frozenset[Quad]
) -> None:
    combined = Delta.between(first, second).then(Delta.between(second, third))
    assert combined == Delta.between(first, third)


@given(quad_sets, quad_sets)
def test_the_inverted_change_undoes_it(old: frozenset[Quad], new: frozenset[Quad]) -> None:
    assert applied(Delta.between(old, new).inverted(), new) == old


@given(quad_sets, deltas)
def test_an_engine_that_runs_the_update_request_ends_in_the_same_state(
    state: frozenset[Quad], delta: Delta
) -> None:
    store = Store()
    store.extend(state)
    if request := delta.to_update():
        store.update(request)
    assert frozenset(store) == applied(delta, state)


@given(quad_sets)
def test_the_request_of_a_change_does_not_depend_on_its_order(quads: frozenset[Quad]) -> None:
    assert (
        Delta.of(added=quads).to_update() == Delta.of(added=sorted(quads, key=str, reverse=True)).to_update()
    )


@pytest.mark.parametrize(
    "text", ["two words", 'a <urn:x> "b" .', "} ;", "", "\n\t\r\\", "\u2028 \x0b \x7f", "ñ\\u0041"]
)
def test_a_literal_is_written_as_it_is_whatever_it_holds(text: str) -> None:
    graph, node = NamedNode("urn:g"), NamedNode("urn:s")
    literals = [Literal(text), Literal(text, language="en"), Literal(text, datatype=NamedNode("urn:d"))]
    delta = Delta.of(added=(Quad(node, node, literal, graph) for literal in literals))
    store = Store()
    store.update(delta.to_update())
    assert frozenset(store) == delta.added


def test_no_change_is_no_request() -> None:
    assert Delta().to_update() == ""
    assert not Delta()
