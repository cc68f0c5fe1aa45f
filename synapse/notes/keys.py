"""The well-known keys of notes: which property gives the title, the tags, a date, in English or Spanish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from synapse.notes.note import Link, Property, Record, Scalar, ScalarType
from synapse.rdf.lexicon import SPANISH, WELL_KNOWN
from synapse.rdf.names import fold_key
from synapse.rdf.vocab import SCHEMA_KEYWORDS

TAGS_KEYS: Final = frozenset(key for key, term in WELL_KNOWN.items() if term == SCHEMA_KEYWORDS)
"""The spellings that mean tags: Obsidian takes `Tags` and `tag` for properties like any other."""

TAGS_LOOKALIKES: Final = frozenset({"tag", "etiqueta", *TAGS_KEYS})
"""Casefolded keys that a person may well have meant for tags."""

LABEL_KEYS: Final = frozenset({"title", "name"})

DATE_KEYS: Final = frozenset({"created", "updated", "date"})

_SINGLE: Final = frozenset({"title", "description", *DATE_KEYS})


def key_of(item: Property) -> str:
    """The folded key of a property, in English where it is well known.

    `nombre` is a name in Spanish and a number in French: with a number as its value it names nothing.
    """
    folded = fold_key(item.key)
    if folded not in SPANISH:
        return folded
    is_number = isinstance(item.value, Scalar) and item.value.type is not ScalarType.STRING
    return folded if folded == "nombre" and is_number else SPANISH[folded]


def conflicts(items: Iterable[Property]) -> Iterator[tuple[Property, Property]]:
    """Pairs of properties that say one thing of which there is one, under two spellings and differently."""
    first: dict[str, Property] = {}
    for item in items:
        meaning = key_of(item)
        if meaning not in _SINGLE:
            continue
        other = first.setdefault(meaning, item)
        if other.key != item.key and _shown(other) != _shown(item):
            yield other, item


def _shown(item: Property) -> object:
    match item.value:
        case Scalar(text):
            return text
        case Link() as link:
            return link.whole or link.target
        case Record(properties):
            return properties
