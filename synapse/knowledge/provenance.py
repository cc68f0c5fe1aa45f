"""Where every graph came from, as PROV-O quads for `urn:synapse:meta`.

One activity generates or invalidates graphs; a graph carries what identifies its content.
PROV-O: https://www.w3.org/TR/prov-o/ (Starting Point and Expanded terms).
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

from pyoxigraph import Literal as RdfLiteral
from pyoxigraph import NamedNode, Quad, Triple

from synapse.rdf import names
from synapse.rdf.literals import canonical
from synapse.rdf.names import META
from synapse.rdf.vocab import (
    DCTERMS_SOURCE,
    PROV_ACTIVITY,
    PROV_AGENT,
    PROV_ENDED_AT_TIME,
    PROV_ENTITY,
    PROV_GENERATED_AT_TIME,
    PROV_INVALIDATED_AT_TIME,
    PROV_WAS_ASSOCIATED_WITH,
    PROV_WAS_DERIVED_FROM,
    PROV_WAS_GENERATED_BY,
    PROV_WAS_INVALIDATED_BY,
    RDF_OBJECT,
    RDF_PREDICATE,
    RDF_SUBJECT,
    RDF_TYPE,
    RDFS_LABEL,
    SYN,
    SYN_CONFIDENCE,
    SYN_DIGEST,
    SYN_PATH,
    SYN_REASON,
    SYN_SCENARIO,
    SYN_VERSION,
    XSD_DATE_TIME,
    XSD_DECIMAL,
)

ActivityKind = Literal["sync", "scenario", "assert", "retract", "observe", "merge", "reason", "undo"]

ENGINE: Final = "synapse"
"""The agent of what the engine does on its own: synchronising, installing, reasoning."""

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_last_stamp = 0
_stamp_lock = threading.Lock()


def sortable_id() -> str:
    """A fresh identifier whose order is that of its making: 48 bits of milliseconds, 80 random ones.

    The layout is that of a ULID (Crockford base 32, 26 characters); two ids of one millisecond
    keep their order within a process because the clock part never stands still.
    """
    global _last_stamp  # noqa: PLW0603 - one clock a process
    with _stamp_lock:
        _last_stamp = max(int(datetime.now(UTC).timestamp() * 1000), _last_stamp + 1)
        number = (_last_stamp << 80) | secrets.randbits(80)
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))


def now() -> str:
    """The current time as the lexical form of an xsd:dateTime in UTC, microseconds kept."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Activity:
    """Something that changed the dataset: what kind, by whom, when and why."""

    kind: ActivityKind
    agent: str = ENGINE
    reason: str | None = None
    identifier: str = field(default_factory=sortable_id)
    at: str = field(default_factory=now)

    @property
    def node(self) -> NamedNode:
        """The activity's IRI."""
        return names.activity(self.identifier)

    def quads(self) -> Iterator[Quad]:
        """The activity and its agent, for `urn:synapse:meta`."""
        node, who = self.node, names.agent(self.agent)
        yield Quad(node, RDF_TYPE, PROV_ACTIVITY, META)
        yield Quad(node, RDF_TYPE, NamedNode(SYN + self.kind.capitalize()), META)
        yield Quad(node, PROV_ENDED_AT_TIME, timestamp(self.at), META)
        yield Quad(node, PROV_WAS_ASSOCIATED_WITH, who, META)
        yield Quad(who, RDF_TYPE, PROV_AGENT, META)
        yield Quad(who, RDFS_LABEL, RdfLiteral(self.agent), META)
        if self.reason:
            yield Quad(node, SYN_REASON, RdfLiteral(self.reason), META)


