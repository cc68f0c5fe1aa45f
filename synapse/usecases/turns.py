"""Lists that are cut show some of each kind: what there is most of must not hide the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def in_turns(items: Iterable[Item], kind: Callable[[Item], Hashable], *, turn: int = 1) -> list[Item]:
    """The items in their order, but only `turn` of each kind before all other kinds had their turn."""
    seen = Counter[Hashable]()
    numbered: list[tuple[int, Item]] = []
    for item in items:
        numbered.append((seen[kind(item)] // turn, item))
        seen[kind(item)] += 1
    return [item for _, item in sorted(numbered, key=lambda one: one[0])]
