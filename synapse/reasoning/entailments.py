"""The values that a reasoner takes and gives: regime, limits, entailments, inconsistencies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pyoxigraph import Triple

from synapse.reasoning.terms import NO_TRIPLES, TripleView


class Regime(Enum):
    """The entailment regime: which rules apply."""

    NONE = "none"
    RDFS = "rdfs"
    OWL_RL = "owl-rl"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be inferred; reaching a limit is always reported.

    `max_equals` is how many others one term may be `owl:sameAs`.
    """

    max_inferred: int = 5_000_000
    max_equals: int = 200
    max_inconsistencies: int = 1_000

    def warning(self, code: str) -> ReasonerWarning:
        """The warning of a limit that was reached."""
        messages = {
            "inferred-cap": f"reasoning stopped at {self.max_inferred} inferred facts: what is inferred is"
            " true but incomplete; look for a transitive or symmetric property that joins too much,"
            " or raise the limit",
            "join-cap": "one rule would have joined more than 60 million pairs and was not run: what is"
            " inferred is true but incomplete; look for hundreds of terms that are all related to each other"
            " by a transitive property or by equivalence",
            "equality-cap": f"one term has more than {self.max_equals} equals: equality (owl:sameAs) is left"
            " out of reasoning; look for a functional property or a key that many things share",
            "inconsistency-cap": f"more than {self.max_inconsistencies} contradictions:"
            " the rest is not listed",
        }
        return ReasonerWarning(code, messages[code])


@dataclass(frozen=True, slots=True)
class ReasonerWarning:
    """Something that makes the inferred facts incomplete, and what to do about it."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """A rule that concludes *false* fired on these triples; each can be explained."""

    rule: str
    premises: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Entailments:
    """What an edit changes: the inferred set (entailed and not asserted) and the inconsistencies.

    A triple that becomes asserted leaves the inferred set; one that loses its last source but
    is still entailed enters it.
    """

    added: TripleView = NO_TRIPLES
    removed: TripleView = NO_TRIPLES
    inconsistencies_added: tuple[Inconsistency, ...] = ()
    inconsistencies_removed: tuple[Inconsistency, ...] = ()
    warnings: tuple[ReasonerWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """How many triples a reasoner holds."""

    asserted: int
    inferred: int
    inconsistencies: int
