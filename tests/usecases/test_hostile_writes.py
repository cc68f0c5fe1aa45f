"""Agents that write what they must not, by mistake or on purpose: refused whole, with nothing left behind."""

from __future__ import annotations

import math

import pytest
from test_assert_facts import BECAUSE, digest, say

from synapse.errors import InvalidInput
from synapse.memory import Memory
from synapse.rdf.names import META
from synapse.usecases.answers import Card, Provenance
from synapse.usecases.written import FactInput

REFUSED = {
    "a graph as subject": ("urn:synapse:meta", "uses", "b"),
    "an assertion as subject": ("urn:synapse:assertion:01abc", "confidence", "1"),
    "an agent as subject": ("urn:synapse:agent:claude", "title", "the boss"),
    "a shared term as subject": ("syn:depends_on", "type", "owl:SymmetricProperty"),
    "a shared term by its IRI": ("urn:synapse:ns#depends_on", "rdfs:range", "syn:Person"),
    "a term of the language": ("rdf:type", "rdfs:subPropertyOf", "owl:sameAs"),
    "a class of OWL": ("owl:Thing", "rdfs:subClassOf", "owl:Nothing"),
    "a term of a common vocabulary": ("schema:name", "owl:inverseOf", "syn:depends_on"),
    "a graph as predicate": ("a", "urn:synapse:meta", "b"),
    "the empty list as predicate": ("a", "rdf:nil", "b"),
    "a class of OWL as predicate": ("a", "owl:Nothing", "b"),
    "a datatype as predicate": ("a", "xsd:integer", "b"),
    "a datatype of RDF as predicate": ("a", "rdf:langString", "b"),
    "a datatype of OWL as predicate": ("a", "owl:real", "b"),
    "a class of a common vocabulary as predicate": ("a", "schema:Person", "b"),
    "a class of a scenario as predicate": ("a", "syn:Tool", "b"),
    "an encoded step upwards": ("%2e%2e/x", "uses", "b"),
    "a terminal command": ("a", "note", "\x1b[2J"),
    "a terminal command of one byte": ("a", "note", "\x9b2J", None, None, "literal"),
    "a null": ("a", "note", "one\0two", None, "en"),
    "a backspace in a typed value": ("a", "note", "one\b", "xsd:string"),
    "a deletion": ("a", "note", "one\x7f"),
    "trust that nobody gave": ("a", "trust_tier", "verified"),
    "text turned around": ("people/\u202enna", "uses", "b"),
    "a blank that nobody sees": ("people/a\u200bna", "uses", "b"),
    "tag characters": ("people/ana\U000e0041", "uses", "b"),
    "a soft hyphen in the object": ("a", "uses", "pay\u00adments", None, None, "id"),
    "steps upwards": ("../../etc/passwd", "uses", "b"),
    "steps inside": ("people/./bob/../ana", "uses", "b"),
    "an empty step": ("people//ana", "uses", "b"),
    "an IRI that no id mints": ("https://synapse.local/%41na", "uses", "b"),
    "an IRI that climbs": ("https://synapse.local/../ana", "uses", "b"),
    "no kind of object": ("a", "uses", "b", None, None, "node"),
    "half of a character": ("a", "note", "\ud83d"),
    "half of a character in an id": ("a\ud83d", "uses", "b"),
    "a predicate of a megabyte": ("a", "p" * 1_000_000, "b"),
    "an object of a megabyte": ("a", "note", "x" * 900_000, "xsd:string"),
    "a type of a megabyte": ("a", "type", "T" * 900_000),
    "a datatype of a megabyte": ("a", "note", "x", "urn:" + "x" * 1_000_000),
    "a language of a megabyte": ("a", "note", "x", None, "x" * 1_000_000),
    "SPARQL in an IRI": ("<https://e.org/> } ; CLEAR ALL #>", "uses", "b"),
}


@pytest.mark.parametrize("fact", REFUSED.values(), ids=REFUSED)
def test_a_hostile_fact_is_refused_with_its_position_and_leaves_nothing(
    memory: Memory, fact: tuple[str, ...]
) -> None:
    say(memory, ("a", "uses", "b"))
    before = digest(memory)
    with pytest.raises(InvalidInput) as error:
        say(memory, ("c", "uses", "d"), fact)
    assert error.value.message.startswith("fact 2: ")
    assert len(error.value.message) < 300
    assert digest(memory) == before


