"""The ground rules wired to the tables: which function runs when a fact comes or goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from synapse.reasoning.bulk import Closure, fill
from synapse.reasoning.hydration import Row
from synapse.reasoning.loops import Derivations, Fire, Support, derivations, fire, support
from synapse.reasoning.mirrors import Mirror, mirrored
from synapse.reasoning.program import GroundRule
from synapse.reasoning.rule import Rule
from synapse.reasoning.schema import Axioms, Vocabulary, takes_any_predicate
from synapse.reasoning.table import LEVEL, Occupancy, Table
from synapse.reasoning.terms import Fact, Terms
from synapse.reasoning.transitivity import TransitiveClosure

UNLIMITED = 1 << 31
"""Above every level."""


class SchemaChanged(Exception):
    """An axiom came or went, or a mirror has to become a table: a bulk run has to follow."""


class Trigger:
    """A rule at one atom of its body: `fire` finds what follows from facts there.

    `tables` are those of all its atoms but this one. A memory has many more rules than an edit
    needs, so the function is made when the trigger is first of use.
    """

    __slots__ = ("_position", "_sources", "fire", "head", "rule", "tables")
    fire: Fire

    def __init__(
        self, rule: GroundRule, position: int, sources: tuple[Table, ...], head: Table | None
    ) -> None:
        self.rule, self.head = rule, head
        self.tables = tuple(table for n, table in enumerate(sources) if n != position)
        self._position, self._sources = position, sources

    def ready(self) -> Trigger:
        """The trigger itself, its function made."""
        if not hasattr(self, "fire"):
            self.fire = fire(self.rule, self._position, self._sources)
        return self


class Backing:
    """A rule that may conclude facts: `check` looks for derivations in `tables`, those of its body."""

    __slots__ = ("check", "rule", "tables")
    check: Support

    def __init__(self, rule: GroundRule, tables: tuple[Table, ...]) -> None:
        self.rule, self.tables = rule, tables

    def ready(self) -> Backing:
        """The backing itself, its function made."""
        if not hasattr(self, "check"):
            self.check = support(self.rule, self.tables)
        return self


Wired = TypeVar("Wired", Trigger, Backing)


class Roster(Generic[Wired]):
    """What is wired to one predicate: for all of its facts, or for those with one certain object.

    Rules that read an empty table are passed over: without any equality the equality rules,
    two per predicate, cost nothing. The choice is remembered until a table fills or empties.
    """

    __slots__ = ("_active", "_always", "_by_object", "_occupancy", "_seen")

    def __init__(self, occupancy: Occupancy) -> None:
        self._occupancy = occupancy
        self._always: list[Wired] = []
        self._by_object: dict[int, list[Wired]] = {}
        self._active: dict[int, list[Wired]] = {}
        self._seen = -1

    def add(self, object_: int, wired: Wired) -> None:
        """Files under the object of an atom or head (negative: a variable)."""
        chosen = self._always if object_ < 0 else self._by_object.setdefault(object_, [])
        chosen.append(wired)
        self._seen = -1

    @property
    def uniform(self) -> bool:
        """Whether the same applies to all facts."""
        return not self._by_object

    def of(self, object_: int) -> list[Wired]:
        """What applies to a fact with this object and may succeed."""
        if self._seen != self._occupancy.changes:
            self._active.clear()
            self._seen = self._occupancy.changes
        key: int = object_ if object_ in self._by_object else -1
        active = self._active.get(key)
        if active is None:
            every = (*self._always, *self._by_object.get(key, ()))
            active = [wired.ready() for wired in every if all(table.size for table in wired.tables)]
            self._active[key] = active
        return active

    def groups(self, rows: list[Row]) -> list[tuple[Wired, list[Row]]]:
        """Each of what applies, with those of the facts that it applies to."""
        return [(wired, chosen) for active, chosen in self.parts(rows) for wired in active]

    def parts(self, rows: list[Row]) -> list[tuple[list[Wired], list[Row]]]:
        """The facts in parts to which the same applies, with all that applies."""
        special = self._by_object
        if not special:
            return [(self.of(-1), rows)]
        parts: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            parts[row[1] if row[1] in special else -1].append(row)
        return [(self.of(object_), chosen) for object_, chosen in parts.items()]


def best_level(backings: Roster[Backing], subject: int, object_: int, limit: int) -> int | None:
    """The level of some derivation from premises below `limit`, None when there is none."""
    for backing in backings.of(object_):
        (level,) = backing.check([(subject, object_, limit)])
        if level is not None:
            return level
    return None


def unsupported(backings: Roster[Backing], rows: list[Row]) -> list[Row]:
    """The facts that have no derivation from premises below their level."""
    left: list[Row] = []
    for active, part in backings.parts(rows):
        remaining = part
        highest = max(map(LEVEL, part), default=0) if active else 0
        for backing in active:
            if remaining and all(table.lowest < highest for table in backing.tables):
                levels = zip(remaining, backing.check(remaining), strict=True)
                remaining = [row for row, level in levels if level is None]
        left += remaining
    return left


def derivable(backings: Roster[Backing], rows: list[Row]) -> dict[tuple[int, int], int]:
    """The facts that have a derivation, although none from premises below their level: pair → level."""
    found: dict[tuple[int, int], int] = {}
    for active, part in backings.parts(rows):
        for backing in active:
            highest = max([backing.rule.axiom_level, *[table.highest for table in backing.tables]])
            # some premise is as high as the fact was, or it would have been derivation enough
            chosen = [(subject, object_, UNLIMITED) for subject, object_, level in part if level <= highest]
            if chosen:
                levels = zip(chosen, backing.check(chosen), strict=True)
                found.update((row[:2], level) for row, level in levels if level is not None)
    return found


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
