"""Axioms filled into rules: from the W3C rules and the axioms of a memory to ground rules.

A rule is *generic* when a predicate is a variable or a list is involved. Its axiom patterns
(`?p rdfs:domain ?c`, list membership) are solved against the facts, and every solution
gives one ground rule. All other rules (`cax-sco`, `scm-*`) join tables as they stand, so
that a new subclass axiom is an ordinary insertion.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from pyoxigraph import Literal, NamedNode

from synapse.rdf.vocab import OWL, RDF, RDF_TYPE, RDFS
from synapse.reasoning.program import Atom, GroundRule, is_transitive
from synapse.reasoning.rule import LIST_MEMBER, PatternTerm, Rule, TriplePattern, Variable
from synapse.reasoning.terms import Fact, Term, Terms

OWL_SAME_AS = NamedNode(OWL + "sameAs")
OWL_THING = NamedNode(OWL + "Thing")
_FIRST, _REST, _NIL = (NamedNode(RDF + name) for name in ("first", "rest", "nil"))
_ORDINARY_PREDICATES = {RDF_TYPE, OWL_SAME_AS, NamedNode(OWL + "differentFrom")}
_ORDINARY_CLASSES = {OWL_THING, NamedNode(OWL + "Nothing")}
REFLEXIVE: Final[set[Term]] = {
    OWL_SAME_AS,
    *(NamedNode(OWL + name) for name in ("equivalentClass", "equivalentProperty")),
    *(NamedNode(RDFS + name) for name in ("subClassOf", "subPropertyOf")),
}
"""Relations whose reflexive facts are left out: they hold of everything."""

Match = Callable[[int], Iterable[tuple[int, int, int]]]
"""predicate id → all its (subject, object, level)."""


@cache
def is_generic(rule: Rule) -> bool:
    """Whether a rule has to be filled with axioms before it can run."""
    patterns = rule.body if rule.head is None else (*rule.body, rule.head)
    lists = rule.each is not None or any(pattern.predicate == LIST_MEMBER for pattern in patterns)
    return lists or any(isinstance(pattern.predicate, Variable) for pattern in patterns)


@cache
def axiom_patterns(rule: Rule) -> tuple[TriplePattern, ...]:
    """The patterns of a generic rule that axioms fill in; none for any other rule."""
    if not is_generic(rule):
        return ()
    predicates = {pattern.predicate for pattern in rule.body if isinstance(pattern.predicate, Variable)}
    return tuple(p for p in rule.body if _speaks_of_schema(p) or _names_predicate(p, predicates))


@cache
def takes_any_predicate(rule: Rule) -> bool:
    """Whether a rule holds for every predicate in use, as `eq-rep-s`, rather than for those of axioms."""
    if not is_generic(rule):
        return False
    bound = set().union(*(pattern.variables for pattern in axiom_patterns(rule)))
    predicates = (pattern.predicate for pattern in rule.body)
    return any(isinstance(predicate, Variable) and predicate not in bound for predicate in predicates)


def _speaks_of_schema(pattern: TriplePattern) -> bool:
    predicate, object_ = pattern.predicate, pattern.object
    if isinstance(predicate, Variable):
        return False
    if predicate == RDF_TYPE:
        return isinstance(object_, NamedNode) and object_ not in _ORDINARY_CLASSES
    return predicate not in _ORDINARY_PREDICATES


def _names_predicate(pattern: TriplePattern, predicates: set[Variable]) -> bool:
    return not isinstance(pattern.predicate, Variable) and bool(pattern.variables & predicates)


class Vocabulary:
    """Which facts are axioms: a change to one of them changes the ground rules."""

    def __init__(self, rules: Sequence[Rule], terms: Terms) -> None:
        self.type = terms.id(RDF_TYPE)
        self.same_as = terms.id(OWL_SAME_AS)
        patterns = [pattern for rule in rules for pattern in axiom_patterns(rule)]
        self._equality = any(pattern.predicate == OWL_SAME_AS for pattern in patterns)
        self.classes = {
            terms.id(pattern.object)
            for pattern in patterns
            if pattern.predicate == RDF_TYPE and isinstance(pattern.object, NamedNode)
        }
        named = {p.predicate for p in patterns if isinstance(p.predicate, NamedNode)}
        if named & {LIST_MEMBER} or any(rule.each for rule in rules):
            named |= {_FIRST, _REST}
        self.lists = {terms.id(_FIRST), terms.id(_REST)}
        self.predicates = {terms.id(p) for p in named - {LIST_MEMBER, *_ORDINARY_PREDICATES}}
        self.watched = self.predicates | {self.type, self.same_as}

    def is_axiom(self, subject: int, predicate: int, object_: int, tables: Mapping[int, object]) -> bool:
        """Whether a fact may fill a generic rule; `tables` has a key per predicate in use."""
        if predicate == self.type:
            return object_ in self.classes
        if predicate == self.same_as:
            return self._equality and (subject in tables or object_ in tables)
        return predicate in self.predicates


@dataclass(slots=True)
class Axioms:
    """The axioms of a memory, indexed for filling rules."""

    by_subject: dict[int, dict[int, dict[int, int]]] = field(default_factory=dict)
    by_object: dict[int, dict[int, dict[int, int]]] = field(default_factory=dict)

    def load(self, predicate: int, rows: Iterable[tuple[int, int, int]]) -> None:
        """Indexes the facts of one predicate."""
        out: dict[int, dict[int, int]] = defaultdict(dict)
        into: dict[int, dict[int, int]] = defaultdict(dict)
        for subject, object_, level in rows:
            out[subject][object_] = level
            into[object_][subject] = level
        self.by_subject[predicate], self.by_object[predicate] = dict(out), dict(into)

    def level(self, fact: Fact) -> int:
        """The level of an axiom."""
        subject, predicate, object_ = fact
        return self.by_subject[predicate][subject][object_]

    def facts(self) -> frozenset[Fact]:
        """All axioms."""
        return frozenset(
            (subject, predicate, object_)
            for predicate, out in self.by_subject.items()
            for subject, objects in out.items()
            for object_ in objects
        )


@dataclass(slots=True)
class _Solution:
    """Bindings of a rule's variables, with the axioms they rest on, one group per pattern."""

    bindings: dict[Variable, int]
    axioms: dict[TriplePattern, tuple[Fact, ...]]
    positions: dict[int, int]
    """List → position of the member taken last."""

    def value(self, term: PatternTerm, terms: Terms) -> int | None:
        return self.bindings.get(term) if isinstance(term, Variable) else terms.id(term)

    def extended(
        self,
        pattern: TriplePattern,
        facts: tuple[Fact, ...],
        new: Iterable[tuple[PatternTerm, int]],
        position: tuple[int, int] | None = None,
    ) -> _Solution:
        bound = {term: value for term, value in new if isinstance(term, Variable)}
        positions = self.positions if position is None else {**self.positions, position[0]: position[1]}
        return _Solution({**self.bindings, **bound}, {**self.axioms, pattern: facts}, positions)


