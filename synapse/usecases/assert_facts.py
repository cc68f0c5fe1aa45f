"""An agent asserts facts: one named graph for each call, all or nothing, and told what it did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from pyoxigraph import NamedNode, Quad, Triple

from synapse.errors import InvalidInput
from synapse.knowledge.provenance import Activity, GraphRecord
from synapse.rdf.names import assertion_graph
from synapse.rdf.vocab import OWL, RDF_TYPE, RDFS
from synapse.reasoning import Inconsistency
from synapse.usecases.advice import Properties
from synapse.usecases.answers import Fact, Notice, Statement
from synapse.usecases.commit import NOT_SOURCES, Outcome
from synapse.usecases.connectedness import Connectedness, Told
from synapse.usecases.contradictions import source_text, statement_text
from synapse.usecases.differences import Replacement
from synapse.usecases.mentions import Mentions
from synapse.usecases.reading import Read, Reader
from synapse.usecases.rooms import Rooms
from synapse.usecases.view import is_list_part, nodes
from synapse.usecases.written import Contradiction, FactInput, WriteAnswer

SHOWN_INFERENCES: Final = 20
SHOWN_REPEATED: Final = 3
MAX_REASON: Final = 2_000
MAX_AGENT: Final = 200

_UNPRINTABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal obeys instead of showing it, and what is no character; tabs and line ends are fine."""

_INERT: Final = frozenset(
    {RDFS + name for name in ("label", "comment", "seeAlso", "isDefinedBy", "member", "Resource")}
    | {OWL + name for name in ("Thing", "NamedIndividual", "versionInfo", "deprecated")}
)
"""Terms of RDFS and OWL that entail nothing of interest."""


