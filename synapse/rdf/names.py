"""Ids and IRIs: the only place that mints an IRI.

The id of an entity is the path of its note without `.md`; its IRI is the memory's base IRI
followed by the id, percent-encoded only where RFC 3987 section 2.2 asks, and for `# ? %`.
The encoding is injective: two ids never share an IRI.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

from pyoxigraph import NamedNode

from synapse.errors import InvalidIdentifier
from synapse.rdf.vocab import PREFIXES

DEFAULT_BASE_IRI: Final = "https://synapse.local/"

FILE_GRAPH: Final = "urn:synapse:file:"
ONTOLOGY_GRAPH: Final = "urn:synapse:ontology:"
ASSERTION_GRAPH: Final = "urn:synapse:assertion:"
OBSERVATION_GRAPH: Final = "urn:synapse:observation:"
ACTIVITY: Final = "urn:synapse:activity:"
AGENT: Final = "urn:synapse:agent:"
GENID: Final = "#genid-"
"""What the IRI of a node holds that an ontology file left blank."""

INFERRED: Final = NamedNode("urn:synapse:inferred")
META: Final = NamedNode("urn:synapse:meta")

MAX_ID_LENGTH: Final = 1024
"""Characters; longer than any path that common file systems hold, shorter than an attack."""

# RFC 3987: ucschar, without the private-use and non-character ranges.
_UCSCHAR = (
    "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    + "".join(f"{chr(plane << 16)}-{chr((plane << 16) | 0xFFFD)}" for plane in range(1, 0xE))
    + "\U000e1000-\U000efffd"
)
_OWN_PREFIX: Final = re.compile(r"\A(?:syn)?:(?=\w)")
_MUST_ENCODE = re.compile(rf"[^A-Za-z0-9\-._~!$&'()*+,;=:@/{_UCSCHAR}]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_CURIE = re.compile(r"([A-Za-z][\w.-]*)?:([^\s/:][^\s]*)")
_PLAIN_LOCAL = re.compile(r"[\w][\w.-]*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_KEY_NOISE = re.compile(r"[\s_\-]+")


def encode(text: str) -> str:
    """`text` in NFC with exactly the characters encoded that an IRI path may not hold."""
    normal = unicodedata.normalize("NFC", text)
    return _MUST_ENCODE.sub(lambda match: quote(match.group(), safe="", errors="strict"), normal)


def decode(text: str) -> str:
    """The inverse of `encode`."""
    return unquote(text, errors="strict")


def _decoded(text: str) -> str:
    """`decode`, or the text itself where it is no encoded text."""
    try:
        return decode(text)
    except UnicodeDecodeError:
        return text


@lru_cache(maxsize=4096)
def fold_key(key: str) -> str:
    """A property or type key as it is compared: `depends-on`, `dependsOn`, `Depends on` are one."""
    return _KEY_NOISE.sub("", unicodedata.normalize("NFC", key)).casefold()


def iri(text: str) -> NamedNode:
    """The node of an absolute IRI; raises `InvalidIdentifier` on anything else."""
    if len(text) > 2 * MAX_ID_LENGTH:
        raise InvalidIdentifier(f"an IRI of {len(text)} characters is too long ({shortened(text)})")
    if not _SCHEME.match(text):
        raise InvalidIdentifier(
            f"{shortened(text)} is not an absolute IRI", hint="start it with https:// or urn:"
        )
    try:
        return NamedNode(text)
    except ValueError:
        raise InvalidIdentifier(f"{shortened(text)} is not a valid IRI (RFC 3987)") from None


def spoken(curie: str) -> str:
    """A CURIE as people say it: `syn:depends_on` and `:depends_on` without their prefix, others whole."""
    return _OWN_PREFIX.sub("", curie)


def shortened(text: str, limit: int = 60) -> str:
    """`text` quoted for an error message: control characters escaped, cut at `limit`."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return repr(shown)


def file_graph(path: str) -> NamedNode:
    """The named graph of the note at `path` (relative to the notes root, `/` separators)."""
    return NamedNode(FILE_GRAPH + encode(path))


def path_of(graph: NamedNode) -> str | None:
    """The note path whose graph this is, or None for any other graph."""
    return decode(graph.value.removeprefix(FILE_GRAPH)) if graph.value.startswith(FILE_GRAPH) else None


def ontology_graph(name: str) -> NamedNode:
    """The named graph of one ontology or data file of a scenario."""
    return NamedNode(ONTOLOGY_GRAPH + encode(name))


def assertion_graph(identifier: str) -> NamedNode:
    """The named graph of one `assert_facts` call, by its time-sortable identifier."""
    return NamedNode(ASSERTION_GRAPH + encode(identifier))


def activity(identifier: str) -> NamedNode:
    """The PROV-O activity with this time-sortable identifier."""
    return NamedNode(ACTIVITY + encode(identifier))


