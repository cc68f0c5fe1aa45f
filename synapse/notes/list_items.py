"""What list items say in basic-memory's notation: `- relation [[Target]] (context)` and `- [category] text`.

https://docs.basicmemory.com/guides/knowledge-format/
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from synapse.notes.markdown import Body
from synapse.notes.note import LinkForm, NoteObservation, Property
from synapse.notes.placed_links import PlacedLink, PlacedLinks
from synapse.notes.tags import tags_in

_MARKER = r"(?:[-*+]|\d{1,9}[.)])[ \t]+"
# One word, or several in quotes; `- some words [[X]]` is a sentence with a link.
_RELATION = re.compile(
    _MARKER + r"(?:\"([^\"\n\x00]{2,64})\"|([^\W\d_][\w-]{1,63}))[ \t]+(\x00+)[ \t]*(?:\(.*\))?[ \t]*$",
    re.MULTILINE,
)
# Such a sentence may be a relation of several words all the same; only who knows the relations can tell.
_PHRASE = re.compile(
    _MARKER + r"([^\W\d_][\w-]*(?: [\w-]+){1,4})[ \t]+(\x00+)[ \t]*(?:\(.*\))?[ \t]*$", re.MULTILINE
)
_OBSERVATION = re.compile(_MARKER + r"\[([^\[\]()\n\x00]{2,64})\][ \t]+(\S.*)$", re.MULTILINE)
# `[!note]` is a callout, `[^1]` a footnote, `[00:01:11]` a time stamp, `[due:: x]` a field.
_NO_CATEGORY = re.compile(r"[!^].*|[\d:.,\s-]+|.*::.*")
_CONTEXT = re.compile(r"[ \t]*\(([^()\n]*)\)[ \t]*$")


def relations_in(body: Body, links: PlacedLinks) -> Iterator[Property]:
    """The typed relations of list items; each takes its link from `links`."""
    for item in body.items if "[[" in body.text else ():
        if match := _RELATION.match(body.plain, item):
            if placed := _untyped(links, match.span(3)):
                links.take(placed.start, placed.end)
                key = unicodedata.normalize("NFC", (match.group(1) or match.group(2)).strip())
                yield Property(key, placed.link, placed.link.line, "relation")
        elif (match := _PHRASE.match(body.plain, item)) and (placed := _untyped(links, match.span(2))):
            links.precede(placed.start, unicodedata.normalize("NFC", match.group(1)))


def _untyped(links: PlacedLinks, place: tuple[int, int]) -> PlacedLink | None:
    """The wikilink without a relation that covers exactly this range."""
    placed = links.at(place[0])
    if placed is None or placed.end != place[1]:
        return None
    link = placed.link
    return None if link.form is LinkForm.MARKDOWN or link.embed or link.relation else placed


def observations_in(body: Body) -> Iterator[NoteObservation]:
    """The observations of list items outside quotes."""
    for item in body.items:
        match = _OBSERVATION.match(body.plain, item)
        if match is None or _NO_CATEGORY.fullmatch(match.group(1)):
            continue
        text, context = _split_context(body.text[match.start(2) : match.end(2)].strip())
        yield NoteObservation(
            category=unicodedata.normalize("NFC", match.group(1).strip()),
            text=text,
            line=body.lines.line(item),
            tags=tuple(name for name, _ in tags_in(body.plain, match.start(2), match.end(2))),
            context=context,
        )


def _split_context(text: str) -> tuple[str, str | None]:
    match = _CONTEXT.search(text)
    if match is None or match.start() == 0 or not match.group(1).strip():
        return text, None
    return text[: match.start()].rstrip(), match.group(1).strip()
