"""The packaged ontologies, scenarios and example notes keep what they promise.

owlrl, an independent OWL 2 RL reasoner, computes what follows, so that a mistake in our own
reasoner cannot hide a mistake in the axioms.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import owlrl
import pyshacl
import pytest
import rdflib
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, Triple, parse
from rdflib.namespace import OWL, RDF, RDFS

from synapse.interfaces.settings import SECTIONS
from synapse.knowledge.vocabulary import Known, Vocabulary
from synapse.notes.mapping import map_note, names_of
from synapse.notes.note import Dialect, Link, Note
from synapse.notes.parser import parse_note
from synapse.notes.resolution import How, LinkIndex
from synapse.rdf import vocab
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import Names, fold_key

ROOT = Path(__file__).parents[2]
ONTOLOGIES = sorted((ROOT / "ontologies").glob("*.ttl"))
MANIFESTS = sorted((ROOT / "scenarios").glob("*/scenario.toml"))
TURTLE = [*ONTOLOGIES, *sorted((ROOT / "scenarios").glob("*/*.ttl"))]
NOTES = ROOT / "notes-example"

NAMES = Names()
BASE = NAMES.base_iri
SYN = rdflib.Namespace(vocab.SYN)
SCHEMA = rdflib.Namespace(vocab.SCHEMA)
ERROR = rdflib.URIRef("http://www.daml.org/2002/03/agents/agent-ont#ErrorMessage")

PROPERTY_KINDS = {OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty}
TERM_KINDS = {*PROPERTY_KINDS, OWL.Class}


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


def everything() -> rdflib.Graph:
    return graph_of(*(path for manifest in MANIFESTS for path in files_of(manifest)))


def declared_terms(graph: rdflib.Graph, kinds: Iterable[rdflib.term.Node]) -> Iterator[rdflib.URIRef]:
    found = {subject for kind in kinds for subject in graph.subjects(RDF.type, kind)}
    return (term for term in sorted(found) if isinstance(term, rdflib.URIRef))


def closure(*graphs: Iterable[tuple[Any, Any, Any]]) -> rdflib.Graph:
    """All that follows under OWL 2 RL from the graphs together."""
    together = rdflib.Graph()
    for graph in graphs:
        for triple in graph:
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


def test_a_tier_stays_the_word_of_each_memory() -> None:
    assert "tier" not in lexicon().properties


# ---------------------------------------------------------------- the axioms


def test_nothing_can_conclude_that_two_names_are_one_thing() -> None:
    graph = everything()
    merging = (OWL.FunctionalProperty, OWL.InverseFunctionalProperty)
    assert not [term for kind in merging for term in graph.subjects(RDF.type, kind)]
    assert not [*graph.triples((None, OWL.hasKey, None)), *graph.triples((None, OWL.maxCardinality, None))]


def test_an_alias_is_not_inferred_to_be_a_name() -> None:
    assert (ref("skos:altLabel"), RDFS.subPropertyOf, RDFS.label) not in everything()


def test_an_entity_gains_at_most_three_types_from_its_class() -> None:
    graph = everything()
    for term in declared_terms(graph, {OWL.Class}):
        above = set(graph.transitive_objects(term, RDFS.subClassOf)) - {term}
        assert len(above) <= 3, (term, above)


def test_domains_and_ranges_never_type_everything() -> None:
    graph = everything()
    ends = {*graph.objects(None, RDFS.domain), *graph.objects(None, RDFS.range)}
    assert ends & {OWL.Thing, RDFS.Resource, SCHEMA.Thing} == set()


FIRING = {
    "a call is a dependency": ("<a> syn:calls <b> .", "<a> syn:depends_on <b> ."),
    "dependency runs through": (
        "<a> syn:writes_to <b> . <b> syn:runs_on <c> .",
        "<a> syn:depends_on <c> . <c> syn:required_by <a> .",
    ),
    "required by is the other direction": ("<a> syn:required_by <b> .", "<b> syn:depends_on <a> ."),
    "a part of a part is a part": (
        "<a> syn:part_of <b> . <c> syn:has_part <b> .",
        "<a> syn:part_of <c> . <c> syn:has_part <a> .",
    ),
    "a place lies in a wider place": (
        "<a> syn:located_in <b> . <b> syn:located_in <c> .",
        "<a> syn:located_in <c> .",
    ),
    "acquaintance is mutual": ("<a> syn:knows <b> .", "<b> syn:knows <a> ."),
    "an embed mentions": ("<a> syn:embeds <b> .", "<a> syn:mentions <b> ."),
    "a manager manages down the line": (
        "<a> syn:reports_to <b> . <b> syn:reports_to <c> .",
        "<c> syn:manages <a> . <a> syn:managed_by <c> . <a> a syn:Person . <c> a syn:Person .",
    ),
    "a member of a team is a member of the whole": (
        "<a> syn:member_of <b> . <b> syn:part_of <c> .",
        "<a> syn:member_of <c> . <c> syn:has_member <a> .",
    ),
    "the owner of what is affected is concerned": (
        "<i> syn:affects <s> . <t> syn:owns <s> .",
        "<i> syn:concerns <t> .",
    ),
    "a decision supersedes what its predecessor superseded": (
        "<a> syn:supersedes <b> . <c> syn:superseded_by <b> .",
        "<a> syn:supersedes <c> .",
    ),
    "the cause of a cause is a cause": (
        "<a> syn:caused_by <b> . <c> syn:causes <b> .",
        "<a> syn:caused_by <c> .",
    ),
    "order runs through": ("<a> syn:precedes <b> . <c> syn:follows <b> .", "<a> syn:precedes <c> ."),
    "teaching has two ends": ("<a> syn:teaches <b> .", "<b> syn:taught_by <a> ."),
    "high criticality is a class": ('<a> syn:criticality "high" .', "<a> a syn:Critical ."),
    "what something critical depends on bears load": (
        '<a> syn:criticality "high" ; syn:calls <b> . <b> syn:uses <c> .',
        "<b> a syn:LoadBearing . <c> a syn:LoadBearing .",
    ),
    "a team is an organization": ("<a> a syn:Team .", "<a> a syn:Organization ."),
    "an incident is an event": ("<a> a syn:Incident .", "<a> a syn:Event ."),
    "papers disagree through their claims": (
        "<p> syn:states <x> . <x> syn:contradicts <y> . <q> syn:states <y> .",
        "<p> syn:disagrees_with <q> . <q> syn:disagrees_with <p> . <x> a syn:Claim .",
    ),
    "a claim with both sides is contested": (
        "<e> syn:supports <x> . <y> syn:contradicts <x> .",
        "<x> a syn:Contested .",
    ),
    "an extension builds on all below and cites one": (
        "<a> syn:extends <b> . <b> syn:extends <c> . <c> syn:uses_dataset <d> .",
        "<a> syn:builds_on <d> . <b> syn:cited_by <a> . <d> a syn:Dataset .",
    ),
    "a layer is a class of packages": ("<a> syn:in_layer <kthulu/layers/core> .", "<a> a syn:CorePackage ."),
    "what the core imports is core": (
        "<a> syn:in_layer <kthulu/layers/core> ; syn:imports <b> .",
        "<b> syn:in_layer <kthulu/layers/core> ; a syn:CorePackage .",
    ),
}

SILENT = {
    "medium criticality is not critical": ('<a> syn:criticality "medium" .', "<a> a syn:Critical ."),
    "reporting stays one step": (
        "<a> syn:reports_to <b> . <b> syn:reports_to <c> .",
        "<a> syn:reports_to <c> .",
    ),
    "a program that manages a cluster is no person": ("<a> syn:manages <b> .", "<a> a syn:Person ."),
    "citing is not passed on": ("<a> syn:cites <b> . <b> syn:cites <c> .", "<a> syn:cites <c> ."),
    "mentioning is no dependency": ("<a> syn:mentions <b> .", "<a> syn:depends_on <b> ."),
    "an unopposed claim is not contested": ("<e> syn:supports <x> .", "<x> a syn:Contested ."),
    "adapters may import what they like": (
        "<a> syn:in_layer <kthulu/layers/adapters> ; syn:imports <b> .",
        "<b> a syn:CorePackage .",
    ),
}


def placed(text: str, name: str) -> rdflib.Graph:
    """The facts with their one-letter ids moved to a place of their own, so that cases do not meet."""
    return facts(re.sub(r"<(\w)>", lambda match: f"<{name.replace(' ', '-')}/{match[1]}>", text))


@pytest.fixture(scope="module")
def cases() -> rdflib.Graph:
    """One closure over the axioms of all scenarios and all cases of the tables."""
    stated = [placed(given, name) for name, (given, _) in (FIRING | SILENT).items()]
    files = [path for path in TURTLE if path.name in ("synapse.ttl", "research.ttl", "kthulu.ttl")]
    return closure(graph_of(*files), *stated)


@pytest.mark.parametrize("name", FIRING)
def test_an_axiom_fires(name: str, cases: rdflib.Graph) -> None:
    assert set(placed(FIRING[name][1], name)) <= set(cases)


@pytest.mark.parametrize("name", SILENT)
def test_no_axiom_says_too_much(name: str, cases: rdflib.Graph) -> None:
    assert not set(placed(SILENT[name][1], name)) & set(cases)


def test_the_cases_contradict_nothing(cases: rdflib.Graph) -> None:
    assert contradictions(cases) == []


CLASHING = {
    "a person is no service": "<a> a syn:Person, syn:Service .",
    "a person is no team": "<a> a syn:Person, syn:Team .",
    "a decision is no incident": "<a> a syn:Decision, syn:Incident .",
    "whoever reports to somebody is no database": "<a> syn:reports_to <b> . <b> a syn:Database .",
    "decisions do not supersede each other": "<a> syn:supersedes <b> . <b> syn:supersedes <a> .",
    "nobody is his own manager's manager": "<a> syn:reports_to <b> . <b> syn:reports_to <a> .",
    "a claim is not supported by what contradicts it": "<a> syn:supports <b> . <b> syn:contradicts <a> .",
    "the core imports no adapter": (
        "<a> syn:in_layer <kthulu/layers/core> ; syn:imports <b> . <b> syn:in_layer <kthulu/layers/adapters> ."
    ),
}


@pytest.mark.parametrize("name", CLASHING)
def test_a_contradiction_is_found(name: str) -> None:
    files = [path for path in TURTLE if path.name in relevant_to(CLASHING[name])]
    assert contradictions(closure(graph_of(*files), facts(CLASHING[name])))


def relevant_to(text: str) -> set[str]:
    """The ontology that a case is about; owlrl's time grows with every axiom."""
    if "in_layer" in text:
        return {"kthulu.ttl"}
    return {"research.ttl"} if "contradicts" in text else {"synapse.ttl"}


