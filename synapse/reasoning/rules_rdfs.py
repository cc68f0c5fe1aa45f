"""The RDFS entailment rules (RDF 1.1 Semantics, section 9.2.1).

Where OWL 2 RL has the same rule its name is used, so that one proof reads the same in both
regimes: rdfs2 prp-dom, rdfs3 prp-rng, rdfs5 scm-spo, rdfs7 prp-spo1, rdfs9 cax-sco,
rdfs11 scm-sco.
"""

from __future__ import annotations

from typing import Final

from synapse.reasoning.rule import Rule, rules

RDFS: Final[tuple[Rule, ...]] = (
    *rules("prp-dom", "?p rdfs:domain ?c . ?x ?p ?y", "?x a ?c"),
    *rules("prp-rng", "?p rdfs:range ?c . ?x ?p ?y", "?y a ?c"),
    *rules(
        "scm-spo", "?p1 rdfs:subPropertyOf ?p2 . ?p2 rdfs:subPropertyOf ?p3", "?p1 rdfs:subPropertyOf ?p3"
    ),
    *rules("prp-spo1", "?p1 rdfs:subPropertyOf ?p2 . ?x ?p1 ?y", "?x ?p2 ?y"),
    *rules("cax-sco", "?c1 rdfs:subClassOf ?c2 . ?x a ?c1", "?x a ?c2"),
    *rules("scm-sco", "?c1 rdfs:subClassOf ?c2 . ?c2 rdfs:subClassOf ?c3", "?c1 rdfs:subClassOf ?c3"),
    *rules("rdfs12", "?p a rdfs:ContainerMembershipProperty", "?p rdfs:subPropertyOf rdfs:member"),
    *rules("rdfs13", "?x a rdfs:Datatype", "?x rdfs:subClassOf rdfs:Literal"),
)

OMITTED: Final[dict[str, str]] = {
    "rdfD1": "types literals, and a literal is never a subject here",
    "rdfD2": "trivial: whatever is used as a predicate is an rdf:Property",
    "rdfs1": "types the built-in datatypes",
    "rdfs4a": "trivial: every subject is an rdfs:Resource",
    "rdfs4b": "trivial: every object is an rdfs:Resource",
    "rdfs6": "reflexive: every property is below itself",
    "rdfs8": "trivial: every class is below rdfs:Resource",
    "rdfs10": "reflexive: every class is below itself",
}
"""Rule of RDF 1.1 Semantics → why it is left out."""
