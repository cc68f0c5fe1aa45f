"""A note read as if its managed section were not there, with the line numbers of the file that has it.

What a person wrote has to mean the same before the section is written, with it, and when it is gone
again, by whoever's hand. So the section is taken out before reading, not blanked: blank lines would
part a paragraph, keep `---` from underlining a heading, and frontmatter from being the first thing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from synapse.notes.lines import with_newlines
from synapse.notes.note import Link, Note, Property, Record, Value
from synapse.notes.section import SECTION_START, SectionPresent, find_section

_MARKER = SECTION_START.encode()


def read_unsectioned(data: bytes, read: Callable[[bytes], Note]) -> Note:
    """What `read` finds in a note's bytes without their managed section; lines are those of `data`."""
    try:
        text = data.decode() if _MARKER in data else ""
    except UnicodeDecodeError:
        return read(data)
    section = find_section(text)
    if not isinstance(section, SectionPresent):
        return read(data)
    before, after = text[: section.start], text[section.end :]
    # Taking one section out may bring another to light, where HTML around it hid its markers.
    note = read_unsectioned((before + after).encode(), read)
    if not after.strip():
        return note
    lines = _line_ends(text) - _line_ends(before + after)
    return _Shift(1 + _line_ends(before), lines).note(note)


class _Shift:
    """Moves what stands at line `first` or below by so many `lines`."""

    def __init__(self, first: int, lines: int) -> None:
        self._first = first
        self._lines = lines

    def note(self, note: Note) -> Note:
        return replace(
            note,
            properties=tuple(map(self._property, note.properties)),
            links=tuple(map(self._link, note.links)),
            tags=tuple(replace(item, line=self._line(item.line)) for item in note.tags),
            headings=tuple(replace(item, line=self._line(item.line)) for item in note.headings),
            observations=tuple(replace(item, line=self._line(item.line)) for item in note.observations),
            diagnostics=tuple(replace(item, line=self._line(item.line)) for item in note.diagnostics),
        )

    def _property(self, item: Property) -> Property:
        return replace(item, value=self._value(item.value), line=self._line(item.line))

    def _value(self, value: Value) -> Value:
        if isinstance(value, Record):
            return Record(tuple(map(self._property, value.properties)))
        return self._link(value) if isinstance(value, Link) else value

    def _link(self, link: Link) -> Link:
        return replace(link, line=self._line(link.line))

    def _line(self, line: int) -> int:
        return line + self._lines if line >= self._first else line


def _line_ends(text: str) -> int:
    return with_newlines(text).count("\n")
