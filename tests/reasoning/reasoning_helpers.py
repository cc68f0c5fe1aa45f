"""Triples in short notation, an audit of a reasoner's inner state, and an oracle of five lines."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Triple

from synapse.rdf.vocab import PREFIXES, RDF_TYPE, XSD
from synapse.reasoning.bulk import Caps, materialise
from synapse.reasoning.keys import as_keys
from synapse.reasoning.mirrors import Mirror
from synapse.reasoning.reasoner import Reasoner
from synapse.reasoning.roster import UNLIMITED
from synapse.reasoning.rule import LIST_MEMBER, Each, Rule, TriplePattern, Variable
from synapse.reasoning.rules_owl import OWL_RL
from synapse.reasoning.schema import REFLEXIVE
from synapse.reasoning.terms import Terms

EX = "http://example.org/"
FIRST, REST, NIL = (NamedNode(PREFIXES["rdf"] + name) for name in ("first", "rest", "nil"))


def term(token: str) -> NamedNode | Literal:
    """`a`, `owl:Thing`, `"text"`, `1` or a name in the example namespace."""
    if token == "a":
        return RDF_TYPE
    if token.startswith('"'):
        return Literal(token.strip('"'))
    if token.isdigit():
        return Literal(token, datatype=NamedNode(XSD + "integer"))
    prefix, colon, local = token.partition(":")
    return NamedNode(PREFIXES[prefix] + local if colon else EX + token)


def triples(text: str) -> list[Triple]:
    """Triples separated by ` . `; an object `(x y)` becomes a list with cells of its own."""
    found: list[Triple] = []
    for part in filter(None, (part.strip() for part in text.split(" . "))):
        subject, predicate, rest = part.split(" ", 2)
        object_ = term(rest) if not rest.startswith("(") else _list(rest.strip("()").split(), part, found)
        found.append(Triple(term(subject), term(predicate), object_))
    return found


def _list(members: list[str], owner: str, found: list[Triple]) -> NamedNode:
    cell = NIL
    for position, member in reversed(list(enumerate(members))):
        node = NamedNode(f"{EX}list/{zlib.crc32(owner.encode())}/{position}")
        found += [Triple(node, FIRST, term(member)), Triple(node, REST, cell)]
        cell = node
    return cell


def triple(text: str) -> Triple:
    (only,) = triples(text)
    return only


def reasoner(text: str = "", **options: object) -> Reasoner:
    """A reasoner that holds the triples of `text`."""
    made = Reasoner(**options)  # type: ignore[arg-type]
    made.load(triples(text))
    return made


def from_scratch(asserted: Iterable[Triple], *, rules: tuple[Rule, ...] = OWL_RL) -> set[Triple]:
    """The inferred set of a bulk run over nothing but `asserted`."""
    terms, keys = Terms(), {}
    for subject, predicate, object_ in terms.facts(set(asserted)):
        keys.setdefault(predicate, []).append((subject, object_))
    closure = materialise({p: as_keys(pairs) for p, pairs in keys.items()}, rules, terms, Caps(10**6, 10**3))
    return {
        terms.triple((subject, predicate, object_))
        for predicate, relation in closure.relations.items()
        for subject, object_, level in relation.rows()
        if level
    }


def audit(checked: Reasoner) -> None:
    """Asserts what must hold inside a reasoner between edits: indexes, levels, edges."""
    network = checked._state.network
    for predicate, table in network.tables.items():
        rows = list(table.rows())
        assert len(rows) == len({(s, o) for s, o, _ in rows})
        if isinstance(table, Mirror):
            for subject, object_, level in rows:
                assert level > 0 and table.level(subject, object_) == level
                assert next(network.derivations((subject, predicate, object_), level))
            continue
        assert len(rows) == table.size
        for subject, object_, level in rows:
            assert subject in table.subjects[object_], "both directions hold the same facts"
            checks = [backing.check for backing in network.supports[predicate].of(object_)]
            by_rule = any(check([(subject, object_, level)]) != [None] for check in checks)
            closure = network.closures.get(predicate)
            by_path = closure is not None and closure.holds(subject, object_, level)
            if level:
                assert by_rule or by_path, "a derivation from lower levels exists"
            if table.edges is not None:
                edge = (subject, object_) in table.edges
                assert edge or level, "what is asserted is an edge"
                assert not level or (by_rule if edge else by_path), "edges do not need paths"
        held = {(s, o) for o, subjects in table.subjects.items() for s in subjects}
        assert held <= {(s, o) for s, o, _ in rows}
        if table.edges is not None:
            edges = {(key >> 32, key & 0xFFFFFFFF) for key in table.edge_keys().tolist()}
            assert edges <= {(s, o) for s, o, _ in rows}
    assert not any(
        table.size for predicate, table in network._placeholders.items() if predicate not in network.tables
    )
    assert max((level for t in network.tables.values() for *_, level in t.rows()), default=0) < UNLIMITED


# The oracle: each rule tried on all facts until nothing is new. No index, no levels, no ids.


def naive_closure(asserted: Iterable[Triple], rules: Iterable[Rule]) -> set[Triple]:
    """What follows and is not asserted, under the same conventions about trivial facts."""
    facts = set(asserted)
    given = frozenset(facts)
    lists = _lists(facts)
    while True:
        new = {
            head
            for rule in rules
            if rule.head is not None
            for plain in _expanded(rule, lists)
            for bindings in _solve(plain.body, {}, facts, lists)
            for head in [_instance(plain.head, bindings)]
            if head is not None and head not in facts
        }
        if not new:
            return facts - given
        facts |= new


def _lists(facts: set[Triple]) -> dict[object, list[object]]:
    first = {t.subject: t.object for t in facts if t.predicate == FIRST}
    rest = {t.subject: t.object for t in facts if t.predicate == REST}
    found = {}
    for head in first:
        members, cell = [], head
        while cell in first:
            members.append(first[cell])
            cell = rest.get(cell)
        found[head] = members if cell == NIL else []
    return found


def _expanded(rule: Rule, lists: dict[object, list[object]]) -> Iterator[Rule]:
    if rule.each is None:
        yield rule
        return
    for head, members in lists.items():
        if members:
            yield _repeated(rule, rule.each, head, members)


def _repeated(rule: Rule, each: Each, head: object, members: list[object]) -> Rule:
    length = len(members)
    body = [_replaced(pattern, {each.list: head}) for pattern in rule.body]
    for position, member in enumerate(members):
        named = {each.member.at(position, length=length): member}
        body += [_replaced(_at(pattern, position, length), named) for pattern in each.patterns]
    return Rule(rule.name, tuple(body), _at(rule.head, 0, length) if rule.head else None)


def _at(pattern: TriplePattern, position: int, length: int) -> TriplePattern:
    return TriplePattern(*(t.at(position, length=length) if isinstance(t, Variable) else t for t in pattern))


def _replaced(pattern: TriplePattern, values: dict) -> TriplePattern:
    return TriplePattern(*(values.get(t, t) if isinstance(t, Variable) else t for t in pattern))


def _solve(
    body: tuple[TriplePattern, ...], bindings: dict, facts: set[Triple], lists: dict
) -> Iterator[dict]:
    if not body:
        yield bindings
        return
    pattern = _replaced(body[0], bindings)
    for subject, predicate, object_ in _candidates(pattern, facts, lists):
        extended: dict = dict(bindings)
        if all(_unify(p, v, extended) for p, v in zip(pattern, (subject, predicate, object_), strict=True)):
            yield from _solve(body[1:], extended, facts, lists)


def _candidates(pattern: TriplePattern, facts: set[Triple], lists: dict) -> Iterable[tuple]:
    if pattern.predicate != LIST_MEMBER:
        return facts
    return ((head, LIST_MEMBER, member) for head, members in lists.items() for member in members)


def _unify(pattern: object, value: object, bindings: dict) -> bool:
    if isinstance(pattern, Variable):
        return bindings.setdefault(pattern, value) == value
    if isinstance(pattern, Literal):
        return isinstance(value, Literal) and value.value == pattern.value
    return pattern == value


def _instance(head: TriplePattern, bindings: dict) -> Triple | None:
    subject, predicate, object_ = _replaced(head, bindings)
    if (
        predicate in (FIRST, REST)
        or isinstance(subject, Literal)
        or (predicate in REFLEXIVE and (subject == object_ or isinstance(object_, Literal)))
    ):
        return None
    return Triple(subject, predicate, object_)
