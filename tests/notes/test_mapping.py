"""What a note says, as quads: the well-known keys, every kind of value, links, and what must always hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Store

from synapse.errors import InvalidIdentifier
from synapse.notes.mapping import Mapping, map_note, names_of
from synapse.notes.note import Dialect
from synapse.notes.parser import parse_note
from synapse.notes.resolution import LinkIndex
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import Names
from synapse.rdf.vocab import (
    PREFIXES,
    RDFS_LABEL,
    SYN_DEPENDS_ON,
    SYN_EMBEDS,
    SYN_MENTIONS,
    SYN_OBSERVATION,
)

NAMES = Names()
LEXICON = Lexicon.of(
    NAMES,
    properties=[("depends_on", SYN_DEPENDS_ON), ("homepage", NamedNode(PREFIXES["foaf"] + "homepage"))],
    types=[("Person", NamedNode(PREFIXES["foaf"] + "Person"))],
)
SHARED = Path(__file__).parents[2] / "../shared/data"


def index_of(*paths: str, dialect: Dialect = Dialect.OBSIDIAN) -> LinkIndex:
    index = LinkIndex(NAMES, dialect=dialect)
    for path in paths:
        index.add(path)
    return index


def mapped(
    text: str,
    *files: str,
    path: str = "n.md",
    dialect: Dialect = Dialect.OBSIDIAN,
    index: LinkIndex | None = None,
) -> Mapping:
    note = parse_note(path, text.encode(), dialect=dialect)
    index = index if index is not None else index_of(*files, dialect=dialect)
    names = names_of(note, dialect=dialect)
    index.add(path, aliases=names.aliases, iri=names.iri, title=names.title, bundle_root=names.bundle_root)
    return map_note(note, index=index, lexicon=LEXICON, dialect=dialect)


def shown(mapping: Mapping) -> dict[str, int]:
    """`subject predicate object` in the shortest names, the subject left out for the note itself."""
    lines = {}
    for quad, line in mapping.lines.items():
        assert quad.graph_name == mapping.graph
        assert not isinstance(quad.subject, Literal)
        subject = "" if quad.subject == mapping.subject else NAMES.show(quad.subject) + " "  # type: ignore[arg-type]
        lines[f"{subject}{NAMES.show(quad.predicate)} {term(quad.object)}"] = line
    return lines


def term(node: object) -> str:
    if isinstance(node, Literal):
        kind = NAMES.show(node.datatype)
        return f'"{node.value}"' if kind == "xsd:string" else f"{node.value}^{kind}"
    assert isinstance(node, NamedNode)
    return NAMES.show(node)


def facts(frontmatter: str, *files: str, dialect: Dialect = Dialect.OBSIDIAN) -> set[str]:
    """What frontmatter says besides the label that every note has."""
    said = shown(mapped(f"---\n{frontmatter}\n---\n", *files, dialect=dialect))
    return {fact for fact in said if fact != 'rdfs:label "n"'}


def codes(mapping: Mapping) -> list[tuple[str, int]]:
    return [(found.code, found.line) for found in mapping.diagnostics]


KEY_ROWS = [
    ("title: A", {'rdfs:label "A"'}),
    ("Name: A", {'rdfs:label "A"'}),
    ("title: 1984", {'rdfs:label "1984"'}),
    ("title: About [[bob]]", {'rdfs:label "About [[bob]]"', "syn:mentions people/bob"}),
    ("type: Person", {"rdf:type foaf:Person"}),
    ("type: person", {"rdf:type foaf:Person"}),
    ("type: [Person, Big Thing]", {"rdf:type foaf:Person", "rdf:type :Big_Thing"}),
    ('type: "[[Person]]"', {"rdf:type foaf:Person"}),
    ("type: schema:Course", {"rdf:type schema:Course"}),
    ("aliases: B", {'skos:altLabel "B"'}),
    ("aliases: [B, 'C, D']", {'skos:altLabel "B"', 'skos:altLabel "C, D"'}),
    ("tags: [a, '#b/c', A]", {'schema:keywords "a"', 'schema:keywords "b/c"'}),
    ("description: It is.", {'schema:description "It is."'}),
    ("created: 2024-01-15", {"dcterms:created 2024-01-15^xsd:date"}),
    ("updated: 2024-01-15T10:30", {"dcterms:modified 2024-01-15T10:30:00^xsd:dateTime"}),
    ("date: someday", {'dcterms:date "someday"'}),
    ("status: active", {'syn:status "active"'}),
    ("depends-on: '[[bob]]'", {"syn:depends_on people/bob"}),
    ("dependsOn: '[[bob]]'", {"syn:depends_on people/bob"}),
    ("tier: 1", {":tier 1^xsd:integer"}),
    ("price per unit: 1.50", {":price_per_unit 1.5^xsd:decimal"}),
    ("Tag: x", {':Tag "x"'}),
    ("alias: x", {'skos:altLabel "x"'}),
    ("título: A", {'rdfs:label "A"'}),
    ("ti\u0301tulo: A", {'rdfs:label "A"'}),
    ("nombre: Ana", {'rdfs:label "Ana"'}),
    ("nombre: 3", {":nombre 3^xsd:integer"}),
    ("titulo: 1984", {'rdfs:label "1984"'}),
    ("título: A\nname: B", {'rdfs:label "A"', 'rdfs:label "B"'}),
    ("tipo: [Person, Autor]", {"rdf:type foaf:Person", "rdf:type :Autor"}),
    ("etiquetas: [a, '#b/c']", {'schema:keywords "a"', 'schema:keywords "b/c"'}),
    ("Etiquetas: a", {':Etiquetas "a"'}),
    ("etiqueta: a", {':etiqueta "a"'}),
    ("fecha: 2024-01-15", {"dcterms:date 2024-01-15^xsd:date"}),
    ("creado por: Ana", {':creado_por "Ana"'}),
]


@pytest.mark.parametrize(("frontmatter", "expected"), KEY_ROWS, ids=[row[0] for row in KEY_ROWS])
def test_a_key_says(frontmatter: str, expected: set[str]) -> None:
    assert facts(frontmatter, "people/bob.md") == expected


VALUE_ROWS = [
    ("k: 007", {':k "007"'}),
    ("k: 1e3", {":k 1000^xsd:double"}),
    ("k: true", {":k true^xsd:boolean"}),
    ("k: no", {':k "no"'}),
    ("k: 12:30", {':k "12:30"'}),
    ("k:", set()),
    ("k: []", set()),
    ('k: ""', set()),
    ("k: [1, 01, 1]", {":k 1^xsd:integer", ':k "01"'}),
    ("k: '[[bob|Bob]]'", {":k people/bob"}),
    ("k: see [[bob]] and [[ana]]", {':k "see [[bob]] and [[ana]]"', ":k people/bob", ":k ana"}),
    ("k: '[t](https://x.org/a)'", {":k https://x.org/a"}),
    ("k: https://x.org/a", {':k "https://x.org/a"'}),
    ("url: https://x.org/a", {":url https://x.org/a"}),
    ("repo_url: https://x.org/a b", {':repo_url "https://x.org/a b"'}),
    ("homepage: https://x.org/a", {"foaf:homepage https://x.org/a"}),
    ("owl:sameAs: https://x.org/a", {"owl:sameAs https://x.org/a"}),
    ("rdf:type: Person", {"rdf:type foaf:Person"}),
    ("resource: urn:isbn:1", {":resource urn:isbn:1"}),
    ("resource: /people/bob.md", {":resource people/bob"}),
    ("resource: ./x.md", {":resource x"}),
    ("resource: people/bob", {":resource people/bob"}),
    ("resource: all queries in project X/Y", {':resource "all queries in project X/Y"'}),
    ("a: {b: 1, c: {d: x}}", {":a n#a", "n#a :b 1^xsd:integer", "n#a :c n#a/c", 'n#a/c :d "x"'}),
    ("a: [{b: 1}, {b: 2}]", {":a n#a/0", ":a n#a/1", "n#a/0 :b 1^xsd:integer", "n#a/1 :b 2^xsd:integer"}),
    ("a: {title: T, type: Person}", {":a n#a", 'n#a rdfs:label "T"', "n#a rdf:type foaf:Person"}),
]


@pytest.mark.parametrize(("frontmatter", "expected"), VALUE_ROWS, ids=[row[0] for row in VALUE_ROWS])
def test_a_value_is(frontmatter: str, expected: set[str]) -> None:
    assert facts(frontmatter, "people/bob.md") == expected


BODY_ROWS = [
    ("[[bob]]", {"syn:mentions people/bob"}),
    ("[[bob#h]] [[bob#^x]] [[bob|b]]", {"syn:mentions people/bob"}),
    ("![[bob]]", {"syn:embeds people/bob"}),
    ("![[i.png|100]]", {"syn:embeds img/i.png"}),
    ("[[depends_on:bob]]", {"syn:depends_on people/bob"}),
    ("[[depends-on:bob]] [[owned_by:bob]]", {"syn:depends_on people/bob", ":owned_by people/bob"}),
    ("[[Juego:x]]", {"syn:mentions Juego:x"}),
    ("[b](people/bob.md) [n](new.md)", {"syn:mentions people/bob", "syn:mentions new"}),
    ("[[n]] [[#h]] [[depends_on:n]]", set()),
    ("[[https://x.org]] <https://x.org> [a](mailto:a@b.org)", set()),
    ("[[5.1, 3.5]]", set()),
    ("`[[bob]]`", set()),
    ("#a/b #A/B #1984", {'schema:keywords "a/b"'}),
    ("tier:: 2", {":tier 2^xsd:integer"}),
    ("depends on:: [[bob]]", {"syn:depends_on people/bob"}),
    (
        '- depends_on [[bob]] (since May)\n- "works with" [[new]]',
        {"syn:depends_on people/bob", ":works_with new"},
    ),
]


@pytest.mark.parametrize(("body", "expected"), BODY_ROWS, ids=[row[0] for row in BODY_ROWS])
def test_a_body_says(body: str, expected: set[str]) -> None:
    said = shown(mapped(body + "\n", "people/bob.md", "img/i.png", "Juego:x.md"))
    assert set(said) - {'rdfs:label "n"'} == expected


@pytest.mark.parametrize(
    ("text", "label", "line"),
    [
        ("---\ntype: X\ntitle: T\n---\n# H\n", "T", 3),
        ("---\ntype: X\n---\n\n## Part\n# H *h*\n", "H h", 6),
        ("## Only a part\n", "v1.2 notas", 1),
        ("text\n", "v1.2 notas", 1),
        ("", "v1.2 notas", 1),
    ],
)
def test_every_note_has_a_label(text: str, label: str, line: int) -> None:
    mapping = mapped(text, path="d/v1.2 notas.md")
    labels = [(quad.object, at) for quad, at in mapping.lines.items() if quad.predicate == RDFS_LABEL]
    assert labels == [(Literal(label), line)]


def test_a_fact_stated_twice_has_the_line_of_its_first_statement() -> None:
    said = shown(mapped("[[bob]]\n\n[[bob]]\n\ntier:: 1\n\ntier:: 1\n", "bob.md"))
    assert said == {'rdfs:label "n"': 1, "syn:mentions bob": 1, ":tier 1^xsd:integer": 5}


def test_an_observation_is_a_node_named_by_what_it_says() -> None:
    text = "- [técnica] Usa WAL #db (desde mayo)\n"
    before = shown(mapped(text))
    [node] = [fact.split()[1] for fact in before if fact.startswith(NAMES.show(SYN_OBSERVATION))]
    assert node.startswith("n#observation/")
    assert {fact.removeprefix(node + " ") for fact in before if fact.startswith(node)} == {
        "rdf:type syn:Observation",
        'syn:category "técnica"',
        'schema:text "Usa WAL #db"',
        'schema:keywords "db"',
        'syn:context "desde mayo"',
    }
    after = shown(mapped("- [idea] otra cosa\n" + text))
    assert set(before) <= set(after)


def test_a_uri_is_the_subject_and_no_fact() -> None:
    mapping = mapped("---\nuri: https://bob.example/#me\ntier: 1\n---\n")
    assert mapping.subject == NamedNode("https://bob.example/#me")
    assert set(shown(mapping)) == {'rdfs:label "n"', ":tier 1^xsd:integer"}
    assert mapping.graph.value == "urn:synapse:file:n.md"


@pytest.mark.parametrize(
    "value", ["not an iri", "[https://a.org, https://b.org]", "{a: b}", "urn:synapse:meta", "https://a b.org"]
)
def test_a_uri_that_cannot_be_used_is_reported_and_the_path_stays_the_id(value: str) -> None:
    mapping = mapped(f"---\nuri: {value}\n---\n")
    assert mapping.subject == NAMES.entity("n")
    assert codes(mapping) == [("uri-invalid", 2)]


def test_a_uri_of_two_files_is_reported_in_both_and_both_keep_their_ids() -> None:
    index = index_of()
    text = "---\ntier: 1\nuri: https://x.org/1\n---\n"
    mapped(text, path="a.md", index=index)
    second = mapped(text, path="b.md", index=index)
    first = mapped(text, path="a.md", index=index)
    assert (first.subject, second.subject) == (NAMES.entity("a"), NAMES.entity("b"))
    assert codes(first) == codes(second) == [("uri-duplicate", 3)]


def test_two_files_with_one_id_are_reported() -> None:
    index = index_of("d/n.MD", "e/n.md", "n.md")
    assert codes(mapped("", path="d/n.md", index=index)) == [("id-duplicate", 1)]
    index.remove("d/n.MD")
    assert codes(mapped("", path="d/n.md", index=index)) == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("[[todo]]", "link-ambiguous"),
        ("[[nobody]]", "link-unresolved"),
        ("[x](../../x.md)", "link-outside"),
        ("[[The Boss]]", "link-by-alias"),
    ],
)
def test_a_link_in_doubt_is_reported_with_its_line(body: str, code: str) -> None:
    index = index_of("a/todo.md", "b/todo.md")
    index.add("boss.md", aliases=["the boss"])
    assert codes(mapped(f"\n\n{body}\n", index=index)) == [(code, 3)]


def test_a_link_that_is_certain_is_not_reported() -> None:
    assert codes(mapped("[[bob]] [[#h]] [[]] [x](https://x.org)\n", "bob.md")) == []


def test_a_path_that_cannot_be_an_id_is_refused() -> None:
    note = parse_note("a\nb.md", b"")
    with pytest.raises(InvalidIdentifier):
        map_note(note, index=index_of(), lexicon=LEXICON, dialect=Dialect.OBSIDIAN)


# -- dialects ---------------------------------------------------------------------------------------


OKF_NOTE = """---
type: Metric
title: Revenue
status: stable
stale_after: 2026-12-31T00:00:00Z
generated: { by: agent/1, at: 2026-06-20T22:53:05Z }
verified: { by: human:ana, at: 2026-06-25T09:00:00Z }
sources:
  - { id: policy, resource: /policy.md, usage_count: 5 }
  - { resource: all queries of project X }
