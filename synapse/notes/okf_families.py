"""The provenance and trust families of the Open Knowledge Format as PROV-O (SPEC v0.2, section 5).

`sources` are what a concept was derived from, `generated` and `verified` are activities of an
actor at an instant. The trust tier follows from who verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from pyoxigraph import Literal, NamedNode

from synapse.errors import InvalidIdentifier
from synapse.notes.note import Dialect, Property, Record, Scalar
from synapse.notes.okf import HUMAN, OKF_DIALECTS, TrustTier, trust_tier
from synapse.notes.statements import describe
from synapse.notes.values import Reader, literal_of
from synapse.rdf import names
from synapse.rdf.literals import plain
from synapse.rdf.vocab import (
    PROV_ACTIVITY,
    PROV_AGENT,
    PROV_ENDED_AT_TIME,
    PROV_ENTITY,
    PROV_GENERATED_AT_TIME,
    PROV_PERSON,
    PROV_SOFTWARE_AGENT,
    PROV_WAS_ASSOCIATED_WITH,
    PROV_WAS_DERIVED_FROM,
    PROV_WAS_GENERATED_BY,
    RDF_TYPE,
    RDFS_LABEL,
    SYN_TRUST_TIER,
    SYN_VERIFICATION,
)


def read_source(reader: Reader, item: Property) -> None:
    """One entry of `sources`: a node with its signals; its resource, when a thing, is a source itself."""
    draft = reader.draft
    if not isinstance(item.value, Record):
        source = reader.term(item)
        if isinstance(source, NamedNode):
            draft.state(draft.subject, PROV_WAS_DERIVED_FROM, source, item.line)
        elif source is not None:
            _state_text_source(reader, item, source)
        return
    node = reader.nested(draft.subject, item)
    draft.state(draft.subject, PROV_WAS_DERIVED_FROM, node, item.line)
    draft.state(node, RDF_TYPE, PROV_ENTITY, item.line)
    describe(reader, node, item.value.properties)
    for part in item.value.properties:
        resource = reader.term(part) if part.key == "resource" else None
        if isinstance(resource, NamedNode) and resource != draft.subject:
            draft.state(draft.subject, PROV_WAS_DERIVED_FROM, resource, part.line)


def read_generated(reader: Reader, item: Property) -> None:
    """`generated: {by, at}`: the activity that made the content."""
    draft = reader.draft
    node = _read_event(reader, item, PROV_WAS_GENERATED_BY)
    for part in _parts(item, "at"):
        if node is not None and isinstance(part.value, Scalar):
            draft.state(draft.subject, PROV_GENERATED_AT_TIME, literal_of(part.value), part.line)


def read_verified(reader: Reader, item: Property) -> None:
    """One event of `verified`; a bare map is a list of one (SPEC v0.2, section 5.2)."""
    first = item if item.index is not None else Property(item.key, item.value, item.line, item.origin, 0)
    _read_event(reader, first, SYN_VERIFICATION)


def state_trust(reader: Reader, items: Iterable[Property]) -> None:
    """The tier that all events of `verified` together earn; nothing is stated of an unverified concept."""
    events = [item for item in items if item.key == "verified"]
    actors = [
        part.value.text for item in events for part in _parts(item, "by") if isinstance(part.value, Scalar)
    ]
    tier = trust_tier(actors)
    if tier is not TrustTier.UNVERIFIED:
        draft = reader.draft
        draft.state(draft.subject, SYN_TRUST_TIER, plain(tier.value), events[0].line)


FAMILIES: Final[Mapping[str, Callable[[Reader, Property], None]]] = {
    "sources": read_source,
    "generated": read_generated,
    "verified": read_verified,
}
"""Frontmatter key to its reading."""


def belongs_to_family(item: Property, dialect: Dialect) -> bool:
    """Whether a property is read by `FAMILIES`: elsewhere `sources` may be a plain list of links."""
    if item.origin != "frontmatter" or item.key not in FAMILIES:
        return False
    return isinstance(item.value, Record) or (item.key == "sources" and dialect in OKF_DIALECTS)


def _read_event(reader: Reader, item: Property, predicate: NamedNode) -> NamedNode | None:
    draft = reader.draft
    if not isinstance(item.value, Record):
        return None
    node = reader.nested(draft.subject, item)
    draft.state(draft.subject, predicate, node, item.line)
    draft.state(node, RDF_TYPE, PROV_ACTIVITY, item.line)
    for part in item.value.properties:
        if part.key == "by" and isinstance(part.value, Scalar):
            _state_actor(reader, node, part.value.text.strip(), part.line)
        elif part.key == "at" and isinstance(part.value, Scalar):
            draft.state(node, PROV_ENDED_AT_TIME, literal_of(part.value), part.line)
        else:
            describe(reader, node, [part])
    return node


def _state_actor(reader: Reader, activity: NamedNode, actor: str, line: int) -> None:
    draft = reader.draft
    if not actor:
        return
    try:
        agent = names.agent(actor)
    except InvalidIdentifier as error:
        draft.report(line, "name-invalid", "warning", f"{error.message}; the actor was left out")
        return
    draft.state(activity, PROV_WAS_ASSOCIATED_WITH, agent, line)
    draft.state(agent, RDF_TYPE, PROV_AGENT, line)
    draft.state(agent, RDF_TYPE, PROV_PERSON if actor.startswith(HUMAN) else PROV_SOFTWARE_AGENT, line)
    draft.state(agent, RDFS_LABEL, plain(actor), line)


def _state_text_source(reader: Reader, item: Property, text: Literal) -> None:
    """A source given only as words (`all queries in project X`) is a node with that label."""
    draft = reader.draft
    node = reader.nested(draft.subject, item)
    draft.state(draft.subject, PROV_WAS_DERIVED_FROM, node, item.line)
    draft.state(node, RDFS_LABEL, plain(text.value), item.line)


def _parts(item: Property, key: str) -> list[Property]:
    return (
        [part for part in item.value.properties if part.key == key] if isinstance(item.value, Record) else []
    )
