"""An agent takes back what was asserted; what a file says is the file's to change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from pyoxigraph import NamedNode, Triple

from synapse.errors import InvalidInput
from synapse.knowledge.provenance import Activity, GraphRecord
from synapse.rdf.names import ASSERTION_GRAPH, META, assertion_graph, checked_id, shortened
from synapse.usecases.answers import LiteralValue, Notice, Proof, Source, Term, Unresolved
from synapse.usecases.assert_facts import check_grounds, shown
from synapse.usecases.commit import Outcome
from synapse.usecases.differences import Replacement
from synapse.usecases.explain import Explanations
from synapse.usecases.places import ASSERTED
from synapse.usecases.reading import MAX_FACTS
from synapse.usecases.rooms import Rooms
from synapse.usecases.taken_back import last_change_of, removal_of, told
from synapse.usecases.written import AmbiguousMention, FactInput, WriteAnswer


class Retractions:
    """The retractions of one memory."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._explanations = Explanations(rooms)

    def assertion(self, identifier: str, *, agent: str, reason: str) -> tuple[WriteAnswer, Outcome | None]:
        """Take back a whole assertion; refused when there is none of this id."""
        check_grounds(agent=agent, reason=reason)
        given = checked_id(identifier).removeprefix(ASSERTION_GRAPH).removeprefix(ASSERTED)
        graph = assertion_graph(given)
        triples = [quad.triple for quad in self._rooms.store.quads(graph=graph)]
        if not triples:
            return WriteAnswer("refused", notices=(self._nothing_of(graph, identifier),)), None
        return self._commit({graph: dict.fromkeys(triples)}, agent=agent, reason=reason)

    def _nothing_of(self, graph: NamedNode, identifier: str) -> Notice:
        """Why there is nothing to take back of an assertion that states nothing."""
        by = last_change_of(self._rooms, (graph,))
        if by is not None:
            return told(f"assertion {shortened(identifier)}", by)
        message = f"there is no assertion {shortened(identifier)}; ids are in provenance and in the log"
        return Notice("unknown-assertion", message)

    def facts(
        self, facts: Sequence[FactInput], *, agent: str, reason: str
    ) -> tuple[WriteAnswer, Outcome | None]:
        """Take back single facts, all of them or none.

        A fact that only files state is refused with the place to edit, one that was inferred with
        what it follows from, an unknown one with what is known instead.
        """
        check_grounds(agent=agent, reason=reason)
        if not facts:
            raise InvalidInput("no facts to retract", hint="give an assertion id or at least one fact")
        if len(facts) > MAX_FACTS:
            raise InvalidInput(f"{len(facts)} facts in one call", hint=f"give from 1 to {MAX_FACTS}")
        taken: dict[NamedNode, dict[Triple, None]] = {}
        ambiguous: list[AmbiguousMention] = []
        notices: list[Notice] = []
        for fact in facts:
            found = self._explanations.find(fact.subject, fact.predicate, _object(fact))
            if isinstance(found, Unresolved):
                ambiguous.append(AmbiguousMention(found.mention, found.reason, found.did_you_mean))
                notices += self._instead(fact)
            else:
                notices += self._take(found, taken)
        if ambiguous or any(notice.code != "still-stated" for notice in notices):
            return WriteAnswer("refused", ambiguous=tuple(ambiguous), notices=tuple(notices)), None
        return self._commit(taken, agent=agent, reason=reason, notices=notices)

    def _instead(self, fact: FactInput) -> list[Notice]:
        """What is known of the subject and predicate of a fact whose object names nothing."""
        known = self._explanations.known_of(fact.subject, fact.predicate)
        return [] if known is None else [Notice("not-known", known)]

    def _take(self, triple: Triple, taken: dict[NamedNode, dict[Triple, None]]) -> list[Notice]:
        """Note from which assertions a fact is to be taken; what keeps it, or forbids it, as notices."""
        quads = self._rooms.store.quads(triple.subject, triple.predicate, triple.object)  # type: ignore[arg-type]
        graphs = [graph for quad in quads if isinstance(graph := quad.graph_name, NamedNode)]
        asserted = [graph for graph in graphs if graph.value.startswith(ASSERTION_GRAPH)]
        for graph in asserted:
            taken.setdefault(graph, {})[triple] = None
        others = [s for s in self._rooms.view.stated(triple) if s.kind != "assertion"]
        name = _text(self._rooms, triple)
        if asserted:
            return [Notice("still-stated", f"{name} is still stated by {_place(s)}") for s in others]
        if others:
            places = ", ".join(map(_place, others))
            return [Notice("stated-by-a-file", f"{name} is stated by {places}: edit it there")]
        return [self._refusal(triple, name)]

    def _refusal(self, triple: Triple, name: str) -> Notice:
        """Why a fact that no source states cannot be taken back."""
        proof = next(iter(self._explanations.proofs(triple, limit=1)), None)
        if proof is None:
            by = removal_of(self._rooms, triple)
            if by is not None:
                return told(name, by)
            known = self._explanations.known(triple.subject, triple.predicate)  # type: ignore[arg-type]
            return Notice("not-known", f"{name} is not known; {known}")
        leaves = dict.fromkeys(_leaves(proof))
        return Notice(
            "inferred", f"{name} was inferred from {'; '.join(leaves)}: retract or edit one of these"
        )

    def _commit(
        self,
        taken: dict[NamedNode, dict[Triple, None]],
        *,
        agent: str,
        reason: str,
        notices: Iterable[Notice] = (),
    ) -> tuple[WriteAnswer, Outcome]:
        rooms = self._rooms
        activity = Activity("retract", agent=agent, reason=reason)
        facts = tuple(rooms.view.fact(triple, [graph]) for graph in taken for triple in taken[graph])
        replacements = {graph: self._without(graph, triples) for graph, triples in taken.items()}
        outcome = rooms.committer.commit(replacements, activity=activity)
        rooms.accept(outcome)
        added, cut_added = shown(rooms, outcome.inferred.added)
        removed, cut_removed = shown(rooms, outcome.inferred.removed)
        answer = WriteAnswer(
            "ok",
            activity.identifier,
            facts,
            inferred_added=added,
            inferred_removed=removed,
            notices=(*notices, *cut_added, *cut_removed),
        )
        return answer, outcome

    def _without(self, graph: NamedNode, triples: Collection[Triple]) -> Replacement:
        """What an assertion says afterwards; one that says nothing any more is invalidated as a whole."""
        store = self._rooms.store
        left = frozenset(quad for quad in store.quads(graph=graph) if quad.triple not in triples)
        if not left:
            return Replacement()
        return Replacement(left, GraphRecord.read(graph, store.quads(graph, graph=META), retracted=triples))


def _object(fact: FactInput) -> Term:
    """The object as a question names it."""
    if fact.datatype is None and fact.lang is None and fact.object_is != "literal":
        return fact.object
    return LiteralValue(fact.object, fact.datatype, fact.lang)


def _text(rooms: Rooms, triple: Triple) -> str:
    statement = rooms.view.statement(triple)
    object = statement.object if isinstance(statement.object, str) else repr(statement.object.value)
    return f"{statement.subject} {statement.predicate} {object}"


def _place(source: Source) -> str:
    if source.path is None:
        return source.graph
    return source.path if source.line is None else f"{source.path}:{source.line}"


def _leaves(proof: Proof) -> Iterator[str]:
    """The stated facts under a proof, each with its place."""
    if not proof.premises:
        fact = proof.conclusion
        object = fact.object if isinstance(fact.object, str) else repr(fact.object.value)
        places = ", ".join(map(_place, proof.sources))
        yield f"{fact.subject} {fact.predicate} {object} ({places})"
    for premise in proof.premises:
        yield from _leaves(premise)
