"""The axioms of the packaged vocabularies: each fires, none says too much, contradictions are found."""

from __future__ import annotations

import re

import pytest
import rdflib
from packaged_helpers import (
    ROOT,
    SCHEMA,
    TURTLE,
    closure,
    contradictions,
    declared_terms,
    everything,
    facts,
    graph_of,
    ref,
    with_requirements,
)
from rdflib.namespace import OWL, RDF, RDFS


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
        "<a> syn:in_layer <kthulu/layers/core> ; syn:imports <b> . "
        "<b> syn:in_layer <kthulu/layers/adapters> ."
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
