"""The door of the room: asserted triples in, what they entail out; every entailment explained.

    reasoner = Reasoner()
    reasoner.load(asserted)
    entailments = reasoner.derive(added=[...], removed=[...])    # nothing has changed yet
    reasoner.accept(entailments)                                 # now it has
    reasoner.explain(triple)                                     # proofs down to asserted triples

Callers serialise their calls: a reasoner has no lock of its own.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from pyoxigraph import Triple

from synapse.reasoning.bulk import Caps, Closure, closed, materialise
from synapse.reasoning.columns import NO_KEYS, found
from synapse.reasoning.entailments import (
    Counts,
    Entailments,
    Inconsistency,
    Limits,
    ReasonerWarning,
    Regime,
)
from synapse.reasoning.inconsistencies import Violation, Violations, find_all, found_with
from synapse.reasoning.journal import Journal
from synapse.reasoning.keys import MASK, Keys
from synapse.reasoning.maintenance import CapReached, Maintenance
from synapse.reasoning.network import Network, SchemaChanged
from synapse.reasoning.proofs import Proof, Prover
from synapse.reasoning.rule import Rule
from synapse.reasoning.rules_owl import OWL_RL
from synapse.reasoning.rules_rdfs import RDFS
from synapse.reasoning.snapshot import load, save
from synapse.reasoning.terms import Extension, Fact, Terms

RULES: Final[dict[Regime, tuple[Rule, ...]]] = {Regime.NONE: (), Regime.RDFS: RDFS, Regime.OWL_RL: OWL_RL}

EVALUATOR: Final = 2
"""Raised when what earlier evaluators inferred may be wrong: memories derive anew, snapshots are not read.

