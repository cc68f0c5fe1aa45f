"""A note as a concept of the Open Knowledge Format v0.2: typed, titled, with bundle-relative links."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import yaml

from synapse.notes.bundle_links import Destination, Edit, edited, frontmatter_edits, with_bundle_links
from synapse.notes.digest import without_section
from synapse.notes.frontmatter import NoteHandler, split_frontmatter
from synapse.notes.keys import LABEL_KEYS, key_of
from synapse.notes.lines import with_newlines
from synapse.notes.note import Dialect, Link, Note
from synapse.notes.note_names import text_of
from synapse.notes.okf_checks import okf_diagnostics
from synapse.notes.parser import parse_note
from synapse.notes.unwritable import replaced
from synapse.notes.yaml_core import YamlError, compose
from synapse.rdf.names import fold_key

OKF_VERSION: Final = "0.2"
NO_TYPE: Final = "Note"
"""The type of a note that names none; a concept must have one (SPEC section 11)."""

_TICKS = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Concept:
    """The text of a concept; `demoted` when frontmatter that cannot be read was kept as a code block."""

    text: str
    demoted: bool = False


def concept_of(note: Note, data: bytes, *, title: str, destination: Destination, dialect: Dialect) -> Concept:
    """The note as a conformant concept: every key and the whole body kept, the managed section left out."""
    text = readable(data)
    block = split_frontmatter(text)
    root = compose(block.content) if block else None
    missing = _missing(note, title)
    if block is None or (block.content.strip() and not isinstance(root, yaml.MappingNode | YamlError)):
        body = with_bundle_links(text, destination=destination, dialect=dialect)
        return Concept(_joined(_written(missing), body))
    body = with_bundle_links(text[block.end :], destination=destination, dialect=dialect)
    if isinstance(root, yaml.MappingNode):
        own = _joined(_frontmatter(block.content, root, missing, destination), body)
        if _conforms(own):
            return Concept(own)
    elif root is None:
        return Concept(_joined(_written(missing), body))
    return Concept(_joined(_written(missing), f"{_fenced(block.content)}\n{body}"), demoted=True)


def index_of(data: bytes, *, destination: Destination, dialect: Dialect, is_root: bool) -> str:
    """An index without frontmatter, save the version in the bundle's root (SPEC section 8)."""
    text = readable(data)
    block = split_frontmatter(text)
    body = with_bundle_links(text[block.end if block else 0 :], destination=destination, dialect=dialect)
    return (root_frontmatter() if is_root else "") + body.strip("\n") + "\n"


def log_of(data: bytes, *, destination: Destination, dialect: Dialect) -> str:
    """A log with whatever frontmatter it has; a bundle asks of it only days as headings (SPEC section 9)."""
    text = readable(data)
    start = block.end if (block := split_frontmatter(text)) else 0
    body = with_bundle_links(text[start:], destination=destination, dialect=dialect)
    return f"{text[:start]}{body.rstrip()}\n"


def root_frontmatter() -> str:
    """The frontmatter of the index at a bundle's root."""
    return f'---\nokf_version: "{OKF_VERSION}"\n---\n'


def type_of(note: Note) -> str:
    """The type that a note gives itself under any spelling of the key, in English or Spanish."""
    for item in note.properties:
        if key_of(item) == "type" and (text := text_of(item)):
            target = item.value.target if isinstance(item.value, Link) else text
            return target.rstrip("/").rpartition("/")[2].removesuffix(".md")
    return NO_TYPE


def readable(data: bytes) -> str:
    """The text of a note without BOM and managed section, LF line ends."""
    return with_newlines(replaced(without_section(data).decode())).removeprefix("\ufeff")


def _missing(note: Note, title: str) -> dict[str, str]:
    """The keys that a concept needs and the note has not."""
    has_title = any(fold_key(item.key) in LABEL_KEYS and text_of(item) for item in note.properties)
    return {"type": type_of(note), **({} if has_title else {"title": title})}


def _frontmatter(
    content: str, root: yaml.MappingNode, missing: dict[str, str], destination: Destination
) -> str:
    """The note's own frontmatter, its links rewritten, with what was missing in front."""
    edits = list(frontmatter_edits(content, root, destination=destination))
    added = dict(missing)
    for key, value in root.value:
        if key.value == "title":
            added.pop("title", None)
        elif key.value == "type" and isinstance(value, yaml.MappingNode):
            edits.append((key.start_mark.index, key.end_mark.index, "type_as_written"))
        elif key.value == "type":
            added.pop("type", None)
            edits = _with_type(content, value, missing["type"], edits)
    return _with_keys(content, root, added, edits)


def _with_type(content: str, node: yaml.Node, name: str, edits: list[Edit]) -> list[Edit]:
    """The edits that leave a type as a word: `"[[Person]]"` is `Person`, and nothing is `Note`."""
    start, end = node.start_mark.index, node.end_mark.index
    is_list = isinstance(node, yaml.SequenceNode) and bool(node.value)
    is_linked = any(edit[0] == start for edit in edits)
    if is_list or (content[start:end].strip(" \"'~") not in ("", "null", "[]") and not is_linked):
        return edits
    blank = " " if content[start - 1] == ":" else ""
    return [*(edit for edit in edits if edit[0] != start), (start, end, blank + json.dumps(name))]


def _with_keys(content: str, root: yaml.MappingNode, missing: Mapping[str, str], edits: list[Edit]) -> str:
    start = root.start_mark.index
    if root.flow_style:
        pairs = "".join(f"{json.dumps(key)}: {json.dumps(text)}, " for key, text in missing.items())
        return edited(content, [*edits, (start + 1, start + 1, pairs)])
    line = content.rfind("\n", 0, start) + 1
    indent = " " * root.start_mark.column
    lines = "".join(f"{indent}{row}\n" for row in _written(missing).splitlines())
    return edited(content, [*edits, (line, line, lines)])


def _written(pairs: Mapping[str, str]) -> str:
    return NoteHandler().export(dict(pairs)) if pairs else ""


def _joined(head: str, body: str) -> str:
    head = head if not head or head.endswith("\n") else f"{head}\n"
    return f"---\n{head}---\n{body.rstrip()}\n"


def _fenced(content: str) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(content)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}yaml\n{content.rstrip()}\n{fence}\n"


def _conforms(text: str) -> bool:
    note = parse_note("concept.md", text.encode(), dialect=Dialect.OKF)
    return not any(found.severity == "error" for found in okf_diagnostics([note]))
