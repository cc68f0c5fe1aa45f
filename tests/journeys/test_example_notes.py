"""The example notes are read without complaint and give the answers that they were written for."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from functools import lru_cache

import pytest
import rdflib
from packaged_helpers import (
    NAMES,
    PROPERTY_KINDS,
    ROOT,
    SYN,
    closure,
    contradictions,
    declared_terms,
    graph_of,
    ref,
    vocabulary,
    with_requirements,
)
from pyoxigraph import Literal, NamedNode, Quad, Store, Triple
from rdflib.namespace import OWL, RDF, RDFS

from synapse.interfaces.settings import SECTIONS
from synapse.knowledge.vocabulary import Known
from synapse.notes.digest import without_section
from synapse.notes.mapping import map_note, names_of
from synapse.notes.note import Dialect, Link, Note
from synapse.notes.parser import parse_note
from synapse.notes.resolution import How, LinkIndex
from synapse.rdf import vocab
from synapse.rdf.lexicon import Lexicon

NOTES = ROOT / "notes-example"


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
        (path, quad)
        for path, note in notes().items()
        for quad in map_note(note, index=index(), lexicon=lexicon(), dialect=Dialect.OBSIDIAN).lines
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
    """What a person wrote below the frontmatter."""
    return without_section((NOTES / path).read_bytes()).decode().split("---\n", 2)[2]


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


def test_a_tier_stays_the_word_of_each_memory() -> None:
    assert "tier" not in lexicon().properties


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
    assert bearing == {
        "services/payments",
        "services/ledger",
        "services/catalog",
        "databases/ledger-db",
        "databases/catalog-db",
        "platform/cluster",
    }


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


@lru_cache
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
