"""The inferred graph against owlrl, and reasoning over files alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Quad

from synapse.errors import InvalidInput
from synapse.memory import Memory
from synapse.rdf.delta import Delta
from synapse.rdf.names import INFERRED
from synapse.reasoning import Regime
from synapse.reasoning.reasoner import EVALUATOR
from synapse.usecases.reason_files import reason_files

ROOT = Path(__file__).parents[2]


def test_the_example_notes_entail_the_same_in_owlrl() -> None:
    with Memory.open(notes=ROOT / "notes-example") as memory:
        memory.install_scenario("core")
        memory.sync()
        report = memory.reason(verify=True)
    assert report.verification is not None
    assert (report.verification.missing, report.verification.extra) == ((), ())
    assert report.verification.agreed > 200
    assert (report.added, report.removed) == (0, 0)


def test_a_rebuild_mends_an_inferred_graph_that_was_tampered_with(memory: Memory, notes: Path) -> None:
    (notes / "a.md").write_text("---\ndepends_on: '[[b]]'\n---\n")
    memory.sync()
    store = memory._rooms.store
    true = frozenset(store.quads(graph=INFERRED))
    wrong = Quad(NamedNode("urn:x"), NamedNode("urn:y"), NamedNode("urn:z"), INFERRED)
    store.apply(Delta.of(added=[wrong], removed=[next(iter(true))]))
    report = memory.reason()
    assert (report.added, report.removed) == (1, 1)
    assert frozenset(store.quads(graph=INFERRED)) == true


def test_what_an_earlier_evaluator_inferred_is_derived_anew_when_the_memory_opens(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "a.md").write_text("---\ndepends_on: '[[b]]'\n---\n")
    with Memory.open(notes=notes, data=tmp_path / "data") as memory:
        memory.install_scenario("core")
        memory.sync()
        true = frozenset(memory._rooms.store.quads(graph=INFERRED))
        memory._rooms.store.apply(Delta.of(removed=[next(iter(true))]))
    with Memory.open(notes=notes, data=tmp_path / "data") as memory:
        assert frozenset(memory._rooms.store.quads(graph=INFERRED)) != true
    monkeypatch.setattr("synapse.usecases.commit.EVALUATOR", EVALUATOR + 1)
    with Memory.open(notes=notes, data=tmp_path / "data") as memory:
        assert frozenset(memory._rooms.store.quads(graph=INFERRED)) == true


def test_files_are_reasoned_over_without_a_memory(tmp_path: Path) -> None:
    terms = tmp_path / "terms.ttl"
    terms.write_text(
        "@prefix : <urn:t:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        ":part a owl:TransitiveProperty . :A owl:disjointWith :B ."
    )
    facts = tmp_path / "facts.nt"
    facts.write_text("<urn:t:x> <urn:t:part> <urn:t:y> .\n<urn:t:y> <urn:t:part> <urn:t:z> .\n")
    found = reason_files([terms, facts], regime=Regime.OWL_RL)
    assert "<urn:t:x> <urn:t:part> <urn:t:z> ." in found.inferred
    assert found.contradictions == ()


def test_a_contradiction_in_files_is_found(tmp_path: Path) -> None:
    file = tmp_path / "x.ttl"
    file.write_text(
        "@prefix : <urn:t:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        ":A owl:disjointWith :B . :x a :A, :B ."
    )
    (found,) = reason_files([file], regime=Regime.OWL_RL).contradictions
    assert found.rule == "cax-dw"
    assert len(found.premises) >= 2


def test_blank_nodes_of_two_files_stay_apart(tmp_path: Path) -> None:
    for name in ("a.ttl", "b.ttl"):
        other = "urn:t:one" if name == "a.ttl" else "urn:t:two"
        (tmp_path / name).write_text(
            f"@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
            f"<{other}> owl:sameAs _:x . _:x <urn:t:is> <{other}> ."
        )
    found = reason_files([tmp_path / "a.ttl", tmp_path / "b.ttl"], regime=Regime.OWL_RL)
    assert not any(
        "urn:t:one> <http://www.w3.org/2002/07/owl#sameAs> <urn:t:two" in line for line in found.inferred
    )


@pytest.mark.parametrize(("name", "text"), [("x.ttl", "<a> <b>"), ("x.xlsx", ""), ("gone.ttl", None)])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, text: str | None) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(InvalidInput, match=name):
        reason_files([tmp_path / name], regime=Regime.OWL_RL)
