"""The managed section of a note: put in, replaced or taken out, every other byte untouched.

A new section goes to the end of the file, after one blank line. It ends with a line break exactly
if the file did, so that what was added can be told from the result, and taking the section out
gives back the very bytes there were.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from synapse.errors import InvalidInput
from synapse.notes.section import (
    SECTION_END,
    SECTION_START,
    SectionAbsent,
    SectionDamaged,
    SectionPresent,
    find_section,
)

_BOM: Final = "\ufeff"
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_LAST_LINE_END: Final = re.compile(r"(?:\r\n|\r|\n)\Z")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why this note's section may not be written; `line` is where a person can mend it."""

    code: str
    reason: str
    line: int = 1


def with_section(data: bytes, lines: Sequence[str]) -> bytes | Refusal:
    """The note's bytes with a managed section of these lines; with no lines, without the section.

    Idempotent, and for a note without a section `with_section(with_section(x, lines), [])` is `x`.
    Raises `InvalidInput` for a line with a line break, a marker or a lone surrogate in it.
    """
    _check(lines)
    text = _text(data)
    if isinstance(text, Refusal):
        return text
    section = find_section(text)
    match section:
        case SectionDamaged(reason, line):
            return Refusal("section-damaged", f"{reason}; delete all marker lines, or mend them", line)
        case SectionPresent(start, end):
            edited = _replaced(text, start, end, lines) if lines else _removed(text, start, end)
        case SectionAbsent():
            edited = _appended(text, lines) if lines else text
    if lines and not _is_found(edited, lines):
        reason = "the section would not be read as one; a code block or comment before it may lack its end"
        return Refusal("section-hidden", reason, _line_at(edited, edited.rfind(SECTION_START)))
    return edited.encode()


def unlike(data: bytes, pattern: re.Pattern[str]) -> Refusal | None:
    """A refusal when a line of the section does not look as synapse writes them: somebody typed into it."""
    text = _text(data)
    section = SectionAbsent() if isinstance(text, Refusal) else find_section(text)
    if isinstance(text, Refusal) or not isinstance(section, SectionPresent):
        return None
    first = _line_at(text, section.start)
    for number, line in enumerate(_LINE_END.split(text[section.start : section.end].rstrip("\r\n"))[1:-1], 1):
        if line.strip() and not pattern.fullmatch(line.strip()):
            reason = (
                "somebody wrote into the managed section, which is left as it is; move that text out of it"
            )
            return Refusal("section-edited", reason, first + number)
    return None


def _check(lines: Sequence[str]) -> None:
    for line in lines:
        if _LINE_END.search(line) or line.strip() in (SECTION_START, SECTION_END):
            raise InvalidInput(f"{line!r} cannot be a line of the managed section")
        try:
            line.encode()
        except UnicodeEncodeError:
            raise InvalidInput(f"{line!r} holds a lone surrogate") from None


def _text(data: bytes) -> str | Refusal:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = _line_at(data[: error.start].decode(), error.start)
        return Refusal("not-utf-8", "the note is not UTF-8; save it as UTF-8", line)
    if "\0" in text:
        reason = "the note holds a NUL character, as UTF-16 text does; save it as UTF-8"
        return Refusal("nul-byte", reason, _line_at(text, text.index("\0")))
    return text


def _appended(text: str, lines: Sequence[str]) -> str:
    """`text` with a new section at its end."""
    eol = _line_end_of(text)
    block = _block(lines, eol)
    if text in ("", _BOM):
        return text + block + eol
    if _LAST_LINE_END.search(text):
        return text + eol + block + eol
    return text + eol + eol + block


def _replaced(text: str, start: int, end: int, lines: Sequence[str]) -> str:
    """`text` with the section's lines exchanged, in the section's own line ends."""
    old = text[start:end]
    first = _LINE_END.search(old)
    final = _LAST_LINE_END.search(old)
    block = _block(lines, first.group() if first else "\n")
    return text[:start] + block + (final.group() if final else "") + text[end:]


def _removed(text: str, start: int, end: int) -> str:
    """`text` without its section, and without the blank line that came with it.

    When somebody wrote on after the section, the blank line stays: it now parts two paragraphs.
    """
    before, section, after = text[:start], text[start:end], text[end:]
    if after:
        return before + after
    return _without_separator(before, 1 if _LAST_LINE_END.search(section) else 2)


def _without_separator(before: str, count: int) -> str:
    """`before` without the `count` line ends that `_appended` put there, if they are still there."""
    shorter = before
    for _ in range(count):
        if not (match := _LAST_LINE_END.search(shorter)):
            return before
        shorter = shorter[: match.start()]
    still_ours = count == 2 or _LAST_LINE_END.search(shorter)
    return shorter if still_ours else before


def _block(lines: Sequence[str], eol: str) -> str:
    return eol.join([SECTION_START, *lines, SECTION_END])


def _line_end_of(text: str) -> str:
    """The line end that a new section takes: the most frequent one of the file."""
    counts = Counter(_LINE_END.findall(text))
    common = max(("\n", "\r\n", "\r"), key=lambda eol: counts[eol])
    # After a final CR a LF would make one line end out of two.
    return "\r\n" if common == "\n" and text.endswith("\r") else common


def _is_found(edited: str, lines: Sequence[str]) -> bool:
    """Whether the section just put in is recognised: one that is not would be added again each time."""
    section = find_section(edited)
    if not isinstance(section, SectionPresent):
        return False
    found = edited[section.start : section.end].rstrip("\r\n")
    return _LINE_END.split(found) == [SECTION_START, *lines, SECTION_END]


def _line_at(text: str, offset: int) -> int:
    return len(_LINE_END.findall(text[:offset])) + 1
