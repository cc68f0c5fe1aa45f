"""A note's text with its links as bundle-relative Markdown links, for readers that know no wikilinks.

What a typed link says is kept as an inline field: `[[uses:b]]` and `- uses [[b]]` become
`[uses:: [b](/b.md)]`. Only links are touched; code and comments are left as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import quote

import yaml

from synapse.notes.fields import fields_in
from synapse.notes.links import links_in, only_links, wiki_link
from synapse.notes.list_items import relations_in
from synapse.notes.markdown import LinkText, read_body
from synapse.notes.note import Dialect, Link, LinkForm
from synapse.notes.placed_links import PlacedLinks

Destination = Callable[[Link], str | None]
"""The Markdown destination of a link; None leaves the link as it is written."""

Edit = tuple[int, int, str]
"""A range `[start, end)` of a text and what takes its place."""

_RELATION_BEFORE = re.compile(r"(?:\"[^\"\n]+\"|[\w-]+)[ \t]+\Z")
_INLINE_DESTINATION = re.compile(r"\s*(<[^<>\n]*>|\S+?)(?=\s+[\"'(]|\s*\Z)", re.DOTALL)
_UNQUOTED_LINK = re.compile(r"\[\[([^\[\]\n]*[^\W\d_][^\[\]\n]*)\]\]")
_NODE_PREFIX = re.compile(r"(?:[&!]\S*\s+)*")
# Everything but letters, digits and what neither Markdown nor RFC 3986 gives a meaning in a path.
_UNSAFE = re.compile(r"[^\w\-./~!$&'+,;=:@]")
_SPECIAL: Final = str.maketrans({"[": "\\[", "]": "\\]", "\\": "\\\\"})


def destination_of(path: str, fragment: str | None = None) -> str:
    """The destination of a file below the bundle's root: `/people/Zo%20%C3%AB.md#a%20heading`."""
    return f"/{encoded(path)}" + (f"#{encoded(fragment)}" if fragment else "")


def encoded(text: str) -> str:
    """A path or fragment as a Markdown destination holds it; letters of any script stay readable."""
    return _UNSAFE.sub(lambda match: quote(match.group(), safe=""), text)


def with_bundle_links(text: str, *, destination: Destination, dialect: Dialect) -> str:
    """A body (LF line ends) with every link rewritten that has a destination."""
    body = read_body(text)
    placed = PlacedLinks(body, dialect=dialect)
    for _ in fields_in(body, placed):
        pass  # a field takes its links, so that none of them is taken for a relation
    relations = {id(item.value): item.key for item in relations_in(body, placed)}
    edits = []
    for found in body.links:
        here = placed.at(found.start)
        target = destination(here.link) if here else None
        if here is not None and target is not None:
            edits.append(_edit(text, found, here.link, target, relations.get(id(here.link))))
    return edited(text, edits)


def frontmatter_edits(content: str, root: yaml.Node, *, destination: Destination) -> Iterator[Edit]:
    """Edits of the text between the fences: values that are links become Markdown links.

    A link in the midst of a text stays a wikilink: a Markdown link there would connect nothing.
    """
    seen: set[int] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        new = _value(content, node, destination)
        if new is not None:
            start, end = node.start_mark.index, node.end_mark.index
            prefix = _NODE_PREFIX.match(content, start, end)
            newline = "\n" if content[start:end].endswith("\n") else ""
            yield (prefix.end() if prefix else start), end, new + newline
        elif isinstance(node, yaml.MappingNode):
            pending += (value for _, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            pending += node.value


def edited(text: str, edits: list[Edit]) -> str:
    """The text with these edits made; one inside another is left out."""
    pieces, position = [], 0
    for start, end, new in sorted(edits):
        if start >= position:
            pieces += [text[position:start], new]
            position = end
    return "".join([*pieces, text[position:]])


def _edit(text: str, found: LinkText, link: Link, target: str, relation: str | None) -> Edit:
    start, end = found.start, found.end
    if link.form is LinkForm.MARKDOWN and (inline := _inline(text, start, end)):
        return *inline, target
    new = _markdown(link, target, embed=found.embed)
    key = relation or link.relation
    if key is None:
        return start, end, new
    before = _RELATION_BEFORE.search(text, text.rfind("\n", 0, start) + 1, start) if relation else None
    return before.start() if before else start, end, f"[{key}:: {new}]"


def _inline(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The range of the destination in `[label](destination "title")`; None for a reference link."""
    opening = text.rfind("](", start, end)
    if opening < 0 or text[end - 1] != ")":
        return None
    match = _INLINE_DESTINATION.match(text, opening + 2, end - 1)
    return match.span(1) if match else None


def _markdown(link: Link, target: str, *, embed: bool = False) -> str:
    shown = (
        link.label or (link.whole if link.relation is None else None) or link.target or link.fragment or ""
    )
    return f"{'!' if embed else ''}[{shown.translate(_SPECIAL)}]({target})"


def _value(content: str, node: yaml.Node, destination: Destination) -> str | None:
    """What takes the place of a value of the frontmatter, None when it stays."""
    text = _link_text(content, node)
    links = list(links_in(text, line=1)) if text is not None else []
    if text is None or not links or not only_links(text):
        return None
    targets = [destination(link) for link in links]
    written = [
        _markdown(link, target) for link, target in zip(links, targets, strict=True) if target is not None
    ]
    if len(written) < len(links):
        return None
    return json.dumps(written[0] if len(written) == 1 else written, ensure_ascii=False)


def _link_text(content: str, node: yaml.Node) -> str | None:
    """The text of a scalar, or of a `[[link]]` that stands unquoted and so is a list in YAML."""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    source = content[node.start_mark.index : node.end_mark.index]
    unquoted = isinstance(node, yaml.SequenceNode) and _UNQUOTED_LINK.fullmatch(source)
    return source if unquoted and wiki_link(source[2:-2], line=1) else None
