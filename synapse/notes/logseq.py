"""What only Logseq writes: page properties in the first block, `#[[several words]]`, `((block))`.

Block properties are about a block, not about the page, so they are not read.
https://docs.logseq.com/#/page/properties
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from synapse.notes.fields import field_value
from synapse.notes.keys import TAGS_KEYS
from synapse.notes.markdown import Body
from synapse.notes.note import Property, Scalar, Tag
from synapse.notes.placed_links import PlacedLinks
from synapse.notes.tags import tag_of

HIDDEN_KEYS: Final = frozenset({"id", "collapsed", "created-at", "updated-at"})
_SPLIT_KEYS: Final = frozenset({"alias", "aliases"})

_FIRST_BLOCK = re.compile(r"\s*(?:[-*][ \t]+)?(?:[ \t]*[\w-]+::(?:[ \t].*)?(?:\n|\Z))+")
_LINE = re.compile(r"^[ \t]*(?:[-*][ \t]+)?([\w-]+)::[ \t]+(\S.*)$", re.MULTILINE)
_BLOCK_REFERENCE = re.compile(r"\(\([0-9a-fA-F-]{36}\)\)")
_WORDS = re.compile(r"[\s,]*(?:#?\[\[(.+?)\]\]|#?([^,]+))")


def page_properties(body: Body, links: PlacedLinks) -> tuple[list[Property], list[Tag]]:
    """The properties and tags that the first block states of the page."""
    properties: list[Property] = []
    tags: list[Tag] = []
    block = _FIRST_BLOCK.match(body.plain)
    for match in _LINE.finditer(body.plain, 0, block.end() if block else 0):
        key, start, end = match.group(1).lower().replace("_", "-"), match.start(2), match.end(2)
        line = body.lines.line(start)
        if key in TAGS_KEYS:
            links.take(start, end)
            tags += [Tag(name, line) for name in _names(body.text[start:end])]
        elif key in _SPLIT_KEYS:
            links.take(start, end)
            names = enumerate(_names(body.text[start:end]))
            properties += [Property("aliases", Scalar(name), line, "inline", index) for index, name in names]
        elif key not in HIDDEN_KEYS:
            properties += _value(key, start, end, body, links)
    return properties, tags


def tags_of_words(body: Body, links: PlacedLinks) -> Iterator[Tag]:
    """The tags written `#[[several words]]`."""
    for found in body.links:
        if found.destination is None and body.text[found.start - 1 : found.start] == "#":
            for link in links.take(found.start, found.end):
                if name := tag_of(link.target):
                    yield Tag(name, link.line)


def block_references(body: Body) -> list[int]:
    """The lines that point at a block `((uuid))`, which names no page."""
    return [body.lines.line(match.start()) for match in _BLOCK_REFERENCE.finditer(body.plain)]


def _value(key: str, start: int, end: int, body: Body, links: PlacedLinks) -> list[Property]:
    text = body.text[start:end].strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        links.take(start, end)  # In quotes `[[a]]` is text.
        return [Property(key, Scalar(text[1:-1]), body.lines.line(start), "inline")]
    return list(field_value(key, start, end, body=body, links=links))


def _names(text: str) -> Iterator[str]:
    for match in _WORDS.finditer(text):
        name = (match.group(1) or match.group(2)).strip()
        if name:
            yield name
