"""Rules that conclude *false*: which of them fire, and on which facts.

An inconsistency is a value. The data stay as they are, and nothing is derived from it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from synapse.reasoning.bulk import Closure
from synapse.reasoning.columns import Bindings
from synapse.reasoning.network import Network, premises
from synapse.reasoning.program import GroundRule, join_order
from synapse.reasoning.terms import Fact, Pair


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that fired on these facts; two violations on the same set of facts are one."""

    rule: str
    facts: frozenset[Fact]
    premises: tuple[Fact, ...] = field(compare=False)


@dataclass(slots=True)
class Violations:
    """The violations of a memory, found again by each fact they rest on."""

    limit: int
    all: dict[Violation, None] = field(default_factory=dict)
    capped: bool = False
    _by_fact: dict[Fact, set[Violation]] = field(default_factory=lambda: defaultdict(set))

    def add(self, violation: Violation) -> None:
        """Adds a violation unless the limit is reached, which sets `capped`."""
        if violation in self.all:
            return
        if len(self.all) >= self.limit:
            self.capped = True
            return
        self.all[violation] = None
        for fact in violation.facts:
            self._by_fact[fact].add(violation)

    def remove(self, violation: Violation) -> None:
        """Removes a violation."""
        self.all.pop(violation, None)
        for fact in violation.facts:
            self._by_fact[fact].discard(violation)
            if not self._by_fact[fact]:
                del self._by_fact[fact]

    def resting_on(self, facts: Iterable[Fact]) -> dict[Violation, None]:
        """The violations that need one of these facts, in their order."""
        if not self._by_fact:
            return {}
        return {violation: None for fact in facts for violation in self._by_fact.get(fact, ())}


def find_all(closure: Closure, limit: int) -> Violations:
    """Every violation of a materialisation, at most `limit`."""
    found = Violations(limit)
    for rule in closure.rules:
        if rule.head is None:
            for pairs in islice(_matches(rule, closure), limit + 1):
                found.add(_violation(rule, pairs))
    return found


def found_with(network: Network, facts: Mapping[int, Collection[Pair]], limit: int) -> Iterator[Violation]:
    """The violations that rest on one of `facts`, by predicate; some `limit` of them per rule."""
    for predicate in facts.keys() & network.false.keys():
        rows = [(subject, object_, 0) for subject, object_ in facts[predicate]]
        for trigger, chosen in network.false[predicate].groups(rows) if rows else ():
            bodies: list[tuple[tuple[int, int], ...]] = []
            trigger.fire(chosen, bodies)
            yield from (_violation(trigger.rule, pairs) for pairs in bodies[: limit + 1])


def _violation(rule: GroundRule, pairs: tuple[tuple[int, int], ...]) -> Violation:
    facts = premises(rule, pairs)
    return Violation(rule.name, frozenset(facts), facts)


def _matches(rule: GroundRule, closure: Closure) -> Iterator[tuple[tuple[int, int], ...]]:
    relations = closure.relations
    if any(atom.predicate not in relations for atom in rule.body):
        return
    bindings = Bindings.unit()
    for position in join_order(rule.body, range(len(rule.body)), ()):
        bindings = bindings.join(rule.body[position], relations[rule.body[position].predicate].pairs)
        if not bindings.size:
            return
    columns = [bindings.keys(atom).tolist() for atom in rule.body]
    for keys in zip(*columns, strict=True):
        yield tuple((key >> 32, key & 0xFFFF_FFFF) for key in keys)
