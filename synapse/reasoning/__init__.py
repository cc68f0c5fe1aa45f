"""What follows from what is asserted, and why: RDFS and OWL 2 RL, incremental and explained."""

from __future__ import annotations

from synapse.reasoning.entailments import (
    Counts,
    Entailments,
    Inconsistency,
    Limits,
    ReasonerWarning,
    Regime,
)
from synapse.reasoning.proofs import Proof
from synapse.reasoning.reasoner import Reasoner

__all__ = [
    "Counts",
    "Entailments",
    "Inconsistency",
    "Limits",
    "Proof",
    "Reasoner",
    "ReasonerWarning",
    "Regime",
]
