"""What operations take: each check turns the JSON of one named argument into its value.

A check raises `InvalidInput` that names the argument, what it may be, and what was given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from synapse.errors import InvalidInput
from synapse.rdf.names import shortened
from synapse.usecases.answers import Json, LiteralValue
from synapse.usecases.written import FactInput

Check = Callable[[str, Json], Any]
"""Turns the JSON of one named argument into its value, or raises `InvalidInput`."""

MAX_AGENT: Final = 200
"""Characters of the name of an agent."""

# A day, or a moment in UTC, in ISO 8601: what the times of the history begin with.
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(?:Z|\+00:00)?)?")
_NOT_IN_NAMES: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LITERAL_KEYS: Final = {"value", "datatype", "lang"}
_FACT_NEEDS: Final = ("subject", "predicate", "object")
_FACT_TAKES: Final = (*_FACT_NEEDS, "datatype", "lang", "object_is")
_OBJECT_IS: Final = ("id", "literal", "iri")


def text(name: str, value: Json) -> str:
    """A text that UTF-8 can hold."""
    if not isinstance(value, str):
        raise wrong(name, value, "a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{name} holds half of a character pair (a lone surrogate)") from None
    return value


def texts(name: str, value: Json) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list):
        raise wrong(name, value, "a list of texts")
    return tuple(text(f"{name}[{position}]", item) for position, item in enumerate(value))


def count(name: str, value: Json) -> int:
    """A whole number of 0 or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise wrong(name, value, "a whole number of 0 or more")
    return value


def seconds(name: str, value: Json) -> float:
    """A number of seconds greater than 0."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise wrong(name, value, "a number of seconds greater than 0")
    return float(value)


def fraction(name: str, value: Json) -> float:
    """A number from 0 to 1."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise wrong(name, value, "a number from 0 to 1")
    return float(value)


def flag(name: str, value: Json) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise wrong(name, value, "true or false")
    return value


def direction(name: str, value: Json) -> str:
    """Which way edges are followed."""
    if value not in ("out", "in", "both"):
        raise wrong(name, value, "out, in or both")
    return value


def term(name: str, value: Json) -> str | LiteralValue:
    """An entity by what it is called, or a literal."""
    if not isinstance(value, dict):
        return text(name, value)
    if "value" not in value or not value.keys() <= _LITERAL_KEYS:
        raise wrong(name, value, 'an id or a literal as {"value": …, "datatype"?: …, "lang"?: …}')
    return LiteralValue(**{key: text(f"{name}.{key}", part) for key, part in value.items()})


def moment(name: str, value: Json) -> str:
    """A day or a moment as the history writes times, so that the two compare as texts: UTC, without the Z."""
    given = text(name, value).strip()
    match = _MOMENT.fullmatch(given)
    try:
        if match is None:
            raise ValueError
        datetime.fromisoformat(given)
    except ValueError:
        raise wrong(name, value, "a day, 2026-03-01, or a moment in UTC, 2026-03-01T09:30:00Z") from None
    return "T".join(part for part in match.groups() if part)


def agent(name: str, value: Json) -> str:
    """The name of whoever writes: one short line of plain text."""
    given = " ".join(_NOT_IN_NAMES.sub(" ", text(name, value)).split())
    if not 0 < len(given) <= MAX_AGENT:
        raise wrong(name, value, f"a name of 1 to {MAX_AGENT} characters")
    return given


def facts(name: str, value: Json) -> tuple[FactInput, ...]:
    """Facts as agents give them; places in messages count from 1, as those of the memory do."""
    if not isinstance(value, list):
        raise wrong(name, value, "a list of facts")
    return tuple(_fact(f"fact {position}", item) for position, item in enumerate(value, start=1))


def _fact(name: str, value: Json) -> FactInput:
    if not isinstance(value, dict):
        raise wrong(name, value, 'as {"subject": …, "predicate": …, "object": …}')
    given: Mapping[str, Json] = {key: part for key, part in value.items() if part is not None}
    unknown = [key for key in given if key not in _FACT_TAKES]
    missing = [key for key in _FACT_NEEDS if key not in given]
    if unknown or missing:
        problem = f"does not take {shortened(unknown[0])}" if unknown else f"needs {missing[0]}"
        raise InvalidInput(f"{name} {problem}", hint=f"a fact takes {', '.join(_FACT_TAKES)}")
    if given.get("object_is", "id") not in _OBJECT_IS:
        raise wrong(f"{name}: object_is", given["object_is"], "id, literal or iri")
    return FactInput(**{key: text(f"{name}: {key}", part) for key, part in given.items()})  # type: ignore[arg-type]


def wrong(name: str, value: Json, expected: str) -> InvalidInput:
    """The refusal of a value: what it must be, and what it was."""
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return InvalidInput(f"{name} must be {expected}, not {shortened(shown)}")
