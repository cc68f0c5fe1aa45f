"""Transitive predicates as graphs: which paths a new edge makes, and which a lost edge takes along.

A fact of a transitive predicate is an *edge* when it arrived by another way than by its
transitivity (asserted, or by another rule), else a *path*. The level of a path is above those
of all edges of some walk, so whether a path still holds is a question about the graph of
edges, not about other paths. In a strongly connected graph nearly every path is a premise of
nearly every other, and a deletion that followed premises would visit them all; a search finds
the detour around the lost edge at once. (Modules of their own for transitive closure: Hu, Motik
and Horrocks, AAAI 2019.)
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator
from typing import Final

from synapse.reasoning.hydration import Row
from synapse.reasoning.program import GroundRule
from synapse.reasoning.table import Pairs, Table

_FEW: Final = 2_000
"""Paths over a lost edge; up to here looking at each costs less than finding those that cannot be lost."""


class TransitiveClosure:
    """Reads the edges and paths of one predicate; whoever asks changes them."""

    def __init__(self, rule: GroundRule, table: Table) -> None:
        assert table.edges is not None
        self.rule = rule
        self.table = table
        self.edges: Pairs = table.edges
        self._facts = table.objects
        self._successors, self._predecessors = table.edges.objects, table.edges.subjects
        self.floor = rule.axiom_level + 1
        self._distinct = rule.distinct

    # Insertion

    def beyond(self, subject: int, object_: int) -> dict[int, int]:
        """The paths that start with this edge and do not exist yet: object → level."""
        known, level = self._facts[subject], max(self.floor, self._facts[subject][object_] + 1)
        successors = self._successors[object_]
        return {
            end: max(level, beyond + (end in successors))
            for end, beyond in self._facts[object_].items()
            if end not in known and not (self._distinct and (end == subject or end & 1))
        }

    def before(self, subject: int, ends: dict[int, int]) -> Iterator[tuple[int, dict[int, int]]]:
        """The paths that reach `ends` (object → level) by one edge more and do not exist yet, per subject."""
        for start in self._predecessors[subject]:
            known = self._facts[start]
            level = max(self.floor, known[subject] + 1)
            fresh = {
                end: level if level > beyond else beyond
                for end, beyond in ends.items()
                if end not in known and not (self._distinct and (end == start or end & 1))
            }
            if fresh:
                yield start, fresh

    def level(self, subject: int, object_: int) -> int | None:
        """The level of a path by one edge and what is known beyond it; None when there is no such path."""
        if self._distinct and (subject == object_ or object_ & 1):
            return None
        for middle in self._successors[subject]:
            beyond = self._facts[middle].get(object_)
            if beyond is not None:
                step = self._facts[subject][middle] + 1
                return max(self.floor, step, beyond + (object_ in self._successors[middle]))
        return None

    # Deletion

    def holds(self, subject: int, object_: int, level: int) -> bool:
        """Whether a walk supports a path of this level."""
        return level >= self.floor and self.connects(subject, object_, level)

    def connects(self, start: int, end: int, below: int) -> bool:
        """Whether a walk over edges below a level leads from start to end; searched from both ends."""
        forward, backward = {start}, {end}
        from_start, to_end = {start}, {end}
        while forward and backward:
            if len(forward) <= len(backward):
                forward = {y for x in forward for y in self._after(x, below)}
                if not forward.isdisjoint(to_end):
                    return True
                forward -= from_start
                from_start |= forward
            else:
                backward = {x for y in backward for x in self._before(y, below)}
                if not backward.isdisjoint(from_start):
                    return True
                backward -= to_end
                to_end |= backward
        return False

    def _after(self, node: int, below: int) -> Collection[int]:
        """Where edges of lower levels lead to from a node."""
        ends = self._successors[node]
        if self.table.highest_edge < below:
            return ends
        levels = self._facts[node]
        return [end for end in ends if levels[end] < below]

    def _before(self, node: int, below: int) -> Collection[int]:
        """Where edges of lower levels come from to a node."""
        starts = self._predecessors[node]
        if self.table.highest_edge < below:
            return starts
        return [start for start in starts if self._facts[start][node] < below]

    def lost(self, start: int, end: int, level: int) -> list[Row]:
        """The paths that rested on the edge start → end, now gone, and on no other walk below their level."""
        if self.connects(start, end, level + 1):
            return []
        starts, ends = _reachable(start, self._predecessors), set(_reachable(end, self._successors))
        if len(starts) * len(ends) > _FEW:
            # What reaches the edge's end by another way lost nothing, nor does what its start still reaches.
            linked = self._linked(end, self._before, level + 1)
            starts = [node for node in starts if node not in linked]
            ends -= self._linked(start, self._after, level + 1)
        lost: list[Row] = []
        for height, paths in self._suspects(starts, ends, level).items():
            still = self._reached(starts, ends, height)
            lost += [(s, o, height) for s, objects in paths.items() for o in objects - still[s]]
        return lost

    @staticmethod
    def _linked(origin: int, neighbours: Callable[[int, int], Collection[int]], below: int) -> set[int]:
        """What `origin` is linked to by edges of lower levels; to itself only by a cycle."""
        linked: set[int] = set()
        frontier = [origin]
        for node in frontier:
            fresh = [n for n in neighbours(node, below) if n not in linked]
            linked.update(fresh)
            frontier += fresh
        return linked

    def _suspects(self, starts: list[int], ends: set[int], level: int) -> dict[int, dict[int, set[int]]]:
        """The paths from `starts` to `ends` that an edge of `level` may support, by level and subject."""
        suspects: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        for start in starts:
            levels = self._facts[start]
            for end in (levels.keys() & ends) - self._successors[start]:
                if (height := levels[end]) > level:
                    suspects[height][start].add(end)
        return suspects

    def _reached(self, starts: list[int], ends: set[int], height: int) -> dict[int, set[int]]:
        """Which of `ends` each of `starts` reaches by edges below `height`: a least fixpoint among them."""
        inside = set(starts)
        reached = {start: self._reached_outside(start, ends, inside, height) for start in starts}
        pending = deque(start for start in starts if reached[start])
        while pending:
            middle = pending.popleft()
            for start in self._before(middle, height):
                if start in inside and not reached[middle] <= reached[start]:
                    reached[start] |= reached[middle]
                    pending.append(start)
        return reached

    def _reached_outside(self, start: int, ends: set[int], inside: set[int], height: int) -> set[int]:
        """What a start reaches by its edges alone, and by edges to terms whose paths lost nothing.

        A path of a higher level may hold by a walk over low edges too. Only where all edges are low that is
        certain; otherwise it is left to the re-derivation.
        """
        middles = self._after(start, height)
        found = ends.intersection(middles)
        for middle in middles:
            if middle not in inside:
                levels, steps = self._facts[middle], self._successors[middle]
                beyond = levels.keys() & ends
                if self.table.highest_edge >= height:
                    beyond = {end for end in beyond if levels[end] + (end in steps) <= height}
                found |= beyond
        return found

    # Proof

    def step(self, subject: int, object_: int, level: int) -> int:
        """The first stop of a walk that proves a path: of lowest edges, and among those of fewest.

        Every path proven like that, the rest of the walk is proven by less: no proof is circular.
        """
        for below in range(self.floor, level + 1):
            first = self._first_stop(subject, object_, below)
            if first is not None:
                return first
        raise AssertionError("a path has a walk below its level")

    def _first_stop(self, subject: int, object_: int, below: int) -> int | None:
        facts = self._facts
        frontier = {stop: stop for stop in self._successors[subject] if facts[subject][stop] < below}
        seen = dict(frontier)
        while frontier:
            if object_ in frontier:
                return frontier[object_]
            steps = ((x, y, first) for x, first in frontier.items() for y in self._successors[x])
            onwards = {
                y: first
                for x, y, first in steps
                if y not in seen and facts[x][y] < below and (y == object_ or object_ in facts[y])
            }
            frontier = onwards
            seen |= frontier
        return None


def _reachable(node: int, neighbours: dict[int, set[int]]) -> list[int]:
    """A node and all that it leads to, nearest first."""
    seen, order = {node}, [node]
    for reached in order:
        fresh = neighbours[reached] - seen
        seen |= fresh
        order += fresh
    return order
