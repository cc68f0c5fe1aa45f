"""`synapse.toml`: sections of typed keys, each fault told with its line and what would be right.

TOML 1.0 (https://toml.io/en/v1.0.0). A section is a frozen dataclass whose fields are the keys;
their types and the metadata of `about` are the whole schema.
"""

from __future__ import annotations

import difflib
import re
import tomllib
import types
from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from synapse.errors import InvalidInput

FILE_NAME: Final = "synapse.toml"

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_KEY = re.compile(r"""\s*["']?([^"'=\s.]+)["']?\s*=""")
_HEADER = re.compile(r"""\s*\[\s*["']?([^"'\[\]]+?)["']?\s*\]""")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a value must satisfy beyond its type; `expects` says it in words."""

    low: float | None = None
    high: float | None = None
    pattern: str | None = None
    expects: str | None = None


def about(*, env: str | None = None, limits: Limits | None = None) -> Mapping[str, Any]:
    """The metadata of a key: the environment variable that overrides it, and its limits."""
    return {"env": env, "limits": limits or Limits()}


def read_sections(file: Path, sections: Mapping[str, type]) -> dict[str, dict[str, Any]]:
    """The checked values of a file, by section and key; raises `InvalidInput` with `path:line`."""
    text = _read(file)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(file, error) from None
    return {name: _checked_section(file, text, name, table, sections) for name, table in tables.items()}


def checked(section: str, key: Field[Any], value: object, *, place: str, owner: type) -> Any:
    """`value` as the type of `key` asks, or `InvalidInput` that names `place` and what would be right."""
    hint = get_type_hints(owner)[key.name]
    try:
        return _coerced(hint, key.metadata.get("limits", Limits()), value)
    except ValueError as expected:
        shown = f"{value!r}"
        raise InvalidInput(f"{place}: [{section}] {key.name} must be {expected}, not {shown}") from None


def from_text(section: type, key: Field[Any], text: str) -> object:
    """An environment variable's text as the TOML value it stands for; wrong text stays text."""
    hint = get_type_hints(section)[key.name]
    if hint is bool:
        word = text.strip().casefold()
        return True if word in _TRUE else False if word in _FALSE else text
    if hint in (int, float):
        try:
            return int(text) if hint is int else float(text)
        except ValueError:
            return text
    return [part.strip() for part in text.split(",")] if get_origin(hint) is tuple else text


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InvalidInput(f"{file}:{line}: the settings are not UTF-8", hint="save it as UTF-8") from None
    except OSError as error:
        raise InvalidInput(f"{file}: the settings cannot be read ({error.strerror})") from None


def _syntax_error(file: Path, error: tomllib.TOMLDecodeError) -> InvalidInput:
    message = str(error)
    match = re.search(r"\(at line (\d+), column (\d+)\)", message)
    place = f"{file}:{match.group(1)}" if match else f"{file}"
    said = re.sub(r"\s*\(at .*\)$", "", message)
    hint = 'text needs quotes: name = "value"; lists are ["a", "b"]'
    return InvalidInput(f"{place}: not valid TOML: {said}", hint=hint)


def _checked_section(
    file: Path, text: str, name: str, table: object, sections: Mapping[str, type]
) -> dict[str, Any]:
    if name not in sections:
        raise _unknown_section(file, text, name, sections)
    if not isinstance(table, dict):
        place = f"{file}:{line_of(text, None, name)}"
        raise InvalidInput(f"{place}: {name} is a section, not a value", hint=f"write [{name}] on a line")
    known = {key.name: key for key in fields(sections[name])}
    values = {}
    for key, value in table.items():
        place = f"{file}:{line_of(text, name, key)}"
        if key not in known:
            raise _unknown_key(place, name, key, sections)
        values[key] = checked(name, known[key], value, place=place, owner=sections[name])
    return values


def _unknown_section(file: Path, text: str, name: str, sections: Mapping[str, type]) -> InvalidInput:
    place = f"{file}:{line_of(text, None, name)}"
    homes = [section for section, owner in sections.items() if name in {key.name for key in fields(owner)}]
    if homes:
        return InvalidInput(f"{place}: {name} is outside its section", hint=f"put it below [{homes[0]}]")
    near = difflib.get_close_matches(name, sections, n=1)
    known = ", ".join(f"[{section}]" for section in sections)
    hint = f"did you mean [{near[0]}]?" if near else f"the sections are {known}"
    return InvalidInput(f"{place}: there is no section [{name}]", hint=hint)


def _unknown_key(place: str, section: str, key: str, sections: Mapping[str, type]) -> InvalidInput:
    own = [known.name for known in fields(sections[section])]
    homes = [name for name, owner in sections.items() if key in {known.name for known in fields(owner)}]
    near = difflib.get_close_matches(key, own, n=1)
    if homes:
        hint = f"{key} belongs in [{homes[0]}]"
    elif near:
        hint = f"did you mean {near[0]}?"
    else:
        hint = f"[{section}] knows {', '.join(own)}"
    return InvalidInput(f"{place}: [{section}] has no key {key!r}", hint=hint)


def line_of(text: str, section: str | None, key: str) -> int:
    """The line where `key` of `section` (or the section `key`) is written; tomllib keeps no places."""
    current: str | None = None
    header = 1
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _HEADER.match(line):
            current = match.group(1)
            header = number if current == (section or key) else header
        elif (match := _KEY.match(line)) and match.group(1) == key and current == section:
            return number
    return header


def _coerced(hint: Any, limits: Limits, value: object) -> Any:
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        if value in choices:
            return value
        raise ValueError("one of " + ", ".join(f'"{choice}"' for choice in choices))
    if get_origin(hint) is tuple:
        return _strings(value)
    return _scalar(hint, limits, value)


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
        return tuple(value)
    raise ValueError('a list of texts, as ["a", "b"]')


_WORDS: Final = types.MappingProxyType(
    {bool: "true or false", int: "a whole number", float: "a number", str: "a text in quotes"}
)


def _scalar(hint: type, limits: Limits, value: object) -> Any:
    accepted = (int, float) if hint is float else hint
    expected = limits.expects or _WORDS[hint]
    if not isinstance(value, accepted) or (isinstance(value, bool) and hint is not bool):
        raise ValueError(expected)
    if isinstance(value, str) and limits.pattern and not re.fullmatch(limits.pattern, value):
        raise ValueError(expected)
    if isinstance(value, (int, float)) and not _within(limits, value):
        raise ValueError(expected)
    return float(value) if hint is float else value  # type: ignore[arg-type]


def _within(limits: Limits, value: float) -> bool:
    low_enough = limits.high is None or value <= limits.high
    return low_enough and (limits.low is None or value >= limits.low)
