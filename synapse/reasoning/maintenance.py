"""The incremental evaluator: semi-naive insertion, delete-and-rederive with levels.

Every fact has a level: 0 when asserted, else 1 + the highest level of the premises that it was
first derived from. On deletion a fact survives as soon as one derivation is found whose
premises all have lower levels: such premises cannot rest on the fact itself. What finds none
is taken out and derived again from what is left, if it can be. (Delete-and-rederive: Gupta,
Mumick and Subrahmanian, SIGMOD 1993; the check before propagating: Motik et al., AAAI 2015.)

A transitive predicate keeps its *edges*, the facts that arrived by another way than by its
transitivity, and is closed as edge ∘ path. Facts change between edge and path as their
support changes; `_keeps` and `_derive_again` hold that invariant.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from synapse.reasoning.bulk import Caps
from synapse.reasoning.network import UNLIMITED, Network, SchemaChanged, Trigger, best_level
from synapse.reasoning.table import Table
from synapse.reasoning.terms import Fact


class CapReached(Exception):
    """The memory would hold more facts, or a term more equals, than it may."""


Step = tuple[Table, int, int, int | None, int | None, bool, bool]
"""One fact changed: table, subject, object, level before and after, edge before and after."""


@dataclass(slots=True)
class Journal:
    """The steps of an edit in order; it can take them back and do them again."""

    steps: list[Step] = field(default_factory=list)
    applied: bool = True

    def undo(self) -> None:
        """Restores the tables as they were before the first step; nothing happens when they are."""
        if not self.applied:
            return
        self.applied = False
        for table, subject, object_, before, _, edge, _ in reversed(self.steps):
            _set(table, subject, object_, before, edge=edge)

    def redo(self) -> None:
        """Does undone steps again; nothing happens when they are applied."""
        if self.applied:
            return
        self.applied = True
        for table, subject, object_, _, after, _, edge in self.steps:
            _set(table, subject, object_, after, edge=edge)

    def net(self) -> Iterator[tuple[Fact, int | None, int | None]]:
        """Each fact that changed, with its level before the first and after the last step."""
        first: dict[Fact, int | None] = {}
        last: dict[Fact, int | None] = {}
        for table, subject, object_, before, after, _, _ in self.steps:
            fact = (subject, table.predicate, object_)
            first.setdefault(fact, before)
            last[fact] = after
        for fact, before in first.items():
            yield fact, before, last[fact]


def _set(table: Table, subject: int, object_: int, level: int | None, *, edge: bool) -> None:
    """Writes one fact: its level (None: it does not hold) and whether it is an edge."""
    if level is None:
        table.drop(subject, object_)
    else:
        table.put(subject, object_, level)
    if table.edges is not None:
        (table.edges.add if edge else table.edges.discard)(subject, object_)


class Maintenance:
    """One edit of a network; the journal holds what it did."""

    def __init__(self, network: Network, caps: Caps) -> None:
        self.journal = Journal()
        self._network = network
        self._watched = network.vocabulary.watched
        self._max_equals = caps.max_equals
        self._room = caps.max_facts - sum(table.size for table in network.tables.values())
        self._queue: deque[tuple[Table, int, int]] = deque()
        self._paths: deque[tuple[Table, int, int, bool]] = deque()

    def edit(self, *, added: Iterable[Fact], removed: Iterable[Fact]) -> None:
        """Retracts and asserts, and draws all consequences.

        Raises `SchemaChanged` or `CapReached` halfway; the journal then undoes what was done.
        """
        gone = self._retract(removed)
        additions = list(added)
        for fact in additions:
            self._assert(fact)
        self._derive_again(gone)
        self._propagate()

    # Steps

    def _change(self, table: Table, subject: int, object_: int, level: int | None, *, edge: bool) -> None:
        before = table.objects[subject].get(object_)
        if before is None or level is None:
            if table.predicate in self._watched:
                self._check_axiom(table, subject, object_)
            self._room += 1 if level is None else -1
            if self._room < 0:
                raise CapReached
        edge_before = table.edges is not None and (subject, object_) in table.edges
        self.journal.steps.append((table, subject, object_, before, level, edge_before, edge))
        _set(table, subject, object_, level, edge=edge)

    def _check_axiom(self, table: Table, subject: int, object_: int) -> None:
        network = self._network
        if network.vocabulary.is_axiom(subject, table.predicate, object_, network.tables):
            raise SchemaChanged

    # Deletion

    def _retract(self, facts: Iterable[Fact]) -> list[tuple[Table, int, int]]:
        """Takes out the facts and whatever finds no derivation from lower levels; returns all of it."""
        suspects: deque[tuple[Table, int, int]] = deque()
        gone: list[tuple[Table, int, int]] = []
        for subject, predicate, object_ in facts:
            self._take_out(self._network.table(predicate), subject, object_, suspects)
            gone.append((self._network.table(predicate), subject, object_))
        while suspects:
            table, subject, object_ = suspects.popleft()
            level = table.objects[subject].get(object_)
            if not level or self._keeps(table, subject, object_, level, suspects):
                continue
            self._take_out(table, subject, object_, suspects)
            gone.append((table, subject, object_))
        return gone

    def _take_out(
        self, table: Table, subject: int, object_: int, suspects: deque[tuple[Table, int, int]]
    ) -> None:
        self._suspect(self._triggers(table, object_), subject, object_, suspects)
        if table.edges is not None:
            if (subject, object_) in table.edges:
                self._suspect([self._network.left[table.predicate]], subject, object_, suspects)
            self._suspect([self._network.right[table.predicate]], subject, object_, suspects)
        self._change(table, subject, object_, None, edge=False)

    @staticmethod
    def _suspect(
        triggers: Iterable[Trigger], subject: int, object_: int, suspects: deque[tuple[Table, int, int]]
    ) -> None:
        for trigger in triggers:
            heads: list[tuple[int, int, int]] = []
            trigger.fire(subject, object_, 0, heads)
            if trigger.head is not None:
                suspects.extend((trigger.head, head[0], head[1]) for head in heads)

    def _keeps(
        self,
        table: Table,
        subject: int,
        object_: int,
        level: int,
        suspects: deque[tuple[Table, int, int]],
    ) -> bool:
        """Whether an inferred fact has a derivation from lower levels; moves it between edge and path."""
        supports, paths = self._network.supports[table.predicate], self._network.paths[table.predicate]
        if table.edges is None:
            return best_level(supports, subject, object_, level) is not None
        if (subject, object_) not in table.edges:
            if best_level(paths, subject, object_, level) is not None:
                return True
            if best_level(supports, subject, object_, level) is None:
                return False
            self._change(table, subject, object_, level, edge=True)
            return True
        if best_level(supports, subject, object_, level) is not None:
            return True
        if best_level(paths, subject, object_, level) is None:
            return False
        self._suspect([self._network.left[table.predicate]], subject, object_, suspects)
        self._change(table, subject, object_, level, edge=False)
        return True

    def _derive_again(self, gone: Iterable[tuple[Table, int, int]]) -> None:
        for table, subject, object_ in gone:
            if table.objects[subject].get(object_) is not None:
                continue
            level = best_level(self._network.supports[table.predicate], subject, object_, UNLIMITED)
            edge = level is not None
            if level is None and table.edges is not None:
                level = best_level(self._network.paths[table.predicate], subject, object_, UNLIMITED)
            if level is not None:
                self._insert(table, subject, object_, level, edge=edge)

    # Insertion

    def _assert(self, fact: Fact) -> None:
        subject, predicate, object_ = fact
        table = self._network.table(predicate)
        if table.objects[subject].get(object_) is None:
            self._insert(table, subject, object_, 0, edge=True)
        else:
            self._change(table, subject, object_, 0, edge=True)

    def _insert(self, table: Table, subject: int, object_: int, level: int, *, edge: bool) -> None:
        self._change(table, subject, object_, level, edge=edge)
        if table.predicate == self._network.vocabulary.same_as and table.edges is not None:
            self._check_equals(table, subject)
        self._queue.append((table, subject, object_))
        if table.edges is not None:
            self._paths.append((table, subject, object_, edge))

    def _check_equals(self, table: Table, subject: int) -> None:
        if len(table.objects[subject]) > self._max_equals:
            raise CapReached

    def _propagate(self) -> None:
        """Fires every rule on every new fact; transitivity last, when the edges are complete."""
        while self._queue or self._paths:
            if self._queue:
                table, subject, object_ = self._queue.popleft()
                level = table.objects[subject][object_]
                for trigger in self._triggers(table, object_):
                    self._fire(trigger, subject, object_, level, edge=True)
            else:
                table, subject, object_, edge = self._paths.popleft()
                level = table.objects[subject][object_]
                if edge:
                    self._fire(self._network.left[table.predicate], subject, object_, level, edge=False)
                self._fire(self._network.right[table.predicate], subject, object_, level, edge=False)

    def _fire(self, trigger: Trigger, subject: int, object_: int, level: int, *, edge: bool) -> None:
        heads: list[tuple[int, int, int]] = []
        trigger.fire(subject, object_, level, heads)
        table = trigger.head
        if table is None:
            return
        if heads and table.predicate not in self._network.tables:
            self._network.table(table.predicate)
        for head_subject, head_object, head_level in heads:
            if head_object not in table.objects[head_subject]:
                self._insert(table, head_subject, head_object, head_level, edge=edge)

    def _triggers(self, table: Table, object_: int) -> list[Trigger]:
        return self._network.triggers[table.predicate].of(object_)
