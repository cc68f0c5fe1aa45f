"""The OWL 2 RL/RDF rules, in the order of the tables of OWL 2 Profiles, section 4.3.

https://www.w3.org/TR/owl2-profiles/#Reasoning_in_OWL_2_RL_and_RDF_Graphs_using_Rules
`OMITTED` names the rows that are not here, each with its reason.
"""

from __future__ import annotations

from typing import Final

from synapse.reasoning.rule import FALSE, Rule, rules

EQUALITY: Final[tuple[Rule, ...]] = (
    *rules("eq-sym", "?x owl:sameAs ?y", "?y owl:sameAs ?x"),
    *rules("eq-trans", "?x owl:sameAs ?y . ?y owl:sameAs ?z", "?x owl:sameAs ?z"),
    *rules("eq-rep-s", "?s owl:sameAs ?s2 . ?s ?p ?o", "?s2 ?p ?o"),
    *rules("eq-rep-p", "?p owl:sameAs ?p2 . ?s ?p ?o", "?s ?p2 ?o"),
    *rules("eq-rep-o", "?o owl:sameAs ?o2 . ?s ?p ?o", "?s ?p ?o2"),
    *rules("eq-diff1", "?x owl:sameAs ?y . ?x owl:differentFrom ?y", FALSE),
    *rules(
        "eq-diff2",
        "?a a owl:AllDifferent . ?a owl:members ?l . ?l list:member ?x . ?l list:member ?y"
        " . ?x owl:sameAs ?y",
        FALSE,
    ),
    *rules(
        "eq-diff3",
        "?a a owl:AllDifferent . ?a owl:distinctMembers ?l . ?l list:member ?x . ?l list:member ?y"
        " . ?x owl:sameAs ?y",
        FALSE,
    ),
)
"""Table 4: the semantics of equality."""

PROPERTIES: Final[tuple[Rule, ...]] = (
    *rules("prp-dom", "?p rdfs:domain ?c . ?x ?p ?y", "?x a ?c"),
    *rules("prp-rng", "?p rdfs:range ?c . ?x ?p ?y", "?y a ?c"),
    *rules("prp-fp", "?p a owl:FunctionalProperty . ?x ?p ?y1 . ?x ?p ?y2", "?y1 owl:sameAs ?y2"),
    *rules("prp-ifp", "?p a owl:InverseFunctionalProperty . ?x1 ?p ?y . ?x2 ?p ?y", "?x1 owl:sameAs ?x2"),
    *rules("prp-irp", "?p a owl:IrreflexiveProperty . ?x ?p ?x", FALSE),
    *rules("prp-symp", "?p a owl:SymmetricProperty . ?x ?p ?y", "?y ?p ?x"),
    *rules("prp-asyp", "?p a owl:AsymmetricProperty . ?x ?p ?y . ?y ?p ?x", FALSE),
    *rules("prp-trp", "?p a owl:TransitiveProperty . ?x ?p ?y . ?y ?p ?z", "?x ?p ?z"),
    *rules("prp-spo1", "?p1 rdfs:subPropertyOf ?p2 . ?x ?p1 ?y", "?x ?p2 ?y"),
    *rules(
        "prp-spo2",
        "?p owl:propertyChainAxiom ?l",
        "?u[0] ?p ?u[n]",
        each="?p[i] of ?l : ?u[i] ?p[i] ?u[i+1]",
    ),
    *rules("prp-eqp1", "?p1 owl:equivalentProperty ?p2 . ?x ?p1 ?y", "?x ?p2 ?y"),
    *rules("prp-eqp2", "?p1 owl:equivalentProperty ?p2 . ?x ?p2 ?y", "?x ?p1 ?y"),
    *rules("prp-pdw", "?p1 owl:propertyDisjointWith ?p2 . ?x ?p1 ?y . ?x ?p2 ?y", FALSE),
    *rules(
        "prp-adp",
        "?a a owl:AllDisjointProperties . ?a owl:members ?l . ?l list:member ?p1 . ?l list:member ?p2"
        " . ?x ?p1 ?y . ?x ?p2 ?y",
        FALSE,
    ),
    *rules("prp-inv1", "?p1 owl:inverseOf ?p2 . ?x ?p1 ?y", "?y ?p2 ?x"),
    *rules("prp-inv2", "?p1 owl:inverseOf ?p2 . ?x ?p2 ?y", "?y ?p1 ?x"),
    *rules(
        "prp-key",
        "?c owl:hasKey ?l . ?x a ?c . ?y a ?c",
        "?x owl:sameAs ?y",
        each="?p[i] of ?l : ?x ?p[i] ?z[i] . ?y ?p[i] ?z[i]",
    ),
    *rules(
        "prp-npa1",
        "?n owl:sourceIndividual ?i1 . ?n owl:assertionProperty ?p . ?n owl:targetIndividual ?i2"
        " . ?i1 ?p ?i2",
        FALSE,
    ),
    *rules(
        "prp-npa2",
        "?n owl:sourceIndividual ?i . ?n owl:assertionProperty ?p . ?n owl:targetValue ?v . ?i ?p ?v",
        FALSE,
    ),
)
"""Table 5: the semantics of axioms about properties."""