parameters:
  - { name: year, type: integer }
---
"""


def test_okf_provenance_and_trust_are_prov_o() -> None:
    ana, agent = "urn:synapse:agent:human:ana", "urn:synapse:agent:agent/1"
    assert set(shown(mapped(OKF_NOTE, "policy.md", dialect=Dialect.OKF))) == {
        "rdf:type :Metric",
        'rdfs:label "Revenue"',
        'syn:status "stable"',
        "syn:stale_after 2026-12-31T00:00:00Z^xsd:dateTime",
        'syn:trust_tier "human-reviewed"',
        "prov:wasGeneratedBy n#generated",
        "prov:generatedAtTime 2026-06-20T22:53:05Z^xsd:dateTime",
        "n#generated rdf:type prov:Activity",
        f"n#generated prov:wasAssociatedWith {agent}",
        "n#generated prov:endedAtTime 2026-06-20T22:53:05Z^xsd:dateTime",
        f"{agent} rdf:type prov:Agent",
        f"{agent} rdf:type prov:SoftwareAgent",
        f'{agent} rdfs:label "agent/1"',
        "syn:verification n#verified/0",
        "n#verified/0 rdf:type prov:Activity",
        f"n#verified/0 prov:wasAssociatedWith {ana}",
        "n#verified/0 prov:endedAtTime 2026-06-25T09:00:00Z^xsd:dateTime",
        f"{ana} rdf:type prov:Agent",
        f"{ana} rdf:type prov:Person",
        f'{ana} rdfs:label "human:ana"',
        "prov:wasDerivedFrom n#sources/0",
        "prov:wasDerivedFrom policy",
        "n#sources/0 rdf:type prov:Entity",
        'n#sources/0 :id "policy"',
        "n#sources/0 :resource policy",
        "n#sources/0 :usage_count 5^xsd:integer",
        "prov:wasDerivedFrom n#sources/1",
        "n#sources/1 rdf:type prov:Entity",
        'n#sources/1 :resource "all queries of project X"',
        ":parameters n#parameters/0",
        'n#parameters/0 rdfs:label "year"',
        'n#parameters/0 :type "integer"',
    }


def test_an_unverified_concept_has_no_trust_tier() -> None:
    assert not [fact for fact in facts("type: X", dialect=Dialect.OKF) if fact.startswith("syn:trust")]


def test_a_reserved_file_of_okf_is_navigation_and_no_concept() -> None:
    text = "---\ntype: Log\nokf_version: '0.2'\n---\n# History\n[[bob]]\n- [idea] x y\n"
    said = shown(mapped(text, "bob.md", path="d/index.md", dialect=Dialect.OKF))
    assert set(said) == {'rdfs:label "History"', "syn:mentions bob"}
    assert "rdf:type :Log" in shown(mapped(text, "bob.md", path="d/index.md"))


def test_the_axioms_of_an_ontology_note_are_rdfs_and_owl() -> None:
    text = """---
