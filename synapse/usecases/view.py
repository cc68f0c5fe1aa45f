"""RDF terms and quads as answers show them: ids, labels, facts with their sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal as Choice
from typing import cast

from pyoxigraph import Literal, NamedNode, Quad, QuerySolutions, Triple

from synapse.errors import StoreError
from synapse.rdf.names import ACTIVITY, AGENT, GENID, INFERRED, META, Names, graph_kind
from synapse.rdf.vocab import (
    DCTERMS_SOURCE,
    PROV_WAS_ASSOCIATED_WITH,
    RDF_FIRST,
    RDF_REST,
    RDF_TYPE,
    RDFS_LABEL,
    SCHEMA_TEXT,
    SYN_CATEGORY,
    SYN_CONFIDENCE,
    SYN_REASON,
    XSD_STRING,
)
from synapse.store.base import Store, text_of
from synapse.store.history import ActivityLog
from synapse.usecases.answers import Fact, LiteralValue, Notice, Source, SourceKind, Statement, Term
from synapse.usecases.places import Places

FETCH = 5_000
"""Rows that one intent reads at most; what lies beyond is told in a notice."""

EXCERPT = 280
"""Characters shown of an observation beside its node."""

OBSERVED = "#observation/"
"""What the IRI of an observation of a note holds."""

Direction = Choice["in", "out", "both"]


class View:
    """How one memory's dataset is shown."""

    def __init__(self, store: Store, *, names: Names, history: ActivityLog, places: Places) -> None:
        self.store = store
        self.names = names
        self._history = history
        self._places = places

    def term(self, term: object) -> Term:
        """A node as id, CURIE or IRI; a literal as a value with datatype or language."""
        if isinstance(term, NamedNode):
            return self._list(term) or self.names.show(term)
        if not isinstance(term, Literal):
            raise StoreError(f"the dataset holds {term}, which is no ground term")
        if term.language is not None:
            return LiteralValue(term.value, lang=term.language)
        datatype = None if term.datatype == XSD_STRING else self.names.show(term.datatype)
        return LiteralValue(term.value, datatype)

    def _list(self, node: NamedNode) -> str | None:
        """The members of an RDF list of an ontology as Turtle writes them; None for any other node."""
        members: list[str] = []
        seen: set[NamedNode] = set()
        while GENID in node.value and node not in seen:
            seen.add(node)
            first = next(self.store.quads(node, RDF_FIRST), None)
            rest = next(self.store.quads(node, RDF_REST), None)
            if first is None or rest is None or not isinstance(rest.object, NamedNode):
                break
            members.append(str(self.term(first.object)))
            node = rest.object
        return f"({' '.join(members)})" if members else None

    def node(self, node: NamedNode) -> str:
        """A node as id, CURIE or IRI."""
        return self.names.show(node)

    def statement(self, triple: Triple) -> Statement:
        """A triple without its sources."""
        return Statement(
            self.node(_node(triple.subject)), self.node(triple.predicate), self.term(triple.object)
        )

    def label(self, node: NamedNode) -> str:
        """The label of a node, that of its own file before any other, else its id, CURIE or IRI."""
        label = next(texts(self.store.quads(node, RDFS_LABEL)), None)
        return label or self.observed(node) or self.node(node)

    def observed(self, node: object) -> str | None:
        """What an observation says, `[category] text`, cut where it is long; None for any other node."""
        if not isinstance(node, NamedNode) or OBSERVED not in node.value:
            return None
        category = text_of(self.store, node, SYN_CATEGORY)
        text = text_of(self.store, node, SCHEMA_TEXT)
        if category is None or text is None:
            return None
        return f"[{category}] {text if len(text) <= EXCERPT else text[: EXCERPT - 1] + '…'}"

    def types(self, node: NamedNode) -> tuple[str, ...]:
        """The classes of a node, stated ones first."""
        found: dict[NamedNode, bool] = {}
        for quad in self.store.quads(node, RDF_TYPE):
            if isinstance(quad.object, NamedNode) and quad.graph_name != META:
                found[quad.object] = found.get(quad.object, True) and quad.graph_name == INFERRED
        return tuple(self.node(kind) for kind in sorted(found, key=lambda kind: (found[kind], kind.value)))

    def quads(self, query: str, *, most: int = FETCH) -> tuple[list[Quad], bool]:
        """The quads that a query of `queries` finds, and whether there are more than `most`."""
        solutions = self.store.query(query)
        if not isinstance(solutions, QuerySolutions):
            raise StoreError("a SELECT query was expected")
        quads: list[Quad] = []
        for row in solutions:
            if len(quads) == most:
                return quads, True
            subject, predicate = _node(row["subject"]), _node(row["predicate"])
            quads.append(Quad(subject, predicate, cast(Literal, row["object"]), _node(row["graph"])))
        return quads, False

    def facts(self, quads: Iterable[Quad]) -> list[Fact]:
        """The quads as facts, one for each triple, with all the sources that are among them."""
        return [self.fact(triple, graphs) for triple, graphs in grouped(quads).items()]

    def fact(self, triple: Triple, graphs: Iterable[NamedNode]) -> Fact:
        """A fact with one source for each graph."""
        graphs = sorted(graphs, key=lambda graph: graph.value)
        statement = self.statement(triple)
        sources = tuple(self.source(triple, graph) for graph in graphs)
        inferred = all(graph == INFERRED for graph in graphs)
        said = self.observed(triple.object)
        return Fact(statement.subject, statement.predicate, statement.object, inferred, sources, said)

    def fact_of(self, quad: Quad) -> Fact:
        """The fact that a quad states, with all its sources."""
        quads = self.store.quads(_node(quad.subject), quad.predicate, cast(Literal, quad.object))
        return self.fact(quad.triple, {_node(other.graph_name) for other in quads} - {META})

    def stated(self, triple: Triple) -> tuple[Source, ...]:
        """The sources that state a triple."""
        quads = self.store.quads(_node(triple.subject), triple.predicate, cast(Literal, triple.object))
        graphs = {_node(quad.graph_name) for quad in quads} - {INFERRED, META}
        return tuple(self.source(triple, graph) for graph in sorted(graphs, key=lambda graph: graph.value))

    def source(self, triple: Triple, graph: NamedNode) -> Source:
        """Where one graph has a triple from."""
        kind = cast(SourceKind, graph_kind(graph))
        if graph == INFERRED:
            return Source(kind, graph.value)
        place = self._places.find(Quad(triple.subject, triple.predicate, triple.object, graph))
        learned = self._history.learned(triple)
        activity = learned.activities.get(graph.value) if learned else None
        agent, reason = self._who(activity) if kind in ("assertion", "observation") else (None, None)
        confidence = text_of(self.store, graph, SYN_CONFIDENCE, graph=META)
        return Source(
            kind,
            graph.value,
            path=place.path if place else None,
            line=place.line if place else None,
            agent=agent,
            reason=reason,
            source=text_of(self.store, graph, DCTERMS_SOURCE, graph=META) if kind == "assertion" else None,
            confidence=None if confidence is None else float(confidence),
            learned_at=learned.since if learned else None,
            activity=activity.removeprefix(ACTIVITY) if activity else None,
        )

    def _who(self, activity: str | None) -> tuple[str | None, str | None]:
        if activity is None:
            return None, None
        node = NamedNode(activity)
        agents = self.store.quads(node, PROV_WAS_ASSOCIATED_WITH, graph=META)
        agent = next((_node(quad.object).value.removeprefix(AGENT) for quad in agents), None)
        return agent, text_of(self.store, node, SYN_REASON, graph=META)


