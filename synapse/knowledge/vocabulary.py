"""Controlled vocabularies: what types there are, what state their entities are in, what ties them together.

They are data, the `profile.toml` of a scenario:

    name = "core"
    [types.Project]
    use = { en = "Work with an aim and an end.", es = "Trabajo con un objetivo y un final." }
    default = "active"                 # of an entity whose status is a word nobody knows
    archived = ["done"]                # statuses that hide it from recall and resolution
    [types.Project.statuses]
    active = ["in progress", "en curso"]   # the words that mean it, in any language
    done = ["hecho"]
    [anchors.Project]                  # a type that other entities are tied to
    relation = "belongs_to"
    inverted = false                   # true when the anchor is the subject
    may_stand_alone = true             # never refused for having no relations

Types and words are compared normalised and without blanks: `En-Curso` is `en curso`.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from synapse.errors import InvalidScenario
from synapse.knowledge.normalise import normalise, type_key

DEFAULT_STATUS: Final = "active"


@dataclass(frozen=True, slots=True)
class Known:
    """A status of the vocabulary; `archived` when it hides the entity from recall and resolution."""

    status: str
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """A word that the vocabulary does not hold: the entity gets `status`, and `note` keeps the word."""

    status: str
    note: str


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type, when to use it (by language), and its statuses with the words that mean each."""

    name: str
    use: Mapping[str, str] = field(default_factory=dict)
    statuses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    default: str = DEFAULT_STATUS
    archived: frozenset[str] = frozenset()

    def status(self, text: str) -> Known | Unknown:
        """The status that `text` means; a type without statuses takes any word as it is."""
        if not self.statuses:
            return Known(text.strip())
        for status, words in self.statuses.items():
            if _key(text) in map(_key, (status, *words)):
                return Known(status, status in self.archived)
        return Unknown(self.default, text.strip())


@dataclass(frozen=True, slots=True)
class Anchor:
    """How an entity is tied to one of type `type`: `relation` from it to the anchor, or inverted."""

    type: str
    relation: str
    inverted: bool = False
    may_stand_alone: bool = False


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The types and anchors of the installed profiles, by folded type name."""

    types: Mapping[str, EntityType] = field(default_factory=dict)
    anchors: Mapping[str, Anchor] = field(default_factory=dict)

    @staticmethod
    def parse(text: str, *, source: str) -> Vocabulary:
        """The vocabulary of one profile; raises `InvalidScenario` naming `source` and the key."""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidScenario(f"{source}: not valid TOML: {error}") from None
        profile = _Reader(source)
        types = [profile.entity_type(*item) for item in profile.tables(data, "types")]
        anchors = [profile.anchor(*item) for item in profile.tables(data, "anchors")]
        return Vocabulary(
            {type_key(kind.name): kind for kind in types}, {type_key(one.type): one for one in anchors}
        )

    @staticmethod
    def merged(vocabularies: Iterable[Vocabulary]) -> Vocabulary:
        """All profiles together; what a later one says of a type or anchor replaces what was said."""
        types: dict[str, EntityType] = {}
        anchors: dict[str, Anchor] = {}
        for vocabulary in vocabularies:
            types.update(vocabulary.types)
            anchors.update(vocabulary.anchors)
        return Vocabulary(types, anchors)

    def digest(self) -> str:
        """What tells two vocabularies apart that call other entities archived; short, in hex."""
        said = {
            name: (kind.statuses, sorted(kind.archived)) for name, kind in self.types.items() if kind.statuses
        }
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]

    def normalise_status(self, type: str | Iterable[str], text: str) -> Known | Unknown:
        """The status that `text` means for an entity of these types.

        The first type that knows the word decides, else the first that has statuses. Without a
        vocabulary every word is a status as it stands.
        """
        names = (type,) if isinstance(type, str) else tuple(type)
        kinds = [kind for name in names if (kind := self.types.get(type_key(name))) and kind.statuses]
        answers = [kind.status(text) for kind in kinds]
        return next((answer for answer in answers if isinstance(answer, Known)), None) or (
            answers[0] if answers else Known(text.strip())
        )

    def anchor(self, types: Iterable[str]) -> Anchor | None:
        """The anchor that an entity of these types is, if any."""
        return next((found for name in types if (found := self.anchors.get(type_key(name)))), None)


@lru_cache(maxsize=4_096)
def _key(text: str) -> str:
    return normalise(text).replace(" ", "")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads tables strictly: an unknown key or a wrong value is an error that names its place."""

    source: str

    def tables(self, data: Mapping[str, Any], name: str) -> list[tuple[str, dict[str, Any]]]:
        table = data.get(name, {})
        if not isinstance(table, dict) or not all(isinstance(value, dict) for value in table.values()):
            raise self._wrong(name, "a table of tables")
        return list(table.items())

    def entity_type(self, name: str, table: dict[str, Any]) -> EntityType:
        place = f"types.{name}"
        self._only(place, table, ("use", "default", "archived", "statuses"))
        use = self._value(place, table, "use", dict, {})
        statuses = self._statuses(f"{place}.statuses", self._value(place, table, "statuses", dict, {}))
        default = self._value(place, table, "default", str, DEFAULT_STATUS)
        archived = frozenset(self._words(f"{place}.archived", table.get("archived", [])))
        unknown = sorted({*archived, *([default] if "default" in table else [])} - statuses.keys())
        if unknown:
            raise InvalidScenario(
                f"{self.source}: {place} names {unknown[0]!r}, which is none of its statuses"
            )
        return EntityType(name, use, statuses, default, archived)

    def anchor(self, name: str, table: dict[str, Any]) -> Anchor:
        place = f"anchors.{name}"
        self._only(place, table, ("relation", "inverted", "may_stand_alone"))
        relation = self._value(place, table, "relation", str, "")
        if not relation:
            raise InvalidScenario(f'{self.source}: {place} needs a relation, as relation = "belongs_to"')
        flags = [self._value(place, table, key, bool, False) for key in ("inverted", "may_stand_alone")]
        return Anchor(name, relation, *flags)

    def _statuses(self, place: str, table: dict[str, Any]) -> dict[str, tuple[str, ...]]:
        statuses = {status: self._words(f"{place}.{status}", words) for status, words in table.items()}
        meaning: dict[str, str] = {}
        for status, words in statuses.items():
            for word in (status, *words):
                if meaning.setdefault(_key(word), status) != status:
                    raise InvalidScenario(
                        f"{self.source}: {place}: {word!r} means both {meaning[_key(word)]!r} and {status!r}"
                    )
        return statuses

    def _words(self, place: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(word, str) and _key(word) for word in value):
            raise self._wrong(place, "a list of words")
        return tuple(value)

    def _value(self, place: str, table: dict[str, Any], key: str, kind: type, default: Any) -> Any:
        value = table.get(key, default)
        if not isinstance(value, kind):
            raise self._wrong(f"{place}.{key}", {str: "text", bool: "true or false"}.get(kind, "a table"))
        return value

    def _only(self, place: str, table: dict[str, Any], known: tuple[str, ...]) -> None:
        if unknown := sorted(table.keys() - set(known)):
            raise InvalidScenario(
                f"{self.source}: {place} has an unknown key {unknown[0]!r}",
                hint=f"the keys are {', '.join(known)}",
            )

    def _wrong(self, place: str, expected: str) -> InvalidScenario:
        return InvalidScenario(f"{self.source}: {place} must be {expected}")
