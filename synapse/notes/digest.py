"""The digest of a note: it tells a change of what a person wrote from a change of what synapse wrote."""

from __future__ import annotations

import hashlib
from typing import Final

from synapse.notes.section import SECTION_START, SectionPresent, find_section

_BLANKS: Final = b" \t\r\n"
_MARKER: Final = SECTION_START.encode()


def note_digest(data: bytes) -> str:
    """SHA-256, in hex, of a note's bytes without its managed section and without trailing blanks."""
    return hashlib.sha256(without_section(data).rstrip(_BLANKS)).hexdigest()


def without_section(data: bytes) -> bytes:
    """The bytes outside the managed section; all of them where there is none or it is damaged."""
    if _MARKER not in data:
        return data
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    match find_section(text):
        case SectionPresent(start, end):
            return (text[:start] + text[end:]).encode()
        case _:
            return data
