"""Whether a text is in the lexical space of a datatype (XSD 1.1 part 2, section 3; RDF 1.1, section 5.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Final

from pyoxigraph import NamedNode

from synapse.rdf.vocab import XSD

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_ZONE = r"(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_DATE: Final = re.compile(rf"(-?[0-9]{{4,}}-[0-9]{{2}}-[0-9]{{2}}){_ZONE}")
_DATE_TIME: Final = re.compile(
    rf"(-?[0-9]{{4,}}-[0-9]{{2}}-[0-9]{{2}})T([0-2][0-9]:[0-5][0-9]:[0-5][0-9])(\.[0-9]+)?{_ZONE}"
)


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


def _between(low: int | None, high: int | None) -> Callable[[str], bool]:
    def holds(text: str) -> bool:
        if len(text) > 400 or not _INTEGER.fullmatch(text):
            return False
        number = int(text)
        return (low is None or number >= low) and (high is None or number <= high)

    return holds


def _is_day(text: str) -> bool:
    if len(text) != 10:
        return True  # a year before 1 or after 9999, which Python's calendar does not hold
    try:
        date.fromisoformat(text)
    except ValueError:
        return text.startswith("0000")
    return True


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    return found is not None and _is_day(found[1])


def _is_date_time(text: str) -> bool:
    found = _DATE_TIME.fullmatch(text)
    if found is None or not _is_day(found[1]):
        return False
    try:
        datetime.strptime(found[2], "%H:%M:%S")
    except ValueError:
        return found[2] == "24:00:00"
    return True


_FLOAT: Final = _matches(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF|NaN")

_LEXICAL: Final[Mapping[str, Callable[[str], bool]]] = {
    "string": lambda text: True,
    "boolean": _matches(r"true|false|1|0"),
    "decimal": _matches(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"),
    "integer": _between(None, None),
    "nonNegativeInteger": _between(0, None),
    "positiveInteger": _between(1, None),
    "nonPositiveInteger": _between(None, 0),
    "negativeInteger": _between(None, -1),
    "long": _between(-(2**63), 2**63 - 1),
    "int": _between(-(2**31), 2**31 - 1),
    "short": _between(-(2**15), 2**15 - 1),
    "byte": _between(-(2**7), 2**7 - 1),
    "unsignedLong": _between(0, 2**64 - 1),
    "unsignedInt": _between(0, 2**32 - 1),
    "unsignedShort": _between(0, 2**16 - 1),
    "unsignedByte": _between(0, 2**8 - 1),
    "double": _FLOAT,
    "float": _FLOAT,
    "date": _is_date,
    "dateTime": _is_date_time,
    "dateTimeStamp": lambda text: _is_date_time(text) and re.search(r"(Z|[+-]\d\d:\d\d)$", text) is not None,
    "time": _matches(rf"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?{_ZONE}|24:00:00(\.0+)?{_ZONE}"),
    "gYear": _matches(rf"-?[0-9]{{4,}}{_ZONE}"),
    "gYearMonth": _matches(rf"-?[0-9]{{4,}}-(0[1-9]|1[0-2]){_ZONE}"),
    "gMonthDay": _matches(rf"--(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]){_ZONE}"),
    "gMonth": _matches(rf"--(0[1-9]|1[0-2]){_ZONE}"),
    "gDay": _matches(rf"---(0[1-9]|[12][0-9]|3[01]){_ZONE}"),
    "duration": _matches(
        r"-?P(?=.)([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?"
    ),
    "dayTimeDuration": _matches(r"-?P(?=.)([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?"),
    "yearMonthDuration": _matches(r"-?P(?=.)([0-9]+Y)?([0-9]+M)?"),
    "anyURI": _matches(r"[^\s<>\"{}|\\^`]*"),
    "language": _matches(r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*"),
    "hexBinary": _matches(r"([0-9a-fA-F]{2})*"),
    "base64Binary": _matches(r"[A-Za-z0-9+/ ]*={0,2}"),
    "normalizedString": _matches(r"[^\t\r\n]*"),
    "token": _matches(r"([^\s]+( [^\s]+)*)?"),
}


def is_datatype(datatype: NamedNode) -> bool:
    """Whether this may type a literal: any IRI but one that XSD does not define in its namespace."""
    local = datatype.value.removeprefix(XSD)
    return local == datatype.value or local in _LEXICAL


def is_well_typed(text: str, datatype: NamedNode) -> bool:
    """Whether `text` is in the lexical space; every text passes for a datatype that is not XSD's."""
    local = datatype.value.removeprefix(XSD)
    return local == datatype.value or (local in _LEXICAL and _LEXICAL[local](text))