@pytest.mark.parametrize("name", ["research-assistant", "kthulu-go"])
def test_a_scenario_contradicts_nothing_as_it_comes(name: str) -> None:
    files = [path for path in with_requirements(name) if path.parent.name == name]
    assert contradictions(closure(graph_of(ROOT / "ontologies" / "synapse.ttl", *files))) == []


# ---------------------------------------------------------------- profiles and shapes


def vocabulary() -> Vocabulary:
    profiles = [
        path.parent / manifest_of(path)["profile"] for path in MANIFESTS if "profile" in manifest_of(path)
    ]
    return Vocabulary.merged(
        Vocabulary.parse(path.read_text(encoding="utf-8"), source=shown(path)) for path in profiles
    )


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


# ---------------------------------------------------------------- the example notes


@lru_cache
def lexicon() -> Lexicon:
    """What the core scenario makes of a key: its own terms first, a local name before a label."""
    properties: list[tuple[str, NamedNode]] = []
    types: list[tuple[str, NamedNode]] = []
    graphs = [graph_of(path) for path in with_requirements("core")]
    for labelled in (False, True):
        for graph in graphs:
            for kinds, table in ((PROPERTY_KINDS, properties), ({OWL.Class}, types)):
                for term in declared_terms(graph, kinds):
                    keys = graph.objects(term, RDFS.label) if labelled else [re.split(r"[#/]", term)[-1]]
                    table.extend((str(key), NamedNode(str(term))) for key in keys)
    return Lexicon.of(NAMES, properties=properties, types=types)