def agent(name: str) -> NamedNode:
    """The PROV-O agent of this name."""
    return NamedNode(AGENT + encode(name))


def graph_kind(graph: NamedNode) -> str:
    """The `kind` of a source as answers show it: `file`, `ontology`, `assertion`, `inferred`, …"""
    parts = graph.value.split(":", 3)
    known = parts[:2] == ["urn", "synapse"] and len(parts) > 2
    return parts[2] if known else "other"


@dataclass(frozen=True, slots=True)
class Names:
    """The ids and IRIs of one memory, whose `base_iri` is fixed when it is made."""

    base_iri: str = DEFAULT_BASE_IRI
    prefixes: Mapping[str, str] = field(default_factory=lambda: dict(PREFIXES))

    @property
    def vocabulary(self) -> str:
        """The namespace of people's own properties and types, prefix `:`."""
        return self.base_iri + "vocab#"

    def entity(self, identifier: str) -> NamedNode:
        """The node of an entity id; raises `InvalidIdentifier` for text that names none."""
        return NamedNode(self.base_iri + encode(checked_id(identifier)))

    def fragment(self, owner: NamedNode, *parts: str | int) -> NamedNode:
        """The node of a nested value: `people/bob#address`, `#sources/0`."""
        joined = "/".join(encode(str(part)).replace("/", "%2F") for part in parts)
        separator = "/" if "#" in owner.value else "#"
        return NamedNode(owner.value + separator + joined)

    def key(self, key: str) -> NamedNode:
        """A term of the memory's own vocabulary: `tier` is `:tier`, blanks become `_`."""
        local = re.sub(r"\s+", "_", unicodedata.normalize("NFC", key).strip())
        if not local or _CONTROL.search(local) or len(local) > MAX_ID_LENGTH:
            raise InvalidIdentifier(f"{shortened(key)} cannot name a property or type")
        return NamedNode(self.vocabulary + encode(local).replace("/", "%2F"))

    def id(self, node: NamedNode) -> str | None:
        """The id of an entity of this memory, None for a term, a graph or a foreign IRI."""
        value = node.value
        if not value.startswith(self.base_iri) or value.startswith(self.vocabulary):
            return None
        path, separator, fragment = value[len(self.base_iri) :].partition("#")
        try:
            identifier = decode(path)
            nested = separator + decode(fragment)
        except UnicodeDecodeError:
            return None
        # An IRI that no id mints (`%41` for `A`) is not shown as the id of another entity.
        return identifier + nested if path and encode(identifier) == path else None

    def show(self, node: NamedNode) -> str:
        """The shortest readable name: an id, a CURIE, or the full IRI."""
        identifier = self.id(node)
        if identifier is not None:
            return identifier
        for prefix, namespace in (("", self.vocabulary), *self.prefixes.items()):
            if node.value.startswith(namespace):
                encoded = node.value[len(namespace) :]
                local = _decoded(encoded)
                if _PLAIN_LOCAL.fullmatch(local) and encode(local) == encoded:
                    return f"{prefix}:{local}"
        return node.value

    def expand(self, text: str) -> NamedNode | None:
        """The node of `<IRI>`, an absolute IRI or a CURIE of a known prefix; None if it is neither."""
        if text.startswith("<") and text.endswith(">"):
            return iri(text[1:-1])
        if match := _CURIE.fullmatch(text):
            prefix, local = match.group(1) or "", match.group(2)
            if prefix == "":
                return self.key(local)
            if prefix in self.prefixes:
                return iri(self.prefixes[prefix] + encode(local).replace("%23", "#"))
        if re.match(r"(https?|ftp)://|(urn|mailto|tag|doi|did|file):", text, re.IGNORECASE):
            return iri(text)
        return None

    def prologue(self) -> str:
        """`BASE` and `PREFIX` lines that make ids and CURIEs usable in a person's SPARQL."""
        lines = [f"BASE <{self.base_iri}>", f"PREFIX : <{self.vocabulary}>"]
        return "\n".join([*lines, *(f"PREFIX {name}: <{value}>" for name, value in self.prefixes.items())])


def checked_id(identifier: str) -> str:
    """`identifier` in NFC; raises `InvalidIdentifier` when empty, too long or with control characters."""
    if not identifier.strip():
        raise InvalidIdentifier("an empty id names nothing", hint="give the path of a note, as people/bob")
    if len(identifier) > MAX_ID_LENGTH:
        raise InvalidIdentifier(
            f"an id of {len(identifier)} characters is too long ({shortened(identifier)})",
            hint=f"ids have at most {MAX_ID_LENGTH} characters",
        )
    if _CONTROL.search(identifier):
        raise InvalidIdentifier(
            f"{shortened(identifier)} holds a control character or a line break",
            hint="an id is one line of plain text, as people/bob",
        )
    return unicodedata.normalize("NFC", identifier)
