"""What is wired to the facts of a predicate: rules that fire on them, and rules that may conclude them."""

from __future__ import annotations

from collections import defaultdict
from typing import Final, Generic, TypeVar

from synapse.reasoning.hydration import Row
from synapse.reasoning.loops import Fire, Support, fire, support
from synapse.reasoning.program import GroundRule
from synapse.reasoning.table import LEVEL, Occupancy, Table
from synapse.reasoning.terms import Pair

UNLIMITED: Final = 1 << 31
"""Above every level."""

_ANY: Final = -1
"""In the place of an object: whatever the object is."""


class Trigger:
    """A rule at one atom of its body: `fire` finds what follows from facts there.

    `tables` are those of all its atoms but this one. A memory has many more rules than an edit
    needs, so the function is made when the trigger is first of use.
    """

    __slots__ = ("_position", "_sources", "fire", "head", "rule", "tables")
    fire: Fire

    def __init__(
        self, rule: GroundRule, position: int, sources: tuple[Table, ...], head: Table | None
    ) -> None:
        self.rule, self.head = rule, head
        self.tables = tuple(table for n, table in enumerate(sources) if n != position)
        self._position, self._sources = position, sources

    def ready(self) -> Trigger:
        """The trigger itself, its function made."""
        if not hasattr(self, "fire"):
            self.fire = fire(self.rule, self._position, self._sources)
        return self


class Backing:
    """A rule that may conclude facts: `check` looks for derivations in `tables`, those of its body."""

    __slots__ = ("check", "rule", "tables")
    check: Support

    def __init__(self, rule: GroundRule, tables: tuple[Table, ...]) -> None:
        self.rule, self.tables = rule, tables

    def ready(self) -> Backing:
        """The backing itself, its function made."""
        if not hasattr(self, "check"):
            self.check = support(self.rule, self.tables)
        return self

    def reaches_below(self, level: int) -> bool:
        """Whether each of its tables ever held a fact of a lower level."""
        return max([table.lowest for table in self.tables], default=-1) < level

    @property
    def highest(self) -> int:
        """No premise, axioms included, was ever of a higher level."""
        return max([self.rule.axiom_level, *[table.highest for table in self.tables]])


Wired = TypeVar("Wired", Trigger, Backing)


class Roster(Generic[Wired]):
    """What is wired to one predicate: for all of its facts, or for those with one certain object.

    Rules that read an empty table are passed over: without any equality the equality rules,
    two per predicate, cost nothing. The choice is remembered until a table fills or empties.
    """

    __slots__ = ("_active", "_occupancy", "_seen", "_wired")

    def __init__(self, occupancy: Occupancy) -> None:
        self._occupancy = occupancy
        self._wired: dict[int, list[Wired]] = {_ANY: []}
        self._active: dict[int, list[Wired]] = {}
        self._seen = -1

    def add(self, object_: int, wired: Wired) -> None:
        """Files under the object of an atom or head (negative: a variable)."""
        self._wired.setdefault(_ANY if object_ < 0 else object_, []).append(wired)
        self._seen = -1

    def of(self, object_: int) -> list[Wired]:
        """What applies to a fact with this object and may succeed."""
        return [*self.common(), *(self._ready(object_) if object_ in self._wired else ())]

    def common(self) -> list[Wired]:
        """What applies to every fact and may succeed."""
        return self._ready(_ANY)

    def special(self, rows: list[Row]) -> list[tuple[list[Wired], list[Row]]]:
        """The facts in parts, with what applies to them for their object's sake: nothing, for most."""
        if len(self._wired) == 1:
            return [([], rows)]
        parts: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            parts[row[1] if row[1] in self._wired else _ANY].append(row)
        return [([] if key == _ANY else self._ready(key), chosen) for key, chosen in parts.items()]

    def groups(self, rows: list[Row]) -> list[tuple[Wired, list[Row]]]:
        """Each of what applies, with those of the facts that it applies to."""
        groups = [(wired, rows) for wired in self.common()]
        if len(self._wired) > 1:
            groups += [(wired, chosen) for active, chosen in self.special(rows) for wired in active]
        return groups

    def _ready(self, key: int) -> list[Wired]:
        if self._seen != self._occupancy.changes:
            self._active.clear()
            self._seen = self._occupancy.changes
        active = self._active.get(key)
        if active is None:
            every = self._wired[key]
            active = [wired.ready() for wired in every if all(table.size for table in wired.tables)]
            self._active[key] = active
        return active


def unsupported(backings: Roster[Backing], rows: list[Row]) -> list[Row]:
    """The facts that have no derivation from premises below their level."""
    left: list[Row] = []
    for active, part in backings.special(_unsupported(backings.common(), rows)):
        left += _unsupported(active, part)
    return left


def _unsupported(backings: list[Backing], rows: list[Row]) -> list[Row]:
    if not backings or not rows:
        return rows
    highest = max(map(LEVEL, rows))
    for backing in backings:
        if backing.reaches_below(highest):
            levels = backing.check(rows)
            rows = [row for row, level in zip(rows, levels, strict=True) if level is None]
            if not rows:
                break
    return rows


def derivable(backings: Roster[Backing], rows: list[Row], table: Table) -> dict[Pair, int]:
    """The level of those facts that were taken out of the table, are not back, and have a derivation.

    They had none from premises below their level.
    """
    found: dict[Pair, int] = {}
    known = table.known
    for backing, part in backings.groups(rows):
        highest = backing.highest
        # some premise is as high as the fact was, or the derivation would have supported it
        chosen = [(s, o, UNLIMITED) for s, o, level in part if level <= highest and known[s].get(o) is None]
        if chosen:
            levels = zip(chosen, backing.check(chosen), strict=True)
            found.update((row[:2], level) for row, level in levels if level is not None)
    return found
