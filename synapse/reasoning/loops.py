"""Ground rules as compiled nested loops: what the incremental evaluator runs.

Interpreting a rule costs several times more than running it, so each rule *shape* (its atoms
with tables and constants left open) becomes Python source once, and each rule a closure over
its own tables and constants. Three functions come from the same loop nest:

* `fire(rows, out)` for one atom: appends (subject, object, level) of every head that follows
  from one of the new or vanishing facts `rows`, of the same form, at that atom. For a rule that
  concludes *false* it appends the facts of the body instead, one (subject, object) per atom.
* `support(rows)`: for each head fact (subject, object, limit) the level of one derivation whose
  premises all have a level below the limit, or None.
* `derivations(s, o, limit)`: all of them, each as one (subject, object) per atom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from synapse.reasoning.hydration import Row
from synapse.reasoning.program import Atom, GroundRule, join_order
from synapse.reasoning.table import Table

Fire = Callable[[Iterable[Row], list[Any]], None]
Support = Callable[[list[Row]], list[int | None]]
Derivations = Callable[[int, int, int], Iterator[tuple[tuple[int, int], ...]]]


def fire(rule: GroundRule, position: int, tables: tuple[Table, ...]) -> Fire:
    """The forward function of one body atom; `tables` holds the table of each atom."""
    return _closure(rule, "fire", position, tables)  # type: ignore[no-any-return]


def support(rule: GroundRule, tables: tuple[Table, ...]) -> Support:
    """The backward check of a rule."""
    return _closure(rule, "support", -1, tables)  # type: ignore[no-any-return]


def derivations(rule: GroundRule, tables: tuple[Table, ...]) -> Derivations:
    """The enumeration of a rule's derivations."""
    return _closure(rule, "derivations", -1, tables)  # type: ignore[no-any-return]


def _closure(rule: GroundRule, kind: str, position: int, tables: tuple[Table, ...]) -> Any:
    body, head, constants = _shape(rule)
    literal_guard = kind == "fire" and rule.subject_may_be_literal()
    make = _compiled(kind, position, body, head, rule.distinct, literal_guard)
    return make(tables, constants, rule.axiom_level)


def _shape(rule: GroundRule) -> tuple[tuple[Atom, ...], Atom | None, list[int]]:
    """The rule with constants numbered (from 0) and predicates left open, and its constants."""
    constants: list[int] = []

    def open_term(term: int) -> int:
        if term < 0:
            return term
        constants.append(term)
        return len(constants) - 1

    def open_atom(atom: Atom) -> Atom:
        return Atom(open_term(atom.subject), 0, open_term(atom.object), atom.edge, atom.few)

    body = tuple(open_atom(atom) for atom in rule.body)
    head = None if rule.head is None else open_atom(rule.head)
    return body, head, constants


@cache
def _compiled(
    kind: str, position: int, body: tuple[Atom, ...], head: Atom | None, distinct: bool, literal_guard: bool
) -> Any:
    source = _Source(body)
    if kind == "fire":
        source.open_fire(position)
        source.emit(head, distinct=distinct, literal_guard=literal_guard)
    else:
        assert head is not None
        source.open_backward(head, distinct=distinct, many=kind == "support")
        source.yield_or_return(kind)
    if kind == "support":
        source.for_each()
    namespace: dict[str, Any] = {}
    exec(source.text(), namespace)  # our own text, built from rule shapes only
    return namespace["make"]


def _name(term: int) -> str:
    return f"v{-term}" if term < 0 else f"c{term}"