2: an edit of long transitive chains could lose paths.
"""

_BULK_FROM = 2_000
_BULK_SHARE = 20
"""An edit of more triples than this, and than this part of the memory, is faster in bulk."""


@dataclass(slots=True)
class _State:
    network: Network
    violations: Violations
    asserted: int
    inferred: int


@dataclass(slots=True)
class _Pending:
    """A derivation that waits to be accepted: the journal of an edit, or a whole new state."""

    entailments: Entailments
    state: _State
    journal: Journal | None = None
    violations_added: tuple[Violation, ...] = ()
    violations_removed: tuple[Violation, ...] = ()
    asserted: int = 0
    inferred: int = 0


class Reasoner:
    """Keeps the entailments of a changing set of triples under one entailment regime."""

    def __init__(
        self,
        *,
        regime: Regime = Regime.OWL_RL,
        limits: Limits | None = None,
        rules: tuple[Rule, ...] | None = None,
    ) -> None:
        """`rules`, when given, apply instead of those of the regime."""
        self.regime = regime
        self.limits = limits or Limits()
        self._rules = RULES[regime] if rules is None else rules
        self._terms = Terms()
        self._pending: _Pending | None = None
        self._current = self._materialised({})

    # Writing

    def load(self, asserted: Iterable[Triple]) -> None:
        """Forgets everything and materialises `asserted`."""
        self._pending = None
        self._terms = Terms()
        self._current = self._materialised(_keys_by_predicate(self._terms.facts(asserted)))

    def derive(self, *, added: Iterable[Triple] = (), removed: Iterable[Triple] = ()) -> Entailments:
        """What changes when these triples become asserted and those cease to be.

        Triples that are asserted already, or were not, do not count; one in both stays. Nothing
        changes before `accept`; a derivation that was not accepted is discarded by the next.
        """
        self._drop_pending()
        coming = set(self._terms.facts(added))
        level = self._state.network.level
        going = {fact for fact in self._terms.facts(removed) if level(fact) == 0} - coming
        coming = {fact for fact in coming if level(fact) != 0}
        self._pending = self._derived(coming, going)
        return self._pending.entailments

    def accept(self, entailments: Entailments) -> None:
        """Makes the latest derivation so; raises `ValueError` for any other."""
        pending = self._pending
        if pending is None or pending.entailments is not entailments:
            raise ValueError("only the latest entailments can be accepted, and only once")
        self._pending = None
        state = self._current = pending.state
        if pending.journal is None:
            return
        pending.journal.redo()
        state.asserted += pending.asserted
        state.inferred += pending.inferred
        for violation in pending.violations_removed:
            state.violations.remove(violation)
        for violation in pending.violations_added:
            state.violations.add(violation)

    def discard(self, entailments: Entailments) -> None:
        """Forgets a derivation that will not be accepted."""
        if self._pending is not None and self._pending.entailments is entailments:
            self._drop_pending()

    def _drop_pending(self) -> None:
        if self._pending is not None and self._pending.journal is not None:
            self._pending.journal.undo()
        self._pending = None

    @property
    def _state(self) -> _State:
        """The accepted state. Most derivations are accepted at once, so their steps stay applied
        until somebody reads in between; then they are taken back, and done again by `accept`.
        """
        if self._pending is not None and self._pending.journal is not None:
            self._pending.journal.undo()
        return self._current

    # Reading

    def inferred(self) -> Iterator[Triple]:
        """Every triple that is entailed and not asserted."""
        for predicate, keys in self._state.network.inferred().items():
            yield from self._terms.triples([_extension(predicate, keys)])

    def __contains__(self, triple: Triple) -> bool:
        """Whether a triple is asserted or inferred."""
        return self._known_level(triple) is not None

    def is_asserted(self, triple: Triple) -> bool:
        """Whether a source states the triple."""
        return self._known_level(triple) == 0

    @property
    def counts(self) -> Counts:
        """The size of what is held."""
        state = self._state
        return Counts(state.asserted, state.inferred, len(state.violations.all))

    @property
    def warnings(self) -> tuple[ReasonerWarning, ...]:
        """The caps that were reached; empty when the entailments are complete."""
        return self._warnings(self._state)

    def explain(self, triple: Triple, *, limit: int = 1) -> tuple[Proof, ...]:
        """At most `limit` proofs of a triple that differ in their last step; none when it does not hold."""
        fact = self._terms.known(triple)
        if fact is None:
            return ()
        return tuple(Prover(self._state.network, self._terms).proofs(fact, limit))

    def inconsistencies(self) -> tuple[Inconsistency, ...]:
        """Every rule that concludes *false* and fires, with the triples it fires on."""
        return tuple(map(self._inconsistency, self._state.violations.all))

    # Snapshots

    def snapshot(self, path: Path, generation: int) -> None:
        """Saves what is held under a store generation; an unaccepted derivation is not part of it."""
        network = self._state.network
        save(
            path,
            stamp=_stamp(self._rules, generation),
            terms=self._terms,
            tables=network.tables,
            cap=network.cap,
        )

    @staticmethod
    def from_snapshot(
        path: Path, generation: int, *, regime: Regime = Regime.OWL_RL, limits: Limits | None = None
    ) -> Reasoner | None:
        """The reasoner that was saved; None when there is no snapshot of this generation and regime."""
        loaded = load(path, stamp=_stamp(RULES[regime], generation))
        if loaded is None:
            return None
        reasoner = Reasoner(regime=regime, limits=limits)
        reasoner._terms, relations, cap = loaded
        closure = closed(relations, reasoner._rules, reasoner._terms, cap=cap)
        asserted = sum(int((relation.levels == 0).sum()) for relation in relations.values())
        reasoner._current = reasoner._settled(closure, asserted)
        return reasoner

    # Deriving

    def _derived(self, coming: set[Fact], going: set[Fact]) -> _Pending:
        if not coming and not going:
            return _Pending(Entailments(warnings=self.warnings), self._state, Journal())
        size = len(coming) + len(going)
        large = size > max(_BULK_FROM, self._state.asserted // _BULK_SHARE)
        if not large and not self._state.network.cap:
            try:
                return self._edited(coming, going)
            except (SchemaChanged, CapReached):
                pass
        return self._rebuilt(coming, going)

    def _edited(self, coming: set[Fact], going: set[Fact]) -> _Pending:
        state = self._state
        room = len(coming) + self.limits.max_inferred - state.inferred
        work = Maintenance(state.network, room=room, max_equals=self.limits.max_equals)
        try:
            work.edit(added=coming, removed=going)
            return self._summary(state, work.journal, len(coming) - len(going))
        except BaseException:
            work.journal.undo()
            raise

    def _summary(self, state: _State, journal: Journal, asserted: int) -> _Pending:
        """What an applied journal amounts to."""
        net = journal.net()
        violations = found_with(state.network, net.appeared, self.limits.max_inconsistencies)
        fresh = {v: None for v in violations if v not in state.violations.all}
        resting = state.violations.resting_on(fact for extension in net.gone for fact in extension.facts())
        entailments = self._entailments(net.added, net.removed, fresh, resting, state)
        inferred = len(entailments.added) - len(entailments.removed)
        return _Pending(entailments, state, journal, tuple(fresh), tuple(resting), asserted, inferred)

    def _rebuilt(self, coming: set[Fact], going: set[Fact]) -> _Pending:
        old = self._state
        asserted = old.network.asserted()
        for predicate, keys in _keys_by_predicate(going).items():
            asserted[predicate] = asserted[predicate][~found(asserted[predicate], keys)]
        for predicate, keys in _keys_by_predicate(coming).items():
            asserted[predicate] = np.sort(np.concatenate((asserted.get(predicate, NO_KEYS), keys)))
        new = self._materialised({predicate: keys for predicate, keys in asserted.items() if len(keys)})
        before, after = old.network.inferred(), new.network.inferred()
        entailments = self._entailments(
            _difference(after, before),
            _difference(before, after),
            [v for v in new.violations.all if v not in old.violations.all],
            [v for v in old.violations.all if v not in new.violations.all],
            new,
        )
        return _Pending(entailments, new)

    def _materialised(self, asserted: dict[int, Keys]) -> _State:
        size = sum(map(len, asserted.values()))
        caps = Caps(max_facts=size + self.limits.max_inferred, max_equals=self.limits.max_equals)
        closure = materialise(asserted, self._rules, self._terms, caps)
        return self._settled(closure, size)

    def _settled(self, closure: Closure, asserted: int) -> _State:
        violations = find_all(closure, self.limits.max_inconsistencies)
        network = Network(closure, self._rules, self._terms)
        return _State(network, violations, asserted, _size(closure) - asserted)

    def _entailments(
        self,
        added: Iterable[Extension],
        removed: Iterable[Extension],
        violations_added: Iterable[Violation],
        violations_removed: Iterable[Violation],
        state: _State,
    ) -> Entailments:
        return Entailments(
            self._terms.triples(added),
            self._terms.triples(removed),
            tuple(map(self._inconsistency, violations_added)),
            tuple(map(self._inconsistency, violations_removed)),
            self._warnings(state),
        )

    def _inconsistency(self, violation: Violation) -> Inconsistency:
        return Inconsistency(violation.rule, tuple(map(self._terms.triple, violation.premises)))

    def _warnings(self, state: _State) -> tuple[ReasonerWarning, ...]:
        reached = [state.network.cap] if state.network.cap else []
        if state.violations.capped:
            reached.append("inconsistency-cap")
        return tuple(self.limits.warning(code) for code in reached)

    def _level(self, fact: Fact) -> int | None:
        return self._state.network.level(fact)

    def _known_level(self, triple: Triple) -> int | None:
        fact = self._terms.known(triple)
        return None if fact is None else self._level(fact)


def _keys_by_predicate(facts: Iterable[Fact]) -> dict[int, Keys]:
    grouped: dict[int, list[int]] = defaultdict(list)
    for subject, predicate, object_ in facts:
        grouped[predicate].append(subject << 32 | object_)
    return {predicate: np.unique(np.array(keys, np.int64)) for predicate, keys in grouped.items()}


def _extension(predicate: int, keys: Keys) -> Extension:
    return Extension(predicate, list(zip((keys >> 32).tolist(), (keys & MASK).tolist(), strict=True)))


def _difference(left: dict[int, Keys], right: dict[int, Keys]) -> Iterator[Extension]:
    for predicate, keys in left.items():
        yield _extension(predicate, keys[~found(keys, right.get(predicate, NO_KEYS))])


def _stamp(rules: tuple[Rule, ...], generation: int) -> str:
    """What a snapshot belongs to: a generation of the store, and exactly these rules and evaluators."""
    text = "\n".join([str(EVALUATOR), *(f"{rule.name}: {rule}" for rule in rules)])
    return f"{generation} {hashlib.sha256(text.encode()).hexdigest()}"


def _size(closure: Closure) -> int:
    return sum(len(relation.pairs) for relation in closure.relations.values())