type: ontology
---
subclass_of: Dev -> Person
sub_property_of: owned by -> depends_on
inverse_of: owns -> owned by
transitive: part_of
symmetric: knows
"""
    mapping = mapped(text, dialect=Dialect.OKF_MCP)
    assert {fact: line for fact, line in shown(mapping).items() if line > 3} == {
        ":Dev rdfs:subClassOf foaf:Person": 4,
        ":owned_by rdfs:subPropertyOf syn:depends_on": 5,
        ":owns owl:inverseOf :owned_by": 6,
        ":part_of rdf:type owl:TransitiveProperty": 7,
        ":knows rdf:type owl:SymmetricProperty": 8,
    }


def test_an_axiom_of_another_form_is_reported_and_left_out() -> None:
    mapping = mapped("---\ntype: ontology\n---\nsubclas_of: a -> b\n", dialect=Dialect.OKF_MCP)
    assert codes(mapping) == [("axiom-unknown", 4)]


def test_dendron_dates_are_milliseconds() -> None:
    assert facts("created: 1700000000123", dialect=Dialect.DENDRON) == {
        "dcterms:created 2023-11-14T22:13:20.123Z^xsd:dateTime"
    }
    assert facts("created: 1700000000123") == {"dcterms:created 1700000000123^xsd:integer"}


def test_logseq_page_properties_are_the_pages_and_its_own_are_hidden() -> None:
    text = "alias:: Bob, Robert\ntags:: a, b\nid:: 6123\ntier:: 1\n\n- text\n"
    said = set(shown(mapped(text, dialect=Dialect.LOGSEQ)))
    assert {'skos:altLabel "Bob"', 'skos:altLabel "Robert"', ":tier 1^xsd:integer"} <= said
    assert {'schema:keywords "a"', 'schema:keywords "b"'} <= said
    assert not [fact for fact in said if fact.startswith(":id")]


def test_names_of_a_note_are_what_links_may_call_it() -> None:
    text = "---\ntitle: T [[x]]\naliases: [A, '[[B]]']\npermalink: p/q\nuri: https://x.org/1\n---\n"
    names = names_of(parse_note("n.md", text.encode()))
    assert names.aliases == ("A", "B")
    assert (names.iri, names.title, names.permalink) == ("https://x.org/1", "T [[x]]", "p/q")
    assert names.keys("d/n.md") == {"n", "a", "b", "t [[x]]", "q", "1"}


# -- what holds for every note ---------------------------------------------------------------------


PIECES = [
    "---\n",
    "title: ",
    "type: [[a]]\n",
    "k: ",
    "[[a]]",
    "[[rel:b|x]]",
    "![[i.png]]",
    "[t](../c.md)",
    "#tag ",
    "uri: https://x.org/1\n",
    "uri: urn:synapse:meta\n",
    "verified: {by: human:x, at: 2024}\n",
    "01",
    "1.50",
    "\n",
    "sources:\n  - {resource: /a.md}\n",
    "key:: ",
    "- [cat] text (c)\n",
    "- rel [[d]]\n",
    "2024-02-30",
    "{a: {b: c}}",
    "<",
    ">",
    '"',
    "\\",
    "%",
    "\u00a0",
    "\u00e9",
    "\u65e5\u672c",
    "\u0000",
    "\u0007",
    "\ud7ff",
    " ",
    "# H\n",
    "rdf:type: x\n",
    "a -> b",
    "subclass_of: a -> b\n",
    "type: ontology\n",
    "tags:: a, b\n",
    "url: ./x y.md\n",
    ": ",
    "[[5.1]]",
    "x" * 1200,
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
dialects = st.sampled_from(Dialect)


@settings(max_examples=200)
@given(texts, dialects)
def test_any_note_is_ground_canonical_and_told_once(text: str, dialect: Dialect) -> None:
    mapping = mapped(text, "a.md", "d/b.md", "i.png", dialect=dialect)
    quads = list(mapping.lines)
    store = Store()
    store.extend(quads)
    assert set(store) == set(quads)
    assert {quad.graph_name for quad in quads} == {mapping.graph}
    assert all(isinstance(quad.subject, NamedNode) for quad in quads)
    assert all(isinstance(quad.object, NamedNode | Literal) for quad in quads)
    assert any(quad.predicate == RDFS_LABEL and quad.subject == mapping.subject for quad in quads)
    lines = text.count("\n") + 1
    told = (diagnostic.line for diagnostic in mapping.diagnostics)
    assert all(1 <= line <= lines for line in (*mapping.lines.values(), *told))


@given(texts, dialects)
def test_reading_a_note_again_gives_the_same(text: str, dialect: Dialect) -> None:
    assert mapped(text, "a.md", "b.md", dialect=dialect) == mapped(text, "b.md", "a.md", dialect=dialect)


@given(texts)
def test_no_link_leads_from_a_note_to_itself(text: str) -> None:
    mapping = mapped(text, "a.md", path="a.md")
    edges = {SYN_MENTIONS, SYN_EMBEDS}
    assert not [quad for quad in mapping.lines if quad.predicate in edges and quad.object == mapping.subject]


FILES = ["a.md", "d/a.md", "rel:b.md", "b.md", "d/x.md", "c.md", "i.png", "d/index.md", "d/n.MD", "n.md"]


@settings(max_examples=150)
@given(
    texts,
    st.lists(st.sampled_from(FILES), max_size=4, unique=True),
    st.sampled_from(FILES),
    st.sampled_from([None, "https://x.org/1", "https://synapse.local/a"]),
)
def test_a_mapping_changes_only_with_a_key_that_it_names(
    text: str, present: list[str], file: str, iri: str | None
) -> None:
    note = parse_note("d/n.md", text.encode())
    names = names_of(note)
    index = index_of(*present)
    index.add(note.path, aliases=names.aliases, iri=names.iri, title=names.title)

    def map_again() -> Mapping:
        return map_note(note, index=index, lexicon=LEXICON, dialect=Dialect.OBSIDIAN)

    before = map_again()
    touched = index.remove(file) if file in present else index.add(file, iri=iri)
    if map_again() != before:
        assert touched & before.keys


@pytest.mark.parametrize(
    ("vault", "dialect"),
    [
        ("obsidian-tasks-demo/vault", Dialect.OBSIDIAN),
        ("kepano-vault", Dialect.OBSIDIAN),
        ("okf-bundles/bundles", Dialect.OKF),
    ],
)
def test_real_vaults_are_mapped_as_the_store_keeps_them(vault: str, dialect: Dialect) -> None:
    root = SHARED / vault
    if not root.exists():
        pytest.skip(f"{root} is not here")
    index, notes = LinkIndex(NAMES, dialect=dialect), []
    for file in sorted(root.rglob("*.md")):
        note = parse_note(file.relative_to(root).as_posix(), file.read_bytes(), dialect=dialect)
        names = names_of(note, dialect=dialect)
        index.add(note.path, aliases=names.aliases, iri=names.iri, bundle_root=names.bundle_root)
        notes.append(note)
    mappings = [map_note(note, index=index, lexicon=LEXICON, dialect=dialect) for note in notes]
    quads = {quad for mapping in mappings for quad in mapping.lines}
    store = Store()
    store.extend(quads)
    assert set(store) == quads
    assert len({mapping.graph for mapping in mappings}) == len(notes)
