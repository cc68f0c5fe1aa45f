"""The change to a dataset, as one value: what is added and what is removed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from pyoxigraph import Quad

from synapse.rdf.nquads import fact_and_graph, lines_of


@dataclass(frozen=True, slots=True)
class Delta:
    """A net change to a dataset; no quad is both added and removed."""

    added: frozenset[Quad] = frozenset()
    removed: frozenset[Quad] = frozenset()

    @staticmethod
    def of(*, added: Iterable[Quad] = (), removed: Iterable[Quad] = ()) -> Delta:
        """The net change that first removes and then adds: a quad in both stays and drops out."""
        plus, minus = frozenset(added), frozenset(removed)
        return Delta(plus - minus, minus - plus)

    @staticmethod
    def between(old: Iterable[Quad], new: Iterable[Quad]) -> Delta:
        """The change that turns the quads `old` into the quads `new`."""
        return Delta.of(added=new, removed=old)

    def then(self, later: Delta) -> Delta:
        """The net effect of this change followed by `later`."""
        return Delta(
            (self.added - later.removed) | (later.added - self.removed),
            (self.removed - later.added) | (later.removed - self.added),
        )

    def inverted(self) -> Delta:
        """The change that undoes this one."""
        return Delta(self.removed, self.added)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)

    def __len__(self) -> int:
        return len(self.added) + len(self.removed)

    def to_update(self) -> str:
        """One SPARQL 1.1 update request of ground data, deterministic, `""` when nothing changes.

        Both operations name their graphs, so the request means the same on every engine
        (SPARQL 1.1 Update, sections 3.1.1 and 3.1.2). Blank nodes and the default graph are
        the caller's error: synapse stores neither.
        """
        operations = []
        if self.removed:
            operations.append(f"DELETE DATA {{\n{_graph_blocks(self.removed)}}}")
        if self.added:
            operations.append(f"INSERT DATA {{\n{_graph_blocks(self.added)}}}")
        return " ;\n".join(operations)


def _graph_blocks(quads: Iterable[Quad]) -> str:
    """One block per graph; one statement per subject and predicate, for the engine parses it again."""
    blocks = []
    for graph, in_graph in groupby(sorted(map(_parts, lines_of(quads))), key=itemgetter(0)):
        statements = []
        for (_, subject, predicate), group in groupby(in_graph, key=itemgetter(0, 1, 2)):
            objects = " , ".join(parts[3] for parts in group)
            statements.append(f"    {subject} {predicate} {objects} .\n")
        blocks.append(f"  GRAPH {graph} {{\n{''.join(statements)}  }}\n")
    return "".join(blocks)


def _parts(line: bytes) -> tuple[str, str, str, str]:
    """Graph, subject, predicate and object of a line; only the object may hold spaces."""
    fact, graph = fact_and_graph(line)
    subject, predicate, object_ = fact.decode().split(" ", 2)
    return graph.decode(), subject, predicate, object_
