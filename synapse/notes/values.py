"""What a value written in a note is as a term: a literal, an entity that it links to, a nested node."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import unquote

from pyoxigraph import Literal, NamedNode

from synapse.errors import InvalidIdentifier
from synapse.notes.draft import Draft
from synapse.notes.link_keys import link_keys
from synapse.notes.note import Dialect, Link, LinkForm, Property, Scalar, ScalarType, Severity
from synapse.notes.resolution import How, LinkIndex, Resolution
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.literals import plain, typed
from synapse.rdf.names import fold_key, iri, shortened
from synapse.rdf.vocab import XSD, XSD_DATE_TIME

ADDRESS_KEYS: Final = frozenset(
    [
        "resource",
        "url",
        "urls",
        "uri",
        "website",
        "homepage",
        "link",
        "links",
        "href",
        "source",
        "sources",
        "seealso",
        "sameas",
        "repository",
        "computation",
        "executor",
        "attester",
    ]
)
"""Folded keys whose text is an address: an IRI or a path, where a string would connect nothing."""

_DATATYPES = {kind: NamedNode(XSD + kind.value) for kind in ScalarType}
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:urn|mailto|doi|did|tel|tag):", re.IGNORECASE)
_PATH = re.compile(r"\.{0,2}/\S.*|\S+\.md(?:#\S*)?", re.IGNORECASE)
_FILE_LIKE = re.compile(r"[^\n]{0,255}[/.][^\n]{1,255}")
_BY_PATH = frozenset({How.EXACT, How.RELATIVE, How.SUFFIX})
_EPOCH_MS = re.compile(r"[1-9][0-9]{11,13}")


@dataclass(frozen=True, slots=True)
class Reader:
    """All that is needed to read one note, and the draft it is read into."""

    draft: Draft
    index: LinkIndex
    lexicon: Lexicon
    dialect: Dialect

    # -- terms ------------------------------------------------------------------------------

    def term(self, item: Property) -> NamedNode | Literal | None:
        """The object that a property states; None when it states nothing."""
        if isinstance(item.value, Link):
            return self.linked(item.value)
        if isinstance(item.value, Scalar):
            return self.scalar(item.value, item)
        return None

    def scalar(self, value: Scalar, item: Property) -> NamedNode | Literal | None:
        """The literal of a scalar, or the node that it is the address of."""
        if value.text == "":
            return None
        if value.type is ScalarType.STRING and is_address(item.key):
            return self._addressed(value.text, item.line) or plain(value.text)
        return literal_of(value)

    def linked(self, link: Link) -> NamedNode | Literal | None:
        """What the value of a property links to; an address outside the notes is its IRI."""
        resolution = self.resolve(link)
        if resolution.how is How.EXTERNAL:
            return self._outside(link.whole or link.target, link.line)
        if resolution.how is How.NOTHING:
            return plain(link.target) if link.target.strip() else None
        return resolution.entity

    def property(self, key: str, line: int) -> NamedNode | None:
        """The predicate of a key, None and a report when the key can be none."""
        return self._named(self.lexicon.property, key, line)

    def type(self, key: str, line: int) -> NamedNode | None:
        """The class of a key, None and a report when the key can be none."""
        return self._named(self.lexicon.type, key, line)

    def _named(self, look_up: Callable[[str], NamedNode], key: str, line: int) -> NamedNode | None:
        try:
            return look_up(key.strip())
        except InvalidIdentifier as error:
            self.draft.report(line, "name-invalid", "warning", f"{error.message}; nothing was read from it")
            return None

    # -- links ------------------------------------------------------------------------------

    def resolve(self, link: Link) -> Resolution:
        """What a link means, with a report when that is in doubt."""
        resolution = self._meant(link)
        doubt = _doubt(link, resolution)
        if doubt is not None:
            self.draft.report(link.line, *doubt, target=link.target)
        return resolution

    def _meant(self, link: Link) -> Resolution:
        self.draft.keys.update(link_keys(link))
        return self.index.resolve(link, source=self.draft.path)

    def _addressed(self, text: str, line: int) -> NamedNode | None:
        text = text.strip().removeprefix("<").removesuffix(">")
        if _ABSOLUTE.match(text):
            return self._outside(text, line)
        link = _path_link(text, line)
        if _PATH.fullmatch(text):
            return self.resolve(link).entity
        if not _FILE_LIKE.fullmatch(text):
            return None
        # Free text may look like a path; it is one only when such a file exists.
        found = self._meant(link)
        return found.entity if found.how in _BY_PATH else None

    def _outside(self, text: str, line: int) -> NamedNode | None:
        known = self._meant(Link(text, line))
        if known.path is not None:
            return known.entity
        try:
            return iri(text)
        except InvalidIdentifier as error:
            self.draft.report(line, "iri-invalid", "info", f"{error.message}; it was kept as text")
            return None

    # -- nested maps ------------------------------------------------------------------------

    def nested(self, owner: NamedNode, item: Property) -> NamedNode:
        """The node of a nested map, named by its place so that reading it again gives the same one."""
        place = (item.key,) if item.index is None else (item.key, item.index)
        return self.lexicon.names.fragment(owner, *place)


def is_address(key: str) -> bool:
    """Whether text under this key is an address."""
    folded = fold_key(key).rpartition(":")[2]
    return folded in ADDRESS_KEYS or folded.endswith("url")


def literal_of(value: Scalar) -> Literal:
    """The literal of a scalar, in the form that the store keeps."""
    return typed(value.text, _DATATYPES[value.type])


def instant_of(value: Scalar, dialect: Dialect) -> Literal:
    """The literal of a date; Dendron writes milliseconds since 1970."""
    if dialect is Dialect.DENDRON and value.type is ScalarType.INTEGER and _EPOCH_MS.fullmatch(value.text):
        instant = datetime.fromtimestamp(int(value.text) / 1000, tz=UTC)
        return typed(instant.isoformat(), XSD_DATE_TIME)
    return literal_of(value)


def _path_link(text: str, line: int) -> Link:
    path, _, fragment = text.partition("#")
    return Link(unquote(path), line, LinkForm.MARKDOWN, fragment=fragment or None)


Doubt = tuple[str, Severity, str]
"""What is to be told of a link: code, severity, message."""


def _doubt(link: Link, resolution: Resolution) -> Doubt | None:
    shown = shortened(link.target)
    several = ", ".join(resolution.candidates[:5])
    if resolution.how is How.UNRESOLVED:
        return _unresolved(resolution, shown, several)
    if resolution.candidates:
        taken = f"{shown} may mean {several}; {resolution.path} was taken. Write more of its path"
        return "link-ambiguous", "warning", taken
    if resolution.how is How.ALIAS:
        return "link-by-alias", "info", f"{shown} was read as the alias of {resolution.path}"
    if resolution.how is How.NOTHING and link.target.strip():
        return "link-not-a-path", "info", f"{shown} cannot name a note and was read as text"
    return None


def _unresolved(resolution: Resolution, shown: str, several: str) -> Doubt:
    if resolution.entity is None:
        return "link-outside", "warning", f"{shown} leads out of the folder of notes or cannot be a path"
    if resolution.candidates:
        return "link-ambiguous", "warning", f"{shown} is an alias of {several}; write the path of one"
    return "link-unresolved", "warning", f"no file is named {shown} yet"