@lru_cache
def notes() -> dict[str, Note]:
    paths = sorted(NOTES.rglob("*.md"))
    return {
        path.relative_to(NOTES).as_posix(): parse_note(path.relative_to(NOTES).as_posix(), path.read_bytes())
        for path in paths
    }


@lru_cache
def index() -> LinkIndex:
    found = LinkIndex(NAMES)
    for path, note in notes().items():
        names = names_of(note)
        found.add(path, aliases=names.aliases, iri=names.iri, title=names.title)
    return found


def links_of(note: Note) -> Iterator[Link]:
    yield from note.links
    yield from (item.value for item in note.properties if isinstance(item.value, Link))


@lru_cache
def located() -> tuple[tuple[str, Quad], ...]:
    """Path and quad of everything that the notes state."""
    return tuple(
        (path, fact.quad)
        for path, note in notes().items()
        for fact in map_note(note, index=index(), lexicon=lexicon(), dialect=Dialect.OBSIDIAN).located
    )


@lru_cache
def stated() -> rdflib.Graph:
    store = Store()
    store.extend(quad for _, quad in located())
    triples = [Triple(quad.subject, quad.predicate, quad.object) for quad in store]
    return rdflib.Graph().parse(data="".join(f"{triple} .\n" for triple in triples), format="nt")


