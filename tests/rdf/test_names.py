"""Ids and IRIs: the encoding loses nothing, joins nothing, and gives IRIs that the store accepts."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from synapse.errors import InvalidIdentifier
from synapse.rdf.names import (
    MAX_ID_LENGTH,
    Names,
    decode,
    encode,
    file_graph,
    fold_key,
    graph_kind,
    iri,
    path_of,
)
from synapse.rdf.vocab import SYN_DEPENDS_ON

NAMES = Names()
texts = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=40)
ids = texts.filter(lambda text: text.strip() != "")


@given(texts)
def test_decoding_gives_back_the_text_in_nfc(text: str) -> None:
    assert decode(encode(text)) == unicodedata.normalize("NFC", text)


@given(ids, ids)
def test_two_ids_never_share_an_iri(one: str, other: str) -> None:
    assume(unicodedata.normalize("NFC", one) != unicodedata.normalize("NFC", other))
    assert NAMES.entity(one) != NAMES.entity(other)


@pytest.mark.parametrize(
    ("identifier", "encoded"),
    [
        ("people/bob", "people/bob"),
        ("José Ñandú (x)", "José%20Ñandú%20(x)"),
        ("100%", "100%25"),
        ("100%25", "100%2525"),
        ("C#", "C%23"),
        ("why?", "why%3F"),
        ("a.b", "a.b"),
        ('x> } ; DROP ALL "', "x%3E%20%7D%20;%20DROP%20ALL%20%22"),
        ("[x]{y}|^`\\", "%5Bx%5D%7By%7D%7C%5E%60%5C"),
        ("Jose\u0301", "José"),
        ("日本/東京", "日本/東京"),
        ("\ue000", "%EE%80%80"),
    ],
)
def test_only_what_an_iri_may_not_hold_is_encoded(identifier: str, encoded: str) -> None:
    assert NAMES.entity(identifier).value == "https://synapse.local/" + encoded


@given(ids)
def test_an_id_survives_the_way_to_its_iri_and_back(identifier: str) -> None:
    assume(not identifier.startswith("vocab#"))
    assert NAMES.id(NAMES.entity(identifier)) == unicodedata.normalize("NFC", identifier)


@given(ids)
def test_every_entity_can_be_stored_and_written_into_a_query(identifier: str) -> None:
    node = NAMES.entity(identifier)
    store = Store()
    store.add(Quad(node, SYN_DEPENDS_ON, Literal("x")))
    assert bool(store.query(f"ASK {{ {node} ?p ?o }}"))


@given(ids)
def test_an_id_written_after_base_is_the_same_node(identifier: str) -> None:
    assume(not identifier.startswith("/") and ":" not in identifier.partition("/")[0])
    assume(not {".", ".."} & set(identifier.split("/")))
    query = f"{NAMES.prologue()}\nSELECT (<{encode(identifier)}> AS ?x) {{}}"
    [solution] = Store().query(query)
    assert solution["x"] == NAMES.entity(identifier)


@pytest.mark.parametrize("bad", ["", "  ", "a\nb", "a\x00b", "a\u2028b", "\ud83d", "x" * (MAX_ID_LENGTH + 1)])
def test_text_that_cannot_be_an_id_is_refused(bad: str) -> None:
    with pytest.raises(InvalidIdentifier):
        NAMES.entity(bad)


def test_an_iri_that_no_id_mints_is_not_taken_for_the_id_of_another_entity() -> None:
    assert NAMES.id(NamedNode("https://synapse.local/%41")) is None
    assert NAMES.id(NamedNode("https://synapse.local/a?b")) is None


@pytest.mark.parametrize("value", ["https://synapse.local/%FF", "https://synapse.local/vocab#%FF"])
def test_an_iri_with_foreign_percent_bytes_is_shown_in_full(value: str) -> None:
    assert NAMES.show(NamedNode(value)) == value


def test_a_nested_node_is_shown_under_its_owner() -> None:
    node = NAMES.fragment(NAMES.entity("people/bob"), "address", 0)
    assert node.value == "https://synapse.local/people/bob#address/0"
    assert NAMES.id(node) == "people/bob#address/0"


@given(st.lists(texts, min_size=1, max_size=3), st.lists(texts, min_size=1, max_size=3))
def test_nested_nodes_of_different_places_differ(one: list[str], other: list[str]) -> None:
    def normal(parts: list[str]) -> list[str]:
        return [unicodedata.normalize("NFC", part) for part in parts]

    assume(normal(one) != normal(other))
    owner = NAMES.entity("a")
    assert NAMES.fragment(owner, *one) != NAMES.fragment(owner, *other)


@pytest.mark.parametrize("spelling", ["depends_on", "depends-on", "Depends on", "dependsOn", " DEPENDS ON "])
def test_spellings_of_a_key_are_one(spelling: str) -> None:
    assert fold_key(spelling) == fold_key("depends_on")


def test_own_keys_are_terms_of_the_memory_and_shown_with_its_prefix() -> None:
    assert NAMES.key("price per unit").value == "https://synapse.local/vocab#price_per_unit"
    assert NAMES.show(NAMES.key("tier")) == ":tier"
    assert NAMES.show(SYN_DEPENDS_ON) == "syn:depends_on"


@given(texts)
def test_a_shown_term_expands_to_the_same_term(key: str) -> None:
    assume(key.strip())
    term = NAMES.key(key)
    assert NAMES.expand(NAMES.show(term)) == term


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("syn:depends_on", SYN_DEPENDS_ON),
        ("<urn:x:y>", NamedNode("urn:x:y")),
        ("https://example.org/a", NamedNode("https://example.org/a")),
        (":tier", NAMES.key("tier")),
        ("depends_on", None),
        ("unknown:thing", None),
        ("Juego: Maratón", None),
    ],
)
def test_curies_and_iris_expand_and_other_text_does_not(text: str, expected: NamedNode | None) -> None:
    assert NAMES.expand(text) == expected


@pytest.mark.parametrize("bad", ["no scheme", "https://a b", "https://x/<y>", "", "https://x/" + "y" * 3000])
def test_text_that_is_no_absolute_iri_is_refused(bad: str) -> None:
    with pytest.raises(InvalidIdentifier):
        iri(bad)


@given(ids)
def test_the_path_of_a_file_graph_comes_back(path: str) -> None:
    graph = file_graph(path + ".md")
    assert path_of(graph) == unicodedata.normalize("NFC", path + ".md")
    assert graph_kind(graph) == "file"


def test_other_graphs_have_no_path() -> None:
    assert path_of(NamedNode("urn:synapse:inferred")) is None
    assert graph_kind(NamedNode("urn:synapse:inferred")) == "inferred"
    assert graph_kind(NamedNode("https://example.org/g")) == "other"
