"""Rules as data: what the W3C tables say, readable by people and by both evaluators.

A rule is written as in the tables of OWL 2 Profiles, section 4.3: body and head are triple
patterns, `?x` is a variable. Two extensions carry the list rules:

* `?l list:member ?x`: the list `?l` holds `?x`; several members of one list are taken at
  strictly increasing positions (the tables' "for each i < j");
* a part `each`, repeated for every member of a list: in it `?c[i]` is the i-th member,
  `?u[i]`, `?u[i+1]` are variables of their own per position, and a head may use `?u[0]`
  and `?u[n]`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode

from synapse.rdf.vocab import PREFIXES, RDF_TYPE, XSD

LIST: Final = "urn:synapse:list#"
LIST_MEMBER: Final = NamedNode(LIST + "member")
FALSE: Final = "false"
"""The head of a rule that finds an inconsistency."""

_PREFIXES = {**PREFIXES, "list": LIST}
_TRIPLE_END = re.compile(r"\s+\.\s+")


class Variable(NamedTuple):
    """A variable of a rule; `place` is set in `each` parts only: `i`, `i+1`, `0` or `n`."""

    name: str
    place: str = ""

    def __str__(self) -> str:
        return f"?{self.name}[{self.place}]" if self.place else f"?{self.name}"

    def at(self, position: int, *, length: int) -> Variable:
        """The variable of one member position: `?u[i+1]` at 2 is `?u3`."""
        offsets = {"i": position, "i+1": position + 1, "0": 0, "n": length}
        return Variable(f"{self.name}{offsets[self.place]}") if self.place else self


PatternTerm = Variable | NamedNode | Literal


class TriplePattern(NamedTuple):
    """A triple in which any position may be a variable."""

    subject: PatternTerm
    predicate: Variable | NamedNode
    object: PatternTerm

    def __str__(self) -> str:
        return " ".join(_shown(term) for term in self)

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables of all three positions."""
        return frozenset(term for term in self if isinstance(term, Variable))


@dataclass(frozen=True, slots=True)
class Each:
    """Patterns that a rule repeats for every member (`member`) of the list `list`."""

    list: Variable
    member: Variable
    patterns: tuple[TriplePattern, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; `name` is its W3C id, `head` is None when it concludes *false*."""

    name: str
    body: tuple[TriplePattern, ...]
    head: TriplePattern | None
    each: Each | None = None

    def __str__(self) -> str:
        parts = [str(pattern) for pattern in self.body]
        if self.each is not None:
            repeated = " . ".join(map(str, self.each.patterns))
            parts.append(f"{{ each {self.each.member} of {self.each.list} : {repeated} }}")
        return f"{' . '.join(parts)} → {self.head or FALSE}"


def rules(name: str, body: str, head: str, *, each: str = "") -> tuple[Rule, ...]:
    """The rules of one row of a W3C table, one per triple of its head.

    `each` reads `?c[i] of ?l : patterns`.
    """
    patterns, repeated = _patterns(body), _each(each)
    if head == FALSE:
        return (Rule(name, patterns, None, repeated),)
    return tuple(Rule(name, patterns, triple, repeated) for triple in _patterns(head))


def _each(text: str) -> Each | None:
    if not text:
        return None
    names, _, patterns = text.partition(" : ")
    member, members = names.split(" of ")
    return Each(_variable(members), _variable(member), _patterns(patterns))


def _patterns(text: str) -> tuple[TriplePattern, ...]:
    return tuple(_pattern(triple) for triple in _TRIPLE_END.split(text.strip()) if triple)


def _pattern(text: str) -> TriplePattern:
    subject, predicate, object_ = (_term(token) for token in text.split())
    if isinstance(predicate, Literal):
        raise ValueError(f"{text!r}: a literal cannot be a predicate")
    return TriplePattern(subject, predicate, object_)


def _term(token: str) -> PatternTerm:
    if token.startswith("?"):
        return _variable(token)
    if token.isdigit():
        return Literal(token, datatype=NamedNode(XSD + "nonNegativeInteger"))
    if token == "a":
        return RDF_TYPE
    prefix, _, local = token.partition(":")
    return NamedNode(_PREFIXES[prefix] + local)


def _variable(token: str) -> Variable:
    name, _, index = token.strip().removeprefix("?").removesuffix("]").partition("[")
    return Variable(name, index)


def _shown(term: PatternTerm) -> str:
    if isinstance(term, Variable):
        return str(term)
    if isinstance(term, Literal):
        return term.value
    for prefix, namespace in _PREFIXES.items():
        if term.value.startswith(namespace):
            return f"{prefix}:{term.value[len(namespace) :]}"
    return str(term)
