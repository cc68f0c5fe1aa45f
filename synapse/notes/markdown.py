"""The Markdown of a body: its links, headings and list items, and its text without code.

CommonMark by pulldown-cmark (pyromark), whose byte ranges tell where each part stands. What
pulldown-cmark does not know (tags, inline fields, comments) is found by scanning `Body.plain`,
which has the length of the text but nothing of what must not be read.
https://spec.commonmark.org/0.31.2/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pyromark

from synapse.notes.lines import Lines, Range, inside

LINK_MARK: Final = "\x00"
"""Stands in `Body.plain` for each character of a link and of inline code; NUL is in no note."""

_Options = pyromark.Options
_EXTENSIONS = (
    _Options.ENABLE_TABLES
    | _Options.ENABLE_FOOTNOTES
    | _Options.ENABLE_TASKLISTS
    | _Options.ENABLE_MATH
    | _Options.ENABLE_WIKILINKS
)
_BODY = pyromark.Markdown(options=_EXTENSIONS)
_CODE_ONLY = pyromark.Markdown(options=_Options(0))

_LONE_CR = re.compile(r"\r(?!\n)")  # pulldown-cmark does not see a fence that it ends.
_NOT_NEWLINE = re.compile(r"[^\n]")
# A dollar between a word and a digit is money (`US$5`): it neither opens nor closes a formula.
_MONEY = re.compile(r"(?<=\w)\$(?=\d)")
# A comment block: `%%` where a block begins, up to the next `%%`. Inside a paragraph `%%` hides nothing.
_COMMENT = re.compile(
    r"(?:(?<=\n\n)|\A)[ \t]*%%(?:[ \t]*$(?P<alone>))?.*?(?P<close>%%|\Z)", re.MULTILINE | re.DOTALL
)
_NAMELESS = re.compile(r"\[\[\|[^\]\n]*\]\]")
_FENCE = re.compile(r"`{3,}|~{3,}")


@dataclass(frozen=True, slots=True)
class LinkText:
    """A link as it stands in the text, `[start, end)`; `destination` is None for a wikilink.

    `target_at` is where the target is written: the definition of a reference link, else the link.
    """

    start: int
    end: int
    target_at: int
    embed: bool
    destination: str | None = None


@dataclass(frozen=True, slots=True)
class HeadingText:
    """A heading as it stands in the text, with its marks."""

    level: int
    start: int
    end: int


@dataclass(slots=True)
class Body:
    """A body taken apart; all offsets are characters of `text`.

    `items` are the starts of list items outside block quotes. `unclosed` are the offsets of code
    fences and comments that nothing closes.
    """

    text: str
    lines: Lines
    plain: str = ""
    links: list[LinkText] = field(default_factory=list)
    headings: list[HeadingText] = field(default_factory=list)
    items: list[int] = field(default_factory=list)
    unclosed: list[tuple[str, int]] = field(default_factory=list)


def read_body(text: str, *, first_line: int = 1) -> Body:
    """The body of a note, with LF line ends, whose first line has the number `first_line`."""
    body = Body(text, Lines(text, first=first_line))
    walk = _Walk(body)
    walk.run()
    body.plain = _masked(text, walk.hidden)
    if "%%" in body.plain:
        _hide_comments(body)
    return body


def code_ranges(text: str) -> list[Range]:
    """The character ranges of code in a text, in order: fenced, indented and inline."""
    readable = _LONE_CR.sub("\n", text.encode("utf-8", "replace").decode())
    data, ranges, byte, character = readable.encode(), [], 0, 0
    for event, span in _CODE_ONLY.events_with_range(readable):
        if not _is_code(event):
            continue
        start = character + len(data[byte : span["start"]].decode())
        byte, character = span["end"], start + len(data[span["start"] : span["end"]].decode())
        ranges.append((start, character))
    return ranges


def _is_code(event: Any) -> bool:
    if isinstance(event, str):
        return False
    start = event.get("Start")
    return "Code" in event or (isinstance(start, dict) and "CodeBlock" in start)


class _Walk:
    """One pass over the events. A start event has the range of the whole element, so ends say nothing new."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.hidden: list[tuple[int, int, str]] = []
        self.quote_end = 0
        self.definitions: dict[str, int] = {}
        self._offset = body.lines.character

    def run(self) -> None:
        text = self.body.text
        if "]:" in text:
            self._hide_definitions(text)
        if "[[|" in text:
            self.hidden += ((*match.span(), LINK_MARK) for match in _NAMELESS.finditer(text))
        readable = _MONEY.sub("S", text) if "$" in text else text
        events: Iterator[tuple[Any, Any]] = _BODY.events_with_range(readable)
        for event, span in events:
            if event.__class__ is str:
                continue
            for kind, value in event.items():
                if kind == "Start":
                    self._start(value, span)
                elif handle := _LEAVES.get(kind):
                    handle(self, span)

    def _hide_definitions(self, text: str) -> None:
        for label, definition in _BODY.reference_definitions(text).items():
            self.definitions[label.casefold()] = self._hide(definition["span"], " ")[0]

    def _start(self, element: Any, span: Any) -> None:
        if element.__class__ is str:
            if block := _BLOCKS.get(element):
                block(self, span)
            return
        for kind, value in element.items():
            if handle := _ELEMENTS.get(kind):
                handle(self, value, span)

    def _hide(self, span: Any, mark: str) -> tuple[int, int]:
        start, end = self._offset(span["start"]), self._offset(span["end"])
        self.hidden.append((start, end, mark))
        return start, end

    def blank(self, span: Any) -> None:
        self._hide(span, " ")

    def mark(self, span: Any) -> None:
        self._hide(span, LINK_MARK)

    def item(self, span: Any) -> None:
        if (start := self._offset(span["start"])) >= self.quote_end:
            self.body.items.append(start)

    def quote(self, _: Any, span: Any) -> None:
        self.quote_end = max(self.quote_end, self._offset(span["end"]))

    def heading(self, value: Any, span: Any) -> None:
        start, end = self._offset(span["start"]), self._offset(span["end"])
        self.body.headings.append(HeadingText(int(value["level"][1]), start, end))

    def code_block(self, value: Any, span: Any) -> None:
        start, end = self._hide(span, " ")
        if value != "Indented" and _is_open(self.body.text[start:end]):
            self.body.unclosed.append(("code", start))

    def link(self, value: Any, span: Any, embed: bool = False) -> None:
        start, end = self._hide(span, LINK_MARK)
        kind = value["link_type"]
        if kind == "Email":
            return
        destination = value["dest_url"] if kind.__class__ is str else None
        target_at = self.definitions.get(value["id"].casefold(), start) if value["id"] else start
        self.body.links.append(LinkText(start, end, target_at, embed, destination))

    def image(self, value: Any, span: Any) -> None:
        self.link(value, span, embed=True)