@pytest.fixture(scope="module")
def known() -> rdflib.Graph:
    """The notes and what follows from them with the core vocabulary."""
    return closure(graph_of(*with_requirements("core")), stated())


def body_of(path: str) -> str:
    return (NOTES / path).read_text(encoding="utf-8").split("---\n", 2)[2]


def test_there_are_enough_notes_in_both_languages() -> None:
    assert 25 <= len(notes()) <= 40
    spanish = [path for path in notes() if re.search(r"\b(que|los|una)\b", body_of(path))]
    assert len(spanish) >= 12
    assert len(notes()) - len(spanish) >= 12
    assert any(not path.isascii() for path in notes())


@pytest.mark.parametrize("path", sorted(path.relative_to(NOTES).as_posix() for path in NOTES.rglob("*.md")))
def test_a_note_is_read_without_complaint_and_all_its_links_resolve(path: str) -> None:
    note = notes()[path]
    mapping = map_note(note, index=index(), lexicon=lexicon(), dialect=Dialect.OBSIDIAN)
    assert [*note.diagnostics, *mapping.diagnostics] == []
    for link in links_of(note):
        found = index().resolve(link, source=path)
        assert found.how in (How.EXACT, How.RELATIVE), link
        assert found.path is not None
    assert 80 <= len(body_of(path).split()) <= 200


def test_the_notes_show_every_form_of_link() -> None:
    links = [link for note in notes().values() for link in links_of(note)]
    assert {link.form.value for link in links} == {"wiki", "markdown"}
    assert any(link.embed for link in links)
    assert any(link.fragment for link in links)
    assert any(link.label for link in links)
    assert any(link.relation for link in links)
    origins = {item.origin for note in notes().values() for item in note.properties}
    assert {"frontmatter", "inline", "relation"} <= origins
    assert any(note.observations for note in notes().values())
    assert any(note.tags for note in notes().values())


def test_keys_are_terms_of_the_core_but_for_a_handful() -> None:
    keys = Counter(NAMES.show(quad.predicate) for _, quad in located())
    own = {key for key in keys if key.startswith(":")}
    assert own == {
        ":tier",
        ":since",
        ":desde",
        ":engine",
        ":motor",
        ":presupuesto",
        ":revisión",
        ":responsable_técnico",
    }
    types = {NAMES.show(quad.object) for _, quad in located() if quad.predicate == vocab.RDF_TYPE}
    assert not [name for name in types if name.startswith(":")]


def test_statuses_of_the_notes_are_words_of_the_profile() -> None:
    for path, quad in located():
        if quad.predicate == vocab.SYN_STATUS and isinstance(quad.object, Literal):
            kinds = [
                str(kind).removeprefix(SYN)
                for kind in stated().objects(rdflib.URIRef(quad.subject.value), RDF.type)
            ]
            assert isinstance(vocabulary().normalise_status(kinds, quad.object.value), Known), (
                path,
                quad.object,
            )


def test_the_notes_contradict_nothing(known: rdflib.Graph) -> None:
    assert contradictions(known) == []


