"""owlrl, written by others over rdflib, entails the same but for what is trivial or out of scope."""

from __future__ import annotations

import random

import owlrl
import pytest
import rdflib
from pyoxigraph import BlankNode, Literal, NamedNode, Triple
from rdflib.namespace import OWL, RDF, RDFS, XSD
from reasoning_helpers import FIRST, REST, triples
from test_maintenance import random_ontology

from synapse.rdf.vocab import RDF_TYPE
from synapse.reasoning import Reasoner, Regime
from synapse.reasoning.schema import REFLEXIVE

TRIVIAL_CLASSES = {
    str(t) for t in (OWL.Thing, OWL.Nothing, RDFS.Resource, RDF.Property, RDFS.Class, OWL.Class)
}
INTEGER = NamedNode(str(XSD.integer))
VOCABULARIES = tuple(str(namespace) for namespace in (RDF, RDFS, OWL, XSD))


def owlrl_entailments(asserted: list[Triple], regime: Regime) -> set[Triple]:
    semantics = owlrl.RDFS_Semantics if regime is Regime.RDFS else owlrl.OWLRL_Semantics
    graph = rdflib.Graph()
    for triple in asserted:
        graph.add(tuple(_to_rdflib(term) for term in triple))
    owlrl.DeductiveClosure(semantics).expand(graph)
    found = {_from_rdflib(s, p, o) for s, p, o in graph if not isinstance(s, rdflib.Literal)}
    return {triple for triple in found - set(asserted) if triple is not None and not is_extra(triple)}


def is_extra(triple: Triple) -> bool:
    """What owlrl infers and synapse leaves out: see `OMITTED` in the rules, and its axiomatic triples."""
    subject, predicate, object_ = triple
    names = [getattr(term, "value", "") for term in triple]
    return (
        (predicate in REFLEXIVE and subject == object_)
        or names[0].startswith(VOCABULARIES)
        or names[2] in TRIVIAL_CLASSES
        or (predicate in REFLEXIVE and isinstance(object_, Literal))
        or predicate in (FIRST, REST)
        or isinstance(subject, BlankNode)  # owlrl records contradictions as blank nodes in the data
        or (predicate == RDF_TYPE and names[2] in (str(RDFS.Literal), str(RDFS.Datatype)))
    )


def _to_rdflib(term: object) -> rdflib.term.Node:
    if isinstance(term, Literal):
        return rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value))
    return rdflib.URIRef(term.value)  # type: ignore[attr-defined]


def _from_rdflib(*terms: rdflib.term.Node) -> Triple | None:
    try:
        return Triple(*map(_to_oxigraph, terms))
    except (TypeError, ValueError):
        return None


def _to_oxigraph(term: rdflib.term.Node) -> NamedNode | BlankNode | Literal:
    if isinstance(term, rdflib.Literal):
        return Literal(str(term), datatype=NamedNode(str(term.datatype or XSD.string)))
    return BlankNode(str(term)) if isinstance(term, rdflib.BNode) else NamedNode(str(term))


def ours(asserted: list[Triple], regime: Regime) -> set[Triple]:
    state = Reasoner(regime=regime)
    state.load(asserted)
    return {triple for triple in state.inferred() if not is_extra(triple)}


@pytest.mark.parametrize("seed", range(900, 924))
def test_random_ontologies_entail_the_same_in_owlrl(seed: int) -> None:
    _, axioms, facts = random_ontology(seed)
    # owlrl equates literals with resources (a functional property with one of each); synapse does not.
    known = [t for statement in (*axioms, *facts[:8]) for t in statement]
    asserted = [t for t in known if t.predicate in (FIRST, REST) or not isinstance(t.object, Literal)]
    asserted += [t for t in known if t.object == Literal("1", datatype=INTEGER)]
    assert ours(asserted, Regime.OWL_RL) == owlrl_entailments(asserted, Regime.OWL_RL)


@pytest.mark.parametrize("seed", range(940, 946))
def test_random_ontologies_entail_the_same_in_rdfs(seed: int) -> None:
    _, axioms, facts = random_ontology(seed)
    asserted = [t for statement in (*axioms, *facts) for t in statement]
    assert ours(asserted, Regime.RDFS) == owlrl_entailments(asserted, Regime.RDFS)


def test_a_small_vault_entails_the_same_in_owlrl() -> None:
    asserted = triples(
        "dep a owl:TransitiveProperty . dep owl:inverseOf req . rel a owl:SymmetricProperty"
        " . cites rdfs:subPropertyOf refs . refs rdfs:domain Doc . refs rdfs:range Resource"
        " . Doc rdfs:subClassOf Resource . by rdfs:range Person"
        " . citesAuthor owl:propertyChainAxiom (cites by)"
    )
    choose = random.Random(3)
    for n in range(14):
        asserted += triples(
            f"n{n} a Doc . n{n} cites n{choose.randrange(14)} . n{n} rel n{choose.randrange(14)}"
        )
        asserted += triples(f"n{n} by h{n % 3} . n{n} dep n{choose.randrange(n, 15)}")
    assert ours(asserted, Regime.OWL_RL) == owlrl_entailments(asserted, Regime.OWL_RL)
