"""Proofs on demand: why a fact holds, down to asserted facts.

Nothing is stored for a proof. The levels of the incremental evaluator point the way: each
step takes a derivation whose premises have lower levels, so a proof ends and never uses
its own conclusion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pyoxigraph import Triple

from synapse.reasoning.network import Network
from synapse.reasoning.roster import UNLIMITED
from synapse.reasoning.terms import Fact, Terms

STATED: Final = "stated"
"""The rule of a leaf: a source asserts the fact."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A fact, the rule that gives it (its W3C name, or `stated`) and the proofs of its premises.

    Proofs of the same fact inside one tree are one object, so a tree may be large but is built
    in as many steps as it has different facts.
    """

    conclusion: Triple
    rule: str
    premises: tuple[Proof, ...] = ()

    def steps(self) -> Iterator[Proof]:
        """Each different fact of the proof once, conclusion first."""
        seen: set[int] = set()
        pending = [self]
        while pending:
            step = pending.pop()
            if id(step) not in seen:
                seen.add(id(step))
                yield step
                pending.extend(reversed(step.premises))


@dataclass(frozen=True, slots=True)
class Derivation:
    """One step of a proof: the rule, and the facts of its whole W3C body."""

    conclusion: Fact
    rule: str
    premises: tuple[Fact, ...]


class Prover:
    """Builds proofs over one state of a network."""

    def __init__(self, network: Network, terms: Terms) -> None:
        self._network = network
        self._terms = terms
        self._proofs: dict[Fact, Proof] = {}

    def proofs(self, fact: Fact, limit: int) -> Iterator[Proof]:
        """At most `limit` proofs that differ in their last step; the shortest known one first."""
        level = self._network.level(fact)
        if level is None or limit < 1:
            return
        first = self._proof(fact)
        yield first
        found = {_signature(first)}
        for derivation in self._alternatives(fact):
            if len(found) >= limit:
                return
            proof = self._assembled(derivation)
            if _signature(proof) not in found:
                found.add(_signature(proof))
                yield proof

    def _alternatives(self, fact: Fact) -> Iterator[Derivation]:
        """Every derivation of a fact whose premises can be proven without it."""
        for rule, premises in self._network.derivations(fact, UNLIMITED):
            if not any(self._rests_on(premise, fact) for premise in premises):
                yield Derivation(fact, rule.name, premises)

    def _rests_on(self, premise: Fact, fact: Fact) -> bool:
        conclusion = self._terms.triple(fact)
        return any(step.conclusion == conclusion for step in self._proof(premise).steps())

    def _proof(self, fact: Fact) -> Proof:
        """The standard proof; iterative, for a chain of facts may be longer than Python's stack."""
        pending = [fact]
        chosen: dict[Fact, Derivation] = {}
        while pending:
            current = pending[-1]
            derivation = chosen.get(current) or self._step(current)
            chosen[current] = derivation
            missing = [premise for premise in derivation.premises if premise not in self._proofs]
            if missing and current not in self._proofs:
                pending.extend(missing)
                continue
            pending.pop()
            if current not in self._proofs:
                self._proofs[current] = self._assembled(derivation)
        return self._proofs[fact]

    def _step(self, fact: Fact) -> Derivation:
        level = self._network.level(fact)
        assert level is not None, f"{self._terms.triple(fact)} does not hold"
        if level == 0:
            return Derivation(fact, STATED, ())
        rule, premises = self._network.derivation(fact, level)
        return Derivation(fact, rule.name, premises)

    def _assembled(self, derivation: Derivation) -> Proof:
        premises = tuple(self._proof(premise) for premise in derivation.premises)
        return Proof(self._terms.triple(derivation.conclusion), derivation.rule, premises)


def _signature(proof: Proof) -> tuple[str, tuple[Triple, ...]]:
    return proof.rule, tuple(premise.conclusion for premise in proof.premises)
