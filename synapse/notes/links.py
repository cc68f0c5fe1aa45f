"""Every link form -> Link: wikilinks with alias, fragment and relation, and Markdown links.

A link is read as written; which file it means is decided in `resolution`. Markdown destinations
follow RFC 3986: `#` and `?` are split off before each part is percent-decoded, so that
`foo%23bar.md` is a file whose name holds a `#`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from synapse.notes.note import Dialect, Link, LinkForm

MAX_TARGET_LENGTH: Final = 1024
"""Characters; an id may have no more, see `synapse.rdf.names`."""

# A colon follows the relation at once; names such as `Juego: Maratón` and `C:x` hold colons too.
_RELATION = re.compile(r"([A-Za-z][A-Za-z0-9_-]{1,63})(::?)(?![\s:/]|$)")
_NO_RELATION: Final = frozenset({"urn", "mailto", "tel", "doi", "data", "javascript", "tag", "did", "isbn"})
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_SIZE = re.compile(r"\d+(x\d+)?")
# `[[5.1, 3.5]]` and `[[...]]` are arrays and ellipses; `[[2024]]` can be a note.
_NUMBERS = re.compile(r"[\d.\s]*,[\d.,\s]*|[.,\s]+")
# What may make a wikilink doubtful; most links hold none of it.
_DOUBTFUL = re.compile(r"[\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|^[\d.,\s]+(?:[|#]|$)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_WIKI = re.compile(r"(!?)\[\[(?!\[)((?:(?!\[\[)[^\n])+?)\]\]")
_MARKDOWN = re.compile(r"(!?)\[([^\[\]\n]*)\]\((?:<([^<>\n]*)>|([^\s<>]+))\)")
_DENDRON_VAULT = re.compile(r"dendron://[^/]+/")


def wiki_link(
    inner: str, *, line: int, embed: bool = False, dialect: Dialect = Dialect.OBSIDIAN
) -> Link | None:
    """The link of the text between `[[` and `]]`; None when it names nothing or cannot be a path."""
    path, label = _split_label(inner.replace("\\|", "|"), dialect)
    path, _, fragment = path.partition("#")
    whole = _normal(path)
    if (not whole and not fragment.strip()) or wiki_problem(inner, dialect=dialect, fatal=True):
        return None
    relation, target = (None, whole) if embed else _split_relation(whole)
    return Link(
        target=target,
        line=line,
        form=LinkForm.WIKI,
        embed=embed,
        relation=relation,
        whole=whole if relation else None,
        fragment=_normal(fragment) or None,
        label=None if embed and label and _SIZE.fullmatch(label) else label,
    )


def wiki_problem(
    inner: str, *, dialect: Dialect = Dialect.OBSIDIAN, fatal: bool = False
) -> tuple[str, str] | None:
    """What is wrong with the text of a wikilink, as (code, message); `fatal`: only what makes it no link."""
    if len(inner) <= MAX_TARGET_LENGTH and not _DOUBTFUL.search(inner):
        return None
    path, _ = _split_label(inner.replace("\\|", "|"), dialect)
    path = path.partition("#")[0].strip()
    if "\n" in inner:
        return "link-over-lines", "a wikilink must stand on one line; join the lines to make it a link"
    if _CONTROL.search(inner):
        return "link-control-character", "the link holds a control character; delete it and type the name"
    if len(path) > MAX_TARGET_LENGTH:
        return "link-too-long", f"a link target has at most {MAX_TARGET_LENGTH} characters; shorten it"
    if path and _NUMBERS.fullmatch(path):
        return "link-is-numbers", f"[[{path}]] was read as plain text; put it in `code` to say so"
    if not fatal and "\\" in path:
        return "link-backslash", "`\\` does not separate folders in a link; write `/`"
    return None


def markdown_link(destination: str, *, label: str, line: int, embed: bool = False) -> Link | None:
    """The link of a Markdown destination (escapes resolved); None when it names nothing.

    An external address is kept whole in `target`, so that a note with that `uri:` can be found.
    """
    destination = destination.strip()
    if destination.startswith("[[") and destination.endswith("]]"):
        return wiki_link(
            f"{destination[2:-2]}|{label}" if label else destination[2:-2], line=line, embed=embed
        )
    if not destination or _CONTROL.search(destination) or len(destination) > 2 * MAX_TARGET_LENGTH:
        return None
    shown = label.strip() or None
    if is_external(destination):
        return Link(destination, line, LinkForm.MARKDOWN, embed=embed, label=shown)
    path, _, fragment = destination.partition("#")
    target, fragment = _decoded(path.partition("?")[0]), _decoded(fragment)
    if (not target and not fragment) or _CONTROL.search(target):
        return None
    return Link(target, line, LinkForm.MARKDOWN, embed=embed, fragment=fragment or None, label=shown)


def is_external(target: str) -> bool:
    """Whether a target is an address (`https:`, `mailto:`, `zotero:`) and not a path."""
    return _SCHEME.match(target) is not None


def links_in(text: str, *, line: int, dialect: Dialect = Dialect.OBSIDIAN) -> Iterator[Link]:
    """The links of a plain value: every wikilink, and a Markdown link that is the whole value."""
    if "[[" in text:
        for match in _WIKI.finditer(text):
            link = wiki_link(match.group(2), line=line, embed=bool(match.group(1)), dialect=dialect)
            if link is not None:
                yield link
    elif "](" in text and (whole := _MARKDOWN.fullmatch(text)):
        embed, label, angled, bare = whole.groups()
        link = markdown_link(angled or bare or "", label=label, line=line, embed=bool(embed))
        if link is not None:
            yield link


def only_links(text: str) -> bool:
    """Whether a value says nothing beside its links: `[[a]], [[b]]`."""
    return not (_WIKI.sub("", text).strip(" ,;\t") if "[[" in text else not _MARKDOWN.fullmatch(text))


def _split_label(inner: str, dialect: Dialect) -> tuple[str, str | None]:
    first, bar, rest = inner.partition("|")
    if not bar:
        path, label = inner, ""
    elif dialect is Dialect.DENDRON:  # Dendron writes [[label|target]].
        path, label = rest, first
    else:
        path, label = first, rest.lstrip("|")
    if dialect is Dialect.DENDRON:
        path = _DENDRON_VAULT.sub("", path.strip(), count=1)
    return path, label.strip() or None


def _split_relation(whole: str) -> tuple[str | None, str]:
    match = _RELATION.match(whole)
    if match is None or match.group(1).casefold() in _NO_RELATION or whole[match.end() :].startswith("//"):
        return None, whole
    return match.group(1), whole[match.end() :].strip()


def _normal(text: str) -> str:
    text = text.strip()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _decoded(part: str) -> str:
    if "%" in part:
        try:
            part = unquote(part, errors="strict")
        except UnicodeDecodeError:
            return part
    return part if part.isascii() else unicodedata.normalize("NFC", part)