CLASSES: Final[tuple[Rule, ...]] = (
    *rules("cls-nothing2", "?x a owl:Nothing", FALSE),
    *rules("cls-int1", "?c owl:intersectionOf ?l", "?y a ?c", each="?c[i] of ?l : ?y a ?c[i]"),
    *rules("cls-int2", "?c owl:intersectionOf ?l . ?l list:member ?c1 . ?y a ?c", "?y a ?c1"),
    *rules("cls-uni", "?c owl:unionOf ?l . ?l list:member ?c1 . ?y a ?c1", "?y a ?c"),
    *rules("cls-com", "?c1 owl:complementOf ?c2 . ?x a ?c1 . ?x a ?c2", FALSE),
    *rules(
        "cls-svf1",
        "?x owl:someValuesFrom ?y . ?x owl:onProperty ?p . ?u ?p ?v . ?v a ?y",
        "?u a ?x",
    ),
    *rules("cls-svf2", "?x owl:someValuesFrom owl:Thing . ?x owl:onProperty ?p . ?u ?p ?v", "?u a ?x"),
    *rules("cls-avf", "?x owl:allValuesFrom ?y . ?x owl:onProperty ?p . ?u a ?x . ?u ?p ?v", "?v a ?y"),
    *rules("cls-hv1", "?x owl:hasValue ?y . ?x owl:onProperty ?p . ?u a ?x", "?u ?p ?y"),
    *rules("cls-hv2", "?x owl:hasValue ?y . ?x owl:onProperty ?p . ?u ?p ?y", "?u a ?x"),
    *rules("cls-maxc1", "?x owl:maxCardinality 0 . ?x owl:onProperty ?p . ?u a ?x . ?u ?p ?y", FALSE),
    *rules(
        "cls-maxc2",
        "?x owl:maxCardinality 1 . ?x owl:onProperty ?p . ?u a ?x . ?u ?p ?y1 . ?u ?p ?y2",
        "?y1 owl:sameAs ?y2",
    ),
    *rules(
        "cls-maxqc1",
        "?x owl:maxQualifiedCardinality 0 . ?x owl:onProperty ?p . ?x owl:onClass ?c"
        " . ?u a ?x . ?u ?p ?y . ?y a ?c",
        FALSE,
    ),
    *rules(
        "cls-maxqc2",
        "?x owl:maxQualifiedCardinality 0 . ?x owl:onProperty ?p . ?x owl:onClass owl:Thing"
        " . ?u a ?x . ?u ?p ?y",
        FALSE,
    ),
    *rules(
        "cls-maxqc3",
        "?x owl:maxQualifiedCardinality 1 . ?x owl:onProperty ?p . ?x owl:onClass ?c"
        " . ?u a ?x . ?u ?p ?y1 . ?y1 a ?c . ?u ?p ?y2 . ?y2 a ?c",
        "?y1 owl:sameAs ?y2",
    ),
    *rules(
        "cls-maxqc4",
        "?x owl:maxQualifiedCardinality 1 . ?x owl:onProperty ?p . ?x owl:onClass owl:Thing"
        " . ?u a ?x . ?u ?p ?y1 . ?u ?p ?y2",
        "?y1 owl:sameAs ?y2",
    ),
    *rules("cls-oo", "?c owl:oneOf ?l . ?l list:member ?y", "?y a ?c"),
)
"""Table 6: the semantics of classes."""

