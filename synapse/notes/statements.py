"""The keys of frontmatter, inline fields and relations as statements about an entity or a nested node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from pyoxigraph import NamedNode

from synapse.notes.keys import TAGS_KEYS, key_of
from synapse.notes.note import Dialect, Link, Property, Record, Scalar
from synapse.notes.note_names import alias_texts, spelled_out, text_of
from synapse.notes.okf import OKF_DIALECTS
from synapse.notes.values import Reader, instant_of
from synapse.rdf.literals import plain
from synapse.rdf.vocab import (
    DCTERMS_CREATED,
    DCTERMS_DATE,
    DCTERMS_MODIFIED,
    RDF_TYPE,
    RDFS_LABEL,
    SCHEMA_DESCRIPTION,
    SKOS_ALT_LABEL,
    SYN_MENTIONS,
    SYN_STALE_AFTER,
    SYN_STATUS,
)

_TEXT_KEYS: Final[Mapping[str, NamedNode]] = {
    "title": RDFS_LABEL,
    "name": RDFS_LABEL,
    "description": SCHEMA_DESCRIPTION,
}
_DATE_KEYS: Final[Mapping[str, NamedNode]] = {
    "created": DCTERMS_CREATED,
    "updated": DCTERMS_MODIFIED,
    "date": DCTERMS_DATE,
}
# The life of a concept is read by the card, so these have terms even where no scenario names them.
_LIFECYCLE_KEYS: Final[Mapping[str, NamedNode]] = {"status": SYN_STATUS, "staleafter": SYN_STALE_AFTER}

_LOGSEQ_HIDDEN = frozenset({"collapsed", "id", "createdat", "updatedat"})


def describe(reader: Reader, owner: NamedNode, items: Iterable[Property]) -> None:
    """State every property of `owner`, nested maps with all they hold."""
    items = tuple(items)
    whole = {id(item) for item in spelled_out(items)}
    for item in items:
        key = key_of(item)
        if reader.dialect is Dialect.LOGSEQ and key in _LOGSEQ_HIDDEN:
            continue
        if key in _WELL_KNOWN and id(item) not in whole:
            _state(reader, owner, SYN_MENTIONS, item)  # `title: About [[Bob]]` is not called Bob
        else:
            _WELL_KNOWN.get(key, _read_other)(reader, owner, item)


def _read_text(reader: Reader, owner: NamedNode, item: Property) -> None:
    if isinstance(item.value, Record):
        _read_other(reader, owner, item)
        return
    text = text_of(item)
    if text:
        reader.draft.state(owner, _TEXT_KEYS[key_of(item)], plain(text), item.line)
    if isinstance(item.value, Link):
        _state(reader, owner, SYN_MENTIONS, item)


def _read_date(reader: Reader, owner: NamedNode, item: Property) -> None:
    predicate = _DATE_KEYS[key_of(item)]
    if isinstance(item.value, Scalar) and item.value.text:
        reader.draft.state(owner, predicate, instant_of(item.value, reader.dialect), item.line)
    else:
        _state(reader, owner, predicate, item)


def _read_type(reader: Reader, owner: NamedNode, item: Property) -> None:
    """A type is the class of that name; written as a link, `[[Person]]`, it is the same class.

    In a nested map of OKF it is the datatype of a parameter (SPEC v0.2, section 10.2).
    """
    if owner != reader.draft.subject and reader.dialect in OKF_DIALECTS:
        _state(reader, owner, reader.lexicon.names.key(item.key), item)
        return
    if isinstance(item.value, Link):
        text = item.value.target.rstrip("/").rpartition("/")[2].removesuffix(".md")
    else:
        text = text_of(item)
    term = reader.type(text, item.line) if text else None
    if term is not None:
        reader.draft.state(owner, RDF_TYPE, term, item.line)


def _read_aliases(reader: Reader, owner: NamedNode, item: Property) -> None:
    for text in alias_texts(item, reader.dialect):
        reader.draft.state(owner, SKOS_ALT_LABEL, plain(text), item.line)


def _read_tags(reader: Reader, owner: NamedNode, item: Property) -> None:
    if item.key.strip() not in TAGS_KEYS or isinstance(item.value, Record):
        _read_other(reader, owner, item)
        return
    for part in text_of(item).replace("#", ",#").split(","):
        reader.draft.tag(owner, part, item.line)


def _read_lifecycle(reader: Reader, owner: NamedNode, item: Property) -> None:
    key = key_of(item)
    _state(reader, owner, reader.lexicon.properties.get(key, _LIFECYCLE_KEYS[key]), item)


def _read_timestamp(reader: Reader, owner: NamedNode, item: Property) -> None:
    """OKF v0.1 kept the last change here (SPEC v0.2, section 13.1)."""
    if reader.dialect in OKF_DIALECTS:
        _state(reader, owner, DCTERMS_MODIFIED, item)
    else:
        _read_other(reader, owner, item)


def _read_uri(reader: Reader, owner: NamedNode, item: Property) -> None:
    """The identity of the note, not a fact about it; in a nested map it is an address like any other."""
    if owner != reader.draft.subject or item.origin != "frontmatter" or item.key != "uri":
        _read_other(reader, owner, item)


def _read_other(reader: Reader, owner: NamedNode, item: Property) -> None:
    predicate = reader.property(item.key, item.line)
    if predicate == RDF_TYPE:
        _read_type(reader, owner, item)
    elif predicate is not None:
        _state(reader, owner, predicate, item)


def _state(reader: Reader, owner: NamedNode, predicate: NamedNode, item: Property) -> None:
    if isinstance(item.value, Record):
        if item.value.properties:
            node = reader.nested(owner, item)
            reader.draft.state(owner, predicate, node, item.line)
            describe(reader, node, item.value.properties)
        return
    object = reader.term(item)
    if object is not None and object != owner:
        reader.draft.state(owner, predicate, object, item.line)


_WELL_KNOWN: Final[Mapping[str, Callable[[Reader, NamedNode, Property], None]]] = {
    **dict.fromkeys(_TEXT_KEYS, _read_text),
    **dict.fromkeys(_DATE_KEYS, _read_date),
    **dict.fromkeys(_LIFECYCLE_KEYS, _read_lifecycle),
    "type": _read_type,
    "aliases": _read_aliases,
    "tags": _read_tags,
    "timestamp": _read_timestamp,
    "uri": _read_uri,
}
"""Folded key to its reading; any other key is a property of a scenario or of the memory's own."""
