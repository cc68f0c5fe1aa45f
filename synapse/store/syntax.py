"""What the SPARQL parser says of a query, in words: where it stopped, and what could stand there.

The parser (rust-peg) names every terminal it tried, Unicode ranges among them. It compares keywords
by their length, so a keyword that did not match is reported as many columns too far right as it is long.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from synapse.errors import InvalidQuery

WINDOW: Final = 70
"""Columns of the query's line that are shown around the place."""

_PADDING: Final = "\n" + " " * 40
"""Behind a query, so that no keyword is compared with what lies beyond its end."""

_PARSED: Final = re.compile(r"error at (\d+):(\d+): expected (?:one of )?(.*)", re.DOTALL)
_TERMINAL: Final = re.compile(r'"(?:\\.|[^"\\])*"|\[[^\]]*\]|[^,\s][^,]*')
_KEYWORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SENTENCE: Final = re.compile(r"[A-Z][a-z]*( \w+)+")
OPAQUE: Final = (
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n\r]|\\.)*"'
    r"|'(?:[^'\\\n\r]|\\.)*'"
    r"|<[^<>\"{}|^`\\\s]*>"
    r"|#[^\n\r]*"
)
"""What holds no syntax of its own: texts, IRIs, comments. Comments and short texts end at either line break.

SPARQL 1.1, section 19.8; to be compiled with DOTALL.
"""

_OPAQUE: Final = re.compile(OPAQUE, re.DOTALL)
_DECLARED: Final = re.compile(r"\bPREFIX\s+([\w.-]*):", re.IGNORECASE)
_PREFIXED: Final = re.compile(r"(?<![\w.:?$@-])([^\W\d_][\w.-]*|_)?:")
_UPDATE: Final = re.compile(
    r"\s*(?:(?:PREFIX|BASE)\b[^<]*<[^>]*>\s*)*(INSERT|DELETE|LOAD|CLEAR|DROP|CREATE|ADD|MOVE|COPY|WITH)\b",
    re.IGNORECASE,
)
# A } is always right behind a pattern: what follows it was not.
_CLOSED: Final = re.compile(r"(?:}\s*)?")
_A_TERM: Final = frozenset(("$", "?", "<", "_:", "["))
_QUOTES: Final = frozenset(("'", '\\"', "'''", '\\"\\"\\"'))
_MARKS: Final = (".", ";", ",", "}", ")", "]", "{", "(", "=")


def explained(
    query: str, error: Exception, parse: Callable[[str], object], *, prefixes: Collection[str] = ()
) -> InvalidQuery:
    """The error of a query that `parse` refused with `error`; `parse` is asked once more for the place.

    `prefixes` need no declaration.
    """
    if found := _UPDATE.match(query):
        word = found.group(1).upper()
        return InvalidQuery(f"the query does not parse: {word} would change data, and a query only reads")
    if (unknown := _undeclared(query, prefixes)) is not None:
        return _no_prefix(query, unknown)
    try:
        parse(query + _PADDING)
    except (SyntaxError, ValueError) as padded:
        error = padded
    parts = _PARSED.search(str(error))
    if parts is None:
        return InvalidQuery(f"the query does not parse: {_one_line(str(error))}")
    terminals = [found.group().strip() for found in _TERMINAL.finditer(parts[3])]
    offset = _offset(query, int(parts[1]), int(parts[2]), terminals)
    problem, hint = _told(query, offset, terminals)
    return InvalidQuery(f"{_where(query, offset, problem)}\n{_excerpt(query, offset)}", hint=hint)


def _undeclared(query: str, prefixes: Collection[str]) -> re.Match[str] | None:
    """The first prefixed name whose prefix nobody declared."""
    visible = _OPAQUE.sub(lambda found: " " * len(found.group()), query)
    declared = {"_", *prefixes, *(found[1] for found in _DECLARED.finditer(visible))}
    return next((found for found in _PREFIXED.finditer(visible) if (found[1] or "") not in declared), None)


