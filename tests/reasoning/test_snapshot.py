"""A snapshot restores the same reasoner, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import BaseDirection, BlankNode, Literal, NamedNode, Triple
from reasoning_helpers import audit, reasoner, term, triple, triples
from test_maintenance import random_ontology

from synapse.reasoning import Reasoner, Regime
from synapse.reasoning.reasoner import EVALUATOR

LITERALS = [
    Literal("plain"), Literal(""), Literal("line\nbreak\x00\t"), Literal("hola", language="es"),
    Literal("مرحبا", language="ar", direction=BaseDirection.RTL), Literal(7), Literal(True), Literal("語"),
    Literal("2020-01-01", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#date")),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_a_restored_reasoner_equals_the_saved_one_and_goes_on(seed: int, tmp_path: Path) -> None:
    _, axioms, facts = random_ontology(seed)
    state = reasoner()
    state.load(t for statement in (*axioms, *facts) for t in statement)
    state.accept(state.derive(added=triples("x0 p1 x3 . x3 p1 x4"), removed=facts[0]))
    state.snapshot(tmp_path / "s.npz", 7)
    restored = Reasoner.from_snapshot(tmp_path / "s.npz", 7)
    assert restored is not None and restored.counts == state.counts
    assert set(restored.inferred()) == set(state.inferred())
    audit(restored)
    edit = {"added": triples("x5 p0 x6 . x6 a C2"), "removed": facts[1]}
    ours, theirs = state.derive(**edit), restored.derive(**edit)
    assert set(ours.added) == set(theirs.added) and set(ours.removed) == set(theirs.removed)
    restored.accept(theirs)
    audit(restored)


def test_every_kind_of_term_survives(tmp_path: Path) -> None:
    kept = [Triple(term("x"), term("p"), literal) for literal in LITERALS]
    kept.append(Triple(BlankNode("b1"), term("p"), NamedNode("https://e/ñ/概念")))
    state = Reasoner()
    state.load(kept)
    state.snapshot(tmp_path / "s.npz", 1)
    restored = Reasoner.from_snapshot(tmp_path / "s.npz", 1)
    assert restored is not None and all(restored.is_asserted(found) for found in kept)


def test_an_empty_memory_has_a_snapshot_too(tmp_path: Path) -> None:
    Reasoner().snapshot(tmp_path / "s.npz", 0)
    restored = Reasoner.from_snapshot(tmp_path / "s.npz", 0)
    assert restored is not None and restored.counts.asserted == 0


def test_a_snapshot_of_another_generation_or_regime_is_no_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "s.npz"
    reasoner("x p y").snapshot(path, 3)
    assert Reasoner.from_snapshot(path, 4) is None
    assert Reasoner.from_snapshot(path, 3, regime=Regime.RDFS) is None
    assert Reasoner.from_snapshot(tmp_path / "absent.npz", 3) is None


def test_a_snapshot_of_another_evaluator_is_no_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.npz"
    reasoner("x p y").snapshot(path, 3)
    monkeypatch.setattr("synapse.reasoning.reasoner.EVALUATOR", EVALUATOR + 1)
    assert Reasoner.from_snapshot(path, 3) is None


@pytest.mark.parametrize("keep", [0, 10, 200, 1500])
def test_a_damaged_snapshot_is_no_snapshot(keep: int, tmp_path: Path) -> None:
    path = tmp_path / "s.npz"
    reasoner("x p y . p a owl:SymmetricProperty").snapshot(path, 3)
    path.write_bytes(path.read_bytes()[:keep])
    assert Reasoner.from_snapshot(path, 3) is None


def test_an_unaccepted_derivation_is_not_saved(tmp_path: Path) -> None:
    state = reasoner("x p y")
    state.derive(added=triples("y p z"))
    state.snapshot(tmp_path / "s.npz", 1)
    restored = Reasoner.from_snapshot(tmp_path / "s.npz", 1)
    assert restored is not None and triple("y p z") not in restored
    assert [file.name for file in tmp_path.iterdir()] == ["s.npz"]