FOLLOWS = [
    ("services/checkout", "syn:depends_on", "services/ledger"),
    ("services/checkout", "syn:depends_on", "databases/ledger-db"),
    ("clients/librería-ñandú", "syn:depends_on", "databases/ledger-db"),
    ("clients/harbour-books", "syn:depends_on", "databases/ledger-db"),
    ("courses/cobrar-sin-miedo", "syn:depends_on", "databases/ledger-db"),
    ("projects/conciliación", "syn:depends_on", "databases/ledger-db"),
    ("services/catalog", "syn:depends_on", "databases/catalog-db"),
    ("incidents/2025-11-03-double-charges", "syn:caused_by", "incidents/2025-11-02-ledger-disk-full"),
    ("incidents/2025-11-02-ledger-disk-full", "syn:concerns", "teams/platform"),
    ("decisions/0011-append-only-ledger", "syn:supersedes", "decisions/0002-one-shared-database"),
    ("people/lucía-ferrer", "syn:manages", "people/bob-okafor"),
    ("people/bob-okafor", "syn:member_of", "teams/engineering"),
    ("people/bob-okafor", "syn:member_of", "teams/payments"),
    ("people/josé-ibáñez", "syn:knows", "people/marta-gómez"),
    ("people/nuria-pons", "syn:teaches", "courses/cobrar-sin-miedo"),
    ("lessons/1-el-camino-de-un-pago", "syn:precedes", "lessons/3-cuadrar-la-caja"),
]


@pytest.mark.parametrize(("subject", "predicate", "object_"), FOLLOWS)
def test_an_answer_of_the_example_is_inferred_and_not_stated(
    subject: str, predicate: str, object_: str, known: rdflib.Graph
) -> None:
    triple = (ref(subject), ref(predicate), ref(object_))
    assert triple not in stated()
    assert triple in known


def test_what_bears_load_was_marked_by_nobody(known: rdflib.Graph) -> None:
    assert {str(node) for node in known.subjects(RDF.type, SYN.Critical)} == {str(ref("services/checkout"))}
    bearing = {NAMES.id(NamedNode(str(node))) for node in known.subjects(RDF.type, SYN.LoadBearing)}
    expected = "services/payments services/ledger services/catalog databases/ledger-db databases/catalog-db platform/cluster"
    assert bearing == set(expected.split())


def test_checkout_depends_on_the_ledger_through_two_notes_and_no_other_way() -> None:
    edges = {
        (quad.subject.value, quad.object.value): path
        for path, quad in located()
        if isinstance(quad.subject, NamedNode)
        and isinstance(quad.object, NamedNode)
        and depends(quad.predicate)
    }
    checkout, payments, ledger = (str(ref(f"services/{name}")) for name in ("checkout", "payments", "ledger"))
    assert edges[checkout, payments] == "services/checkout.md"
    assert edges[payments, ledger] == "services/payments.md"
    assert ledger not in reachable(checkout, set(edges) - {(checkout, payments)})
    assert ledger not in reachable(checkout, set(edges) - {(payments, ledger)})


def depends(predicate: NamedNode) -> bool:
    above = graph_of(ROOT / "ontologies" / "synapse.ttl").transitive_objects(
        rdflib.URIRef(predicate.value), RDFS.subPropertyOf
    )
    return SYN.depends_on in set(above)


def reachable(start: str, edges: set[tuple[str, str]]) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        here = waiting.pop()
        waiting += [after for before, after in edges if before == here and after not in found]
        found |= {after for before, after in edges if before == here}
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ("people/marta-gómez", "syn:member_of", "teams/payments"),
            ("teams/payments", "syn:has_member", "people/marta-gómez"),
        ),
        (
            ("services/catalog", "syn:reads_from", "databases/catalog-db"),
            ("databases/catalog-db", "syn:required_by", "services/catalog"),
        ),
    ],
)
def test_some_facts_have_two_notes_behind_them(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    for subject, predicate, object_ in (one, other):
        assert (ref(subject), ref(predicate), ref(object_)) in stated()


def test_the_example_settings_show_every_key_with_its_default() -> None:
    text = (NOTES / "synapse.toml").read_text(encoding="utf-8")
    assert all(table == {} for table in tomllib.loads(text).values())
    uncommented = re.sub(r"^# (?=\w+ = )", "", text, flags=re.MULTILINE)
    written = tomllib.loads(uncommented)
    for name, section in SECTIONS.items():
        defaults = section()
        expected = {key.name: getattr(defaults, key.name) for key in fields(section)}
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in expected.items()}
        assert written[name] == plain
    assert written.keys() == SECTIONS.keys()
