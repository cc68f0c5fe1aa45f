"""The links of a body with their places, until each is given to the one fact that it belongs to."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace

from synapse.notes.links import markdown_link, wiki_link
from synapse.notes.markdown import Body, LinkText
from synapse.notes.note import Dialect, Link


@dataclass(frozen=True, slots=True)
class PlacedLink:
    """A link and the range of the text that it covers."""

    start: int
    end: int
    link: Link


class PlacedLinks:
    """The links of one body in the order written; a link taken by a field or relation is no mention."""

    def __init__(self, body: Body, *, dialect: Dialect) -> None:
        self._text = body.text
        self._placed = sorted(_placed(body, dialect), key=lambda placed: placed.start)
        self._starts = [placed.start for placed in self._placed]
        self._taken: set[int] = set()

    def take(self, start: int, end: int) -> list[Link]:
        """The links inside a range, which from now on belong to the caller."""
        positions = self._positions(start, end)
        self._taken.update(positions)
        return [self._placed[position].link for position in positions]

    def at(self, start: int) -> PlacedLink | None:
        """The link that begins at this offset."""
        position = bisect_left(self._starts, start)
        found = position < len(self._starts) and self._starts[position] == start
        return self._placed[position] if found else None

    def precede(self, start: int, phrase: str) -> None:
        """Note the words in front of the link that begins at this offset."""
        position = bisect_left(self._starts, start)
        placed = self._placed[position]
        self._placed[position] = replace(placed, link=replace(placed.link, phrase=phrase))

    def rest(self, start: int, end: int) -> str:
        """The text of a range without its links."""
        pieces = []
        for position in self._positions(start, end):
            pieces.append(self._text[start : self._placed[position].start])
            start = max(start, self._placed[position].end)
        return "".join([*pieces, self._text[start:end]])

    def untaken(self) -> list[Link]:
        """The links that no field or relation took."""
        return [placed.link for position, placed in enumerate(self._placed) if position not in self._taken]

    def _positions(self, start: int, end: int) -> range:
        return range(bisect_left(self._starts, start), bisect_left(self._starts, end))


def _placed(body: Body, dialect: Dialect) -> list[PlacedLink]:
    placed = []
    for found in body.links:
        link = _link(found, body, dialect)
        if link is not None:
            placed.append(PlacedLink(found.start, found.end, link))
    return placed


def _link(found: LinkText, body: Body, dialect: Dialect) -> Link | None:
    source = body.text[found.start : found.end]
    line = body.lines.line(found.target_at)
    if found.destination is None:
        inner = source[3:-2] if found.embed else source[2:-2]
        embed = found.embed or (dialect is Dialect.LOGSEQ and _in_embed(body.text, found.start))
        return wiki_link(inner, line=line, embed=embed, dialect=dialect)
    label = "" if source.startswith("<") else _label(source)
    return markdown_link(found.destination, label=label, line=line, embed=found.embed)


def _in_embed(text: str, start: int) -> bool:
    """Whether a Logseq link stands in `{{embed [[a]]}}`."""
    return text[max(0, start - 16) : start].rstrip().endswith("{{embed")


def _label(source: str) -> str:
    """The text of a Markdown link as written: `[text](…)`, `[text][ref]`, `[text]`."""
    end = source.rfind("](")
    if end < 0:
        end = source.find("]")
    return source[source.find("[") + 1 : end]