def texts(quads: Iterable[Quad]) -> Iterator[str]:
    """The literals among the objects of quads, each once: what files say first, then in order."""
    found: dict[str, int] = {}
    for quad in quads:
        if isinstance(quad.object, Literal):
            rank = source_rank(quad)
            found[quad.object.value] = min(rank, found.get(quad.object.value, rank))
    return iter(sorted(found, key=lambda text: (found[text], text)))


def source_rank(quad: Quad) -> int:
    """How far a source is from the people who know a thing: its file, then agents, then inference."""
    kind = graph_kind(_node(quad.graph_name))
    return _NEAREST.index(kind) if kind in _NEAREST else len(_NEAREST)


_NEAREST = ("file", "spec", "ontology", "assertion", "observation")


def grouped(quads: Iterable[Quad]) -> dict[Triple, list[NamedNode]]:
    """The graphs of each triple, in order of appearance."""
    graphs: dict[Triple, list[NamedNode]] = {}
    for quad in quads:
        graphs.setdefault(quad.triple, []).append(_node(quad.graph_name))
    return graphs


def is_list_part(triple: Triple) -> bool:
    """Whether a triple only strings an RDF list together."""
    return triple.predicate in (RDF_FIRST, RDF_REST)


def connects(quad: Quad) -> bool:
    """Whether a fact is an edge between entities; the class of a thing is no neighbour of it."""
    return isinstance(quad.object, NamedNode) and quad.predicate != RDF_TYPE


def cut_notice(
    code: str, found: int, limit: int, what: str, *, count: str | None = None
) -> tuple[Notice, ...]:
    """A notice that says what a limit cut off, none when it cut nothing."""
    if found <= limit:
        return ()
    return (Notice(f"{code}-cut", f"shown {limit} of {count or found} {what}; raise the limit to see more"),)


def nodes(terms: Iterable[object]) -> Iterator[NamedNode]:
    """Those of the terms that are nodes."""
    return (term for term in terms if isinstance(term, NamedNode))


def _node(term: object) -> NamedNode:
    if not isinstance(term, NamedNode):
        raise StoreError(f"the dataset holds {term} where only an IRI can stand")
    return term