GROUNDS = {
    "not a number": {"confidence": math.nan},
    "endless": {"confidence": math.inf},
    "below nothing": {"confidence": -0.1},
    "nobody": {"agent": " "},
    "a name of a megabyte": {"agent": "x" * 1_000_000},
    "a reason of a megabyte": {"reason": "x" * 1_000_000},
    "a terminal command as reason": {"reason": "\x1b[2J"},
    "a line turned around": {"source": "\u202egpj.exe"},
    "half of a character": {"agent": "\ud83d"},
}


@pytest.mark.parametrize("given", GROUNDS.values(), ids=GROUNDS)
def test_grounds_that_are_none_are_refused(memory: Memory, given: dict[str, object]) -> None:
    before = digest(memory)
    with pytest.raises(InvalidInput):
        say(memory, ("a", "uses", "b"), **given)
    assert digest(memory) == before


def test_an_assertion_and_facts_at_once_are_refused(memory: Memory) -> None:
    answer = say(memory, ("a", "uses", "b"))
    say(memory, ("a", "uses", "c"))
    before = digest(memory)
    for given in ({"assertion_id": answer.id, "facts": [FactInput("a", "uses", "c")]}, {}):
        with pytest.raises(InvalidInput, match="one of the two"):
            memory.retract_facts(reason="which?", **given)  # type: ignore[arg-type]
    assert digest(memory) == before


def test_too_many_facts_and_too_much_text_are_refused(memory: Memory) -> None:
    before = digest(memory)
    with pytest.raises(InvalidInput):
        say(memory, *[("a", "note", str(number)) for number in range(501)])
    with pytest.raises(InvalidInput):
        say(memory, *[("a", "note", f"{number} " + "x" * 19_000) for number in range(60)])
    with pytest.raises(InvalidInput):
        memory.retract_facts(facts=[FactInput("a", "uses", "b")] * 501, reason="all")
    assert digest(memory) == before


@pytest.mark.parametrize("identifier", ["", "\ud83d", "x" * 1_000_000, "a\nb"])
def test_an_identifier_that_is_none_is_an_error_of_the_call(memory: Memory, identifier: str) -> None:
    before = digest(memory)
    with pytest.raises(InvalidInput):
        memory.retract_facts(assertion_id=identifier, reason="a test")
    with pytest.raises(InvalidInput):
        memory.undo(identifier, reason="a test")
    assert digest(memory) == before


@pytest.mark.parametrize(
    "moment", ["yesterday", "2024-13-01", "2024-02-30", "٢٠٢٤-٠١-٠١", "2024-01-01T25:00", ""]
)
def test_a_time_that_is_none_is_refused_wherever_it_is_given(memory: Memory, moment: str) -> None:
    for call in (
        lambda: memory.log(since=moment),
        lambda: memory.log(until=moment),
        lambda: memory.card("a", as_of=moment),
    ):
        with pytest.raises(InvalidInput):
            call()


def test_a_control_character_is_named(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match=r"^fact 1: 'ring \\x07' holds the control character U\+0007$"):
        say(memory, ("a", "note", "ring \x07"))


def test_tabs_and_line_ends_are_text(memory: Memory) -> None:
    assert say(memory, ("a", "note", "one\ttwo\r\nthree\x85four")).status == "ok"


def test_a_declared_class_is_no_predicate_unless_it_is_a_property_too(memory: Memory) -> None:
    axiom = ("type", "owl:Class", None, None, "iri")
    say(memory, (":Robot", *axiom))
    with pytest.raises(InvalidInput, match="'Robot' is a class"):
        say(memory, ("a", "Robot", "b"))
    say(memory, (":Robot", "type", "owl:ObjectProperty", None, None, "iri"))
    assert say(memory, ("a", "Robot", "b")).status == "ok"


@pytest.mark.parametrize("mention", ["?x", "!!x", "(x)", "x!"])
def test_a_name_of_one_letter_and_punctuation_is_asked_about(memory: Memory, mention: str) -> None:
    say(memory, ("old/x", "uses", "payments"))
    answer = say(memory, (mention, "uses", "payments"))
    assert [found.did_you_mean[0].id for found in answer.ambiguous] == ["old/x"]