class Assertions:
    """The assertions of one memory's agents."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._connectedness = Connectedness(rooms)
        self._properties = Properties(rooms)

    def add(
        self,
        facts: Sequence[FactInput],
        *,
        agent: str,
        source: str,
        reason: str,
        confidence: float | None = None,
        force_new: bool = False,
    ) -> tuple[WriteAnswer, Outcome | None]:
        """Write the facts as one assertion; a refused one writes nothing and has no outcome.

        Raises `InvalidInput` for a fact that cannot be read, with its position.
        """
        check_grounds(agent=agent, source=source, reason=reason, confidence=confidence)
        rooms = self._rooms
        mentions = Mentions(rooms.view, rooms.finder, rooms.resolver())
        reader = Reader(
            mentions,
            store=rooms.store,
            names=rooms.names,
            lexicon=rooms.lexicon(),
            vocabulary=rooms.vocabulary(),
            types_of=rooms.view.types,
            why_archived=rooms.archive.reason,
        )
        read = reader.read(facts, force_new=force_new)
        # Asked before the write: afterwards every property of it is one that the memory has.
        slips = self._properties.slips(fact.predicate for fact in facts)
        asked = mentions.asked()
        told = self._connectedness.tell(read.subjects, read.triples, asked, force_new=force_new)
        if told.refusals or not read.triples:
            return _refused(mentions, told, read, slips), None
        activity = Activity("assert", agent=agent, reason=reason)
        graph = assertion_graph(activity.identifier)
        triples = dict.fromkeys((*read.triples, *told.added))
        quads = frozenset(Quad(t.subject, t.predicate, t.object, graph) for t in triples)
        record = GraphRecord(graph, confidence=confidence, source=source)
        outcome = rooms.committer.commit({graph: Replacement(quads, record)}, activity=activity)
        rooms.accept(outcome)
        answer = self._answer(activity, graph, mentions, told, read, triples, outcome)
        return replace(answer, notices=(*slips, *answer.notices)), outcome

    def _answer(
        self,
        activity: Activity,
        graph: NamedNode,
        mentions: Mentions,
        told: Told,
        read: Read,
        triples: Iterable[Triple],
        outcome: Outcome,
    ) -> WriteAnswer:
        view = self._rooms.view
        notices = [Notice("left-out", _left_out(read))] if read.left_out else []
        notices += self._repeated(triples, graph)
        notices += (Notice("status", note) for note in read.status_notes)
        notices += (Notice("kept-as-text", text) for text in dict.fromkeys(read.kept_as_text))
        notices += (Notice("archived", text) for text in dict.fromkeys(read.archived))
        notices += self._axioms(triples)
        inferred, cut = shown(self._rooms, outcome.inferred.added)
        return WriteAnswer(
            "ok",
            activity.identifier,
            tuple(view.fact(triple, [graph]) for triple in triples),
            inferred_added=inferred,
            connected=tuple(mentions.connected),
            ambiguous=tuple(mentions.ambiguous),
            stubs=self._stubs(mentions, triples),
            new=self._new(mentions, triples),
            degree=told.degree,
            orphan_warning=told.orphan_warning,
            suggested_relations=tuple(told.suggested),
            relations_from_tags=tuple(told.from_tags),
            possible_duplicate_of=tuple(told.duplicates),
            enrich_hint=tuple(told.hints),
            contradictions=contradictions(self._rooms, outcome),
            neighborhood=self._connectedness.neighbors(read.subjects),
            status_note="; ".join(read.status_notes) or None,
            notices=(*notices, *cut),
        )

    def _repeated(self, triples: Iterable[Triple], graph: NamedNode) -> list[Notice]:
        """Facts that others stated before; they are written all the same, for a source may go."""
        found = [quad for triple in triples if (quad := self._stated_elsewhere(triple, graph)) is not None]
        if not found:
            return []
        view = self._rooms.view
        facts = [view.fact(quad.triple, nodes([quad.graph_name])) for quad in found[:SHOWN_REPEATED]]
        told = "; ".join(f"{statement_text(fact)} ({source_text(fact.sources[0])})" for fact in facts)
        more = f" and {len(found) - SHOWN_REPEATED} more" if len(found) > SHOWN_REPEATED else ""
        return [Notice("known-already", f"stated before: {told}{more}")]

    def _stated_elsewhere(self, triple: Triple, graph: NamedNode) -> Quad | None:
        quads = self._rooms.store.quads(triple.subject, triple.predicate, triple.object)  # type: ignore[arg-type]
        return next((quad for quad in quads if quad.graph_name not in (*NOT_SOURCES, graph)), None)

    def _axioms(self, triples: Iterable[Triple]) -> list[Notice]:
        """A fact about terms, or that two ids are one thing, changes what follows from many others."""
        shown = [self._rooms.view.statement(triple) for triple in triples if is_axiom(triple)]
        return [
            Notice("axiom", f"{s.subject} {s.predicate} {s.object} changes what follows from other facts")
            for s in shown
        ]

    def _new(self, mentions: Mentions, triples: Iterable[Triple]) -> tuple[str, ...]:
        """The entities that the write made, whichever end of a fact they stand at."""
        ends = {end for triple in triples for end in (triple.subject, triple.object)}
        return tuple(self._rooms.view.node(node) for node in mentions.new if node in ends)

    def _stubs(self, mentions: Mentions, triples: Iterable[Triple]) -> tuple[str, ...]:
        """The new entities that the write only points at."""
        described = {triple.subject for triple in triples}
        pointed = {triple.object for triple in triples}
        new = (node for node in mentions.new if node in pointed and node not in described)
        return tuple(map(self._rooms.view.node, new))


def check_grounds(
    *, agent: str, reason: str, source: str | None = None, confidence: float | None = None
) -> None:
    """Raises `InvalidInput` unless a write says who writes, from where it has its facts, and why."""
    _check_text("agent", agent, MAX_AGENT)
    _check_text("reason", reason, MAX_REASON)
    if source is not None:
        _check_text("source", source, MAX_REASON)
    if confidence is not None and not 0 <= confidence <= 1:
        raise InvalidInput(f"a confidence of {confidence:g} is not from 0 to 1")


def _check_text(name: str, text: str, most: int) -> None:
    if not text.strip():
        raise InvalidInput(f"{name} is empty", hint=f"say in a few words what the {name} is")
    if len(text) > most:
        raise InvalidInput(f"{name} has {len(text)} characters", hint=f"at most {most}")
    if found := _UNPRINTABLE.search(text):
        raise InvalidInput(f"{name} holds the control character U+{ord(found.group()):04X}")


def is_axiom(triple: Triple) -> bool:
    """Whether a triple says what terms mean, or that two names are one thing, rather than how things are."""
    if triple.predicate == RDF_TYPE:
        kind = triple.object
        return isinstance(kind, NamedNode) and kind.value.startswith((OWL, RDFS)) and kind.value not in _INERT
    return triple.predicate.value.startswith((OWL, RDFS)) and triple.predicate.value not in _INERT


def shown(rooms: Rooms, quads: Iterable[Quad]) -> tuple[tuple[Statement, ...], tuple[Notice, ...]]:
    """The first of the triples in a fixed order, and a notice when there are more."""
    triples = sorted({quad.triple for quad in quads}, key=str)
    statements = tuple(rooms.view.statement(triple) for triple in triples[:SHOWN_INFERENCES])
    if len(triples) <= SHOWN_INFERENCES:
        return statements, ()
    message = (
        f"shown {SHOWN_INFERENCES} of {len(triples)} inferred facts; the cards of these entities have all"
    )
    return statements, (Notice("inferred-cut", message),)


def contradictions(rooms: Rooms, outcome: Outcome) -> tuple[Contradiction, ...]:
    """The contradictions that a write brought, each with the facts that collide, those of axioms last."""
    return tuple(
        Contradiction(found.rule, _colliding(rooms, found)) for found in outcome.contradictions_added
    )


def _colliding(rooms: Rooms, found: Inconsistency) -> tuple[Fact, ...]:
    # The cells of an axiom's list say nothing that the axiom with its list does not.
    triples = (triple for triple in found.premises if not is_list_part(triple))
    return tuple(_fact(rooms, triple) for triple in sorted(triples, key=is_axiom))


def _fact(rooms: Rooms, triple: Triple) -> Fact:
    quads = rooms.store.quads(triple.subject, triple.predicate, triple.object)  # type: ignore[arg-type]
    quad = next(quads, None)
    return rooms.view.fact_of(quad) if quad else rooms.view.fact(triple, [])


def _left_out(read: Read) -> str:
    facts = "1 fact was" if read.left_out == 1 else f"{read.left_out} facts were"
    text = "; an object that is a text and no name: object_is=literal" if read.asked_objects else ""
    return f"{facts} not written, for a name in it is in doubt: assert again with the ids you mean{text}"


def _refused(mentions: Mentions, told: Told, read: Read, slips: Iterable[Notice]) -> WriteAnswer:
    notices = [*slips]
    notices += [Notice("refused", text) for text in told.refusals]
    notices += [Notice("left-out", _left_out(read))] if read.left_out else []
    return WriteAnswer(
        "refused",
        connected=tuple(mentions.connected),
        ambiguous=tuple(mentions.ambiguous),
        degree=told.degree,
        orphan_warning=told.orphan_warning,
        suggested_relations=tuple(told.suggested),
        possible_duplicate_of=tuple(told.duplicates),
        notices=tuple(notices),
    )
