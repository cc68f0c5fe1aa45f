"""What `status` counts follows every change, and equals a count from nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from living_memory import LivingMemory

from synapse.memory import Memory
from synapse.notes.vault import Vault
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


@dataclass
class Watching:
    """A watcher that has these paths in hand."""

    waiting: frozenset[str] | None
    state: Literal["alive", "dead", "off"] = "alive"
    reminded: bool = False

    @property
    def pending(self) -> int:
        return 1 if self.waiting is None else len(self.waiting)


@pytest.fixture
def written(memory: Memory, notes: Path) -> Memory:
    """A memory whose watcher has just heard of the sections that the memory itself wrote."""
    (notes / "a.md").write_text("[[b]] and [[c]]\n")
    for name in "bc":
        (notes / f"{name}.md").write_text(f"{name}\n")
    memory.sync()
    paths = memory.write_back().written
    assert paths == ("b.md", "c.md")
    memory.attach_watcher(Watching(frozenset(paths)))
    return memory


def test_what_the_memory_itself_wrote_into_notes_does_not_wait_to_be_read(
    written: Memory, notes: Path
) -> None:
    assert written.status().pending == 0
    (notes / "b.md").write_text("somebody\n")
    assert written.status().pending == 1
    (notes / "c.md").unlink()
    assert written.status().pending == 2


def test_new_notes_and_folders_that_a_watcher_heard_of_wait_and_assets_do_not(
    written: Memory, notes: Path
) -> None:
    (notes / "new.md").write_text("new\n")
    (notes / "plan.png").write_bytes(b"x")
    written.attach_watcher(Watching(frozenset({"new.md", "people/", "plan.png", "gone.md"})))
    assert written.status().pending == 2


def test_where_everything_may_have_changed_the_folder_is_looked_at(written: Memory, notes: Path) -> None:
    written.attach_watcher(Watching(None))
    assert written.status().pending == 0
    (notes / "b.md").write_text("somebody\n")
    written._upkeep.freshness.looked()
    assert written.status().pending == 1


def test_a_note_that_is_being_written_is_no_change_either(
    written: Memory, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    write = Vault.write

    def spied(vault: Vault, path: str, **given: Any) -> Any:
        done = write(vault, path, **given)
        seen.append(written.status().pending)
        return done

    monkeypatch.setattr(Vault, "write", spied)
    (notes / "a.md").write_text("# A\n[[b]] and [[c]]\n")
    written.sync(paths=["a.md"])
    assert written.write_back().written == ("b.md", "c.md")
    assert seen == [0, 0]