def _no_prefix(query: str, name: re.Match[str]) -> InvalidQuery:
    prefix = f"{name[1] or ''}:"
    where = _where(query, name.start(), f"the prefix {prefix} is not declared")
    hint = f"begin with PREFIX {prefix} <…>, or write the whole IRI in < >"
    return InvalidQuery(f"{where}\n{_excerpt(query, name.start())}", hint=hint)


def _offset(query: str, line: int, column: int, terminals: list[str]) -> int:
    """The character at which parsing stopped."""
    lines = query.split("\n")[: line - 1]  # peg counts lines by \n alone
    offset = sum(map(len, lines)) + len(lines) + column - 1
    if terminals and all(_KEYWORD.fullmatch(one) for one in terminals):
        offset -= max(map(len, terminals))
        offset += len(_CLOSED.match(query, max(offset, 0)).group())  # type: ignore[union-attr]
    return max(0, min(offset, len(query.rstrip())))


def _told(query: str, offset: int, terminals: list[str]) -> tuple[str, str | None]:
    """What is wrong in half a sentence, and what could stand there instead."""
    if offset >= len(query.rstrip()) and terminals == ["OPTIONAL"] and query.count("{") == query.count("}"):
        return "it is complete but says what cannot be", "a variable is bound twice, perhaps"
    sentences = [one for one in terminals if _SENTENCE.fullmatch(one)]
    if sentences:
        return sentences[0][0].lower() + sentences[0][1:], None
    expected = list(_expected(query, offset, terminals))
    return "does not parse", f"expected {_alternatives(expected)}" if expected else None


def _expected(query: str, offset: int, terminals: list[str]) -> Iterator[str]:
    marks = {one[1:-1] for one in terminals if one.startswith('"')}
    if not query[:offset].strip() or "CONSTRUCT" in terminals:
        yield "SELECT, ASK, CONSTRUCT or DESCRIBE"
    elif marks & _A_TERM:
        yield "a ?variable, <an id>, a prefix:name or a text in quotes"
    elif marks & _QUOTES:
        yield "the closing quote"
    elif marks:
        yield from (mark for mark in _MARKS if mark in marks)
    else:
        yield from (_LONGEST[one](query[:offset]) for one in terminals if one in _LONGEST)


def _after_pattern(before: str) -> str:
    if before.count("{") > before.count("}"):
        return "a pattern, or . before the next one, or }"
    return "the end of the query, or ORDER BY, LIMIT and the like before it"


# Of all keywords that could stand at a place, the parser names the longest.
_LONGEST: Final[Mapping[str, Callable[[str], str]]] = {
    "OPTIONAL": _after_pattern,
    "ENCODE_FOR_URI": lambda _: "a value, a ?variable or a function",
    "DISTINCT": lambda _: "a ?variable, * or DISTINCT",
}


def _alternatives(names: list[str]) -> str:
    *first, last = names
    return f"{'  '.join(first)}  or  {last}" if first else last


def _where(query: str, offset: int, problem: str) -> str:
    line = query.count("\n", 0, offset) + 1
    column = offset - (query.rfind("\n", 0, offset) + 1) + 1
    at_end = offset >= len(query.rstrip())
    place = f"line {line}, column {column}{', its end' if at_end and query.strip() else ''}"
    if problem == "does not parse":
        return f"the query does not parse at {place}"
    return f"the query does not parse: {problem} ({place})"


def _excerpt(query: str, offset: int) -> str:
    """The line of the query, cut around the place, and a caret below it."""
    start = query.rfind("\n", 0, offset) + 1
    end = query.find("\n", offset)
    line = "".join(one if one.isprintable() else " " for one in query[start : None if end < 0 else end])
    at = offset - start
    first = max(0, min(at - WINDOW // 2, len(line) - WINDOW))
    shown = line[first : first + WINDOW]
    lead = "…" if first else ""
    tail = "…" if first + WINDOW < len(line) else ""
    below = " " * len(lead) + "".join(" " * _columns(one) for one in line[first:at])
    return f"    {lead}{shown}{tail}\n    {below}^"


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _one_line(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= 200 else joined[:199] + "…"
