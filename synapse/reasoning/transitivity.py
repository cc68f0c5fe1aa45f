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

from collections import deque
from collections.abc import Collection, Iterator
from typing import Final

from synapse.reasoning.program import GroundRule
from synapse.reasoning.table import Pairs, Row, Table

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
        self._floor = rule.axiom_level + 1
        self._distinct = rule.distinct

    # Insertion

    def beyond(self, subject: int, object_: int) -> dict[int, int]:
        """The paths that start with this edge and do not exist yet: object → level."""
        known, level = self._facts[subject], max(self._floor, self._facts[subject][object_] + 1)
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
            level = max(self._floor, known[subject] + 1)
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
                return max(self._floor, step, beyond + (object_ in self._successors[middle]))
        return None

    # Deletion

    def holds(self, subject: int, object_: int, level: int) -> bool:
        """Whether a walk supports a path of this level."""
        return level >= self._floor and self.connects(subject, object_, level)

    def connects(self, start: int, end: int, below: int) -> bool:
        """Whether a walk over edges below a level leads from start to end; searched from both ends."""
        forward, backward = {start}, {end}
        from_start, to_end = {start}, {end}
        facts = self._facts
        while forward and backward:
            if len(forward) <= len(backward):
                forward = {y for x in forward for y in self._successors[x] if facts[x][y] < below}
                if not forward.isdisjoint(to_end):
                    return True
                forward -= from_start
                from_start |= forward
            else:
                backward = {x for y in backward for x in self._predecessors[y] if facts[x][y] < below}
                if not backward.isdisjoint(from_start):
                    return True
                backward -= to_end
                to_end |= backward
        return False

    def lost(self, start: int, end: int, level: int) -> list[Row]:
        """The paths that rested on the edge start → end, now gone, and on no other walk below their level."""
        if self.connects(start, end, level + 1):
            return []
        starts, reached = _reachable(start, self._predecessors), _reachable(end, self._successors)
        if len(starts) * len(reached) > _FEW:
            # What reaches the edge's end by another way lost nothing, nor does what its start still reaches.
            starts = self._without(starts, end, self._predecessors, level)
            reached = self._without(reached, start, self._successors, level)
        ends = set(reached)
        lost: list[Row] = []
        for height, paths in self._suspects(starts, ends, level).items():
            still = self._reached(starts, ends, height)
            lost += [(s, o, height) for s, objects in paths.items() for o in objects - still[s]]
        return lost

    def _without(
        self, nodes: list[int], origin: int, neighbours: dict[int, set[int]], level: int
    ) -> list[int]:
        """The nodes that `origin` is not linked to by edges of at most `level`, in their order."""
        facts, frontier = self._facts, [origin]
        linked: set[int] = set()  # the origin is linked to itself only by a cycle
        backward = neighbours is self._predecessors
        for node in frontier:
            fresh = neighbours[node] - linked
            fresh = {n for n in fresh if (facts[n][node] if backward else facts[node][n]) <= level}
            linked |= fresh
            frontier += fresh
        return [node for node in nodes if node not in linked]

    def _suspects(self, starts: list[int], ends: set[int], level: int) -> dict[int, dict[int, set[int]]]:
        """The paths from `starts` to `ends` that an edge of `level` may support, by level and subject."""
        suspects: dict[int, dict[int, set[int]]] = {}
        for start in starts:
            edges = self._successors[start]
            within = _within(self._facts[start], ends)
            paths = {end: height for end, height in within if height > level and end not in edges}
            for height in set(paths.values()):
                suspects.setdefault(height, {})[start] = {end for end, at in paths.items() if at == height}
        return suspects

    def _reached(self, starts: list[int], ends: set[int], height: int) -> dict[int, set[int]]:
        """Which of `ends` each of `starts` reaches by edges below `height`: a least fixpoint among them."""
        inside = set(starts)
        reached = {start: self._reached_outside(start, ends, inside, height) for start in starts}
        pending = deque(starts)
        while pending:
            middle = pending.popleft()
            for start in self._predecessors[middle]:
                if start not in inside or self._facts[start][middle] >= height:
                    continue
                if not reached[middle] <= reached[start]:
                    reached[start] |= reached[middle]
                    pending.append(start)
        return reached

    def _reached_outside(self, start: int, ends: set[int], inside: set[int], height: int) -> set[int]:
        """What a start reaches by its edges alone, and by edges to terms whose paths lost nothing."""
        found: set[int] = set()
        known = self._facts[start]
        for middle in self._successors[start]:
            if known[middle] >= height:
                continue
            if middle in ends:
                found.add(middle)
            if middle not in inside:
                steps = self._successors[middle]
                beyond = _within(self._facts[middle], ends)
                found.update(end for end, level in beyond if level + (end in steps) <= height)
        return found

    # Proof

    def step(self, subject: int, object_: int, level: int) -> int:
        """The first stop of a walk that proves a path: of lowest edges, and among those of fewest.

        Every path proven like that, the rest of the walk is proven by less: no proof is circular.
        """
        for below in range(self._floor, level + 1):
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


def _within(levels: dict[int, int], ends: Collection[int]) -> Iterator[tuple[int, int]]:
    """The (object, level) whose object is one of `ends`, by way of the smaller of both."""
    if len(levels) <= len(ends):
        return ((end, level) for end, level in levels.items() if end in ends)
    return ((end, levels[end]) for end in ends if end in levels)
