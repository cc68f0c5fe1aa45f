"""What an edit did to the tables, step by step: it can be taken back, done again, and summed up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from synapse.reasoning.table import Row, Table
from synapse.reasoning.terms import Fact

Pair = tuple[int, int]
"""Subject and object of a fact."""


@dataclass(slots=True)
class Added:
    """Facts that hold since."""

    table: Table
    rows: list[Row]
    edge: bool

    def undo(self) -> None:
        self.table.drop(self.rows, edge=self.edge)

    def redo(self) -> None:
        self.table.add(self.rows, edge=self.edge)


@dataclass(slots=True)
class Dropped:
    """Facts that held until then."""

    table: Table
    rows: list[Row]
    edge: bool

    def undo(self) -> None:
        self.table.add(self.rows, edge=self.edge)

    def redo(self) -> None:
        self.table.drop(self.rows, edge=self.edge)


@dataclass(slots=True)
class Restated:
    """A fact that holds at another level since, or became an edge or a path."""

    table: Table
    old: Row
    new: Row
    was_edge: bool
    edge: bool

    def undo(self) -> None:
        self.table.restate(self.old, edge=self.was_edge)

    def redo(self) -> None:
        self.table.restate(self.new, edge=self.edge)


Step = Added | Dropped | Restated


@dataclass(slots=True)
class Net:
    """What an edit amounts to: the facts that hold now or no longer, and those inferred now or no longer.

    The former by predicate, for few of them are ever looked at.
    """

    appeared: dict[int, Collection[Pair]] = field(default_factory=dict)
    gone: dict[int, Collection[Pair]] = field(default_factory=dict)
    added: list[Fact] = field(default_factory=list)
    removed: list[Fact] = field(default_factory=list)

    def gone_facts(self) -> Iterator[Fact]:
        """The facts that hold no longer."""
        return ((s, predicate, o) for predicate, pairs in self.gone.items() for s, o in pairs)


@dataclass(slots=True)
class Journal:
    """The steps of an edit in order."""

    steps: list[Step] = field(default_factory=list)
    applied: bool = True

    def undo(self) -> None:
        """Restores the tables as they were before the first step; nothing happens when they are."""
        if self.applied:
            self.applied = False
            for step in reversed(self.steps):
                step.undo()

    def redo(self) -> None:
        """Does undone steps again; nothing happens when they are applied."""
        if not self.applied:
            self.applied = True
            for step in self.steps:
                step.redo()

    def net(self) -> Net:
        """The difference between the tables now and before the first step.

        An edit first takes out all that goes, then puts in what comes, so a fact of both came back.
        """
        changes: dict[Table, _Change] = defaultdict(_Change)
        for step in self.steps:
            change = changes[step.table]
            if isinstance(step, Added):
                change.into.update(_levels(step.rows))
            elif isinstance(step, Dropped):
                change.out.update(_levels(step.rows))
            elif step.old != step.new:
                change.out.update(_levels([step.old]))
                change.into.update(_levels([step.new]))
        net = Net()
        for table, change in changes.items():
            change.add_to(net, table)
        return net


@dataclass(slots=True)
class _Change:
    """The facts of one table that were taken out, at their levels before, and put in, at their levels now."""

    out: dict[Pair, int] = field(default_factory=dict)
    into: dict[Pair, int] = field(default_factory=dict)

    def add_to(self, net: Net, table: Table) -> None:
        """Adds to `net` what became of the facts."""
        out, into, predicate = self.out, self.into, table.predicate
        for pair in out.keys() & into.keys():
            before, after = out.pop(pair), into.pop(pair)
            if before and not after:
                net.removed.append((pair[0], predicate, pair[1]))
            elif after and not before:
                net.added.append((pair[0], predicate, pair[1]))
        net.appeared[predicate], net.gone[predicate] = into, out
        net.added += [(s, predicate, o) for (s, o), level in into.items() if level]
        net.removed += [(s, predicate, o) for (s, o), level in out.items() if level]
        if table.mirror is not None:
            mirror = table.mirror.predicate
            net.gone[mirror] = [(o, s) for s, o in out if not o & 1]
            net.added += [(o, mirror, s) for s, o in into if not o & 1]
            net.removed += [(s, mirror, o) for s, o in net.gone[mirror]]


def _levels(rows: list[Row]) -> dict[Pair, int]:
    return {(subject, object_): level for subject, object_, level in rows}
