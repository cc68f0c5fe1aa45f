"""What keys mean: a scenario's term however it is spelled, else a term of the memory's own."""

from __future__ import annotations

import pytest
from pyoxigraph import NamedNode

from synapse.errors import InvalidIdentifier
from synapse.rdf.lexicon import KEPT_KEYS, Lexicon
from synapse.rdf.names import Names
from synapse.rdf.vocab import FOAF, RDFS_LABEL, SYN_DEPENDS_ON

PERSON = NamedNode(FOAF + "Person")
LEXICON = Lexicon.of(Names(), properties=[("depends_on", SYN_DEPENDS_ON)], types=[("Person", PERSON)])


@pytest.mark.parametrize("key", ["depends_on", "depends-on", "dependsOn", "Depends On", "syn:depends_on"])
def test_a_key_that_a_scenario_names_is_its_term(key: str) -> None:
    assert LEXICON.property(key) == SYN_DEPENDS_ON


def test_another_key_is_a_term_of_the_memorys_own() -> None:
    assert LEXICON.property("tier") == NamedNode("https://synapse.local/vocab#tier")
    assert LEXICON.type("Servicio crítico") == NamedNode("https://synapse.local/vocab#Servicio_crítico")


def test_properties_and_types_are_told_apart() -> None:
    assert LEXICON.type("person") == PERSON
    assert LEXICON.property("person") == NamedNode("https://synapse.local/vocab#person")


def test_the_first_scenario_that_names_a_key_keeps_it() -> None:
    lexicon = Lexicon.of(Names(), properties=[("knows", SYN_DEPENDS_ON), ("Knows", RDFS_LABEL)], types=[])
    assert lexicon.property("knows") == SYN_DEPENDS_ON


@pytest.mark.parametrize("key", ["", "  ", "a\nb\x00", "<not an iri>"])
def test_text_that_names_nothing_is_refused(key: str) -> None:
    with pytest.raises(InvalidIdentifier):
        LEXICON.property(key)


def test_what_is_remembered_of_keys_stays_bounded() -> None:
    lexicon = Lexicon(Names())
    for number in range(2 * KEPT_KEYS + 10):
        assert lexicon.property(f"key {number}") == Names().key(f"key {number}")
        assert len(lexicon._own) <= KEPT_KEYS
