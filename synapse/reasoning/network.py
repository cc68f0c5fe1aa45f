"""The ground rules wired to the tables: which function runs when a fact comes or goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from synapse.reasoning.bulk import Closure, fill
from synapse.reasoning.loops import Fire, Support, derivations, fire, support
from synapse.reasoning.program import GroundRule
from synapse.reasoning.rule import Rule, Variable
from synapse.reasoning.schema import Axioms, Vocabulary, axiom_patterns, is_generic
from synapse.reasoning.table import Table
from synapse.reasoning.terms import Fact, Terms

UNLIMITED = 1 << 31
"""Above every level."""


class SchemaChanged(Exception):
    """An axiom came or went: the ground rules no longer fit, a bulk run has to follow."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """Runs `fire` for a fact at one atom of a rule; `needs` are the tables that must not be empty."""

    rule: GroundRule
    head: Table | None
    fire: Fire
    needs: tuple[Table, ...]


@dataclass(slots=True)
class Triggers:
    """The triggers of one predicate: for every fact, and for facts with one certain object."""

    always: list[Trigger] = field(default_factory=list)
    by_object: dict[int, list[Trigger]] = field(default_factory=dict)

    def add(self, object_: int, trigger: Trigger) -> None:
        """Files a trigger under its atom's object (negative: a variable)."""
        chosen = self.always if object_ < 0 else self.by_object.setdefault(object_, [])
        chosen.append(trigger)

    def of(self, object_: int) -> list[Trigger]:
        """The triggers of a fact with this object."""
        special = self.by_object.get(object_)
        return self.always if special is None else [*self.always, *special]


@dataclass(slots=True)
class Supports:
    """The rules that conclude facts of one predicate, filed like `Triggers`."""

    always: list[tuple[GroundRule, Support]] = field(default_factory=list)
    by_object: dict[int, list[tuple[GroundRule, Support]]] = field(default_factory=dict)

    def add(self, object_: int, rule: GroundRule, check: Support) -> None:
        """Files a rule under its head's object (negative: a variable)."""
        chosen = self.always if object_ < 0 else self.by_object.setdefault(object_, [])
        chosen.append((rule, check))

    def of(self, object_: int) -> Iterator[tuple[GroundRule, Support]]:
        """The rules that may conclude a fact with this object."""
        yield from self.always
        yield from self.by_object.get(object_, ())

    def level(self, subject: int, object_: int, limit: int) -> int | None:
        """The level of some derivation from premises below `limit`, None when there is none."""
        for _, check in self.of(object_):
            level = check(subject, object_, limit)
            if level is not None:
                return level
        return None


class Network:
    """Tables and rules of one materialisation; `tables` is keyed by predicate."""

    def __init__(self, closure: Closure, rules: Sequence[Rule], terms: Terms) -> None:
        self.rules = closure.rules
        self.axioms: Axioms = closure.axioms
        self.complete = closure.complete
        self.vocabulary = Vocabulary(rules, terms)
        self._per_predicate = [rule for rule in rules if is_generic(rule) and _takes_any_predicate(rule)]
        self._terms = terms
        self._transitive = {rule.body[0].predicate for rule in self.rules if rule.is_transitivity}
        self.tables: dict[int, Table] = {}
        for predicate, relation in closure.relations.items():
            edges = relation.edges.keys if predicate in self._transitive else None
            self.tables[predicate] = Table(predicate, relation.pairs.keys, relation.levels, edges)
        self.triggers: dict[int, Triggers] = defaultdict(Triggers)
        self.left: dict[int, Trigger] = {}
        self.right: dict[int, Trigger] = {}
        self.false: dict[int, Triggers] = defaultdict(Triggers)
        self.supports: dict[int, Supports] = defaultdict(Supports)
        self.paths: dict[int, Supports] = defaultdict(Supports)
        self._placeholders: dict[int, Table] = {}
        for rule in self.rules:
            self._wire(rule)

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
            known = Table.empty(predicate, transitive=predicate in self._transitive)
            self._placeholders[predicate] = known
        return known

    def _wire(self, rule: GroundRule) -> None:
        tables = [self._placeholder(atom.predicate) for atom in rule.body]
        if rule.head is None:
            self._wire_body(rule, tables, None, self.false)
            return
        head = self._placeholder(rule.head.predicate)
        check = support(rule, tables)
        if rule.is_transitivity:
            self.left[head.predicate] = Trigger(rule, head, fire(rule, 0, tables), ())
            self.right[head.predicate] = Trigger(rule, head, fire(rule, 1, tables), ())
            self.paths[head.predicate].add(-1, rule, check)
        else:
            self._wire_body(rule, tables, head, self.triggers)
            self.supports[head.predicate].add(rule.head.object, rule, check)

    @staticmethod
    def _wire_body(
        rule: GroundRule, tables: list[Table], head: Table | None, index: dict[int, Triggers]
    ) -> None:
        for position, atom in enumerate(rule.body):
            needs = tuple({id(t): t for n, t in enumerate(tables) if n != position}.values())
            trigger = Trigger(rule, head, fire(rule, position, tables), needs)
            index[atom.predicate].add(atom.object, trigger)

    def derivations(self, fact: Fact, limit: int) -> Iterator[tuple[GroundRule, tuple[Fact, ...]]]:
        """Every one-step derivation of a fact from premises below `limit`, in W3C order of premises."""
        subject, predicate, object_ = fact
        for supports in (self.supports.get(predicate), self.paths.get(predicate)):
            for rule, _ in supports.of(object_) if supports else ():
                tables = [self._placeholder(atom.predicate) for atom in rule.body]
                for pairs in derivations(rule, tables)(subject, object_, limit):
                    yield rule, premises(rule, pairs)

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
        Fact(pairs[part][0], rule.body[part].predicate, pairs[part][1]) if isinstance(part, int) else part
        for part in rule.premises
    )


def _takes_any_predicate(rule: Rule) -> bool:
    """Whether a rule holds for every predicate in use, as `eq-rep-s`, rather than for those of axioms."""
    bound = set().union(*(pattern.variables for pattern in axiom_patterns(rule)))
    predicates = (pattern.predicate for pattern in rule.body)
    return any(isinstance(predicate, Variable) and predicate not in bound for predicate in predicates)
