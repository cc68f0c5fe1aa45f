"""Inline fields of Dataview: `key:: value` on its own line, `[key:: value]` and `(key:: value)` anywhere.

A blank after `::` is asked for, which Dataview does not: without it `std::string` is a field.
https://blacksmithgu.github.io/obsidian-dataview/annotation/add-metadata/
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from synapse.notes.markdown import Body
from synapse.notes.note import Property, Scalar
from synapse.notes.placed_links import PlacedLinks
from synapse.notes.yaml_core import plain_scalar

MAX_KEY: Final = 64
MAX_BRACKETED: Final = 1_000
"""Characters in which a bracketed field has to close."""

_MARK = re.compile(r"::[*_]{0,3}(?=[ \t])")
_OWN_LINE = re.compile(
    r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[.\][ \t]+)?"  # quote marks, a list marker, a task box
    r"([*_]{0,3})([^\W_](?:[\w /'-]{0,62}[\w'])?)(?:\1::|::\1)(?=[ \t])[ \t]*(\S.*)"
)
_BRACKETED = re.compile(r"([\[(])([^\[\](){}\n:\x00|`]+)\Z")
_EMPHASIS = re.compile(r"\A([*_]{1,3})(.+?)\1\Z")
_BRACKET: Final = {"[": re.compile(r"[\[\]\n]"), "(": re.compile(r"[()\n]")}


def fields_in(body: Body, links: PlacedLinks) -> Iterator[Property]:
    """The inline fields of a body in the order written; the links of a value are taken from `links`."""
    plain = body.plain
    for mark in _MARK.finditer(plain) if "::" in plain else ():
        line_start = plain.rfind("\n", 0, mark.start()) + 1
        is_first = plain.find("::", line_start) == mark.start()
        if is_first and (own := _OWN_LINE.match(plain, line_start)):
            yield from field_value(own.group(2), own.start(3), own.end(3), body=body, links=links)
            continue
        if bracket := _BRACKETED.search(plain[max(line_start, mark.start() - MAX_KEY - 1) : mark.start()]):
            end = _closing(plain, bracket.group(1), mark.end())
            if end is not None and _bare(bracket.group(2)):
                yield from field_value(bracket.group(2), mark.end(), end, body=body, links=links)


def field_value(key: str, start: int, end: int, *, body: Body, links: PlacedLinks) -> Iterator[Property]:
    """The properties of the value `body.text[start:end]`: its links, and its text unless that is all."""
    name = unicodedata.normalize("NFC", _bare(key))
    line = body.lines.line(start)
    found = links.take(start, end)
    if not found or links.rest(start, end).strip(" ,;\t"):
        scalar = _scalar(body.text[start:end].strip())
        if scalar is not None and scalar.text:
            yield Property(name, scalar, line, "inline")
    for link in found:
        yield Property(name, link, line, "inline")


def _bare(key: str) -> str:
    """A key without blanks and emphasis around it."""
    return _EMPHASIS.sub(r"\2", key.strip(" \t")).strip(" \t*")


def _scalar(text: str) -> Scalar | None:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return Scalar(text[1:-1])
    return plain_scalar(text)


def _closing(text: str, opening: str, start: int) -> int | None:
    """The offset of the bracket that closes an opening one before `start`, on the same line and balanced."""
    depth = 1
    for bracket in _BRACKET[opening].finditer(text, start, start + MAX_BRACKETED):
        if bracket.group() == "\n":
            return None
        depth += 1 if bracket.group() == opening else -1
        if depth == 0:
            return bracket.start()
    return None
