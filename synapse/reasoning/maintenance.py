"""The incremental evaluator: semi-naive insertion, delete-and-rederive with levels.

Every fact has a level: 0 when asserted, else 1 + the highest level of the premises that it was
first derived from. On deletion a fact survives as soon as one derivation is found whose
premises all have lower levels: such premises cannot rest on the fact itself. What finds none
is taken out and derived again from what is left, if it can be. (Delete-and-rederive: Gupta,
Mumick and Subrahmanian, SIGMOD 1993; the check before propagating: Motik et al., AAAI 2015.)

The facts of a transitive predicate are edges or paths (`transitivity.py`): what is said above
holds for its edges, and its paths follow the graph of edges.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import TypeVar

from synapse.reasoning.hydration import Row
from synapse.reasoning.journal import Added, Dropped, Journal, Restated
from synapse.reasoning.mirrors import Mirror
from synapse.reasoning.network import Network, SchemaChanged
from synapse.reasoning.roster import derivable, unsupported
from synapse.reasoning.table import LEVEL, Table
from synapse.reasoning.terms import Fact

Waiting = TypeVar("Waiting")


class CapReached(Exception):
    """The memory would hold more facts, or a term more equals, than it may."""


Rows = defaultdict[Table, list[Row]]
"""Facts that wait, those of one table together: a rule run once on many costs little more than on one."""


class Maintenance:
    """One edit of a network, table by table and many facts at a time; the journal holds what it did."""

    def __init__(self, network: Network, *, room: int, max_equals: int) -> None:
        """`room` is how many more facts may hold."""
        self.journal = Journal()
        self._network = network
        self._watched = network.vocabulary.watched
        self._max_equals = max_equals
        self._room = room
        self._suspects: Rows = defaultdict(list)
        self._gone: Rows = defaultdict(list)
        self._new: Rows = defaultdict(list)
        self._heads: Rows = defaultdict(list)
        self._edges: deque[tuple[Table, Row]] = deque()
        self._ends: defaultdict[Table, list[tuple[int, dict[int, int]]]] = defaultdict(list)
        self._paths: Rows = defaultdict(list)

    def edit(self, *, added: Iterable[Fact], removed: Iterable[Fact]) -> None:
        """Retracts and asserts, and draws all consequences.

        Raises `SchemaChanged` or `CapReached` halfway; the journal then undoes what was done.
        """
        for table, rows in self._by_table(removed):
            self._retract(table, rows)
        self._overdelete()
        for table, rows in self._by_table(added):
            self._assert(table, rows)
        self._rederive()
        self._propagate()

    def _by_table(self, facts: Iterable[Fact]) -> Iterator[tuple[Table, list[Row]]]:
        rows: dict[int, list[Row]] = defaultdict(list)
        for subject, predicate, object_ in facts:
            rows[predicate].append((subject, object_, 0))
        for predicate, found in rows.items():
            yield self._network.table(predicate), found

    # Steps: what does not hold yet is added, what holds is dropped or comes to stand differently

    def _add(self, table: Table, rows: list[Row], *, edge: bool) -> None:
        self._check(table, rows)
        self._room -= _weight(table, rows)
        if self._room < 0:
            raise CapReached
        self.journal.steps.append(Added(table, rows, edge))
        table.add(rows, edge=edge)
        if not self._network.mirrors_hold():
            raise SchemaChanged
        if table.predicate == self._network.vocabulary.same_as:
            self._check_equals(table, rows)

    def _drop(self, table: Table, rows: list[Row], *, edge: bool) -> None:
        self._check(table, rows)
        self._room += _weight(table, rows)
        self.journal.steps.append(Dropped(table, rows, edge))
        table.drop(rows, edge=edge)

    def _restate(self, table: Table, row: Row, *, edge: bool) -> None:
        subject, object_, _ = row
        before = table.known[subject][object_]
        was_edge = table.edges is not None and (subject, object_) in table.edges
        self.journal.steps.append(Restated(table, (subject, object_, before), row, was_edge, edge))
        table.restate(row, edge=edge)

    def _check(self, table: Table, rows: list[Row]) -> None:
        """Refuses axioms: they change the rules."""
        if table.predicate not in self._watched:
            return
        network = self._network
        is_axiom = network.vocabulary.is_axiom
        if any(is_axiom(subject, table.predicate, object_, network.tables) for subject, object_, _ in rows):
            raise SchemaChanged

    def _check_equals(self, table: Table, rows: list[Row]) -> None:
        if any(len(table.objects[subject]) > self._max_equals for subject, _, _ in rows):
            raise CapReached

    # Deletion

    def _retract(self, table: Table, rows: list[Row]) -> None:
        if table.edges is None:
            self._take_out(table, rows, edge=True)
            return
        for row in rows:  # one by one: the next loss is measured on the graph that this one leaves
            self._take_out(table, [row], edge=True)
            self._lose_edge(table, row)

    def _overdelete(self) -> None:
        """Takes out every fact that rested on what is gone and finds no derivation from lower levels."""
        while self._suspects:
            table, suspects = _first(self._suspects)
            supports, known = self._network.supports[table.predicate], table.known
            table.objects.look_up(suspects)
            # What rests on a fact has a higher level: a fact below that of a head rests on something else.
            rows = list(
                {(s, o, level) for s, o, least in suspects if (level := known[s].get(o)) and level >= least}
            )
            if table.edges is not None:
                rows = table.edges.of(rows)
            rows = unsupported(supports, rows)
            if rows and table.edges is not None:
                self._doubt_edges(table, rows)
            elif rows:
                self._take_out(table, rows, edge=True)

    def _doubt_edges(self, table: Table, rows: list[Row]) -> None:
        """No rule but transitivity concludes these facts any more: they may be paths, but are no edges."""
        closure = self._network.closures[table.predicate]
        for row in rows:
            subject, object_, level = row
            if table.level(subject, object_) != level:
                continue
            self._restate(table, row, edge=False)
            if not closure.holds(subject, object_, level):
                self._take_out(table, [row], edge=False)
            self._lose_edge(table, row)

    def _lose_edge(self, table: Table, row: Row) -> None:
        """Takes out the paths that an edge, which is none any more, alone supported."""
        supports = self._network.supports[table.predicate]
        lost = self._network.closures[table.predicate].lost(*row)
        gone = unsupported(supports, lost)
        if len(gone) < len(lost):
            for path in set(lost) - set(gone):
                self._restate(table, path, edge=True)
        if gone:
            self._take_out(table, gone, edge=False)

    def _take_out(self, table: Table, rows: list[Row], *, edge: bool) -> None:
        least = min(map(LEVEL, rows))
        for trigger, chosen in self._network.triggers[table.predicate].groups(rows):
            if trigger.head is not None and trigger.head.highest > least:
                trigger.fire(chosen, self._suspects[trigger.head])
        self._drop(table, rows, edge=edge)
        self._gone[table] += rows

    def _rederive(self) -> None:
        """Puts back what was taken out and follows from what is left all the same."""
        for table, rows in self._gone.items():
            again = derivable(self._network.supports[table.predicate], rows, table)
            if again:
                self._insert(table, [(s, o, level) for (s, o), level in again.items()])
            if table.edges is not None:
                self._rederive_paths(table, rows)

    def _rederive_paths(self, table: Table, rows: list[Row]) -> None:
        """Puts back the facts that a walk supports after all.

        Where every edge is below every path that was taken out, no walk supports one of those; an edge
        may still be replaced by one. Where not, a path may also rest on another that was put back.
        """
        closure, known = self._network.closures[table.predicate], table.known
        lowest = min((level for *_, level in rows if level >= closure.floor), default=0)
        if table.highest_edge < lowest:
            rows = [row for row in rows if row[2] <= table.highest_edge]
        for subject, object_, _ in rows:
            if known[subject].get(object_) is None and (level := closure.level(subject, object_)) is not None:
                self._insert_paths(table, [(subject, object_, level)])
                self._ends[table].append((subject, {object_: level}))

    # Insertion

    def _assert(self, table: Table, rows: list[Row]) -> None:
        if isinstance(table, Mirror):
            raise SchemaChanged  # a fact of its own
        table.objects.look_up(rows)
        known = table.known
        fresh = [row for row in rows if known[row[0]].get(row[1]) is None]
        if len(fresh) < len(rows):
            for row in set(rows).difference(fresh):
                self._restate(table, row, edge=True)
        if fresh:
            self._insert(table, fresh)

    def _insert(self, table: Table, rows: list[Row]) -> None:
        self._add(table, rows, edge=True)
        self._new[table] += rows
        if table.edges is not None:
            self._edges += [(table, row) for row in rows]

    def _insert_paths(self, table: Table, rows: list[Row]) -> None:
        self._add(table, rows, edge=False)
        self._paths[table] += rows

    def _propagate(self) -> None:
        """Fires every rule on every new fact; on paths last, when no edge and no path is missing."""
        while True:
            if self._new:
                self._fire(*_first(self._new))
            elif self._heads:
                self._conclude(*_first(self._heads))
            elif self._edges:
                self._extend(*self._edges.popleft())
            elif self._ends:
                self._lengthen(*_first(self._ends))
            elif self._paths:
                self._fire(*_first(self._paths))
            else:
                return

    def _fire(self, table: Table, rows: list[Row]) -> None:
        for trigger, chosen in self._network.triggers[table.predicate].groups(rows):
            if trigger.head is not None:
                trigger.fire(chosen, self._heads[trigger.head])

    def _conclude(self, table: Table, heads: list[Row]) -> None:
        if heads and table.predicate not in self._network.tables:
            self._network.table(table.predicate)
        table.objects.look_up(heads)
        known = table.known
        fresh = {row[:2]: row for row in heads if known[row[0]].get(row[1]) is None}
        if fresh:
            self._insert(table, list(fresh.values()))

    def _extend(self, table: Table, row: Row) -> None:
        """The paths that a new edge makes, first those that start with it."""
        subject, object_, level = row
        beyond = self._network.closures[table.predicate].beyond(subject, object_)
        if beyond:
            self._insert_paths(table, [(subject, end, height) for end, height in beyond.items()])
        self._ends[table].append((subject, {object_: level + 1, **beyond}))

    def _lengthen(self, table: Table, ends: list[tuple[int, dict[int, int]]]) -> None:
        """The paths that reach new ends by one edge more."""
        before = self._network.closures[table.predicate].before
        longer: defaultdict[int, dict[int, int]] = defaultdict(dict)
        for subject, fresh in ends:
            for start, found in before(subject, fresh):
                longer[start] |= found
        if longer:
            self._insert_paths(
                table, [(s, end, level) for s, found in longer.items() for end, level in found.items()]
            )
            self._ends[table] += longer.items()


def _weight(table: Table, rows: list[Row]) -> int:
    """At most so many facts hold with these: a mirror may show them too."""
    return len(rows) if table.mirror is None else 2 * len(rows)


def _first(waiting: dict[Table, list[Waiting]]) -> tuple[Table, list[Waiting]]:
    """Takes out what has waited longest."""
    table = next(iter(waiting))
    return table, waiting.pop(table)
