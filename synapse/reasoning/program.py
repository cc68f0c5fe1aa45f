"""Ground rules: what remains of a rule once the axioms it speaks of are filled in.

`prp-dom` and the axiom `cites rdfs:domain Doc` become `?x cites ?y → ?x a Doc`. Predicates
are then constants, so a rule is a join of a few tables. A rule that names only constant
predicates (`cax-sco`, `scm-sco`, `eq-sym`) is ground as it stands.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from synapse.reasoning.terms import Fact


@dataclass(frozen=True, slots=True)
class Atom:
    """A pattern over one table: ids are constants, negative numbers variables.

    `edge` restricts it to the edges of a transitive predicate: the facts that arrived by
    another way than by its transitivity. A path needs no other first step. `few` marks a
    relation of few partners per term (equality), which joins visit early from either side.
    """

    subject: int
    predicate: int
    object: int
    edge: bool = False
    few: bool = False

    @property
    def variables(self) -> frozenset[int]:
        """The variables of subject and object."""
        return frozenset(term for term in (self.subject, self.object) if term < 0)


@dataclass(frozen=True, slots=True)
class GroundRule:
    """A rule over tables; `head` is None when it concludes *false*.

    `axioms` are the facts that were filled in, `axiom_level` is the highest of their levels.
    `premises` restores the order of the W3C body: a fact, or the position of an atom in `body`.
    """

    name: str
    body: tuple[Atom, ...]
    head: Atom | None
    axioms: tuple[Fact, ...] = ()
    axiom_level: int = 0
    premises: tuple[Fact | int, ...] = ()
    distinct: bool = False
    """Whether the head must relate two different terms, neither of them a literal."""

    @property
    def is_transitivity(self) -> bool:
        """Whether this rule closes a predicate under composition with itself."""
        return bool(self.body) and self.body[0].edge

    def is_between(self, pairs: Container[tuple[int, int]]) -> bool:
        """Whether this rule turns the first predicate of a pair into the second."""
        return (
            len(self.body) == 1
            and self.head is not None
            and (self.body[0].predicate, self.head.predicate) in pairs
        )

    def subject_may_be_literal(self) -> bool:
        """Whether the head's subject comes only from objects, so that a literal has to be refused."""
        head = self.head
        return (
            head is not None and head.subject < 0 and all(atom.subject != head.subject for atom in self.body)
        )


def is_transitive(body: Sequence[Atom], head: Atom | None) -> bool:
    """Whether a rule reads `?x p ?y . ?y p ?z → ?x p ?z`."""
    if head is None or len(body) != 2:
        return False
    first, second = body
    return (
        first.predicate == second.predicate == head.predicate
        and len(first.variables | second.variables) == 3
        and (first.subject, first.object, second.object) == (head.subject, second.subject, head.object)
    )


def join_order(body: Sequence[Atom], positions: Iterable[int], bound: Iterable[int]) -> list[int]:
    """The atoms at `positions` in the order in which a nested loop should visit them.

    Greedy: what is most bound comes first; subjects before objects, because a subject has
    few objects and a class many members.
    """
    remaining, known, order = list(positions), set(bound), []
    while remaining:
        best = max(remaining, key=lambda position: _boundness(body[position], known))
        remaining.remove(best)
        order.append(best)
        known |= body[best].variables
    return order


def _boundness(atom: Atom, known: set[int]) -> int:
    subject = atom.subject >= 0 or atom.subject in known
    object_ = atom.object in known
    if subject and (object_ or atom.object >= 0):
        return 5
    if atom.few and (subject or object_):
        return 4
    return 3 if subject else 2 if object_ else atom.object >= 0
