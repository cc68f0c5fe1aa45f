"""The call that would have worked: the agent's own words where they were right, else what this memory holds.

An agent does what an example shows. So an example names only what exists here, claims nothing that
is not stated already, and answers the question that was asked.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from synapse.errors import SynapseError
from synapse.interfaces.gateway import NotResolved
from synapse.rdf.names import shortened

FALLBACK_ID: Final = "people/bob"
"""Shown while a memory is empty or not open yet: the shape of an id."""

LONGEST: Final = 400
"""Characters of an argument that an example repeats."""

SAME_WORD: Final = 0.75
"""How alike (difflib) a mistyped argument is to the one that its value is moved to."""

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}
_MOMENTS: Final = frozenset({"as_of", "since", "until"})
_MEANT: Final = re.compile(r"did you mean (\S+?)(?: or \S+)?\?")
_A_FACT: Final = re.compile(r"fact \d+\b")


@dataclass(frozen=True, slots=True)
class Known:
    """What an example may name: an id, and a fact that a note states, with the note; None without any."""

    id: str = FALLBACK_ID
    fact: Mapping[str, str] | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """The arguments of a call that were wrong, by name, and what belongs there as far as that is known."""

    wrong: Collection[str] = ()
    fixes: Mapping[str, Any] | None = None


def example_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call as it is written in teaching text: `get_entity(id="people/bob")`."""
    shown = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{tool}({shown})"


def repaired(
    given: Mapping[str, Any], repair: Repair, *, example: Mapping[str, Any], schema: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """The arguments of a call that works; None when neither the given ones nor the example make one.

    Right arguments stay, wrong ones are mended or left out; the example fills in what is required.
    """
    fixes, required = repair.fixes or {}, schema.get("required", ())
    shown: dict[str, Any] = {}
    for name in schema["properties"]:
        if name in fixes:
            shown[name] = fixes[name]
        elif name in given and name not in repair.wrong and _fits(given[name], schema["properties"][name]):
            shown[name] = given[name]
        elif name in required and name in example:
            shown[name] = example[name]
    # Arguments that are as they were would fail as they did.
    found = dict(example) if shown == dict(given) else shown
    return found if all(name in found for name in required) else None


def _fits(value: Any, part: Mapping[str, Any]) -> bool:
    """Whether a value is of a type that the schema takes, and short enough to be repeated."""
    types = {choice.get("type") for choice in (part, *part.get("anyOf", ()))}
    of_type = any(isinstance(value, _TYPES[name]) for name in types & _TYPES.keys())
    return of_type and len(json.dumps(value, ensure_ascii=False)) <= LONGEST


def repair_of(error: SynapseError, given: Mapping[str, Any]) -> Repair:
    """Which arguments an error is about, seen from its words, and what it says was meant."""
    if isinstance(error, NotResolved) and error.did_you_mean:
        meant: str | None = error.did_you_mean[0].id
    elif isinstance(error, NotResolved) and "as_of" in given:
        return Repair({"as_of"})  # it is known now, or nothing is
    else:
        found = _MEANT.search(error.hint or "")
        meant = found.group(1) if found else None
    blamed = [name for name, value in given.items() if _is_blamed(name, value, error.message)]
    fixes = {name: _mended(name, given[name], meant, error.message) for name in blamed}
    return Repair(blamed, {name: value for name, value in fixes.items() if value is not None})


def _is_blamed(name: str, value: Any, message: str) -> bool:
    if name == "facts" and _A_FACT.match(message):
        return True
    words = value if isinstance(value, list) else [value]
    said = any(isinstance(word, str) and shortened(word) in message for word in words)
    return said or re.search(rf"\b{name}\b", message) is not None


def _mended(name: str, value: Any, meant: str | None, message: str) -> Any:
    if name in _MOMENTS:
        return datetime.now(UTC).date().isoformat()
    if meant is None:
        return None
    if isinstance(value, list):
        wrong = [isinstance(word, str) and shortened(word) in message for word in value]
        return (
            [meant if bad else word for bad, word in zip(wrong, value, strict=True)] if any(wrong) else None
        )
    return meant if isinstance(value, str) and shortened(value) in message else None


def renamed(given: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments whose names were mistyped, under the names that were meant."""
    known = schema["properties"]
    others = (name for name in given if name not in known)
    nearest = {name: difflib.get_close_matches(name, known, n=1, cutoff=SAME_WORD) for name in others}
    meant = {near[0]: given[name] for name, near in nearest.items() if near and near[0] not in given}
    return {name: value for name, value in meant.items() if _fits(value, known[name])}