_LEAVES: dict[str, Callable[[_Walk, Any], None]] = {
    "Code": _Walk.mark,
    "InlineMath": _Walk.mark,
    "DisplayMath": _Walk.mark,
    "FootnoteReference": _Walk.mark,
    "InlineHtml": _Walk.blank,
}
_BLOCKS: dict[str, Callable[[_Walk, Any], None]] = {"HtmlBlock": _Walk.blank, "Item": _Walk.item}
_ELEMENTS: dict[str, Callable[[_Walk, Any, Any], None]] = {
    "BlockQuote": _Walk.quote,
    "CodeBlock": _Walk.code_block,
    "Heading": _Walk.heading,
    "Image": _Walk.image,
    "Link": _Walk.link,
}


def _is_open(block: str) -> bool:
    """Whether a fenced block has no closing fence: CommonMark ends it with its container."""
    opening = _FENCE.match(block)
    _, newline, rest = block.rstrip("\n").rpartition("\n")
    closing = rest.strip(" \t>")
    return (
        not opening
        or not newline
        or not closing.startswith(opening.group())
        or bool(closing.strip(opening.group()[0]))
    )


def _masked(text: str, hidden: list[tuple[int, int, str]]) -> str:
    pieces, position = [], 0
    for start, end, mark in sorted(hidden):
        if start < position:
            continue
        pieces += [text[position:start], _filled(text[start:end], mark)]
        position = end
    return "".join([*pieces, text[position:]])


def _filled(text: str, mark: str) -> str:
    return _NOT_NEWLINE.sub(mark, text) if "\n" in text else mark * len(text)


def _hide_comments(body: Body) -> None:
    spans = []
    for match in _COMMENT.finditer(body.plain):
        if not match["close"]:
            if match["alone"] is None:
                continue
            body.unclosed.append(("comment", match.start()))
        spans.append(match.span())
    body.plain = _masked(body.plain, [(start, end, " ") for start, end in spans])
    body.links = [link for link in body.links if not inside(link.start, spans)]
    body.headings = [heading for heading in body.headings if not inside(heading.start, spans)]
    body.items = [item for item in body.items if not inside(item, spans)]
