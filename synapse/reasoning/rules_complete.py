"""What a memory leaves out and reasoning over files adds: axiomatic facts, and what holds of all things.

A memory shows people what they did not know, so it leaves out the rows of the W3C tables that
are true of everything (`OMITTED` in the other catalogues). Whoever asks what a file *entails*
asks for those too, and for what is sound in the RDF-Based Semantics of OWL 2 though no row of
the tables concludes it (`BEYOND`): section 4.3 of OWL 2 Profiles lets an implementation add
such rules. Reflexive facts (`x owl:sameAs x`) follow from all others and lead to nothing new;
`reflexive` lists them once the rules are done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from typing import Final

from pyoxigraph import BlankNode, NamedNode, Triple

from synapse.rdf.vocab import OWL, RDF, RDF_TYPE, RDFS
from synapse.reasoning.entailments import Regime
from synapse.reasoning.rule import FALSE, Rule, rules
from synapse.reasoning.rules_owl import OWL_RL
from synapse.reasoning.rules_rdfs import RDFS as RDFS_RULES
from synapse.reasoning.terms import Term

_XSD_BELOW: Final = {
    "byte": "short", "short": "int", "int": "long", "long": "integer", "integer": "decimal",
    "nonNegativeInteger": "integer", "positiveInteger": "nonNegativeInteger",
    "unsignedLong": "nonNegativeInteger", "unsignedInt": "unsignedLong", "unsignedShort": "unsignedInt",
    "unsignedByte": "unsignedShort", "nonPositiveInteger": "integer",
    "negativeInteger": "nonPositiveInteger", "normalizedString": "string", "token": "normalizedString",
    "language": "token", "Name": "token", "NMTOKEN": "token", "NCName": "Name", "dateTimeStamp": "dateTime",
}  # fmt: skip
"""Each derived type of XML Schema (part 2, section 3) and the one that it restricts."""

_XSD: Final = sorted(
    {*_XSD_BELOW, *_XSD_BELOW.values(), "double", "float", "boolean", "hexBinary", "base64Binary", "anyURI"}
)
_DATATYPES: Final = (*(f"xsd:{name}" for name in _XSD), "rdf:XMLLiteral", "rdf:PlainLiteral", "rdfs:Literal")
_ANNOTATIONS: Final = (
    *(f"rdfs:{name}" for name in ("label", "comment", "seeAlso", "isDefinedBy")),
    *(f"owl:{name}" for name in ("deprecated", "versionInfo", "priorVersion")),
    *(f"owl:{name}" for name in ("backwardCompatibleWith", "incompatibleWith")),
)


def _facts(name: str, *facts: str) -> tuple[Rule, ...]:
    """Rules without a body."""
    return tuple(rule for fact in facts for rule in rules(name, "", fact))


AXIOMATIC: Final[tuple[Rule, ...]] = (
    *_facts("prp-ap", *(f"{name} a owl:AnnotationProperty" for name in _ANNOTATIONS)),
    *_facts("cls-thing", "owl:Thing a owl:Class"),
    *_facts("cls-nothing1", "owl:Nothing a owl:Class"),
    *rules("scm-cls", "?c a owl:Class", "?c rdfs:subClassOf owl:Thing . owl:Nothing rdfs:subClassOf ?c"),
    *_facts("dt-type1", *(f"{name} a rdfs:Datatype" for name in _DATATYPES)),
    *_facts("dt-sub", *(f"xsd:{low} rdfs:subClassOf xsd:{high}" for low, high in _XSD_BELOW.items())),
)
"""Rows of the tables that ask for no more than a class; `dt-sub` is the hierarchy of XML Schema."""

BEYOND: Final[tuple[Rule, ...]] = (
    *rules("different-sym", "?x owl:differentFrom ?y", "?y owl:differentFrom ?x"),
    *rules(
        "different-all",
        "?a a owl:AllDifferent . ?a owl:members ?l . ?l list:member ?x . ?l list:member ?y",
        "?x owl:differentFrom ?y",
    ),
    *rules(
        "different-all",
        "?a a owl:AllDifferent . ?a owl:distinctMembers ?l . ?l list:member ?x . ?l list:member ?y",
        "?x owl:differentFrom ?y",
    ),
    *rules(
        "different-fp",
        "?p a owl:FunctionalProperty . ?x1 ?p ?y1 . ?x2 ?p ?y2 . ?y1 owl:differentFrom ?y2",
        "?x1 owl:differentFrom ?x2",
    ),
    *rules(
        "different-ifp",
        "?p a owl:InverseFunctionalProperty . ?x1 ?p ?y1 . ?x2 ?p ?y2 . ?x1 owl:differentFrom ?x2",
        "?y1 owl:differentFrom ?y2",
    ),
    *rules(
        "different-pdw",
        "?p1 owl:propertyDisjointWith ?p2 . ?x ?p1 ?y1 . ?x ?p2 ?y2",
        "?y1 owl:differentFrom ?y2",
    ),
    *rules(
        "different-pdw",
        "?p1 owl:propertyDisjointWith ?p2 . ?x1 ?p1 ?y . ?x2 ?p2 ?y",
        "?x1 owl:differentFrom ?x2",
    ),
    *rules("disjoint-sym", "?c owl:disjointWith ?d", "?d owl:disjointWith ?c"),
    *rules("disjoint-sym", "?p owl:propertyDisjointWith ?q", "?q owl:propertyDisjointWith ?p"),
    *rules("disjoint-com", "?c owl:complementOf ?d", "?c owl:disjointWith ?d . ?d owl:complementOf ?c"),
    *rules(
        "disjoint-all",
        "?a a owl:AllDisjointClasses . ?a owl:members ?l . ?l list:member ?c . ?l list:member ?d",
        "?c owl:disjointWith ?d",
    ),
    *rules(
        "disjoint-all",
        "?a a owl:AllDisjointProperties . ?a owl:members ?l . ?l list:member ?p . ?l list:member ?q",
        "?p owl:propertyDisjointWith ?q",
    ),
    *rules("inverse-sym", "?p owl:inverseOf ?q", "?q owl:inverseOf ?p"),
    *rules(
        "chain-trp",
        "?p owl:propertyChainAxiom ?l . ?l rdf:first ?p . ?l rdf:rest ?m . ?m rdf:first ?p"
        " . ?m rdf:rest rdf:nil",
        "?p a owl:TransitiveProperty",
    ),
    *rules("prp-rfp", "?p a owl:ReflexiveProperty . ?x a owl:NamedIndividual", "?x ?p ?x"),
    *rules("prp-rfp", "?p a owl:ReflexiveProperty . ?p a owl:IrreflexiveProperty", FALSE),
)
"""Sound rules that the tables do not have: most are one of their rows read backwards."""

_PROPERTIES: Final = ("type", "subject", "predicate", "object", "first", "rest", "value")
_DOMAINS_AND_RANGES: Final = """
rdf:subject rdfs:domain rdf:Statement . rdf:predicate rdfs:domain rdf:Statement
rdf:object rdfs:domain rdf:Statement . rdf:first rdfs:domain rdf:List . rdf:rest rdfs:domain rdf:List
rdf:rest rdfs:range rdf:List . rdf:type rdfs:range rdfs:Class . rdfs:domain rdfs:domain rdf:Property
rdfs:domain rdfs:range rdfs:Class . rdfs:range rdfs:domain rdf:Property . rdfs:range rdfs:range rdfs:Class
rdfs:subPropertyOf rdfs:domain rdf:Property . rdfs:subPropertyOf rdfs:range rdf:Property
rdfs:subClassOf rdfs:domain rdfs:Class . rdfs:subClassOf rdfs:range rdfs:Class
rdfs:label rdfs:range rdfs:Literal . rdfs:comment rdfs:range rdfs:Literal
rdf:Alt rdfs:subClassOf rdfs:Container . rdf:Bag rdfs:subClassOf rdfs:Container
rdf:Seq rdfs:subClassOf rdfs:Container . rdfs:isDefinedBy rdfs:subPropertyOf rdfs:seeAlso
rdfs:ContainerMembershipProperty rdfs:subClassOf rdf:Property . rdfs:Datatype rdfs:subClassOf rdfs:Class
"""

RDFS_AXIOMATIC: Final[tuple[Rule, ...]] = (
    *_facts("rdf-axiom", *(f"rdf:{name} a rdf:Property" for name in _PROPERTIES), "rdf:nil a rdf:List"),
    *_facts("rdfs-axiom", *re.split(r" \. |\n", _DOMAINS_AND_RANGES.strip())),
    *rules("rdfs8", "?c a rdfs:Class", "?c rdfs:subClassOf rdfs:Resource"),
)
"""The axiomatic triples of RDF 1.1 Semantics, sections 8 and 9; those of `rdf:_n` for the n in use."""

_CLASSES: Final = {OWL + "Class"}
_PROPERTIES_OF_OWL: Final = {OWL + "ObjectProperty", OWL + "DatatypeProperty"}
_MEMBERSHIP: Final = re.compile(re.escape(RDF) + r"_[1-9][0-9]*")


def complete_rules(regime: Regime, terms: Iterable[Term]) -> tuple[Rule, ...]:
    """The rules of a regime, with what a memory leaves out; `terms` are those that occur in the data."""
    if regime is Regime.OWL_RL:
        return (*OWL_RL, *AXIOMATIC, *BEYOND)
    if regime is Regime.NONE:
        return ()
    numbers = sorted({t.value for t in terms if isinstance(t, NamedNode) and _MEMBERSHIP.fullmatch(t.value)})
    members = (f"rdf:{iri.removeprefix(RDF)} a rdfs:ContainerMembershipProperty" for iri in numbers)
    return (*RDFS_RULES, *RDFS_AXIOMATIC, *_facts("rdfs-axiom", *members))


def reflexive(regime: Regime, entailed: Iterable[Triple]) -> Iterator[Triple]:
    """What else holds of the terms of a closed set of triples, some of it perhaps in the set already."""
    told = list(entailed)
    if regime is Regime.OWL_RL:
        same = NamedNode(OWL + "sameAs")
        yield from (Triple(term, same, term) for term in _resources(told))
        yield from _with_itself(told, _CLASSES, RDFS + "subClassOf", OWL + "equivalentClass")
        yield from _with_itself(told, _PROPERTIES_OF_OWL, RDFS + "subPropertyOf", OWL + "equivalentProperty")
    elif regime is Regime.RDFS:
        resource, property_ = NamedNode(RDFS + "Resource"), NamedNode(RDF + "Property")
        yield from (Triple(term, RDF_TYPE, resource) for term in _resources(told))
        used = [Triple(term, RDF_TYPE, property_) for term in {triple.predicate for triple in told}]
        yield from used
        yield from _with_itself(told, {RDFS + "Class"}, RDFS + "subClassOf")
        yield from _with_itself([*told, *used], {RDF + "Property"}, RDFS + "subPropertyOf")


def _with_itself(told: Iterable[Triple], kinds: Set[str], *relations: str) -> Iterator[Triple]:
    """Each of `relations` between a term and itself, for terms of these kinds and those that are related."""
    predicates = [NamedNode(name) for name in relations]
    types = {NamedNode(name) for name in kinds}
    found: dict[Triple, None] = {}
    for triple in told:
        if triple.predicate == RDF_TYPE and triple.object in types:
            found |= {Triple(triple.subject, relation, triple.subject): None for relation in predicates}
        elif triple.predicate in predicates:
            ends = _resources([triple])
            found |= {
                Triple(end, r, end): None for end in ends if end != triple.predicate for r in predicates
            }
    yield from found


def _resources(told: Iterable[Triple]) -> Iterator[NamedNode | BlankNode]:
    """Every term once that can be a subject."""
    terms = dict.fromkeys(term for triple in told for term in triple)
    return (term for term in terms if isinstance(term, NamedNode | BlankNode))
