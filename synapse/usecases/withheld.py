"""What is stated and yet has no consequences: how the write door asks, without knowing why."""

from __future__ import annotations

from typing import Protocol

from pyoxigraph import NamedNode, Triple

from synapse.rdf.delta import Delta


class Withheld(Protocol):
    """What is stated and yet kept from the reasoner, as what mentions an archived entity."""

    @property
    def version(self) -> str:
        """What decides it, beside the facts."""
        ...

    def archived(self) -> frozenset[NamedNode]:
        """The entities whose statements are kept from it now."""
        ...

    def edit(self, change: Delta, coming: set[Triple], going: set[Triple]) -> tuple[set[Triple], set[Triple]]:
        """What the reasoner is told comes and goes, when by a change these triples do."""
        ...
