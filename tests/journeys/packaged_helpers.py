"""What the tests of the packaged data share: the files, their graphs, and what follows from them.

owlrl, an independent OWL 2 RL reasoner, computes what follows, so that a mistake in our own
reasoner cannot hide a mistake in the axioms.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import owlrl
import rdflib
from rdflib.namespace import OWL, RDF, RDFS

from synapse.knowledge.vocabulary import Vocabulary
from synapse.rdf import vocab
from synapse.rdf.names import Names

ROOT = Path(__file__).parents[2]
ONTOLOGIES = sorted((ROOT / "ontologies").glob("*.ttl"))
MANIFESTS = sorted((ROOT / "scenarios").glob("*/scenario.toml"))
TURTLE = [*ONTOLOGIES, *sorted((ROOT / "scenarios").glob("*/*.ttl"))]
NAMES = Names()
BASE = NAMES.base_iri
SYN = rdflib.Namespace(vocab.SYN)
SCHEMA = rdflib.Namespace(vocab.SCHEMA)
ERROR = rdflib.URIRef("http://www.daml.org/2002/03/agents/agent-ont#ErrorMessage")

PROPERTY_KINDS = {OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty}
TERM_KINDS = {*PROPERTY_KINDS, OWL.Class}
ANNOTATIONS = {RDFS.label, RDFS.comment, RDFS.seeAlso, SCHEMA.description, SCHEMA.keywords}


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def ref(identifier: str) -> rdflib.URIRef:
    """The node of an id of the example memory, or of a CURIE."""
    node = NAMES.expand(identifier) if re.match(r"(syn|schema|foaf|skos):", identifier) else None
    return rdflib.URIRef((node or NAMES.entity(identifier)).value)


@lru_cache
def manifest_of(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def files_of(manifest: Path) -> list[Path]:
    """The Turtle files that a scenario loads, found as its loader finds them."""
    content = manifest_of(manifest)
    places = (manifest.parent, ROOT / "ontologies")
    entries = [*content["ontologies"], *content.get("data", [])]
    return [next(place / entry for place in places if (place / entry).is_file()) for entry in entries]


def with_requirements(name: str) -> list[Path]:
    manifest = ROOT / "scenarios" / name / "scenario.toml"
    required = [path for other in manifest_of(manifest)["requires"] for path in with_requirements(other)]
    return [*required, *files_of(manifest)]


@lru_cache
def graph_of(*paths: Path) -> rdflib.Graph:
    graph = rdflib.Graph()
    for path in paths:
        graph.parse(path, format="turtle", publicID=BASE)
    return graph


@lru_cache
def everything() -> rdflib.Graph:
    return graph_of(*(path for manifest in MANIFESTS for path in files_of(manifest)))


def declared_terms(graph: rdflib.Graph, kinds: Iterable[rdflib.term.Node]) -> Iterator[rdflib.URIRef]:
    found = {subject for kind in kinds for subject in graph.subjects(RDF.type, kind)}
    return iter(sorted(term for term in found if isinstance(term, rdflib.URIRef)))


def closure(*graphs: Iterable[tuple[Any, Any, Any]]) -> rdflib.Graph:
    """All that follows under OWL 2 RL from the graphs together."""
    together = rdflib.Graph()
    for graph in graphs:
        for triple in graph:
            if triple[1] not in ANNOTATIONS:  # no axiom looks at them, and owlrl is slow on literals
                together.add(triple)
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics, axiomatic_triples=False, datatype_axioms=False).expand(
        together
    )
    return together


def contradictions(graph: rdflib.Graph) -> list[str]:
    nodes = graph.subjects(RDF.type, ERROR)
    return sorted(str(text) for node in nodes for text in graph.objects(node) if text != ERROR)


def facts(text: str) -> rdflib.Graph:
    """Turtle with `syn:` and ids as relative IRIs."""
    return rdflib.Graph().parse(data=f"@prefix syn: <{SYN}> .\n{text}", format="turtle", publicID=BASE)


@lru_cache
def vocabulary() -> Vocabulary:
    """The words of all profiles together."""
    profiles = [
        path.parent / manifest_of(path)["profile"] for path in MANIFESTS if "profile" in manifest_of(path)
    ]
    return Vocabulary.merged(
        Vocabulary.parse(path.read_text(encoding="utf-8"), source=shown(path)) for path in profiles
    )
