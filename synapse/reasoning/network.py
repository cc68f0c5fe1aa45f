"""The ground rules wired to the tables: which function runs when a fact comes or goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from synapse.reasoning.bulk import Closure, fill
from synapse.reasoning.loops import Derivations, derivations
from synapse.reasoning.mirrors import Mirror, mirrored
from synapse.reasoning.program import GroundRule
from synapse.reasoning.roster import Backing, Roster, Trigger
from synapse.reasoning.rule import Rule
from synapse.reasoning.schema import Axioms, Vocabulary, takes_any_predicate
from synapse.reasoning.table import Occupancy, Table
from synapse.reasoning.terms import Fact, Terms
from synapse.reasoning.transitivity import TransitiveClosure


class SchemaChanged(Exception):
    """An axiom came or went, or a mirror has to become a table: a bulk run has to follow."""


class Network:
    """Tables and rules of one materialisation; `tables` is keyed by predicate."""

    def __init__(self, closure: Closure, rules: Sequence[Rule], terms: Terms) -> None:
        self.rules = closure.rules
        self.axioms: Axioms = closure.axioms
        self.cap = closure.cap
        self.vocabulary = Vocabulary(rules, terms)
        self._per_predicate = [rule for rule in rules if takes_any_predicate(rule)]
        self._terms = terms
        self._transitive = {rule.body[0].predicate for rule in self.rules if rule.is_transitivity}
        self._occupancy = Occupancy()
        self.tables: dict[int, Table] = {}
        for predicate, relation in closure.relations.items():
            edges = relation.edges.keys if predicate in self._transitive else None
            self.tables[predicate] = Table(
                predicate, relation.pairs.keys, relation.levels, edges, self._occupancy
            )
        self.triggers: dict[int, Roster[Trigger]] = self._rosters()
        self.closures: dict[int, TransitiveClosure] = {}
        self.false: dict[int, Roster[Trigger]] = self._rosters()
        self.supports: dict[int, Roster[Backing]] = self._rosters()
        self.paths: dict[int, Roster[Backing]] = self._rosters()
        self._placeholders: dict[int, Table] = {}
        self._enumerations: dict[int, Derivations] = {}
        self._guards: list[tuple[Table, ...]] = []
        """The tables, besides that of a mirror, that a rule about it reads: one of each has to be empty."""
        self._guarded = self._occupancy.changes
        pairs = self._mirror(closure)
        for rule in self.rules:
            self._wire(rule, silent=rule.is_between(pairs))

    def _mirror(self, closure: Closure) -> set[tuple[int, int]]:
        """Replaces the tables of mirrors; returns each with its source, both ways round."""
        found, others = mirrored(closure, self.vocabulary.watched)
        for (source, mirror), rules in found.items():
            level = min(rule.axiom_level for rule in rules)
            self.tables[mirror] = Mirror(mirror, self.tables[source], level)
        for mirror, rest in others.items():
            for rule in rest:
                read = {atom.predicate for atom in rule.body} - {mirror}
                self._guards.append(tuple(self._placeholder(predicate) for predicate in read))
        return {*found, *((mirror, source) for source, mirror in found)}

    def mirrors_hold(self) -> bool:
        """Whether no rule can fire that would give a mirror facts of its own or read them."""
        if self._guarded == self._occupancy.changes:
            return True
        self._guarded = self._occupancy.changes
        return not any(all(table.size for table in guard) for guard in self._guards)

    def _rosters(self) -> dict[int, Any]:
        return defaultdict(lambda: Roster(self._occupancy))

    def table(self, predicate: int) -> Table:
        """The table of a predicate; a new predicate gets its table and the rules for any predicate."""
        known = self.tables.get(predicate)
        if known is not None:
            return known
        if self._has_equals(predicate):
            raise SchemaChanged
        table = self.tables[predicate] = self._placeholder(predicate)
        for rule in fill(self._per_predicate, self._terms, self.axioms, [predicate]):
            self._wire(rule)
        return table

    def _has_equals(self, predicate: int) -> bool:
        equal = self.tables.get(self.vocabulary.same_as)
        return equal is not None and bool(equal.objects[predicate] or equal.subjects[predicate])

    def _placeholder(self, predicate: int) -> Table:
        """The table that rules refer to before the predicate has a fact."""
        known = self.tables.get(predicate) or self._placeholders.get(predicate)
        if known is None:
            known = Table.empty(predicate, self._occupancy, transitive=predicate in self._transitive)
            self._placeholders[predicate] = known
        return known

    def _wire(self, rule: GroundRule, *, silent: bool = False) -> None:
        """Files a rule; a silent one, between a mirror and its source, serves proofs only."""
        tables = tuple(self._placeholder(atom.predicate) for atom in rule.body)
        if rule.head is None:
            self._wire_body(rule, tables, None, self.false)
            return
        head = self._placeholder(rule.head.predicate)
        backing = Backing(rule, tables)
        if silent:
            self.paths[head.predicate].add(rule.head.object, backing)
        elif rule.is_transitivity:
            self.closures[head.predicate] = TransitiveClosure(rule, head)
            self.paths[head.predicate].add(-1, backing)
        else:
            self._wire_body(rule, tables, head, self.triggers)
            self.supports[head.predicate].add(rule.head.object, backing)

    @staticmethod
    def _wire_body(
        rule: GroundRule, tables: tuple[Table, ...], head: Table | None, index: dict[int, Roster[Trigger]]
    ) -> None:
        for position, atom in enumerate(rule.body):
            index[atom.predicate].add(atom.object, Trigger(rule, position, tables, head))

    def derivations(self, fact: Fact, limit: int) -> Iterator[tuple[GroundRule, tuple[Fact, ...]]]:
        """Every one-step derivation of a fact from premises below `limit`, in W3C order of premises."""
        subject, predicate, object_ = fact
        for backings in (self.supports[predicate], self.paths[predicate]):
            for backing in backings.of(object_):
                for pairs in self._steps(backing)(subject, object_, limit):
                    yield backing.rule, premises(backing.rule, pairs)

    def derivation(self, fact: Fact, level: int) -> tuple[GroundRule, tuple[Fact, ...]]:
        """The derivation that proves an inferred fact of this level: its premises are proven by less."""
        subject, predicate, object_ = fact
        closure = self.closures.get(predicate)
        if closure is None or (subject, object_) in closure.edges:
            return next(self.derivations(fact, level))
        stop = closure.step(subject, object_, level)
        return closure.rule, premises(closure.rule, ((subject, stop), (stop, object_)))

    def _steps(self, backing: Backing) -> Derivations:
        """The enumeration of a rule's derivations, made when a proof first needs it."""
        known = self._enumerations.get(id(backing))
        if known is None:
            known = self._enumerations[id(backing)] = derivations(backing.rule, backing.tables)
        return known

    def level(self, fact: Fact) -> int | None:
        """The level of a fact, None when it does not hold."""
        table = self.tables.get(fact[1])
        return None if table is None else table.level(fact[0], fact[2])

    def asserted(self) -> dict[int, Any]:
        """predicate → sorted keys of its asserted facts."""
        found = {}
        for predicate, table in self.tables.items():
            keys, levels = table.arrays()
            if len(chosen := keys[levels == 0]):
                found[predicate] = chosen
        return found

    def inferred(self) -> dict[int, Any]:
        """predicate → sorted keys of its inferred facts."""
        found = {}
        for predicate, table in self.tables.items():
            keys, levels = table.arrays()
            if len(chosen := keys[levels > 0]):
                found[predicate] = np.ascontiguousarray(chosen)
        return found


def premises(rule: GroundRule, pairs: Sequence[tuple[int, int]]) -> tuple[Fact, ...]:
    """The facts of a rule's whole W3C body, from the (subject, object) of each of its atoms."""
    return tuple(
        (pairs[part][0], rule.body[part].predicate, pairs[part][1]) if isinstance(part, int) else part
        for part in rule.premises
    )
