"""The managed section of a note: where it is, or why it cannot be trusted.

The section is the only part of a note that synapse writes. It is found by two exact marker
lines and by nothing else: a heading such as `Backlinks` belongs to the person who wrote it. A
marker inside code is a text about synapse, not a marker.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from synapse.notes.frontmatter import split_frontmatter
from synapse.notes.lines import inside
from synapse.notes.markdown import code_ranges

SECTION_START: Final = "<!-- synapse:begin -->"
SECTION_END: Final = "<!-- synapse:end -->"

# A marker is a line of its own; only LF, CRLF and CR end a line (not U+2028 or a form feed).
_MARKER = re.compile(
    rf"(?:(?<=[\r\n])|\A\ufeff?)({re.escape(SECTION_START)}|{re.escape(SECTION_END)})[ \t]*(?:\r\n|\r|\n|\Z)"
)
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class SectionAbsent:
    """The text holds no marker outside code."""


@dataclass(frozen=True, slots=True)
class SectionPresent:
    """One well-formed section: character offsets `[start, end)`, markers and their line ends included."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SectionDamaged:
    """Markers that do not make one section; nobody may write, the person has to mend `line`."""

    reason: str
    line: int


Section = SectionAbsent | SectionPresent | SectionDamaged


def find_section(text: str) -> Section:
    """The managed section of a note's text, BOM and frontmatter included; never raises."""
    if "<!-- synapse:" not in text:
        return SectionAbsent()
    body_start = _body_start(text)
    markers = _outside_code(text, body_start)
    match [(text.startswith(SECTION_START, m.start(1)), m.start(1) < body_start) for m in markers]:
        case []:
            return SectionAbsent()
        case [(True, False), (False, False)]:
            return SectionPresent(markers[0].start(1), markers[1].end())
        case kinds:
            reason, position = _damage(kinds)
            return SectionDamaged(reason, _line(text, markers[position].start(1)))


def markers_in(text: str) -> list[re.Match[str]]:
    """The markers outside code, in order; the first group of each is the marker itself."""
    return _outside_code(text, _body_start(text))


def _body_start(text: str) -> int:
    block = split_frontmatter(text)
    return block.end if block else int(text.startswith("\ufeff"))


def _outside_code(text: str, body_start: int) -> list[re.Match[str]]:
    found = list(_MARKER.finditer(text))
    if not any(match.start(1) >= body_start for match in found):
        return found
    ranges = [(start + body_start, end + body_start) for start, end in code_ranges(text[body_start:])]
    return [match for match in found if not inside(match.start(1), ranges)]


def _damage(kinds: Sequence[tuple[bool, bool]]) -> tuple[str, int]:
    """What is wrong with a sequence of (is start, is in frontmatter) markers, and at which of them."""
    for position, (_, in_frontmatter) in enumerate(kinds):
        if in_frontmatter:
            return "a section marker stands in the frontmatter", position
    expects_start = True
    for position, (is_start, _) in enumerate(kinds):
        if position == 2:
            return "a second section begins" if is_start else "the end marker is there twice", position
        if is_start != expects_start:
            return "an end marker has no begin marker before it" if expects_start else (
                "the section begins again before it ended"
            ), position
        expects_start = not expects_start
    return "the section has no end marker", len(kinds) - 1


def _line(text: str, offset: int) -> int:
    return 1 + sum(1 for _ in _LINE_END.finditer(text, 0, offset))
