from __future__ import annotations

from synapse.notes.note import Dialect, Property, Scalar
from synapse.notes.parser import parse_note

ONTOLOGY = (
    "---\ntype: Ontology\n---\n# Axioms\n\n- subclass_of: Dog -> Animal\ntransitive: part_of\n\nsome: words\n"
)


def axioms(text: str, dialect: Dialect) -> list[Property]:
    note = parse_note("a.md", text.encode(), dialect=dialect)
    return [item for item in note.properties if item.origin == "axiom"]


def test_an_ontology_note_states_one_axiom_a_line() -> None:
    assert axioms(ONTOLOGY, Dialect.OKF_MCP) == [
        Property("subclass_of", Scalar("Dog -> Animal"), 6, "axiom"),
        Property("transitive", Scalar("part_of"), 7, "axiom"),
    ]


def test_a_misspelt_axiom_of_two_sides_is_kept_for_the_mapping_to_report() -> None:
    text = "---\ntype: ontology\n---\nsubclas_of: Dog -> Animal\n"
    assert [item.key for item in axioms(text, Dialect.OKF_MCP)] == ["subclas_of"]


def test_code_is_no_axiom() -> None:
    assert axioms("---\ntype: ontology\n---\n```\nsymmetric: p\n```\n", Dialect.OKF_MCP) == []


def test_other_notes_and_other_dialects_state_none() -> None:
    assert axioms(ONTOLOGY, Dialect.OBSIDIAN) == []
    assert axioms(ONTOLOGY.replace("Ontology", "Note"), Dialect.OKF_MCP) == []
