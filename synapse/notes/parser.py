"""Text -> Note: the door of this half of the room. Any bytes give a Note; what was odd is a diagnostic."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from synapse.notes.axiom_lines import axioms_in, is_ontology
from synapse.notes.digest import note_digest
from synapse.notes.fields import fields_in
from synapse.notes.frontmatter import FrontmatterBlock, split_frontmatter
from synapse.notes.lines import with_newlines
from synapse.notes.links import wiki_problem
from synapse.notes.list_items import observations_in, relations_in
from synapse.notes.logseq import block_references, page_properties, tags_of_words
from synapse.notes.markdown import Body, HeadingText, read_body
from synapse.notes.metadata import UNWRITABLE, read_metadata
from synapse.notes.note import (
    Diagnostic,
    Dialect,
    Heading,
    Link,
    Note,
    NoteObservation,
    Property,
    Severity,
    Tag,
)
from synapse.notes.placed_links import PlacedLinks
from synapse.notes.section import SectionDamaged, find_section
from synapse.notes.section_lines import without_remains
from synapse.notes.tags import tags_in
from synapse.notes.unsectioned import read_unsectioned
from synapse.notes.unwritable import first_unwritable, replaced

_BOM: Final = "\ufeff"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")

_HEADING_MARKS = re.compile(r"\A[ \t]{0,3}#{1,6}(?=[ \t\n]|$)|[ \t]+#+[ \t]*$|\n[ \t>]*(?:=+|-+)[ \t]*$")
_FORMATTING = re.compile(r"\[\[(?:[^\]\n|]*\|)?([^\]\n]*)\]\]|!?\[([^\]\n]*)\]\([^)\n]*\)|[*`]+|~~|==")
_USER = re.compile(r"(?<![\w/@.])@([\w-]+(?:\.[\w-]+)*)")


def parse_note(path: str, data: bytes, *, dialect: Dialect = Dialect.OBSIDIAN) -> Note:
    """What the bytes of the file at `path` (relative to the root) say; never raises."""
    path = unicodedata.normalize("NFC", path)
    return read_unsectioned(data, lambda bare: _Parser(path, bare, dialect).note())


class _Parser:
    """Reads one note; each part adds what it found."""

    def __init__(self, path: str, data: bytes, dialect: Dialect) -> None:
        self._path = path
        self._data = data
        self._dialect = dialect
        self._properties: list[Property] = []
        self._links: list[Link] = []
        self._tags: list[Tag] = []
        self._headings: list[Heading] = []
        self._observations: list[NoteObservation] = []
        self._diagnostics: list[Diagnostic] = []

    def note(self) -> Note:
        text = self._text()
        if text is not None:
            self._read(text)
        return Note(
            path=self._path,
            digest=note_digest(self._data),
            properties=tuple(self._properties),
            links=tuple(self._links),
            tags=tuple(self._tags),
            headings=tuple(self._headings),
            observations=tuple(self._observations),
            diagnostics=tuple(sorted(self._diagnostics, key=lambda found: found.line)),
        )

    def _report(self, code: str, severity: Severity, line: int, message: str) -> None:
        self._diagnostics.append(Diagnostic(self._path, line, code, severity, message))

    # Bytes

    def _text(self) -> str | None:
        """The decoded file, None where it cannot be trusted to say what was meant."""
        try:
            text = self._data.decode()
        except UnicodeDecodeError as error:
            form = "UTF-16" if self._data.startswith(_UTF16_MARKS) else "another encoding"
            message = f"the file is in {form} and was not read; save it as UTF-8"
            self._report("not-utf-8", "error", 1 + _line_ends(self._data[: error.start].decode()), message)
            return None
        offset = first_unwritable(text)
        if offset is None:
            return text
        if "\x00" in text:
            line = 1 + _line_ends(text[: text.index("\x00")])
            self._report("nul-byte", "error", line, "the file holds a NUL byte and was not read; delete it")
            return None
        self._report("unwritable-character", "warning", 1 + _line_ends(text[:offset]), UNWRITABLE)
        return replaced(text)

    # Text

    def _read(self, text: str) -> None:
        text = self._without_remains(with_newlines(text)).removeprefix(_BOM)
        block = split_frontmatter(text)
        if block is not None and self._read_frontmatter(block):
            first_line = 1 + text.count("\n", 0, block.end)
            self._note_second_block(text[block.end :], first_line)
            self._read_body(read_body(text[block.end :], first_line=first_line))
        else:
            self._read_body(read_body(text))

    def _without_remains(self, text: str) -> str:
        """A whole section was taken out before; what synapse wrote of a damaged one does not count either."""
        section = find_section(text)
        if not isinstance(section, SectionDamaged):
            return text
        message = (
            f"{section.reason}; until the markers are one pair synapse leaves the file alone, "
            "and lines beside them that look like its own are not read"
        )
        self._report("section-damaged", "error", section.line, message)
        return without_remains(text)

    def _read_frontmatter(self, block: FrontmatterBlock) -> bool:
        """Whether the block is frontmatter; text between two rules is body."""
        found = read_metadata(block.content, first_line=2, report=self._report, dialect=self._dialect)
        self._properties += found.properties
        self._tags += found.tags
        return found.is_mapping

    def _note_second_block(self, rest: str, first_line: int) -> None:
        stripped = rest.lstrip("\n")
        second = split_frontmatter(stripped) if stripped.startswith("---") else None
        if second is not None and re.match(r"[\w-]+:(\s|$)", second.content):
            line = first_line + len(rest) - len(stripped)
            message = "a second frontmatter block is read as text; move its keys into the first"
            self._report("frontmatter-second", "warning", line, message)

    # Body

    def _read_body(self, body: Body) -> None:
        links = PlacedLinks(body, dialect=self._dialect)
        self._read_tags(body)
        if self._dialect is Dialect.LOGSEQ:
            self._read_logseq(body, links)
        else:
            self._properties += fields_in(body, links)
            self._properties += relations_in(body, links)
        if self._dialect is Dialect.OKF_MCP and is_ontology(self._properties):
            self._properties += axioms_in(body)
        self._observations += observations_in(body)
        self._headings += (
            Heading(item.level, _heading(item, body), body.lines.line(item.start)) for item in body.headings
        )
        self._links += links.untaken()
        if self._dialect is Dialect.DENDRON:
            self._links += self._dendron_links(body)
        self._report_body(body)

    def _read_tags(self, body: Body) -> None:
        if "#" in body.plain:
            self._tags += (Tag(name, body.lines.line(offset)) for name, offset in tags_in(body.plain))

    def _read_logseq(self, body: Body, links: PlacedLinks) -> None:
        properties, tags = page_properties(body, links)
        self._properties += properties
        self._tags += [*tags, *tags_of_words(body, links)]
        for line in block_references(body):
            message = "a block reference names no page; write [[the page]] to link it"
            self._report("logseq-block-reference", "info", line, message)

    def _dendron_links(self, body: Body) -> Iterator[Link]:
        """`#tag` and `@user` are links to the notes `tags.tag` and `user.user`."""
        for tag in self._tags:
            yield Link(f"tags.{tag.name}", tag.line)
        for match in _USER.finditer(body.plain):
            yield Link(f"user.{match.group(1)}", body.lines.line(match.start()))

    def _report_body(self, body: Body) -> None:
        for found in body.links:
            if found.destination is None:
                inner = body.text[found.start : found.end].lstrip("!")[2:-2]
                if problem := wiki_problem(inner, dialect=self._dialect):
                    self._report(problem[0], "warning", body.lines.line(found.start), problem[1])
        for kind, offset in body.unclosed:
            message = (
                f"this {kind} is never closed, so nothing after it is read; close it with a line of its own"
            )
            self._report(f"{kind}-unclosed", "warning", body.lines.line(offset), message)


def _line_ends(text: str) -> int:
    return with_newlines(text).count("\n")


def _heading(item: HeadingText, body: Body) -> str:
    """The words of a heading, without marks, formatting and link syntax."""
    text = _HEADING_MARKS.sub("", body.text[item.start : item.end].rstrip("\n"))
    text = _FORMATTING.sub(lambda match: match.group(1) or match.group(2) or "", text)
    return unicodedata.normalize("NFC", " ".join(text.split()))
