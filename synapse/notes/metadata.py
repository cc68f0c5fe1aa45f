"""Frontmatter -> properties and tags, each with its line; nothing that was written is changed or lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

import yaml

from synapse.notes.keys import DATE_KEYS, TAGS_KEYS, TAGS_LOOKALIKES, conflicts
from synapse.notes.links import links_in, only_links, wiki_link
from synapse.notes.note import Dialect, Property, Record, Scalar, Severity, Tag
from synapse.notes.tags import tag_of, tags_of_text
from synapse.notes.unwritable import first_unwritable, replaced
from synapse.notes.yaml_core import (
    PLAIN,
    STANDARD_TAGS,
    TAG_PREFIX,
    TYPED_TAGS,
    YamlError,
    compose,
    is_other_date,
    looks_like_date,
    merged_pairs,
    plain_scalar,
)
from synapse.notes.yaml_fixes import fix_of
from synapse.rdf.lexicon import SPANISH
from synapse.rdf.names import fold_key

MAX_CHARACTERS: Final = 256 * 1024
MAX_NODES: Final = 10_000
"""Nodes walked, aliases followed: 306 bytes of nested aliases stand for 387 million nodes."""
MAX_DEPTH: Final = 32

Report = Callable[[str, Severity, int, str], None]
"""Takes the code, severity, line and message of a diagnostic."""

_UNQUOTED_LINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_ARRAY = re.compile(r"[-+\d.\s]*,[-+\d.,\s]*")

_TOO_LARGE = (
    f"the frontmatter has more than {MAX_CHARACTERS} characters and was not read; move text to the body"
)
_NO_MAPPING = "this block between --- lines holds no `key: value` pairs and was read as text"
UNWRITABLE: Final = (
    "a control character was replaced by U+FFFD, because no RDF literal may hold it; delete it"
)
_BAD_KEY = 'a key has to be a word; if this is a template such as {{title}}, write "{{title}}" in quotes'


@dataclass(slots=True)
class Metadata:
    """What a frontmatter block says; `is_mapping` is False when it is text and belongs to the body."""

    is_mapping: bool = True
    properties: list[Property] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)


def read_metadata(content: str, *, first_line: int, report: Report, dialect: Dialect) -> Metadata:
    """The properties and tags of the text between the fences, whose first line is `first_line`."""
    if len(content) > MAX_CHARACTERS:
        report("frontmatter-too-large", "error", first_line, _TOO_LARGE)
        return Metadata()
    root = compose(content)
    if isinstance(root, YamlError):
        _report_error(root, content, first_line, report)
        return Metadata()
    if not isinstance(root, yaml.MappingNode):
        if ":" in content:
            report("frontmatter-no-mapping", "warning", first_line, _NO_MAPPING)
        return Metadata(is_mapping=not content.strip())
    reader = _Reader(content, first_line=first_line, report=report, dialect=dialect)
    reader.read(root)
    return reader.result


class _Reader:
    """Walks the nodes of one frontmatter; the walk is capped in nodes and depth, and cycles end it."""

    def __init__(self, content: str, *, first_line: int, report: Report, dialect: Dialect) -> None:
        self.result = Metadata()
        self._content = content
        self._first_line = first_line
        self._report = report
        self._dialect = dialect
        self._has_escapes = "\\" in content
        self._walked = 0
        self._bad_key_reported = False
        self._open: list[yaml.Node] = []

    def read(self, root: yaml.MappingNode) -> None:
        for key, value, line in self._pairs(root):
            if key in TAGS_KEYS:
                self._tags(key, value, line)
                continue
            if key.casefold() in TAGS_LOOKALIKES:
                message = (
                    "only `tags` and `etiquetas` hold tags; "
                    f"`{key}` was kept as a property, rename it if it means tags"
                )
                self._report("frontmatter-tags-key", "info", line, message)
            self.result.properties += self._properties(key, value, line)
        for kept, other in conflicts(self.result.properties):
            message = f"`{kept.key}` and `{other.key}` mean one thing and differ; both were kept, delete one"
            self._report("frontmatter-two-keys", "warning", other.line, message)

    # Pairs

    def _pairs(self, node: yaml.MappingNode) -> list[tuple[str, yaml.Node, int]]:
        pairs: list[tuple[str, yaml.Node, int]] = []
        seen: set[str] = set()
        for key_node, value in merged_pairs(node):
            line = self._line(key_node)
            key = self._key(key_node, line)
            if key is None:
                continue
            if key in seen:
                message = f"the key `{key}` is there twice; all its values were kept, make it one list"
                self._report("frontmatter-duplicate-key", "warning", line, message)
            seen.add(key)
            pairs.append((key, value, line))
        return pairs

    def _key(self, node: yaml.Node, line: int) -> str | None:
        """The source text of a key: `1:`, `true:` and `2024-01-15:` are names like any other."""
        if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
            if not self._bad_key_reported:  # A template is full of them; one report a file says it.
                self._report("frontmatter-key", "warning", line, _BAD_KEY)
            self._bad_key_reported = True
            return None
        key = self._clean(node.value.strip(), line)
        return key if key.isascii() else unicodedata.normalize("NFC", key)

    # Values

    def _properties(self, key: str, node: yaml.Node, line: int) -> list[Property]:
        if not isinstance(node, yaml.SequenceNode) or self._unquoted_link(node) is not None:
            self._hint_at_comment(key, node, line)
            return self._value(key, node, line, None)
        items: list[Property] = []
        for index, (value, at) in enumerate(self._items(node)):
            items += self._value(key, value, at, index)
        return items

    def _items(self, node: yaml.SequenceNode) -> Iterator[tuple[yaml.Node, int]]:
        """The items of a list, nested lists flattened; the order of items is the order of `index`."""
        self._check_tag(node)
        if not self._enter(node):
            return
        for item in node.value:
            if isinstance(item, yaml.SequenceNode) and self._unquoted_link(item) is None:
                yield from self._items(item)
            else:
                yield item, self._line(item)
        self._open.pop()

    def _value(self, key: str, node: yaml.Node, line: int, index: int | None) -> list[Property]:
        self._check_tag(node)
        if isinstance(node, yaml.ScalarNode):
            self._walked += 1
            return self._scalar(key, node, line, index)
        if isinstance(node, yaml.SequenceNode):
            return self._recovered_link(key, node, line, index)
        if not isinstance(node, yaml.MappingNode) or not self._enter(node):
            return []
        properties: list[Property] = []
        for name, value, at in self._pairs(node):
            properties += self._properties(name, value, at)
        self._open.pop()
        return [Property(key, Record(tuple(properties)), line, index=index)] if properties else []

    def _scalar(self, key: str, node: yaml.ScalarNode, line: int, index: int | None) -> list[Property]:
        """The literal and the links of one value; a value that is nothing but links has no literal."""
        text = self._clean(node.value, line)
        typed = node.tag == PLAIN or node.tag in TYPED_TAGS
        links = list(links_in(text, line=line, dialect=self._dialect)) if "[" in text else []
        found = [Property(key, link, line, index=index) for link in links]
        if links and only_links(text):
            return found
        scalar = plain_scalar(text) if typed else Scalar(text)
        if scalar is None or not scalar.text.strip():
            return found
        is_date_key = SPANISH.get(fold_key(key), fold_key(key)) in DATE_KEYS
        if (typed and looks_like_date(scalar)) or (is_date_key and is_other_date(text)):
            message = f"{text} is not a date of the calendar as YYYY-MM-DD and was read as text"
            self._report("value-not-a-date", "warning", line, message)
        return [Property(key, scalar, line, index=index), *found]

    def _recovered_link(
        self, key: str, node: yaml.SequenceNode, line: int, index: int | None
    ) -> list[Property]:
        self._walked += 1
        inner = self._unquoted_link(node)
        link = wiki_link(inner, line=line, dialect=self._dialect) if inner is not None else None
        if link is None:
            return []
        message = f'an unquoted link is a list in YAML; it was read as a link, write "[[{inner}]]"'
        self._report("frontmatter-unquoted-link", "warning", line, message)
        return [Property(key, link, line, index=index)]

    def _unquoted_link(self, node: yaml.SequenceNode) -> str | None:
        """The text inside `[[…]]` that stands unquoted, which YAML takes for a list in a list."""
        if not node.flow_style or len(node.value) != 1 or not isinstance(node.value[0], yaml.SequenceNode):
            return None
        source = self._content[node.start_mark.index : node.end_mark.index]
        match = _UNQUOTED_LINK.fullmatch(source)
        return match.group(1) if match and not _ARRAY.fullmatch(match.group(1)) else None

    # Tags

    def _tags(self, key: str, node: yaml.Node, line: int) -> None:
        if isinstance(node, yaml.SequenceNode):
            for item, at in self._items(node):
                if isinstance(item, yaml.ScalarNode):
                    self._tag(item.value, at)
        elif isinstance(node, yaml.ScalarNode):
            self._hint_at_comment(key, node, line)
            self._tags_of_one(node.value, line)
        else:
            self._report("frontmatter-tags", "warning", line, f"`{key}` holds words; a map was not read")

    def _tags_of_one(self, text: str, line: int) -> None:
        names = tags_of_text(text)
        if len(names) > 1:
            message = "Obsidian reads no tag in one string of several; they were split, write a list"
            self._report("frontmatter-tags-in-one-string", "warning", line, message)
        for name in names:
            self._tag(name, line)

    def _tag(self, text: str, line: int) -> None:
        self._walked += 1
        text = self._clean(text, line).strip()
        if plain_scalar(text) is None:
            return
        name = tag_of(text)
        if name is not None:
            self.result.tags.append(Tag(name, line))
        else:
            message = f"`{text}` is not a tag: a tag needs a character that is no digit"
            self._report("frontmatter-not-a-tag", "info", line, message)

    # Guards

    def _enter(self, node: yaml.Node) -> bool:
        """Whether a collection may be walked; the caller pops `_open` when it leaves it."""
        self._walked += 1
        if node in self._open:
            problem = "an anchor contains itself"
        elif len(self._open) >= MAX_DEPTH:
            problem = f"it is nested more than {MAX_DEPTH} levels deep"
        elif self._walked > MAX_NODES:
            problem = f"the frontmatter holds more than {MAX_NODES} values"
        else:
            self._open.append(node)
            return True
        self._report(
            "frontmatter-too-deep",
            "error",
            self._line(node),
            f"{problem}; this part was not read, simplify it",
        )
        return False

    def _check_tag(self, node: yaml.Node) -> None:
        if node.tag not in STANDARD_TAGS:
            name = node.tag.removeprefix(TAG_PREFIX)
            message = f"the YAML tag `{name}` means nothing here and was ignored; delete it"
            self._report("frontmatter-yaml-tag", "warning", self._line(node), message)

    def _hint_at_comment(self, key: str, node: yaml.Node, line: int) -> None:
        if node.value or node.tag != PLAIN or not isinstance(node, yaml.ScalarNode):
            return
        rest = self._content[node.end_mark.index :].partition("\n")[0].strip()
        if rest.startswith("#") and len(rest) > 1 and not rest[1].isspace():
            message = f'`{rest}` after `{key}:` is a comment in YAML, so it has no value; write "{rest}"'
            self._report("frontmatter-comment-value", "warning", line, message)

    def _clean(self, text: str, line: int) -> str:
        """The text without what an escape such as `"\\ud83d"` put in; raw characters are gone already."""
        if not self._has_escapes or first_unwritable(text) is None:
            return text
        self._report("unwritable-character", "warning", line, UNWRITABLE)
        return replaced(text)

    def _line(self, node: yaml.Node) -> int:
        return self._first_line + int(node.start_mark.line)


def _report_error(error: YamlError, content: str, first_line: int, report: Report) -> None:
    sources = content.split("\n")
    row = min(error.line, len(sources) - 1)
    message = (
        f"the frontmatter is not valid YAML ({error.problem}), so none of it is known; {fix_of(sources[row])}"
    )
    report("frontmatter-yaml", "error", first_line + row, message)