JOINED = ["نامه‌ها", "क्‍ष", "equipo 👩‍💻", "e\u0301quipo"]


@pytest.mark.parametrize("name", JOINED)
def test_joiners_and_marks_that_writing_needs_are_kept(memory: Memory, name: str) -> None:
    assert say(memory, (f"notes/{name}", "uses", "b")).status == "ok"
    card = memory.card(f"notes/{name}")
    assert isinstance(card, Card)


def test_a_lookalike_of_another_script_is_asked_about(memory: Memory) -> None:
    say(memory, ("payments", "uses", "b"))
    answer = say(memory, ("p\u0430yments", "uses", "c"))  # a Cyrillic a
    assert answer.ambiguous[0].did_you_mean[0].id == "payments"


def test_brackets_slashes_and_endings_name_the_same_new_entity(memory: Memory) -> None:
    spellings = ("[[people/ana]]", "people/ana.md", "/people/ana/", "./people/ana", "people/ana")
    for number, spelling in enumerate(spellings):
        assert say(memory, (spelling, "note", str(number))).degree == {"people/ana": 0}


def held(memory: Memory) -> set[str]:
    """Everything that is stated or follows."""
    return {str(quad) for quad in memory._rooms.store.quads() if quad.graph_name != META}


AXIOMS = [
    (":kin", "type", "owl:TransitiveProperty"),
    (":kin", "rdfs:range", ":Person"),
    (":Robot", "rdfs:subClassOf", "syn:Person"),
    ("people/ana", "owl:sameAs", "people/anna"),
]


@pytest.mark.parametrize("axiom", AXIOMS)
def test_an_axiom_is_written_told_and_taken_back(memory: Memory, axiom: tuple[str, str, str]) -> None:
    say(memory, ("people/ana", "title", "Ana One"), ("people/anna", "title", "Somebody Else"))
    before = held(memory)
    answer = memory.assert_facts([FactInput(*axiom, object_is="iri" if ":" in axiom[2] else "id")], **BECAUSE)
    assert [notice.code for notice in answer.notices] == ["axiom"]
    assert memory.retract_facts(assertion_id=answer.id, reason="no").status == "ok"
    assert held(memory) == before


@pytest.mark.parametrize(
    "fact", [("a", "type", "Person"), ("a", "rdfs:seeAlso", "https://e.org/"), ("a", "uses", "b")]
)
def test_a_plain_fact_is_no_axiom(memory: Memory, fact: tuple[str, str, str]) -> None:
    assert "axiom" not in {notice.code for notice in say(memory, fact).notices}


def test_a_tiny_confidence_is_kept_and_so_is_the_record_after_an_undo(memory: Memory) -> None:
    answer = say(memory, ("a", "uses", "b"), ("a", "uses", "c"), confidence=1e-7)
    whole = memory.retract_facts(assertion_id=answer.id, reason="gone")
    assert whole.id
    memory.undo(whole.id, reason="not gone")
    found = memory.provenance("a", "uses", "b")
    assert isinstance(found, Provenance)
    assert [source.confidence for fact in found.facts for source in fact.sources] == [1e-7]


def test_a_value_is_taken_back_in_any_spelling_of_it(memory: Memory) -> None:
    say(memory, ("a", "tier", "1", "xsd:integer"), ("a", "cost", "1.50", "xsd:decimal"))
    facts = [FactInput("a", "tier", "01", "xsd:integer"), FactInput("a", "cost", "1.5", "xsd:decimal")]
    assert memory.retract_facts(facts=facts, reason="spelled otherwise").status == "ok"


def test_the_same_fact_twice_is_taken_back_once(memory: Memory) -> None:
    say(memory, ("a", "uses", "b"))
    answer = memory.retract_facts(facts=[FactInput("a", "uses", "b")] * 2, reason="said twice")
    assert answer.status == "ok"
    assert len(answer.facts) == 1


def test_hundreds_of_new_names_in_one_write_are_told_apart(memory: Memory) -> None:
    facts = [(f"kin/{number}", "knows", f"kith/{number}", None, None, "id") for number in range(200)]
    answer = say(memory, *facts, force_new=True)
    assert answer.status == "ok"
    assert len(answer.stubs) == 200