CLASS_AXIOMS: Final[tuple[Rule, ...]] = (
    *rules("cax-sco", "?c1 rdfs:subClassOf ?c2 . ?x a ?c1", "?x a ?c2"),
    *rules("cax-eqc1", "?c1 owl:equivalentClass ?c2 . ?x a ?c1", "?x a ?c2"),
    *rules("cax-eqc2", "?c1 owl:equivalentClass ?c2 . ?x a ?c2", "?x a ?c1"),
    *rules("cax-dw", "?c1 owl:disjointWith ?c2 . ?x a ?c1 . ?x a ?c2", FALSE),
    *rules(
        "cax-adc",
        "?a a owl:AllDisjointClasses . ?a owl:members ?l . ?l list:member ?c1 . ?l list:member ?c2"
        " . ?x a ?c1 . ?x a ?c2",
        FALSE,
    ),
)
"""Table 7: the semantics of class axioms."""

SCHEMA: Final[tuple[Rule, ...]] = (
    *rules("scm-sco", "?c1 rdfs:subClassOf ?c2 . ?c2 rdfs:subClassOf ?c3", "?c1 rdfs:subClassOf ?c3"),
    *rules("scm-eqc1", "?c1 owl:equivalentClass ?c2", "?c1 rdfs:subClassOf ?c2 . ?c2 rdfs:subClassOf ?c1"),
    *rules("scm-eqc2", "?c1 rdfs:subClassOf ?c2 . ?c2 rdfs:subClassOf ?c1", "?c1 owl:equivalentClass ?c2"),
    *rules(
        "scm-spo", "?p1 rdfs:subPropertyOf ?p2 . ?p2 rdfs:subPropertyOf ?p3", "?p1 rdfs:subPropertyOf ?p3"
    ),
    *rules(
        "scm-eqp1",
        "?p1 owl:equivalentProperty ?p2",
        "?p1 rdfs:subPropertyOf ?p2 . ?p2 rdfs:subPropertyOf ?p1",
    ),
    *rules(
        "scm-eqp2",
        "?p1 rdfs:subPropertyOf ?p2 . ?p2 rdfs:subPropertyOf ?p1",
        "?p1 owl:equivalentProperty ?p2",
    ),
    *rules("scm-dom1", "?p rdfs:domain ?c1 . ?c1 rdfs:subClassOf ?c2", "?p rdfs:domain ?c2"),
    *rules("scm-dom2", "?p2 rdfs:domain ?c . ?p1 rdfs:subPropertyOf ?p2", "?p1 rdfs:domain ?c"),
    *rules("scm-rng1", "?p rdfs:range ?c1 . ?c1 rdfs:subClassOf ?c2", "?p rdfs:range ?c2"),
    *rules("scm-rng2", "?p2 rdfs:range ?c . ?p1 rdfs:subPropertyOf ?p2", "?p1 rdfs:range ?c"),
    *rules(
        "scm-hv",
        "?c1 owl:hasValue ?i . ?c1 owl:onProperty ?p1 . ?c2 owl:hasValue ?i . ?c2 owl:onProperty ?p2"
        " . ?p1 rdfs:subPropertyOf ?p2",
        "?c1 rdfs:subClassOf ?c2",
    ),
    *rules(
        "scm-svf1",
        "?c1 owl:someValuesFrom ?y1 . ?c1 owl:onProperty ?p . ?c2 owl:someValuesFrom ?y2"
        " . ?c2 owl:onProperty ?p . ?y1 rdfs:subClassOf ?y2",
        "?c1 rdfs:subClassOf ?c2",
    ),
    *rules(
        "scm-svf2",
        "?c1 owl:someValuesFrom ?y . ?c1 owl:onProperty ?p1 . ?c2 owl:someValuesFrom ?y"
        " . ?c2 owl:onProperty ?p2 . ?p1 rdfs:subPropertyOf ?p2",
        "?c1 rdfs:subClassOf ?c2",
    ),
    *rules(
        "scm-avf1",
        "?c1 owl:allValuesFrom ?y1 . ?c1 owl:onProperty ?p . ?c2 owl:allValuesFrom ?y2"
        " . ?c2 owl:onProperty ?p . ?y1 rdfs:subClassOf ?y2",
        "?c1 rdfs:subClassOf ?c2",
    ),
    *rules(
        "scm-avf2",
        "?c1 owl:allValuesFrom ?y . ?c1 owl:onProperty ?p1 . ?c2 owl:allValuesFrom ?y"
        " . ?c2 owl:onProperty ?p2 . ?p1 rdfs:subPropertyOf ?p2",
        "?c2 rdfs:subClassOf ?c1",
    ),
    *rules("scm-int", "?c owl:intersectionOf ?l . ?l list:member ?c1", "?c rdfs:subClassOf ?c1"),
    *rules("scm-uni", "?c owl:unionOf ?l . ?l list:member ?c1", "?c1 rdfs:subClassOf ?c"),
)
"""Table 9: the semantics of schema vocabulary."""

