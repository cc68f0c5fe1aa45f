"""The knobs of the resolver and of the answers to writes, as `[resolve]` in synapse.toml holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from synapse.errors import InvalidInput
from synapse.knowledge.normalise import type_key


@dataclass(frozen=True, slots=True)
class ResolveSettings:
    """Scores and margins are from 0 to 1. Raises `InvalidInput` when they contradict each other.

    `compared` names are looked at: at 200,000 as many typos and swapped words were found among 30 as
    among 60, and the strings are far apart in memory, so each costs.

    `name_types` are types whose instances bear names, not descriptions: for them neither a
    slip nor another order of words ever connects, because Christina and Christiana are two people.
    """

    connect: float = 0.90
    margin: float = 0.08
    ask: float = 0.60
    compared: int = 30
    suggestions: int = 5
    name_types: tuple[str, ...] = ("Person",)
    dedupe: Literal["off", "warn", "block"] = "warn"
    tag_linking: Literal["off", "suggest", "auto"] = "suggest"
    require_relations: bool = False
    enrich_degree: int = 3

    def __post_init__(self) -> None:
        if not 0 < self.ask <= self.connect <= 1:
            raise InvalidInput(
                f"[resolve] ask = {self.ask} and connect = {self.connect} do not fit together",
                hint="both lie between 0 and 1, and ask is not above connect (defaults 0.60 and 0.90)",
            )
        if not 0 <= self.margin <= 1:
            raise InvalidInput(f"[resolve] margin = {self.margin} is not between 0 and 1")
        if not 1 <= self.compared <= 200 or self.suggestions < 1:
            raise InvalidInput("[resolve] compared must be from 1 to 200, and suggestions at least 1")

    def bears_name(self, types: Sequence[str]) -> bool:
        """Whether one of these types is among `name_types`."""
        return bool(types) and not {*map(type_key, self.name_types)}.isdisjoint(map(type_key, types))
