"""The bulk evaluator: whole materialisation over sorted arrays, semi-naive, round by round.

Rounds are synchronous, so the round number is a valid level: everything a round derives
rests on earlier rounds. (The incremental evaluator has no rounds and must not use one.)
Transitive predicates wait until nothing else is left to do and are then closed over their
edges: with a symmetric property the edges are complete before the closure multiplies them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from synapse.reasoning.columns import (
    NO_KEYS,
    Bindings,
    JoinTooLarge,
    SortedPairs,
    concatenated,
    distinct,
    found,
    merged,
)
from synapse.reasoning.keys import MASK, Keys
from synapse.reasoning.program import Atom, GroundRule, join_order
from synapse.reasoning.rule import Rule
from synapse.reasoning.rules_owl import EQUALITY
from synapse.reasoning.schema import Axioms, Grounding, Vocabulary, is_generic, takes_any_predicate
from synapse.reasoning.terms import Terms

INFERRED_CAP: Final = "inferred-cap"
JOIN_CAP: Final = "join-cap"
EQUALITY_CAP: Final = "equality-cap"


class Relation:
    """The facts of one predicate while they grow."""

    __slots__ = ("edges", "levels", "pairs")

    def __init__(self, keys: Keys, levels: NDArray[np.int32], edges: Keys) -> None:
        self.pairs = SortedPairs(keys)
        self.levels = levels
        self.edges = SortedPairs(edges)

    @staticmethod
    def asserted(keys: Keys) -> Relation:
        """A relation of asserted facts, all of them edges."""
        return Relation(keys, np.zeros(len(keys), np.int32), keys)

    def add(self, fresh: Keys, *, level: int, edges: bool) -> None:
        """Adds sorted keys that are not there yet."""
        keys, places = merged(self.pairs.keys, fresh)
        self.levels = np.insert(self.levels, places, np.int32(level))
        self.pairs = SortedPairs(keys)
        if edges:
            self.edges = SortedPairs(merged(self.edges.keys, fresh)[0])

    def rows(self) -> Iterator[tuple[int, int, int]]:
        """All (subject, object, level)."""
        keys = self.pairs.keys
        return zip((keys >> 32).tolist(), (keys & MASK).tolist(), self.levels.tolist(), strict=True)


@dataclass(frozen=True, slots=True)
class Closure:
    """What a bulk run leaves: the relations, the ground rules, and the code of the cap that cut it short."""

    relations: dict[int, Relation]
    rules: tuple[GroundRule, ...]
    axioms: Axioms
    cap: str | None = None


@dataclass(frozen=True, slots=True)
class Caps:
    """Where a run stops: at this many facts, or when one term has more equals than this."""

    max_facts: int
    max_equals: int


def materialise(asserted: Mapping[int, Keys], rules: Sequence[Rule], terms: Terms, caps: Caps) -> Closure:
    """Everything that follows from `asserted` (predicate → sorted keys), unless a cap cuts it short.

    With too many equals in one clique the rules of equality are left out; at too many facts
    the run stops where it is. The closure's `cap` tells.
    """
    closure = _materialised(asserted, rules, terms, caps)
    if closure.cap != EQUALITY_CAP:
        return closure
    without = [rule for rule in rules if rule not in EQUALITY]
    return replace(_materialised(asserted, without, terms, caps), cap=EQUALITY_CAP)


def _materialised(asserted: Mapping[int, Keys], rules: Sequence[Rule], terms: Terms, caps: Caps) -> Closure:
    """Axioms may themselves be inferred: filling rules and running them alternate until none is new."""
    vocabulary = Vocabulary(rules, terms)
    relations = {predicate: Relation.asserted(keys) for predicate, keys in asserted.items()}
    run = _Run(relations, caps, vocabulary.same_as)
    fixed, generic = _separated(rules)
    plain = fill(fixed, terms, Axioms(), ())
    run.exhaust([rule for rule in plain if _is_about_schema(rule, vocabulary)])
    axioms: Axioms = collect_axioms(run.relations, vocabulary)
    filled: object = None
    ground: list[GroundRule] = plain
    predicates: list[int] = []
    while not run.cap and (state := (axioms.facts(), run.predicates_with_equals())) != filled:
        predicates = list(run.relations)
        ground = [*plain, *fill(generic, terms, axioms, predicates)]
        run.exhaust(ground)
        filled, axioms = state, collect_axioms(run.relations, vocabulary)
    if run.cap:
        return closed(run.relations, rules, terms, cap=run.cap)
    fresh = run.relations.keys() - predicates
    ground += fill(filter(takes_any_predicate, generic), terms, axioms, fresh)
    return Closure(run.relations, tuple(ground), axioms)


def closed(
    relations: dict[int, Relation], rules: Sequence[Rule], terms: Terms, *, cap: str | None
) -> Closure:
    """Relations that are closed under the rules already, with the ground rules that apply to them."""
    axioms = collect_axioms(relations, Vocabulary(rules, terms))
    return Closure(relations, tuple(fill(rules, terms, axioms, relations)), axioms, cap)


def collect_axioms(relations: Mapping[int, Relation], vocabulary: Vocabulary) -> Axioms:
    """The axioms among the facts, indexed."""
    axioms = Axioms()
    for predicate in vocabulary.predicates & relations.keys():
        rows: Iterable[tuple[int, int, int]] = relations[predicate].rows()
        if predicate in vocabulary.lists:  # a second, inferred member would make a list unreadable
            rows = (row for row in rows if row[2] == 0)
        axioms.load(predicate, rows)
    for predicate in {vocabulary.type, vocabulary.same_as} & relations.keys():
        axioms.load(predicate, _axiom_rows(predicate, relations, vocabulary))
    return axioms


def _axiom_rows(
    predicate: int, relations: Mapping[int, Relation], vocabulary: Vocabulary
) -> Iterator[tuple[int, int, int]]:
    relation = relations[predicate]
    keys = relation.pairs.keys
    if predicate == vocabulary.type:
        chosen = np.isin(keys & MASK, list(vocabulary.classes))
    else:
        predicates = list(relations)
        chosen = np.isin(keys & MASK, predicates) | np.isin(keys >> 32, predicates)
    for key, level in zip(keys[chosen].tolist(), relation.levels[chosen].tolist(), strict=True):
        if vocabulary.is_axiom(key >> 32, predicate, key & MASK, relations):
            yield key >> 32, key & MASK, level


def fill(rules: Iterable[Rule], terms: Terms, axioms: Axioms, predicates: Iterable[int]) -> list[GroundRule]:
    """The ground rules of `rules`, filled with the axioms; `predicates` are those in use."""
    grounding = Grounding(terms, axioms, predicates)
    return [ground for rule in rules for ground in grounding.rules(rule)]


def _separated(rules: Iterable[Rule]) -> tuple[list[Rule], list[Rule]]:
    """The rules that run as they stand, and those that axioms fill."""
    fixed: list[Rule] = []
    generic: list[Rule] = []
    for rule in rules:
        (generic if is_generic(rule) else fixed).append(rule)
    return fixed, generic


def _is_about_schema(rule: GroundRule, vocabulary: Vocabulary) -> bool:
    """Whether a rule relates axioms to axioms (`scm-*`), so that it can run before any is filled in."""
    atoms = (*rule.body, *([rule.head] if rule.head else []))
    return not {vocabulary.type, vocabulary.same_as} & {atom.predicate for atom in atoms}


class _Run:
    """One materialisation in progress."""

    def __init__(self, relations: dict[int, Relation], caps: Caps, same_as: int) -> None:
        self.relations = relations
        self.cap: str | None = None
        self._caps = caps
        self._same_as = same_as
        self._size = sum(len(relation.pairs) for relation in relations.values())
        self._round = 0
        self._fresh: dict[int, list[Keys]] = {}
        self._unclosed: dict[int, list[Keys]] = {}
        self._rules: dict[int, list[tuple[GroundRule, int]]] = {}
        self._closing: dict[int, GroundRule] = {}

    def predicates_with_equals(self) -> frozenset[int]:
        """The predicates that the rules of equality are filled with; none as long as nothing is equal."""
        return frozenset(self.relations) if self._same_as in self.relations else frozenset()

    def exhaust(self, rules: Sequence[GroundRule]) -> None:
        """Runs the rules until nothing new follows, starting from all facts."""
        self._index([rule for rule in rules if rule.head is not None])
        everything = {predicate: relation.pairs.keys for predicate, relation in self.relations.items()}
        self._fresh = {predicate: [keys] for predicate, keys in everything.items()}
        self._unclosed = {
            predicate: [relation.edges.keys]
            for predicate, relation in self.relations.items()
            if predicate in self._closing
        }
        try:
            self._add_all(self._bodiless(rules))
            self._run()
        except JoinTooLarge:
            self.cap = JOIN_CAP

    def _run(self) -> None:
        while not self.cap and (self._fresh or self._unclosed):
            if self._fresh:
                self._step()
            else:
                self._close()

    def _index(self, rules: Iterable[GroundRule]) -> None:
        self._rules, self._closing = defaultdict(list), {}
        for rule in rules:
            if rule.is_transitivity:
                self._closing[rule.body[0].predicate] = rule
                continue
            for position, atom in enumerate(rule.body):
                self._rules[atom.predicate].append((rule, position))

    @staticmethod
    def _bodiless(rules: Iterable[GroundRule]) -> dict[int, list[Keys]]:
        """The heads of rules that axioms filled completely, as `cls-oo`."""
        candidates: dict[int, list[Keys]] = defaultdict(list)
        for rule in rules:
            if not rule.body and rule.head is not None and not rule.head.subject & 1:
                keys = np.array([rule.head.subject << 32 | rule.head.object], np.int64)
                candidates[rule.head.predicate].append(_admissible(keys, rule))
        return candidates

    def _step(self) -> None:
        """One round: every rule on what the round before brought."""
        fresh, self._fresh = self._fresh, {}
        candidates: dict[int, list[Keys]] = defaultdict(list)
        for predicate, parts in fresh.items():
            pairs = SortedPairs(parts[0] if len(parts) == 1 else concatenated(parts))
            for rule, position in self._rules[predicate]:
                if rule.head is not None:
                    candidates[rule.head.predicate].append(self._fire(rule, rule.head, position, pairs))
        self._add_all(candidates)

    def _fire(self, rule: GroundRule, head: Atom, position: int, fresh: SortedPairs) -> Keys:
        others = [n for n in range(len(rule.body)) if n != position]
        if any(rule.body[n].predicate not in self.relations for n in others):
            return NO_KEYS
        first = rule.body[position]
        bindings = Bindings.unit().join(first, fresh)
        for n in join_order(rule.body, others, first.variables):
            if not bindings.size:
                return NO_KEYS
            bindings = bindings.join(rule.body[n], self.relations[rule.body[n].predicate].pairs)
        return _admissible(bindings.keys(head), rule)

    def _add_all(self, candidates: Mapping[int, list[Keys]]) -> None:
        self._round += 1
        for predicate, parts in candidates.items():
            fresh = self._add(predicate, concatenated(parts), edges=True)
            if len(fresh) and predicate in self._closing:
                self._unclosed.setdefault(predicate, []).append(fresh)

    def _add(self, predicate: int, keys: Keys, *, edges: bool) -> Keys:
        """Adds what is new of sorted keys, and returns it."""
        relation = self.relations.get(predicate)
        if relation is None:
            if not len(keys):
                return keys
            relation = self.relations[predicate] = Relation.asserted(NO_KEYS)
        fresh = keys[~found(keys, relation.pairs.keys)]
        if len(fresh):
            relation.add(fresh, level=self._round, edges=edges)
            self._fresh.setdefault(predicate, []).append(fresh)
            self._size += len(fresh)
            self._watch(predicate, relation)
        return fresh

    def _watch(self, predicate: int, relation: Relation) -> None:
        """Notes the cap that was reached, if one was."""
        if self._size > self._caps.max_facts:
            self.cap = INFERRED_CAP
        if predicate == self._same_as and predicate in self._closing:
            equals = np.unique(relation.pairs.keys >> 32, return_counts=True)[1]
            if equals.max() > self._caps.max_equals:
                self.cap = EQUALITY_CAP

    def _close(self) -> None:
        """Closes one transitive predicate: paths grow by an edge at their front."""
        predicate, parts = self._unclosed.popitem()
        rule = self._closing[predicate]
        new_edges = SortedPairs(concatenated(parts))
        first, second = rule.body
        head = Atom(first.subject, predicate, second.object)
        paths = self.relations[predicate].pairs
        longer = Bindings.unit().join(first, new_edges).join(second, paths).keys(head)
        delta = new_edges.keys
        # One level for all: a path stands above the edges of its walk, not above shorter paths.
        self._round += 1
        while True:
            onto = Bindings.unit().join(second, SortedPairs(delta))
            grown = onto.join(first, self.relations[predicate].edges).keys(head)
            candidates = _admissible(np.concatenate((longer, grown)), rule)
            delta, longer = self._add(predicate, distinct(candidates), edges=False), NO_KEYS
            if not len(delta) or self.cap:
                return


def _admissible(keys: Keys, rule: GroundRule) -> Keys:
    """The heads that may be facts: no literal subject, and no reflexive one where those are left out."""
    if rule.subject_may_be_literal():
        keys = keys[(keys >> 32) & 1 == 0]
    if rule.distinct:
        keys = keys[((keys >> 32) != (keys & MASK)) & (keys & 1 == 0)]
    return keys