TRIMMED: Final[tuple[Rule, ...]] = (
    *rules("eq-ref", "?x owl:differentFrom ?x", FALSE),
    *rules("scm-cls", "?c a owl:Class . ?c owl:sameAs ?c2", "?c owl:equivalentClass ?c2"),
    *rules("scm-op", "?p a owl:ObjectProperty . ?p owl:sameAs ?p2", "?p owl:equivalentProperty ?p2"),
    *rules("scm-dp", "?p a owl:DatatypeProperty . ?p owl:sameAs ?p2", "?p owl:equivalentProperty ?p2"),
)
"""What the reflexive rows, joined with others, tell that is not trivial."""

OWL_RL: Final[tuple[Rule, ...]] = (*EQUALITY, *PROPERTIES, *CLASSES, *CLASS_AXIOMS, *SCHEMA, *TRIMMED)

OMITTED: Final[dict[str, str]] = {
    "eq-ref": "trimmed: every term equals itself, three facts per triple that tell nobody anything; kept is"
    " that nothing differs from itself",
    "prp-ap": "axiomatic: the built-in annotation properties are annotation properties",
    "cls-thing": "axiomatic: owl:Thing is a class",
    "cls-nothing1": "axiomatic: owl:Nothing is a class",
    "dt-type1": "axiomatic: the supported datatypes are datatypes",
    "dt-type2": "types literals, and a literal is never a subject here",
    "dt-eq": "equates literals, and a literal is never a subject here",
    "dt-diff": "tells literals apart, and a literal is never a subject here",
    "dt-not-type": "needs the lexical spaces of all datatypes; `check` reports malformed literals",
    "scm-cls": "trimmed: every class is below itself and owl:Thing and above owl:Nothing; kept is that equal"
    " classes are equivalent, and that a member owl:Thing of an intersection asks for nothing",
    "scm-op": "trimmed: every object property is below and equivalent to itself; kept is that equal"
    " properties are equivalent",
    "scm-dp": "trimmed: as scm-op, for datatype properties",
}
"""Row of the W3C tables → why it is left out, or what of it (`TRIMMED`) is kept."""
