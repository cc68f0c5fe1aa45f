"""IRI constants of the vocabularies that the code itself speaks of.

A scenario's ontology may name many more terms; those are data, not constants.
"""

from __future__ import annotations

from typing import Final

from pyoxigraph import NamedNode

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
PROV: Final = "http://www.w3.org/ns/prov#"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
FOAF: Final = "http://xmlns.com/foaf/0.1/"
SCHEMA: Final = "https://schema.org/"
DCTERMS: Final = "http://purl.org/dc/terms/"
SYN: Final = "urn:synapse:ns#"

PREFIXES: Final[dict[str, str]] = {
    "rdf": RDF,
    "rdfs": RDFS,
    "owl": OWL,
    "xsd": XSD,
    "prov": PROV,
    "skos": SKOS,
    "foaf": FOAF,
    "schema": SCHEMA,
    "dcterms": DCTERMS,
    "syn": SYN,
}
"""Prefix to namespace, for CURIEs in answers and for the prologue of every query."""

# RDF and RDFS
RDF_TYPE: Final = NamedNode(RDF + "type")
RDF_SUBJECT: Final = NamedNode(RDF + "subject")
RDF_PREDICATE: Final = NamedNode(RDF + "predicate")
RDF_OBJECT: Final = NamedNode(RDF + "object")
RDF_FIRST: Final = NamedNode(RDF + "first")
RDF_REST: Final = NamedNode(RDF + "rest")
RDF_PROPERTY: Final = NamedNode(RDF + "Property")
RDFS_CLASS: Final = NamedNode(RDFS + "Class")
RDFS_LABEL: Final = NamedNode(RDFS + "label")
RDFS_SUBCLASS_OF: Final = NamedNode(RDFS + "subClassOf")
RDFS_SUBPROPERTY_OF: Final = NamedNode(RDFS + "subPropertyOf")
RDFS_DOMAIN: Final = NamedNode(RDFS + "domain")
RDFS_RANGE: Final = NamedNode(RDFS + "range")

# OWL
OWL_CLASS: Final = NamedNode(OWL + "Class")
OWL_OBJECT_PROPERTY: Final = NamedNode(OWL + "ObjectProperty")
OWL_DATATYPE_PROPERTY: Final = NamedNode(OWL + "DatatypeProperty")
OWL_ANNOTATION_PROPERTY: Final = NamedNode(OWL + "AnnotationProperty")
OWL_TRANSITIVE_PROPERTY: Final = NamedNode(OWL + "TransitiveProperty")
OWL_SYMMETRIC_PROPERTY: Final = NamedNode(OWL + "SymmetricProperty")
OWL_INVERSE_OF: Final = NamedNode(OWL + "inverseOf")

# Names, descriptions and dates of entities
SKOS_ALT_LABEL: Final = NamedNode(SKOS + "altLabel")
SCHEMA_DESCRIPTION: Final = NamedNode(SCHEMA + "description")
SCHEMA_KEYWORDS: Final = NamedNode(SCHEMA + "keywords")
SCHEMA_TEXT: Final = NamedNode(SCHEMA + "text")
DCTERMS_CREATED: Final = NamedNode(DCTERMS + "created")
DCTERMS_MODIFIED: Final = NamedNode(DCTERMS + "modified")
DCTERMS_SOURCE: Final = NamedNode(DCTERMS + "source")
DCTERMS_DATE: Final = NamedNode(DCTERMS + "date")

# PROV-O
PROV_ENTITY: Final = NamedNode(PROV + "Entity")
PROV_ACTIVITY: Final = NamedNode(PROV + "Activity")
PROV_AGENT: Final = NamedNode(PROV + "Agent")
PROV_SOFTWARE_AGENT: Final = NamedNode(PROV + "SoftwareAgent")
PROV_PERSON: Final = NamedNode(PROV + "Person")
PROV_WAS_GENERATED_BY: Final = NamedNode(PROV + "wasGeneratedBy")
PROV_GENERATED_AT_TIME: Final = NamedNode(PROV + "generatedAtTime")
PROV_WAS_INVALIDATED_BY: Final = NamedNode(PROV + "wasInvalidatedBy")
PROV_INVALIDATED_AT_TIME: Final = NamedNode(PROV + "invalidatedAtTime")
PROV_WAS_ASSOCIATED_WITH: Final = NamedNode(PROV + "wasAssociatedWith")
PROV_WAS_DERIVED_FROM: Final = NamedNode(PROV + "wasDerivedFrom")
PROV_ENDED_AT_TIME: Final = NamedNode(PROV + "endedAtTime")

# XSD
XSD_STRING: Final = NamedNode(XSD + "string")
XSD_BOOLEAN: Final = NamedNode(XSD + "boolean")
XSD_INTEGER: Final = NamedNode(XSD + "integer")
XSD_DECIMAL: Final = NamedNode(XSD + "decimal")
XSD_DATE: Final = NamedNode(XSD + "date")
XSD_DATE_TIME: Final = NamedNode(XSD + "dateTime")

# synapse's own terms, brought by the core scenario
SYN_MENTIONS: Final = NamedNode(SYN + "mentions")
SYN_EMBEDS: Final = NamedNode(SYN + "embeds")
SYN_DEPENDS_ON: Final = NamedNode(SYN + "depends_on")
SYN_CONFIDENCE: Final = NamedNode(SYN + "confidence")
SYN_REASON: Final = NamedNode(SYN + "reason")
SYN_DIGEST: Final = NamedNode(SYN + "digest")
SYN_PATH: Final = NamedNode(SYN + "path")
SYN_VERSION: Final = NamedNode(SYN + "version")
SYN_SCENARIO: Final = NamedNode(SYN + "scenario")

# What a note's observations and the trust families of OKF say
SYN_OBSERVATION_CLASS: Final = NamedNode(SYN + "Observation")
SYN_OBSERVATION: Final = NamedNode(SYN + "observation")
SYN_CATEGORY: Final = NamedNode(SYN + "category")
SYN_CONTEXT: Final = NamedNode(SYN + "context")
SYN_ARCHIVED: Final = NamedNode(SYN + "archived")
SYN_STATUS_NOTE: Final = NamedNode(SYN + "status_note")
SYN_STATUS: Final = NamedNode(SYN + "status")
SYN_STALE_AFTER: Final = NamedNode(SYN + "stale_after")
SYN_VERIFICATION: Final = NamedNode(SYN + "verification")
SYN_TRUST_TIER: Final = NamedNode(SYN + "trust_tier")
