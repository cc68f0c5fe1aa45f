"""The packaged ontologies, scenarios and profiles are whole: every file reads, every term explains itself."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pyshacl
import pytest
import rdflib
from packaged_helpers import (
    BASE,
    MANIFESTS,
    NAMES,
    PROPERTY_KINDS,
    ROOT,
    SCHEMA,
    SYN,
    TERM_KINDS,
    TURTLE,
    declared_terms,
    everything,
    facts,
    files_of,
    graph_of,
    manifest_of,
    shown,
    vocabulary,
)
from pyoxigraph import NamedNode, RdfFormat, parse
from rdflib.namespace import OWL, RDF, RDFS

from synapse.knowledge.vocabulary import Known
from synapse.rdf import vocab
from synapse.rdf.names import fold_key

# ---------------------------------------------------------------- the files


@pytest.mark.parametrize("path", TURTLE, ids=shown)
def test_turtle_reads_the_same_in_pyoxigraph_and_rdflib(path: Path) -> None:
    quads = list(parse(path=str(path), format=RdfFormat.TURTLE, base_iri=BASE))
    assert len(set(quads)) == len(quads) == len(graph_of(path))


@pytest.mark.parametrize("manifest", MANIFESTS, ids=shown)
def test_a_manifest_names_its_folder_a_version_and_files_that_exist(manifest: Path) -> None:
    content = manifest_of(manifest)
    assert content["name"] == manifest.parent.name
    assert re.fullmatch(r"\d+\.\d+\.\d+", content["version"])
    assert {*content["title"]} == {*content["description"]} == {"en", "es"}
    assert all((ROOT / "scenarios" / name / "scenario.toml").is_file() for name in content["requires"])
    others = [*content.get("shapes", []), *([content["profile"]] if "profile" in content else [])]
    assert all((manifest.parent / name).is_file() for name in others)
    assert len(files_of(manifest)) == len({path.stem for path in files_of(manifest)})


def test_every_packaged_file_belongs_to_a_scenario() -> None:
    used = {path for manifest in MANIFESTS for path in files_of(manifest)}
    shapes = {
        manifest.parent / name for manifest in MANIFESTS for name in manifest_of(manifest).get("shapes", [])
    }
    assert used | shapes == set(TURTLE)


def test_core_requires_nothing_and_the_others_require_it() -> None:
    requirements = {path.parent.name: manifest_of(path)["requires"] for path in MANIFESTS}
    assert requirements.pop("core") == []
    assert all("core" in names for names in requirements.values())


# ---------------------------------------------------------------- the terms


@pytest.mark.parametrize("path", TURTLE, ids=shown)
def test_every_term_has_a_name_and_an_explanation_in_both_languages(path: Path) -> None:
    graph = graph_of(path)
    for term in declared_terms(graph, TERM_KINDS):
        for kind in (RDFS.label, RDFS.comment):
            texts = [text for text in graph.objects(term, kind) if isinstance(text, rdflib.Literal)]
            assert sorted(text.language or "" for text in texts) == ["en", "es"], (term, kind)
            assert all(str(text).strip() for text in texts)


def test_every_constant_of_the_code_is_declared() -> None:
    declared = set(everything().subjects(RDF.type))
    constants = {
        name: value.value
        for name, value in vars(vocab).items()
        if name.startswith("SYN_") and isinstance(value, NamedNode)
    }
    assert constants
    assert {name for name, iri in constants.items() if rdflib.URIRef(iri) not in declared} == set()


def test_every_term_that_is_used_is_declared() -> None:
    graph = everything()
    declared = set(declared_terms(graph, {*TERM_KINDS, OWL.AllDisjointClasses}))
    own = (vocab.SYN, vocab.SCHEMA, vocab.PROV, vocab.SKOS, vocab.FOAF)
    used = {term for triple in graph for term in triple if isinstance(term, rdflib.URIRef)}
    assert {term for term in used if term.startswith(own)} - declared == set()


@pytest.mark.parametrize("kinds", [PROPERTY_KINDS, {OWL.Class}], ids=["properties", "classes"])
def test_no_key_means_two_terms_of_synapse(kinds: set[rdflib.URIRef]) -> None:
    graph = everything()
    keys: dict[str, rdflib.URIRef] = {}
    for term in declared_terms(graph, kinds):
        if term.startswith(vocab.SYN):
            labels = [str(label) for label in graph.objects(term, RDFS.label)]
            for name in [term.removeprefix(vocab.SYN), *labels]:
                assert keys.setdefault(fold_key(name), term) == term, name


def test_no_other_vocabulary_takes_a_spanish_or_english_name_of_synapse() -> None:
    graph = everything()
    for kinds in (PROPERTY_KINDS, {OWL.Class}):
        terms = list(declared_terms(graph, kinds))
        own = {term for term in terms if term.startswith(vocab.SYN)}
        local = {fold_key(re.split(r"[#/]", term)[-1]) for term in set(terms) - own}
        labels = {fold_key(str(label)) for term in own for label in graph.objects(term, RDFS.label)}
        names = {fold_key(term.removeprefix(vocab.SYN)) for term in own}
        assert local & (labels - names) == set()


# ---------------------------------------------------------------- profiles and shapes


def test_profiles_speak_of_declared_types_and_relations() -> None:
    graph, words = everything(), vocabulary()
    assert words.types and words.anchors
    for kind in words.types.values():
        assert (SYN[kind.name], RDF.type, OWL.Class) in graph, kind.name
        assert {*kind.use} == {"en", "es"}
    for anchor in words.anchors.values():
        assert (SYN[anchor.type], RDF.type, OWL.Class) in graph
        assert (SYN[anchor.relation], RDF.type, OWL.ObjectProperty) in graph


@pytest.mark.parametrize(
    ("kind", "text", "status"),
    [
        ("Project", "En curso", "active"),
        ("Project", "in-progress", "active"),
        ("Decision", "vigente", "accepted"),
        ("Incident", "closed", "resolved"),
        ("Service", "en producción", "active"),
        ("Client", "En negociación", "prospect"),
        ("Paper", "por leer", "to_read"),
    ],
)
def test_a_synonym_in_either_language_is_the_status(kind: str, text: str, status: str) -> None:
    assert vocabulary().normalise_status(kind, text) == Known(status)


def test_what_is_only_finished_stays_in_recall() -> None:
    for kind, text in [
        ("Project", "done"),
        ("Incident", "resolved"),
        ("Decision", "superseded"),
        ("Person", "left"),
    ]:
        known = vocabulary().normalise_status(kind, text)
        assert isinstance(known, Known)
        assert not known.archived


def test_the_shapes_accept_a_complete_paper_and_name_what_is_missing() -> None:
    shapes = graph_of(ROOT / "scenarios" / "research-assistant" / "shapes.ttl")
    prefix = f"@prefix schema: <{SCHEMA}> .\n"
    good = facts(prefix + '<p> a syn:Paper ; schema:author <x> ; syn:doi "10.1000/182" .')
    poor = facts('<p> a syn:Paper ; syn:doi "https://doi.org/10.1000/182" . <c> a syn:Claim .')
    assert pyshacl.validate(good, shacl_graph=shapes)[0] is True
    conforms, _, text = pyshacl.validate(poor, shacl_graph=shapes)
    assert conforms is False
    assert "author" in text
    assert "10.1000/182" in text
    assert "claim" in text


# ---------------------------------------------------------------- the guide


def test_the_scenario_in_the_guide_is_complete_and_reads() -> None:
    guide = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    manifest, turtle = (re.findall(rf"```{kind}\n(.*?)```", guide, re.DOTALL) for kind in ("toml", "turtle"))
    content = tomllib.loads(manifest[0])
    assert content.keys() == {"name", "version", "requires", "ontologies", "data", "title", "description"}
    graph = rdflib.Graph().parse(data=turtle[0], format="turtle", publicID=BASE)
    assert rdflib.URIRef(NAMES.key("made_from").value) in set(declared_terms(graph, PROPERTY_KINDS))
    assert rdflib.URIRef(NAMES.entity("grapes/bobal").value) in set(graph.subjects())


def test_the_guide_names_relations_that_exist() -> None:
    guide = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    table = guide[guide.index("| you write") : guide.index("Contradictions that")]
    words = {word for code in re.findall(r"`([^`]+)`", table) for word in re.findall(r"[A-Za-z_]+", code)}
    declared = {term.removeprefix(vocab.SYN) for term in declared_terms(everything(), TERM_KINDS)}
    assert words - declared == {"high"}
