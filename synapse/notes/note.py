"""What a note says, as frozen values; nothing here knows RDF or a store.

Lines are 1-based lines of the file. Texts are as written, in NFC where they name a thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Dialect(StrEnum):
    """How a folder's notes are meant; a setting per root, detected from its files, never guessed per link."""

    OBSIDIAN = "obsidian"
    OKF = "okf"
    OKF_MCP = "okf-mcp"
    DENDRON = "dendron"
    LOGSEQ = "logseq"
    FOAM = "foam"
    BASIC_MEMORY = "basic-memory"


class LinkForm(StrEnum):
    """The syntax a link was written in; resolution differs between the two."""

    WIKI = "wiki"
    MARKDOWN = "markdown"


class ScalarType(StrEnum):
    """The type of a scalar, by the YAML 1.2 core schema plus dates as people write them."""

    STRING = "string"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DOUBLE = "double"
    DATE = "date"
    DATE_TIME = "dateTime"


Severity = Literal["error", "warning", "info"]
Origin = Literal["frontmatter", "inline", "relation", "axiom"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something found in a note, with its place; it never stops a run.

    `target` is that of the link whose meaning is in doubt, as written; None where no link is meant.
    """

    path: str
    line: int
    code: str
    severity: Severity
    message: str
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written: not resolved yet.

    `target` is the decoded path text without fragment; `relation` the predicate key of a typed
    link. `whole` is the text of a typed link including its relation (`rel:target`): when a file
    of that very name exists, the link is an untyped one to it. `phrase` are the words in front of an
    untyped link that is all else in a list item: a relation, had they been in quotes.
    """

    target: str
    line: int
    form: LinkForm = LinkForm.WIKI
    embed: bool = False
    relation: str | None = None
    whole: str | None = None
    fragment: str | None = None
    label: str | None = None
    phrase: str | None = None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A literal value: its text in the lexical form of its type."""

    text: str
    type: ScalarType = ScalarType.STRING


@dataclass(frozen=True, slots=True)
class Record:
    """A nested map of frontmatter."""

    properties: tuple[Property, ...]


Value = Scalar | Link | Record


@dataclass(frozen=True, slots=True)
class Property:
    """One key with one value; a list gives one Property an item, `index` counting from 0."""

    key: str
    value: Value
    line: int
    origin: Origin = "frontmatter"
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag without its `#`, first spelling kept."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the body."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class NoteObservation:
    """A list item `- [category] text #tag (context)`."""

    category: str
    text: str
    line: int
    tags: tuple[str, ...] = ()
    context: str | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """Everything one file says.

    `path` is relative to the root, `/` separators, NFC. `digest` is of the bytes without the
    managed section and without trailing blanks. `properties` holds frontmatter, inline fields,
    relations and axioms; links inside values are in the property, not in `links`. `tags` holds the
    frontmatter key `tags` too, which is no property. External links (`https:`) are in `links` with
    the whole address as target, since a note may have it as its `uri:`.
    """

    path: str
    digest: str
    properties: tuple[Property, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[Tag, ...] = ()
    headings: tuple[Heading, ...] = ()
    observations: tuple[NoteObservation, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
