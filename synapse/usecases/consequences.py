"""What a commit changes in the inferred graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pyoxigraph import Quad

from synapse.rdf.delta import graph_block, update
from synapse.rdf.names import INFERRED
from synapse.reasoning import Entailments


@dataclass(frozen=True)
class Consequences:
    """A change whose quads are made when somebody reads them: the dataset is written without."""

    entailments: Entailments

    @cached_property
    def added(self) -> frozenset[Quad]:
        """What is inferred now."""
        return frozenset(self.entailments.added.quads(INFERRED))

    @cached_property
    def removed(self) -> frozenset[Quad]:
        """What is no longer inferred."""
        return frozenset(self.entailments.removed.quads(INFERRED))

    def __len__(self) -> int:
        return len(self.entailments.added) + len(self.entailments.removed)

    def to_update(self) -> str:
        """One SPARQL 1.1 update request of ground data, `""` when nothing changes."""
        added, removed = self.entailments.added.statements(), self.entailments.removed.statements()
        return update(graph_block(INFERRED, added), graph_block(INFERRED, removed))
