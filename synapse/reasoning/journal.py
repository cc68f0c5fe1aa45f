"""What an edit did to the tables, step by step: it can be taken back, done again, and summed up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from synapse.reasoning.hydration import Row
from synapse.reasoning.table import Table
from synapse.reasoning.terms import Extension, Pair


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
    """What an edit amounts to: the facts that hold now or no longer, and those inferred now or no longer."""

    appeared: dict[int, Mapping[Pair, int]] = field(default_factory=dict)
    """By predicate, with their levels; what mirrors show is left out, for no rule reads it."""
    gone: list[Extension] = field(default_factory=list)
    added: list[Extension] = field(default_factory=list)
    removed: list[Extension] = field(default_factory=list)


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
        stayed = [(pair, out.pop(pair), into.pop(pair)) for pair in out.keys() & into.keys()]
        added = [pair for pair, level in into.items() if level]
        removed = [pair for pair, level in out.items() if level]
        added += [pair for pair, before, after in stayed if after and not before]
        removed += [pair for pair, before, after in stayed if before and not after]
        net.appeared[predicate] = into
        net.gone.append(Extension(predicate, out))
        net.added.append(Extension(predicate, added))
        net.removed.append(Extension(predicate, removed))
        if table.mirror is not None:
            mirror = table.mirror.predicate
            gone = Extension(mirror, _resources(out), swapped=True)
            net.gone.append(gone)
            net.removed.append(gone)
            net.added.append(Extension(mirror, _resources(into), swapped=True))


def _resources(pairs: Iterable[Pair]) -> list[Pair]:
    """Those whose object is no literal."""
    return [pair for pair in pairs if not pair[1] & 1]


def _levels(rows: list[Row]) -> dict[Pair, int]:
    return {(subject, object_): level for subject, object_, level in rows}
