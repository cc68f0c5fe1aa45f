"""The axiom lines of an ontology note, as okf-mcp writes them: `subclass_of: a -> b`, `transitive: p`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode

from synapse.notes.note import Property
from synapse.notes.note_names import text_of
from synapse.notes.values import Reader
from synapse.rdf.vocab import (
    OWL_INVERSE_OF,
    OWL_SYMMETRIC_PROPERTY,
    OWL_TRANSITIVE_PROPERTY,
    RDF_TYPE,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASS_OF,
    RDFS_SUBPROPERTY_OF,
)

ARROW: Final = "->"

_LookUp = Callable[[Reader, str, int], NamedNode | None]


def _property(reader: Reader, key: str, line: int) -> NamedNode | None:
    return reader.property(key, line)


def _class(reader: Reader, key: str, line: int) -> NamedNode | None:
    return reader.type(key, line)


@dataclass(frozen=True, slots=True)
class _Relation:
    """An axiom between two terms: what its sides name, and the predicate between them."""

    left: _LookUp
    predicate: NamedNode
    right: _LookUp


_RELATIONS: Final[Mapping[str, _Relation]] = {
    "subclass_of": _Relation(_class, RDFS_SUBCLASS_OF, _class),
    "sub_property_of": _Relation(_property, RDFS_SUBPROPERTY_OF, _property),
    "inverse_of": _Relation(_property, OWL_INVERSE_OF, _property),
    "domain": _Relation(_property, RDFS_DOMAIN, _class),
    "range": _Relation(_property, RDFS_RANGE, _class),
}

_KINDS: Final[Mapping[str, NamedNode]] = {
    "transitive": OWL_TRANSITIVE_PROPERTY,
    "symmetric": OWL_SYMMETRIC_PROPERTY,
}


def read_axiom(reader: Reader, item: Property) -> None:
    """State one axiom line; a line of another form is reported and left out."""
    name, text = item.key.strip().lower(), text_of(item)
    left, arrow, right = (part.strip() for part in text.partition(ARROW))
    if name in _RELATIONS and left and right:
        _state_relation(reader, _RELATIONS[name], (left, right), item.line)
    elif name in _KINDS and left and not arrow:
        subject = reader.property(left, item.line)
        if subject is not None:
            reader.draft.state(subject, RDF_TYPE, _KINDS[name], item.line)
    else:
        known = ", ".join([*(f"{key}: a -> b" for key in _RELATIONS), *(f"{key}: p" for key in _KINDS)])
        reader.draft.report(
            item.line, "axiom-unknown", "warning", f"`{name}: {text}` is no axiom; the forms are {known}"
        )


def _state_relation(reader: Reader, relation: _Relation, sides: tuple[str, str], line: int) -> None:
    subject = relation.left(reader, sides[0], line)
    object = relation.right(reader, sides[1], line)
    if subject is not None and object is not None:
        reader.draft.state(subject, relation.predicate, object, line)
