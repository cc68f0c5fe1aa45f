"""YAML as people write it: nodes with line marks, and scalars by the YAML 1.2 core schema plus dates.

Loaders of YAML 1.1 change data (`12:30` becomes 750, `no` becomes False, `1.10` becomes 1.1), so
nodes are composed only, never constructed; no tag can run anything.
https://yaml.org/spec/1.2.2/#103-core-schema
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

import yaml

from synapse.notes.note import Scalar, ScalarType

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML without libyaml: the same nodes, slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

PLAIN: Final = "?"
"""The tag of a scalar that was written without quotes and without a tag."""
TAG_PREFIX: Final = "tag:yaml.org,2002:"
_QUOTED: Final = "!"
TYPED_TAGS: Final = frozenset(TAG_PREFIX + name for name in ("int", "float", "bool", "null", "timestamp"))
"""Tags by which a person asks for a type: the text is typed as if it stood without quotes."""
STANDARD_TAGS: Final = TYPED_TAGS | {
    PLAIN,
    _QUOTED,
    TAG_PREFIX + "str",
    TAG_PREFIX + "map",
    TAG_PREFIX + "seq",
}

_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE: Final = frozenset({"true", "True", "TRUE"})
_FALSE: Final = frozenset({"false", "False", "FALSE"})
# A leading zero, `1_000` and `0x1F` are codes and names more often than numbers: strings.
_INTEGER = re.compile(r"[-+]?(?:0|[1-9]\d*)", re.ASCII)
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9]\d*)?\.\d+|[-+]?(?:0|[1-9]\d*)\.", re.ASCII)
_DOUBLE = re.compile(r"[-+]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)[eE][-+]?\d+", re.ASCII)
_SPECIAL: Final = {
    ".inf": "INF", ".Inf": "INF", ".INF": "INF", "+.inf": "INF", "+.Inf": "INF", "+.INF": "INF",
    "-.inf": "-INF", "-.Inf": "-INF", "-.INF": "-INF", ".nan": "NaN", ".NaN": "NaN", ".NAN": "NaN",
}  # fmt: skip
_OTHER_DATE = re.compile(
    r"\d{1,2}([./-])\d{1,2}\1\d{2,4}|\d{4}[./]\d{1,2}[./]\d{1,2}"
    r"|\d{1,2}\.?(?: de)? [^\W\d_]{3,}\.?,?(?: de)? \d{4}|[^\W\d_]{3,}\.? \d{1,2}(?:[a-z]{2})?,? \d{4}"
)
_DATE_LIKE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DATE_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt]|[ \t]+)(\d\d:\d\d)(:\d\d(?:\.\d+)?)?"
    r"(?:[ \t]*([Zz]|[-+](?:0\d|1[0-4])(?::?[0-5]\d)?))?",
    re.ASCII,
)


class _ComposingLoader(_Loader):
    """Composes nodes without resolving tags: the resolver is YAML 1.1 and half of the time spent."""

    def descend_resolver(self, *_: Any) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        return PLAIN if kind is yaml.ScalarNode and implicit[0] else _QUOTED


@dataclass(frozen=True, slots=True)
class YamlError:
    """Why a text is not YAML: the problem in the parser's words, at a line counted from 0."""

    problem: str
    line: int


def compose(text: str) -> yaml.Node | YamlError | None:
    """The root node of a YAML text, None for an empty one; any failure of the parser is a value."""
    try:
        return yaml.compose(text, Loader=_ComposingLoader)
    except yaml.MarkedYAMLError as error:
        return _marked(error)
    except yaml.reader.ReaderError as error:
        return YamlError("it holds a character that YAML forbids", text.count("\n", 0, error.position))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return YamlError(str(error).partition("\n")[0] or "it is nested too deeply", 0)


def _marked(error: yaml.MarkedYAMLError) -> YamlError:
    problem = error.problem or error.context or "it could not be read"
    # Where the text ends inside quotes or brackets, the person needs the line where they open.
    opens = error.context_mark if "end of stream" in problem else None
    mark = opens or error.problem_mark or error.context_mark
    return YamlError(problem, mark.line if mark else 0)


def plain_scalar(text: str) -> Scalar | None:
    """The value of an unquoted scalar: YAML 1.2 core plus xsd:date and xsd:dateTime; None for null."""
    if text in _NULL:
        return None
    first = text[0]
    if first in "0123456789+-.":
        return _number_or_date(text)
    if text in _TRUE or text in _FALSE:
        return Scalar(text.lower(), ScalarType.BOOLEAN)
    return Scalar(text)


def looks_like_date(scalar: Scalar) -> bool:
    """Whether a string was meant as a date: `2024-1-5`, `2024-02-30`."""
    return scalar.type is ScalarType.STRING and _DATE_LIKE.match(scalar.text) is not None


def is_other_date(text: str) -> bool:
    """Whether a text is a date as people write them elsewhere: `10/02/2026`, `10 de febrero de 2026`."""
    return _OTHER_DATE.fullmatch(text.strip()) is not None


def _number_or_date(text: str) -> Scalar:
    if _INTEGER.fullmatch(text):
        return Scalar(text, ScalarType.INTEGER)
    if _DATE_LIKE.match(text):
        return _date(text) or _date_time(text) or Scalar(text)
    if _DECIMAL.fullmatch(text):
        return Scalar(text, ScalarType.DECIMAL)
    if _DOUBLE.fullmatch(text):
        return Scalar(text, ScalarType.DOUBLE)
    if text in _SPECIAL:
        return Scalar(_SPECIAL[text], ScalarType.DOUBLE)
    return Scalar(text)


def _date(text: str) -> Scalar | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        date.fromisoformat(text)
    except ValueError:
        return None
    return Scalar(text, ScalarType.DATE)


def _date_time(text: str) -> Scalar | None:
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return None
    day, minutes, seconds, zone = match.groups()
    zone = _zone(zone or "")
    try:
        datetime.fromisoformat(f"{day}T{minutes}{(seconds or '')[:3]}{zone.replace('Z', '+00:00')}")
    except ValueError:
        return None
    return Scalar(f"{day}T{minutes}{seconds or ':00'}{zone}", ScalarType.DATE_TIME)


def _zone(zone: str) -> str:
    """`+0200` and `+02` as xsd:dateTime writes them, `+02:00`."""
    if zone in ("", "Z", "z"):
        return zone.upper()
    digits = zone[1:].replace(":", "")
    return f"{zone[0]}{digits[:2]}:{digits[2:] or '00'}"


def merged_pairs(node: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node]]:
    """The pairs of a mapping with those of `<<` behind them: its own keys win over merged ones."""
    merges = [value for key, value in node.value if _is_merge(key)]
    if not merges:
        return node.value  # type: ignore[no-any-return]
    pairs = [pair for pair in node.value if not _is_merge(pair[0])]
    names = {key.value for key, _ in pairs if isinstance(key, yaml.ScalarNode)}
    for source in merges:
        for key, value in _merge_pairs(source):
            if key.value not in names:
                names.add(key.value)
                pairs.append((key, value))
    return pairs


def _merge_pairs(source: yaml.Node) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    for mapping in source.value if isinstance(source, yaml.SequenceNode) else [source]:
        for key, value in mapping.value if isinstance(mapping, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode) and not _is_merge(key):
                yield key, value


def _is_merge(key: yaml.Node) -> bool:
    return key.value == "<<" and key.tag == PLAIN
