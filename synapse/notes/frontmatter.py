"""The frontmatter of a note as text: where it is, and posts for people who use python-frontmatter.

Only a first line `---` opens it, and only a line `---` or `...` closes it. python-frontmatter's
own splitting loses text between rules and blanks at both ends, so it never splits here; its
`Post` is the value handed to people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

import yaml
from frontmatter import Post
from frontmatter.default_handlers import BaseHandler

from synapse.errors import InvalidInput
from synapse.notes.note import Scalar, ScalarType
from synapse.notes.yaml_core import PLAIN, YamlError, compose, plain_scalar

_OPENING = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\r|\n)")
_CLOSING = re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class FrontmatterBlock:
    """The text between the fences, `text[start:start + len(content)]`; the body begins at `end`."""

    content: str
    start: int
    end: int


def split_frontmatter(text: str) -> FrontmatterBlock | None:
    """The frontmatter of a note's text (a BOM allowed), None where the text begins with its body."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    return FrontmatterBlock(text[opening.end() : closing.start()], opening.end(), closing.end())


class Verbatim(str):
    """An unquoted value whose text no Python value keeps, as `1.10` or `1e3`; written back unquoted."""

    __slots__ = ()


class NoteHandler(BaseHandler):
    """python-frontmatter's handler for notes: splits, loads and formats without changing data."""

    FM_BOUNDARY = _OPENING
    START_DELIMITER = END_DELIMITER = "---"

    def detect(self, text: str) -> bool:
        """Whether the text begins with a frontmatter block."""
        return split_frontmatter(text) is not None

    def split(self, text: str) -> tuple[str, str]:
        """The text between the fences and the body as it is; raises ValueError where there is no block."""
        block = split_frontmatter(text)
        if block is None:
            raise ValueError("the text has no frontmatter")
        return block.content, text[block.end :]

    def load(self, fm: str, **_: object) -> dict[str, Any]:
        """The metadata as Python values, YAML 1.2; raises `InvalidInput` with the line of an error."""
        root = compose(fm)
        if isinstance(root, YamlError):
            raise InvalidInput(
                f"the frontmatter is not valid YAML at its line {root.line + 1}: {root.problem}"
            )
        if not isinstance(root, yaml.MappingNode):
            return {}
        try:
            loaded: dict[str, Any] = _python(root, {})
        except RecursionError:
            raise InvalidInput("the frontmatter is nested too deeply, or an anchor contains itself") from None
        return loaded

    def export(self, metadata: dict[str, object], **_: object) -> str:
        """The metadata as YAML text, keys in their order."""
        return yaml.dump(dict(metadata), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_ONE_LINE)

    def format(self, post: Post, **_: object) -> str:
        """The whole note."""
        return new_note(post.metadata, post.content)


def read_post(text: str) -> Post:
    """A note as a python-frontmatter `Post`; unlike `frontmatter.loads` it keeps every blank."""
    text = text.removeprefix("\ufeff")
    handler = NoteHandler()
    block = split_frontmatter(text)
    metadata = handler.load(block.content) if block else {}
    post = Post(text[block.end :] if block and (metadata or not block.content.strip()) else text, handler)
    post.metadata.update(metadata)
    return post


def new_note(metadata: Mapping[str, object], body: str) -> str:
    """The text of a note; reading it gives the metadata and the body back."""
    if not metadata and split_frontmatter(body) is None:
        return body
    content = NoteHandler().export(dict(metadata)) if metadata else ""
    return f"---\n{content}---\n{body}"


_ONE_LINE: Final = 2**31 - 1


class _Dumper(yaml.SafeDumper):
    """Writes what `plain_scalar` reads back as the same value. (libyaml's dumper escapes emoji.)"""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    if plain_scalar(text) != Scalar(text):
        return dumper.represent_scalar(_STRING, text, style="'")
    return dumper.represent_scalar(_STRING, text)


def _represent_verbatim(dumper: Any, text: Verbatim) -> yaml.ScalarNode:
    # The tag that PyYAML would resolve the text to, so that its emitter may leave the quotes out.
    return yaml.ScalarNode(dumper.resolve(yaml.ScalarNode, str(text), (True, False)), str(text))


_STRING: Final = "tag:yaml.org,2002:str"
_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(Verbatim, _represent_verbatim)


def _python(node: yaml.Node, known: dict[int, Any]) -> Any:
    """The Python value of a node; a node met again through an alias is the same value, not a copy."""
    if id(node) not in known:
        known[id(node)] = _value(node, known)
    return known[id(node)]


def _value(node: yaml.Node, known: dict[int, Any]) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _python(value, known) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_python(item, known) for item in node.value]
    return _scalar(node.value) if node.tag == PLAIN else str(node.value)


def _scalar(text: str) -> Any:
    scalar = plain_scalar(text)
    if scalar is None:
        return None
    match scalar.type:
        case ScalarType.STRING:
            return text
        case ScalarType.BOOLEAN:
            return scalar.text == "true"
        case ScalarType.DATE:
            return date.fromisoformat(text)
        case ScalarType.DATE_TIME:
            return _kept(datetime.fromisoformat(scalar.text), text)
        case ScalarType.INTEGER:
            return _kept(int(text), text) if len(text) < 1000 else Verbatim(text)
    return _kept(float(text), text) if scalar.type is ScalarType.DECIMAL else Verbatim(text)


def _kept(value: int | float | datetime, text: str) -> Any:
    """The value where Python writes it as it was written, else the text."""
    return value if str(value) == text else Verbatim(text)