class Grounding:
    """Fills generic rules with axioms."""

    def __init__(self, terms: Terms, axioms: Axioms, predicates: Iterable[int]) -> None:
        self._terms = terms
        self._axioms = axioms
        # Equality among equals is what eq-sym and eq-trans say already; lists are syntax.
        left_alone = {terms.id(term) for term in (OWL_SAME_AS, _FIRST, _REST)}
        self._predicates = tuple(predicate for predicate in predicates if predicate not in left_alone)
        self._first, self._rest, self._nil = (terms.id(term) for term in (_FIRST, _REST, _NIL))

    def rules(self, rule: Rule) -> Iterator[GroundRule]:
        """The ground rules of a rule; the rule itself when it is not generic."""
        for solution in self._solutions(axiom_patterns(rule), _Solution({}, {}, {})):
            for complete in self._with_predicates(rule, solution):
                ground = self._ground(rule, complete)
                if ground is not None:
                    yield ground

    # Solving the axiom patterns

    def _solutions(self, patterns: tuple[TriplePattern, ...], solution: _Solution) -> Iterator[_Solution]:
        if not patterns:
            yield solution
            return
        chosen = max(patterns, key=lambda pattern: self._selectivity(pattern, solution))
        rest = tuple(pattern for pattern in patterns if pattern is not chosen)
        step = self._members if chosen.predicate == LIST_MEMBER else self._matches
        for extended in step(chosen, solution):
            yield from self._solutions(rest, extended)

    def _selectivity(self, pattern: TriplePattern, solution: _Solution) -> int:
        subject = solution.value(pattern.subject, self._terms) is not None
        object_ = solution.value(pattern.object, self._terms) is not None
        if pattern.predicate == LIST_MEMBER:
            return 1 if subject else -1
        return 2 * subject + object_

    def _matches(self, pattern: TriplePattern, solution: _Solution) -> Iterator[_Solution]:
        predicate = solution.value(pattern.predicate, self._terms)
        assert predicate is not None
        for subject, object_ in self._pairs(predicate, pattern, solution):
            new = ((pattern.subject, subject), (pattern.object, object_))
            yield solution.extended(pattern, ((subject, predicate, object_),), new)

    def _pairs(
        self, predicate: int, pattern: TriplePattern, solution: _Solution
    ) -> Iterator[tuple[int, int]]:
        by_subject = self._axioms.by_subject.get(predicate, {})
        subject = solution.value(pattern.subject, self._terms)
        for object_ in self._objects(pattern.object, solution):
            if object_ is not None and subject is None:
                subjects = self._axioms.by_object.get(predicate, {}).get(object_, {})
                yield from ((found, object_) for found in subjects)
            elif object_ is not None and subject is not None:
                if object_ in by_subject.get(subject, {}):
                    yield subject, object_
            else:
                chosen = by_subject if subject is None else {subject: by_subject.get(subject, {})}
                yield from ((found, o) for found, objects in chosen.items() for o in objects)

    def _objects(self, term: PatternTerm, solution: _Solution) -> tuple[int | None, ...]:
        """The ids that a pattern's object stands for; a number in a rule matches any integer type."""
        if isinstance(term, Literal):
            return self._terms.integers(int(term.value))
        return (solution.value(term, self._terms),)

    # Lists

    def _members(self, pattern: TriplePattern, solution: _Solution) -> Iterator[_Solution]:
        head = solution.value(pattern.subject, self._terms)
        assert head is not None
        wanted = solution.value(pattern.object, self._terms)
        for position, (member, cells) in enumerate(self._list(head)):
            if position <= solution.positions.get(head, -1) or wanted not in (None, member):
                continue
            yield solution.extended(pattern, cells, ((pattern.object, member),), (head, position))

    def _list(self, head: int) -> list[tuple[int, tuple[Fact, ...]]]:
        """(member, the cells that lead to it) for each member; none when the list is malformed."""
        firsts = self._axioms.by_subject.get(self._first, {})
        rests = self._axioms.by_subject.get(self._rest, {})
        members: list[tuple[int, tuple[Fact, ...]]] = []
        path: tuple[Fact, ...] = ()
        cell = head
        seen = {self._nil}
        while cell not in seen:
            first, rest = firsts.get(cell, {}), rests.get(cell, {})
            if len(first) != 1 or len(rest) != 1:
                return []
            seen.add(cell)
            (member,), (following,) = first, rest
            members.append((member, (*path, (cell, self._first, member))))
            path, cell = (*path, (cell, self._rest, following)), following
        return members if cell == self._nil else []

    # From a solution to ground rules

    def _with_predicates(self, rule: Rule, solution: _Solution) -> Iterator[_Solution]:
        """Binds a predicate that no axiom binds (`eq-rep-s`) to every predicate in use."""
        free = {
            pattern.predicate
            for pattern in rule.body
            if isinstance(pattern.predicate, Variable) and pattern.predicate not in solution.bindings
        }
        if not free:
            yield solution
            return
        (variable,) = free
        for predicate in self._predicates:
            yield replace(solution, bindings={**solution.bindings, variable: predicate})

    def _ground(self, rule: Rule, solution: _Solution) -> GroundRule | None:
        return _Instance(rule, solution, self._terms, self._axioms).ground(
            None if rule.each is None else self._list(solution.bindings[rule.each.list])
        )


