"""What `status` counts follows every change, and equals a count from nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from living_memory import LivingMemory

from synapse.memory import Memory
from synapse.usecases import status
from synapse.usecases.status import EntityCount
from synapse.usecases.written import FactInput


@pytest.mark.parametrize("seed", [1, 2])
def test_entities_are_counted_right_after_any_change(seed: int) -> None:
    living = LivingMemory(random.Random(seed), scenario="core")
    try:
        for _ in range(60):
            counted = living.memory.status().entities
            assert counted == EntityCount(living.memory._rooms.store)()
            living.step()
    finally:
        living.close()


def test_nothing_is_counted_twice_between_two_small_changes(
    memory: Memory, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "a.md").write_text("---\ntype: Tool\n---\n")
    memory.sync()
    memory._rooms.naming.index()
    before = memory.status().entities

    def whole() -> None:
        raise AssertionError("every graph was looked at")

    monkeypatch.setattr(memory._rooms.store, "graph_names", whole)
    memory.assert_facts([FactInput("b", "uses", "a", object_is="id")], source="s", reason="r")
    assert memory.status().entities == before + 1


def test_a_large_change_is_counted_anew(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "RECOUNT_FROM", 2)
    memory = open_memory()
    assert memory.status().entities == 0
    facts = [FactInput(f"n{number}", "uses", "x", object_is="id") for number in range(5)]
    memory.assert_facts(facts, source="s", reason="r", force_new=True)
    assert memory.status().entities == 5