class _Source:
    """The text of one factory `make(tables, constants, axiom)`, written line by line."""

    def __init__(self, body: tuple[Atom, ...]) -> None:
        self.body = body
        self.lines: list[str] = []
        self.depth = 2
        self.bound: set[int] = set()
        self.looked_up: list[int] = []
        self.given: dict[int, str] = {}

    def text(self) -> str:
        setup = ["def make(tables, constants, axiom):"]
        for n, atom in enumerate(self.body):
            setup.append(f" t{n} = tables[{n}]; F{n} = t{n}.objects; B{n} = t{n}.subjects; K{n} = t{n}.known")
            if atom.edge:
                setup.append(f" E{n} = t{n}.edges.objects; EB{n} = t{n}.edges.subjects")
        terms = {term for atom in self.body for term in (atom.subject, atom.object) if term >= 0}
        highest = max(terms, default=-1) + 3
        setup += [f" c{n} = constants[{n}] if len(constants) > {n} else None" for n in range(highest)]
        return "\n".join([*setup, *self.lines, " return function"])

    def line(self, text: str) -> None:
        self.lines.append(" " * self.depth + text)

    def block(self, text: str) -> None:
        self.line(text)
        self.depth += 1

    def skip_unless(self, condition: str) -> None:
        self.block(f"if {condition}:")

    # The three openings bind what is given; the loop nest binds the rest.

    def open_fire(self, position: int) -> None:
        self.lines.append(" def function(rows, out):")
        self.block("for s, o, level in rows:")
        self.bind(self.body[position])
        self.line(f"l{position} = level")
        others = [n for n in range(len(self.body)) if n != position]
        for n in join_order(self.body, others, self.bound):
            self.visit(n, limited=False)

    def open_backward(self, head: Atom, *, distinct: bool, many: bool) -> None:
        self.lines.append(" def function(s, o, limit):")
        self.skip_unless("axiom < limit")
        if distinct:
            self.skip_unless("s != o and not o & 1")
        self.bind(head)
        if many:
            self.looked_up = [n for n, atom in enumerate(self.body) if atom.variables <= head.variables]
            self.given = {head.subject: "s", head.object: "o"}
        for n in join_order(self.body, range(len(self.body)), self.bound):
            self.visit(n, limited=True)

    def for_each(self) -> None:
        """The function over many facts; what each alone says to look up is looked up for all at once."""
        self.lines += [" one = function", " def function(rows):"]
        for n in self.looked_up:
            subject, object_ = (
                self.given.get(term, _name(term)) for term in (self.body[n].subject, self.body[n].object)
            )
            self.lines.append(f"  F{n}.look_up([({subject}, {object_}, 0) for s, o, _ in rows])")
        self.lines.append("  return [one(s, o, limit) for s, o, limit in rows]")

    def bind(self, atom: Atom) -> None:
        for term, given in ((atom.subject, "s"), (atom.object, "o")):
            if term < 0 and term not in self.bound:
                self.line(f"{_name(term)} = {given}")
                self.bound.add(term)
            else:
                self.skip_unless(f"{_name(term)} == {given}")

    def visit(self, n: int, *, limited: bool) -> None:
        """One level of the nest: atom `n` with whatever is bound by now."""
        atom = self.body[n]
        subject, object_ = _name(atom.subject), _name(atom.object)
        subject_bound = atom.subject >= 0 or atom.subject in self.bound
        object_bound = atom.object >= 0 or atom.object in self.bound
        if subject_bound and object_bound:
            self.check(n, subject, object_)
        elif subject_bound:
            self.loop_objects(n, subject, object_)
        elif object_bound:
            self.block(f"for {subject} in {'EB' if atom.edge else 'B'}{n}[{object_}]:")
            self.line(f"l{n} = t{n}.level({subject}, {object_})")
        else:
            self.scan(n, atom)
        if limited:
            self.skip_unless(f"l{n} < limit")
        self.bound |= atom.variables

    def check(self, n: int, subject: str, object_: str) -> None:
        if n in self.looked_up:
            self.line(f"l{n} = K{n}[{subject}].get({object_})")
        else:
            self.line(f"l{n} = t{n}.level({subject}, {object_})")
        self.skip_unless(f"l{n} is not None")
        if self.body[n].edge:
            self.skip_unless(f"{object_} in E{n}[{subject}]")

    def loop_objects(self, n: int, subject: str, object_: str) -> None:
        if self.body[n].edge:
            self.block(f"for {object_} in E{n}[{subject}]:")
            self.line(f"l{n} = F{n}[{subject}][{object_}]")
        else:
            self.block(f"for {object_}, l{n} in F{n}[{subject}].items():")

    def scan(self, n: int, atom: Atom) -> None:
        subject, object_ = _name(atom.subject), _name(atom.object)
        if atom.subject == atom.object:
            self.block(f"for {subject}, other, l{n} in t{n}.rows():")
            self.skip_unless(f"other == {subject}")
        else:
            self.block(f"for {subject}, {object_}, l{n} in t{n}.rows():")

    def emit(self, head: Atom | None, *, distinct: bool, literal_guard: bool) -> None:
        if head is None:
            self.line(f"out.append({self.premises()})")
            return
        subject, object_ = _name(head.subject), _name(head.object)
        if literal_guard:
            self.skip_unless(f"not {subject} & 1")
        if distinct:
            self.skip_unless(f"{subject} != {object_} and not {object_} & 1")
        self.line(f"out.append(({subject}, {object_}, {self.level()}))")

    def yield_or_return(self, kind: str) -> None:
        self.line(f"return {self.level()}" if kind == "support" else f"yield {self.premises()}")

    def level(self) -> str:
        if len(self.body) == 1:
            return "(l0 if l0 > axiom else axiom) + 1"
        levels = ["axiom", *(f"l{n}" for n in range(len(self.body)))]
        return f"max({', '.join(levels)}) + 1" if len(levels) > 1 else "axiom + 1"

    def premises(self) -> str:
        pairs = (f"({_name(atom.subject)}, {_name(atom.object)})" for atom in self.body)
        return f"({''.join(pair + ', ' for pair in pairs)})"
