"""Shapes of every kind see what they need of a memory, and broken ones are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from synapse.memory import Memory
from synapse.usecases import check
from synapse.usecases.answers import Finding

Checked = Callable[[str], list[Finding]]

PREFIXES = """
@prefix : <https://synapse.local/vocab#> .
@prefix syn: <urn:synapse:ns#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
SHAPES = {
    "datatype": (
        ":Tier a sh:NodeShape ; sh:targetClass syn:Service ;"
        " sh:property [ sh:path :tier ; sh:datatype xsd:integer ; sh:message 'tier is a number' ] .",
        [("a.md", 3, "shape-DatatypeConstraintComponent", "a: tier is a number; it is high")],
    ),
    "class": (
        ":Owned a sh:NodeShape ; sh:targetSubjectsOf syn:owned_by ;"
        " sh:property :OwnedShape . :OwnedShape sh:path syn:owned_by ; sh:class syn:Team ;"
        " sh:message 'a team owns it'@en, 'es de un equipo'@es .",
        [("a.md", 4, "shape-OwnedShape", "a: a team owns it; it is b")],
    ),
    "a node by its id": (
        ":One a sh:NodeShape ; sh:targetNode <a> ; sh:property :OneShape ."
        " :OneShape sh:path :missing ; sh:minCount 1 ; sh:severity sh:Info ; sh:message 'say more' .",
        [("a.md", 2, "shape-OneShape", "a: say more")],
    ),
    "SPARQL": (
        ":Loop a sh:NodeShape ; sh:targetClass syn:Service ; sh:sparql [ sh:message 'uses what it owns' ;"
        " sh:select 'SELECT $this { $this <urn:synapse:ns#owned_by> ?x ; <urn:synapse:ns#uses> ?x }' ] .",
        [("a.md", 2, "shape-Loop", "a: uses what it owns")],
    ),
}


@pytest.fixture
def checked(memory: Memory, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checked:
    """Checks one note with these shapes."""

    def run(shapes: str) -> list[Finding]:
        file = tmp_path / "shapes.ttl"
        file.write_text(PREFIXES + shapes)
        monkeypatch.setattr(check, "shapes_of", lambda _: [file])
        return [item for item in memory.check().diagnostics if item.code.startswith("shape")]

    text = '---\ntype: Service\ntier: high\nowned_by: "[[b]]"\nuses: "[[b]]"\n---\n'
    (notes / "a.md").write_text(text)
    (notes / "b.md").write_text("B\n")
    return run


@pytest.mark.parametrize("kind", SHAPES)
def test_a_violation_is_told_at_the_line_that_causes_it(kind: str, checked: Checked) -> None:
    shapes, expected = SHAPES[kind]
    found = [(item.path, item.line, item.code, item.message) for item in checked(shapes)]
    assert found == expected


@pytest.mark.parametrize(
    "shapes",
    [
        "no Turtle at all",
        ":S a sh:NodeShape ; sh:targetClass syn:Service ; sh:property [ sh:minCount 1 ] .",
        ":S a sh:NodeShape ; sh:targetClass syn:Service ; sh:property [ sh:path :tier ; sh:minCount 'x' ] .",
    ],
)
def test_shapes_that_cannot_be_used_are_told_by_file(shapes: str, checked: Checked) -> None:
    (item,) = checked(shapes)
    assert (item.path, item.code, item.severity) == ("shapes.ttl", "shapes-invalid", "error")


def test_a_note_that_fits_its_shapes_has_no_finding(checked: Checked) -> None:
    assert checked(":S a sh:NodeShape ; sh:targetClass syn:Service ; sh:property [ sh:path :tier ] .") == []
