"""What follows is written from the reasoner's own terms as it would be from its quads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store, Triple

from synapse.rdf.names import INFERRED
from synapse.rdf.vocab import OWL, RDF_TYPE, RDFS
from synapse.reasoning import Reasoner
from synapse.usecases.consequences import Consequences

P, Q, R = (NamedNode(f"urn:{name}") for name in "pqr")
NODES = [NamedNode("urn:a"), NamedNode("urn:b/ñ%20'(1)"), NamedNode("urn:c")]
AXIOMS = [
    Triple(P, RDF_TYPE, NamedNode(OWL + "TransitiveProperty")),
    Triple(P, NamedNode(OWL + "inverseOf"), Q),
    Triple(P, NamedNode(RDFS + "subPropertyOf"), R),
]
LITERALS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])).map(Literal),
    st.text().filter(str.isprintable).map(lambda text: Literal(text, language="es-MX")),
    st.integers().map(Literal),
)
TRIPLES = st.frozensets(
    st.builds(Triple, st.sampled_from(NODES), st.just(P), st.sampled_from(NODES) | LITERALS), max_size=8
)


@given(TRIPLES, TRIPLES)
def test_the_update_writes_the_quads(before: frozenset[Triple], after: frozenset[Triple]) -> None:
    reasoner, store = Reasoner(), Store()
    reasoner.load([*AXIOMS, *before])
    store.extend(_inferred(reasoner))
    change = Consequences(reasoner.derive(added=after - before, removed=before - after))
    store.update(change.to_update())
    reasoner.accept(change.entailments)
    assert set(store) == _inferred(reasoner)
    assert len(change) == len(change.added) + len(change.removed)
    assert bool(change) == bool(change.to_update())


def _inferred(reasoner: Reasoner) -> set[Quad]:
    return {Quad(*triple, INFERRED) for triple in reasoner.inferred()}