@dataclass(frozen=True, slots=True)
class GraphRecord:
    """What is on record of one named graph: the content it was made from, and where that came from.

    `retracted` are facts that it stated until the activity this record is written by.
    """

    graph: NamedNode
    digest: str | None = None
    path: str | None = None
    version: str | None = None
    scenario: str | None = None
    confidence: float | None = None
    source: str | None = None
    retracted: tuple[Triple, ...] = ()

    @staticmethod
    def read(graph: NamedNode, quads: Iterable[Quad], *, retracted: Iterable[Triple] = ()) -> GraphRecord:
        """The record of a graph that quads of `urn:synapse:meta` hold, the activity apart."""
        said = {
            quad.predicate: quad.object.value
            for quad in quads
            if quad.subject == graph and isinstance(quad.object, RdfLiteral)
        }
        confidence = said.get(SYN_CONFIDENCE)
        return GraphRecord(
            graph,
            digest=said.get(SYN_DIGEST),
            path=said.get(SYN_PATH),
            version=said.get(SYN_VERSION),
            scenario=said.get(SYN_SCENARIO),
            confidence=None if confidence is None else float(confidence),
            source=said.get(DCTERMS_SOURCE),
            retracted=tuple(retracted),
        )

    def quads(self, activity: Activity) -> Iterator[Quad]:
        """The graph as a PROV entity that `activity` generated, for `urn:synapse:meta`."""
        yield Quad(self.graph, RDF_TYPE, PROV_ENTITY, META)
        yield Quad(self.graph, PROV_WAS_GENERATED_BY, activity.node, META)
        yield Quad(self.graph, PROV_GENERATED_AT_TIME, timestamp(activity.at), META)
        for predicate, text in (
            (SYN_DIGEST, self.digest),
            (SYN_PATH, self.path),
            (SYN_VERSION, self.version),
            (SYN_SCENARIO, self.scenario),
            (DCTERMS_SOURCE, self.source),
        ):
            if text is not None:
                yield Quad(self.graph, predicate, RdfLiteral(text), META)
        if self.confidence is not None:
            yield Quad(self.graph, SYN_CONFIDENCE, decimal(self.confidence), META)
        for triple in self.retracted:
            yield from _retraction(self.graph, triple, activity)


def _retraction(graph: NamedNode, triple: Triple, activity: Activity) -> Iterator[Quad]:
    """A single fact that `activity` took from a graph which goes on stating others, as a PROV entity."""
    node = NamedNode(f"{graph.value}#retracted-{_fingerprint(triple)}-{activity.identifier}")
    yield Quad(node, RDF_TYPE, PROV_ENTITY, META)
    yield Quad(node, PROV_WAS_DERIVED_FROM, graph, META)
    yield Quad(node, RDF_SUBJECT, triple.subject, META)
    yield Quad(node, RDF_PREDICATE, triple.predicate, META)
    yield Quad(node, RDF_OBJECT, triple.object, META)
    yield Quad(node, PROV_WAS_INVALIDATED_BY, activity.node, META)
    yield Quad(node, PROV_INVALIDATED_AT_TIME, timestamp(activity.at), META)


def _fingerprint(triple: Triple) -> str:
    return hashlib.sha256(str(triple).encode()).hexdigest()[:12]


def invalidation(graph: NamedNode, activity: Activity) -> Iterator[Quad]:
    """The record of a graph that `activity` took away (PROV-O, section 3.3, invalidation)."""
    yield Quad(graph, RDF_TYPE, PROV_ENTITY, META)
    yield Quad(graph, PROV_WAS_INVALIDATED_BY, activity.node, META)
    yield Quad(graph, PROV_INVALIDATED_AT_TIME, timestamp(activity.at), META)


def timestamp(text: str) -> RdfLiteral:
    """An xsd:dateTime literal as the store keeps it, so that the history holds the same quad."""
    return canonical(RdfLiteral(text, datatype=XSD_DATE_TIME))


def decimal(value: float) -> RdfLiteral:
    """An xsd:decimal literal, which has no exponent, as the store keeps it."""
    return canonical(RdfLiteral(f"{value:.12f}", datatype=XSD_DECIMAL))
