"""Term <-> integer id: both evaluators work on integers only.

The lowest bit of an id tells a literal (1) from a resource (0), so that "a literal is never a
subject" costs one machine operation, in Python and in numpy alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from synapse.rdf.vocab import XSD

Term = NamedNode | BlankNode | Literal

_INTEGERS: Final = ("integer", "nonNegativeInteger", "positiveInteger", "int", "long", "short", "byte")


Fact = tuple[int, int, int]
"""A triple of term ids: subject, predicate, object. A bare tuple, for millions of them are made."""

Pair = tuple[int, int]
"""Subject and object of a fact."""


class Extension(NamedTuple):
    """Facts of one predicate: their (subject, object), or where `swapped` their (object, subject)."""

    predicate: int
    pairs: Collection[Pair]
    swapped: bool = False

    def ordered(self) -> Iterable[Pair]:
        """All (subject, object)."""
        return ((s, o) for o, s in self.pairs) if self.swapped else self.pairs

    def facts(self) -> Iterator[Fact]:
        """The same as triples of ids."""
        predicate = self.predicate
        return ((s, predicate, o) for s, o in self.ordered())


class Terms:
    """The terms of one reasoner; an id, once given, stays."""

    def __init__(self, terms: Iterable[Term] = ()) -> None:
        self._values: list[Term] = list(terms)
        self.ids: dict[Term, int] = {
            term: position << 1 | isinstance(term, Literal) for position, term in enumerate(self._values)
        }

    def __iter__(self) -> Iterator[Term]:
        """The terms in the order of their ids."""
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def id(self, term: Term) -> int:
        """The id of a term, a new one at first sight."""
        known = self.ids.get(term)
        if known is not None:
            return known
        fresh = len(self._values) << 1 | isinstance(term, Literal)
        self.ids[term] = fresh
        self._values.append(term)
        return fresh

    def term(self, identifier: int) -> Term:
        """The term of an id."""
        return self._values[identifier >> 1]

    def integers(self, number: int) -> tuple[int, ...]:
        """The ids of the literals that write a whole number as any of XSD's integer types."""
        spelt = (Literal(str(number), datatype=NamedNode(XSD + name)) for name in _INTEGERS)
        return tuple(self.ids[literal] for literal in spelt if literal in self.ids)

    def fact(self, triple: Triple) -> Fact:
        """The ids of a triple, new ones where a term is new."""
        (fact,) = self.facts([triple])
        return fact

    def facts(self, triples: Iterable[Triple]) -> Iterator[Fact]:
        """The ids of many triples, in their order."""
        known, new = self.ids.get, self.id
        for subject, predicate, object_ in triples:
            yield (
                new(subject) if (s := known(subject)) is None else s,
                new(predicate) if (p := known(predicate)) is None else p,
                new(object_) if (o := known(object_)) is None else o,
            )

    def known(self, triple: Triple) -> Fact | None:
        """The ids of a triple, None when one of its terms never occurred."""
        subject, predicate, object_ = map(self.ids.get, triple)
        if subject is None or predicate is None or object_ is None:
            return None
        return subject, predicate, object_

    def triple(self, fact: Fact) -> Triple:
        """The triple of three ids."""
        values = self._values
        return Triple(values[fact[0] >> 1], values[fact[1] >> 1], values[fact[2] >> 1])  # type: ignore[arg-type]

    def triples(self, extensions: Iterable[Extension]) -> TripleView:
        """The triples of many facts, in their order."""
        return TripleView(self, tuple(extensions))


class TripleView(Collection[Triple]):
    """Triples that are made when they are read: most are read once, some never.

    Equal to any collection of the same triples in the same order.
    """

    __slots__ = ("_extensions", "_terms")

    def __init__(self, terms: Terms, extensions: tuple[Extension, ...]) -> None:
        self._terms = terms
        self._extensions = extensions

    def __len__(self) -> int:
        return sum(len(extension.pairs) for extension in self._extensions)

    def __iter__(self) -> Iterator[Triple]:
        return (self._terms.triple(fact) for extension in self._extensions for fact in extension.facts())

    def __contains__(self, triple: object) -> bool:
        return any(triple == other for other in self)

    def quads(self, graph: NamedNode) -> Iterator[Quad]:
        """The triples in a graph, without a detour over triples."""
        values = self._terms._values
        for extension in self._extensions:
            relation = values[extension.predicate >> 1]
            for subject, object_ in extension.ordered():
                yield Quad(values[subject >> 1], relation, values[object_ >> 1], graph)  # type: ignore[arg-type]

    def statements(self) -> str:
        """The triples in Turtle without prefixes, a sentence for each subject and predicate."""
        values = self._terms._values
        sentences: list[str] = []
        for extension in self._extensions:
            relation = values[extension.predicate >> 1]
            said: dict[int, list[str]] = defaultdict(list)
            for subject, object_ in extension.ordered():
                said[subject].append(str(values[object_ >> 1]))
            sentences += [f"    {values[s >> 1]} {relation} {' , '.join(o)}" for s, o in said.items()]
        return " .\n".join(sentences)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collection) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


NO_TRIPLES: Final = TripleView(Terms(), ())