class _Instance:
    """One ground rule in the making."""

    def __init__(self, rule: Rule, solution: _Solution, terms: Terms, axioms: Axioms) -> None:
        self.rule, self.solution, self.terms, self.axioms = rule, solution, terms, axioms
        self.numbers: dict[Variable, int] = {}
        self.body: list[Atom] = []
        self.premises: list[Fact | int] = []

    def ground(self, members: list[tuple[int, tuple[Fact, ...]]] | None) -> GroundRule | None:
        """The ground rule; None where it says nothing: an empty or malformed list, a literal as property."""
        for premise in self.rule.body:
            self.add(premise)
        if members is not None and not self.repeat(members):
            return None
        pattern = self.rule.head
        head = None if pattern is None else self.atom(self.at(pattern, 0, len(members or ())))
        if not all(self.is_predicate(atom) for atom in (*self.body, *([head] if head else []))):
            return None
        body = tuple(self.body)
        if is_transitive(body, head):
            body = (replace(body[0], edge=True), body[1])
        facts = tuple(premise for premise in self.premises if not isinstance(premise, int))
        level = max(map(self.axioms.level, facts), default=0)
        distinct = head is not None and self.terms.term(head.predicate) in REFLEXIVE
        return GroundRule(self.rule.name, body, head, facts, level, tuple(self.premises), distinct)

    def add(self, pattern: TriplePattern) -> None:
        facts = self.solution.axioms.get(pattern)
        if facts is not None:
            self.premises.extend(facts)
            return
        self.premises.append(len(self.body))
        self.body.append(self.atom(pattern))

    def repeat(self, members: list[tuple[int, tuple[Fact, ...]]]) -> bool:
        each = self.rule.each
        assert each is not None
        for position, (member, cells) in enumerate(members):
            self.premises.extend(cell for cell in cells if cell not in self.premises)
            self.solution.bindings[each.member.at(position, length=len(members))] = member
            if self.terms.term(member) == OWL_THING:  # everything is one; no fact says so
                continue
            for pattern in each.patterns:
                self.add(self.at(pattern, position, len(members)))
        return bool(members) and bool(self.body)

    @staticmethod
    def at(pattern: TriplePattern, position: int, length: int) -> TriplePattern:
        terms = (t.at(position, length=length) if isinstance(t, Variable) else t for t in pattern)
        return TriplePattern(*terms)  # type: ignore[arg-type]

    def is_predicate(self, atom: Atom) -> bool:
        return isinstance(self.terms.term(atom.predicate), NamedNode)

    def atom(self, pattern: TriplePattern) -> Atom:
        few = pattern.predicate == OWL_SAME_AS
        subject, predicate, object_ = map(self.id, pattern)
        return Atom(subject, predicate, object_, few=few)

    def id(self, term: PatternTerm) -> int:
        value = self.solution.value(term, self.terms)
        if value is not None:
            return value
        assert isinstance(term, Variable)
        return self.numbers.setdefault(term, -1 - len(self.numbers))
