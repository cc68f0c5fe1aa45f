"""The change to a dataset, as one value: what is added and what is removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from pyoxigraph import Quad

from synapse.rdf.nquads import lines_of


class Change(Protocol):
    """What is added to a dataset and removed from it, in whatever form: a `Delta` is one."""

    @property
    def added(self) -> Collection[Quad]:
        """The quads that come."""
        ...

    @property
    def removed(self) -> Collection[Quad]:
        """The quads that go; none of them comes."""
        ...

    def __len__(self) -> int: ...

    def to_update(self) -> str:
        """One SPARQL 1.1 update request of ground data, `""` when nothing changes."""
        ...


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
        return update(_graph_blocks(self.added), _graph_blocks(self.removed))


def update(added: str, removed: str) -> str:
    """The update request that removes and adds what stands in these blocks of graphs."""
    blocks = {"DELETE": removed, "INSERT": added}
    return " ;\n".join(f"{verb} DATA {{\n{text}}}" for verb, text in blocks.items() if text)


def graph_block(graph: object, statements: str) -> str:
    """The block of one graph, named as in N-Quads, with statements in Turtle; `""` without any."""
    return f"  GRAPH {graph} {{\n{statements} .\n  }}\n" if statements else ""


def _graph_blocks(quads: Iterable[Quad]) -> str:
    """One block per graph, shortened as in Turtle, for the engine parses it again."""
    graphs: dict[str, list[str]] = defaultdict(list)
    for line in sorted(line.decode() for line in lines_of(quads)):
        fact, graph, _ = line.rsplit(" ", 2)
        graphs[graph].append(fact)
    return "".join(graph_block(graph, _statements(graphs[graph])) for graph in sorted(graphs))


def _statements(facts: list[str]) -> str:
    """Sorted facts, each without what it shares with the one before; only an object may hold spaces."""
    parts: list[str] = []
    last_subject = last_predicate = ""
    for fact in facts:
        subject, predicate, object_ = fact.split(" ", 2)
        if subject != last_subject:
            parts.append(f" .\n    {fact}" if parts else f"    {fact}")
        elif predicate != last_predicate:
            parts.append(f" ; {predicate} {object_}")
        else:
            parts.append(f" , {object_}")
        last_subject, last_predicate = subject, predicate
    return "".join(parts)
