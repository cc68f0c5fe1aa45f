"""What an edit did to the tables, step by step: it can be taken back, done again, and summed up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from synapse.reasoning.table import Row, Table, reflected
from synapse.reasoning.terms import Fact

Pair = tuple[int, int]
"""Subject and object of a fact."""


class Step(Protocol):
    """Some facts of one table changed."""

    table: Table

    def undo(self) -> None:
        """Makes the table what it was before the step."""
        ...

    def redo(self) -> None:
        """Does the step again."""
        ...

    def before(self) -> Iterator[tuple[Pair, int | None]]:
        """Each fact with its level before the step, None when it did not hold."""
        ...


@dataclass(slots=True)
class Added:
    """Facts that hold since."""

    table: Table
    rows: list[Row]
    edge: bool

    def undo(self) -> None:
        self.table.drop(self.rows)

    def redo(self) -> None:
        self.table.add(self.rows, edge=self.edge)

    def before(self) -> Iterator[tuple[Pair, int | None]]:
        return (((subject, object_), None) for subject, object_, _ in self.rows)


@dataclass(slots=True)
class Dropped:
    """Facts that held until then; `edges` are those of a transitive predicate that were edges."""

    table: Table
    rows: list[Row]
    edges: list[Row]

    def undo(self) -> None:
        self.table.add(self.rows, edge=False)
        if self.edges:
            self.table.add_edges(self.edges)

    def redo(self) -> None:
        self.table.drop(self.rows)

    def before(self) -> Iterator[tuple[Pair, int | None]]:
        return (((subject, object_), level) for subject, object_, level in self.rows)


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

    def before(self) -> Iterator[tuple[Pair, int | None]]:
        yield self.old[:2], self.old[2]


@dataclass(slots=True)
class Net:
    """What an edit amounts to: facts that hold since or no longer, and facts that are inferred since or no longer.

    `appeared` is kept by predicate, as rows.
    """

    appeared: dict[int, list[Row]] = field(default_factory=dict)
    gone: list[Fact] = field(default_factory=list)
    added: list[Fact] = field(default_factory=list)
    removed: list[Fact] = field(default_factory=list)


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
        """The difference between the tables now and before the first step; the journal is applied."""
        first: dict[Table, dict[Pair, int | None]] = defaultdict(dict)
        for step in reversed(self.steps):  # what is said last comes from the first step that touched a fact
            first[step.table].update(step.before())
        net = Net()
        for table, levels in first.items():
            _compare(table, levels, net)
        return net


def _compare(table: Table, levels: dict[Pair, int | None], net: Net) -> None:
    """Adds to `net` what became of the facts of one table, given their levels before."""
    known, predicate = table.known, table.predicate
    appeared: list[Row] = []
    gone: list[Row] = []
    for (subject, object_), before in levels.items():
        after = known[subject].get(object_)
        if before == after:
            continue
        if before is None:
            appeared.append((subject, object_, 0))
        elif after is None:
            gone.append((subject, object_, 0))
        if after and not before:
            net.added.append((subject, predicate, object_))
        elif before and not after:
            net.removed.append((subject, predicate, object_))
    net.appeared[predicate] = appeared
    net.gone += [(subject, predicate, object_) for subject, object_, _ in gone]
    if table.mirror is not None:
        _reflect(table.mirror.predicate, appeared, gone, net)


def _reflect(predicate: int, appeared: list[Row], gone: list[Row], net: Net) -> None:
    """Adds what became of the facts of a mirror; all of them are inferred."""
    net.added += [(subject, predicate, object_) for subject, object_, _ in reflected(appeared)]
    removed = [(subject, predicate, object_) for subject, object_, _ in reflected(gone)]
    net.removed += removed
    net.gone += removed
