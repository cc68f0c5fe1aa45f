"""What the lines of a managed section look like, and a damaged note read without those that are left of one.

Damaged markers are mended by a person, and until then nobody knows where the section ends. What
synapse wrote must not become something that the note states meanwhile: other notes would show it
as said here. So lines in the section's own form do not count right below a begin marker or right
above an end marker; the first other line is a person's, and from it on everything is read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Final

from synapse.notes.section import SECTION_START, markers_in


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a section in one language."""

    linked_from: str
    inferred: str
    is_a: str
    more: str
    not_all: str


WORDS: Final[Mapping[str, Words]] = {
    "en": Words("Linked from", "Inferred", "is a", "… and {} more", "… and more that was not worked out"),
    "es": Words("Enlazado desde", "Inferido", "es", "… y {} más", "… y más que no se ha deducido"),
}

OWN_LINE: Final = re.compile(r"\*\*[^*]+\*\*|- .+(?: · |: ).+|- … .+")
"""What a line between intact markers looks like; any other was typed by a person."""

_HEADINGS = frozenset(
    f"**{heading}**" for words in WORDS.values() for heading in (words.linked_from, words.inferred)
)
# A task, an observation or an inline field.
_PERSONS = re.compile(r"\[[^\[\]]*\] |[^\[\]]*:: ")


def without_remains(text: str) -> str:
    """A damaged note's text, which has LF line ends, with the section's lines beside its markers emptied."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for marker in markers_in(text):
        row = bisect_right(starts, marker.start(1)) - 1
        is_start = marker.group(1) == SECTION_START
        rows = range(row + 1, len(lines)) if is_start else range(row - 1, -1, -1)
        for near in takewhile(lambda near: _is_own(lines[near].rstrip()), rows):
            lines[near] = ""
    return "\n".join(lines)


def _is_own(line: str) -> bool:
    if not line or line in _HEADINGS or line.startswith("- … "):
        return True
    item = line.removeprefix("- ")
    return item != line and not _PERSONS.match(item) and (_tells_who(item) or _tells_what(item))


def _tells_who(item: str) -> bool:
    """Whether a line says by which relations something points here; a relation is no link."""
    who, _, how = item.rpartition(" · ")
    return bool(who) and "[[" not in how and "](" not in how


def _tells_what(item: str) -> bool:
    """Whether a line says what follows: a relation, and what it leads to."""
    relation, colon, _ = item.partition(": ")
    return bool(colon) and "[" not in relation
