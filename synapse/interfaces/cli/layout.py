"""Lines for a screen of any width: prose is broken between words, an id or a `path:line` never.

A piece of text that must stay whole has `no_wrap`. One that is longer than a line is handed to the
terminal as it is: what a terminal wraps itself is still copied in one piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

GAP: Final = 2
ROOM: Final = 24
"""Columns that prose needs at least; with fewer left it starts a line of its own."""

HANG: Final = 14
"""How much deeper than its row a cell may start that went on a line below."""

Guides = tuple[str, str]
"""What stands before the first line of a step of a tree, and before the lines below it."""


@dataclass(frozen=True, slots=True)
class Flow:
    """Pieces side by side with a gap between them; what does not fit goes on a line below, `hang` deeper."""

    pieces: Sequence[Text]
    indent: int = 0
    hang: int = 4
    gap: int = GAP

    def lines(self, width: int, *, below: int | None = None) -> list[Text]:
        """The lines of the flow where `width` columns are free, in those after the first `below`."""
        lines = [Text(" " * self.indent)]
        fresh = True
        for gap, word in self._words():
            room = width if below is None or len(lines) == 1 else below
            if not fresh and lines[-1].cell_len + gap + word.cell_len > room:
                lines.append(Text(" " * (self.indent + self.hang)))
                fresh = True
            lines[-1].append("" if fresh else " " * gap).append_text(word)
            fresh = False
        return lines

    def _words(self) -> Iterator[tuple[int, Text]]:
        """What must stay whole, each with the blanks before it."""
        for piece in self.pieces:
            for position, word in enumerate([piece] if piece.no_wrap else piece.split(" ")):
                if word:
                    yield 1 if position else self.gap, word

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return map(_whole, self.lines(options.max_width))


@dataclass(slots=True)
class Rows:
    """Rows with aligned columns; a cell that has no room goes on a line below.

    When that would befall more than a third of the rows, the table becomes a list.
    """

    indent: int = 2
    rows: list[tuple[Text, ...]] = field(default_factory=list)

    def add_row(self, *cells: Text) -> None:
        """Add a row; an empty cell leaves its column free."""
        self.rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        columns = max(map(len, self.rows), default=0)
        padded = [(*row, *[Text()] * (columns - len(row))) for row in self.rows]
        starts, crowded = _starts(padded, indent=self.indent, width=width)
        if crowded * 3 > len(padded):
            yield from self._listed()
            return
        hang = _hang(starts, indent=self.indent, width=width)
        for row in padded:
            yield from map(_whole, _set(row, starts, width=width, hang=hang))

    def _listed(self) -> Iterator[Flow]:
        """The rows where too few have room: the first cell alone, the others below it."""
        for first, *others in self.rows:
            if first:
                yield Flow([first], self.indent)
            if any(others):
                yield Flow(others, self.indent + GAP, hang=GAP)


@dataclass(frozen=True, slots=True)
class Branches:
    """A tree of flows, each step with its depth, from the root down; `indent` stands before all of it."""

    steps: Sequence[tuple[int, Flow]]
    indent: int = 0
    style: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for (_, flow), guides in zip(self.steps, _guides([depth for depth, _ in self.steps]), strict=True):
            first, below = (Text(" " * self.indent + guide, style=self.style) for guide in guides)
            room, room_below = (options.max_width - guide.cell_len for guide in (first, below))
            for position, line in enumerate(flow.lines(room, below=room_below)):
                guide = first if position == 0 else below
                yield _whole(Text.assemble(guide, line))


@dataclass(frozen=True, slots=True)
class ByAudience:
    """One view for eyes on a terminal, another for a pipe."""

    terminal: RenderableType
    pipe: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.terminal if options.is_terminal else self.pipe


def whole(text: Text) -> Text:
    """The text, never to be broken."""
    text.no_wrap = True
    return text


def _whole(line: Text) -> Text:
    line.no_wrap, line.overflow = True, "ignore"
    return line


def _set(cells: Sequence[Text], starts: Sequence[int], *, width: int, hang: int) -> list[Text]:
    """The lines of one row: each cell at its start or after the one before, where it fits, else below."""
    lines = [Text()]
    for cell, start in zip(cells, starts, strict=True):
        if not cell:
            continue
        taken = lines[-1].cell_len
        at = max(start, taken + GAP) if taken else start
        if taken and not _fits(cell, width - at):
            at = hang if hang + cell.cell_len <= width or not cell.no_wrap else starts[0] + GAP
            lines.append(Text())
        first, *others = _broken(cell, width - at)
        lines[-1].append(" " * (at - lines[-1].cell_len)).append_text(first)
        lines += [Text(" " * at).append_text(line) for line in others]
    return lines


def _hang(starts: Sequence[int], *, indent: int, width: int) -> int:
    """Where a cell begins that went on a line below: a step into the one above, unless that is far right."""
    if len(starts) < 2:
        return indent
    return starts[-2] + GAP if starts[-2] + GAP <= width // 2 else indent + HANG


def _fits(cell: Text, room: int) -> bool:
    return cell.cell_len <= room or (not cell.no_wrap and room >= ROOM)


def _broken(cell: Text, room: int) -> list[Text]:
    """A cell as lines; only a word of prose that is longer than a line is broken itself."""
    if cell.no_wrap or cell.cell_len <= room:
        return [cell]
    lines = list(cell.wrap(Console(), max(room, 1), overflow="fold"))
    for line in lines:
        line.rstrip()
    return lines


def _starts(rows: Sequence[Sequence[Text]], *, indent: int, width: int) -> tuple[list[int], int]:
    """Where each column starts, so that the fewest rows need a second line; and how many still do."""
    starts, crowded = [indent], set[int]()
    ends = [indent + row[0].cell_len for row in rows]
    for column in range(1, max(map(len, rows), default=0)):
        rests = [_length(row[column:]) for row in rows]
        start = _start(ends, rests, width=width)
        starts.append(start)
        begins = [max(end + GAP, start) for end in ends]
        crowded |= {row for row, rest in enumerate(rests) if rest and begins[row] + rest > width}
        ends = [
            begin + row[column].cell_len if row[column] else end
            for begin, end, row in zip(begins, ends, rows, strict=True)
        ]
    return starts, len(crowded)


def _length(cells: Sequence[Text]) -> int:
    """Columns that cells need side by side, prose no more than its room."""
    lengths = [cell.cell_len if cell.no_wrap else min(cell.cell_len, ROOM) for cell in cells if cell]
    return sum(lengths) + GAP * max(len(lengths) - 1, 0)


def _start(ends: Sequence[int], rests: Sequence[int], *, width: int) -> int:
    """The rightmost of the columns at which the fewest rows have no room for their rest."""
    asked = [(end + GAP, rest) for end, rest in zip(ends, rests, strict=True)]
    possible = {start for start, _ in asked if start < width} or {min(start for start, _ in asked)}
    return min(possible, key=lambda at: (sum(max(at, own) + rest > width for own, rest in asked), -at))


def _guides(depths: Sequence[int]) -> Iterator[Guides]:
    """The lines that join each step of a tree to its parent, given the depths from the root down."""
    open_below: list[set[int]] = []
    waiting = set[int]()
    for depth in reversed(depths):
        open_below.append(set(waiting))
        waiting = {one for one in waiting if one <= depth} | {depth}
    for position, (depth, below) in enumerate(zip(depths, reversed(open_below), strict=True)):
        trunk = "".join("│   " if level in below else "    " for level in range(1, depth))
        has_children = position + 1 < len(depths) and depths[position + 1] > depth
        inner = "│   " if has_children else "    "
        if depth == 0:
            yield "", inner
        else:
            yield (
                trunk + ("├── " if depth in below else "└── "),
                (trunk + ("│   " if depth in below else "    ") + inner),
            )
