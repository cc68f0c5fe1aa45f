"""What a note says, as the quads of its named graph, each with the line that says it.

Frontmatter, inline fields and relations are read by `statements`, OKF's provenance and trust by
`okf_families`, ontology notes by `axiom_statements`; here are the label, observations, tags and links.
"""

from __future__ import annotations

import hashlib
from collections import abc
from dataclasses import dataclass

from pyoxigraph import NamedNode, Quad

from synapse.notes.axiom_statements import read_axiom
from synapse.notes.draft import Draft
from synapse.notes.keys import LABEL_KEYS, key_of
from synapse.notes.link_keys import name_key, stem
from synapse.notes.note import Diagnostic, Dialect, Link, Note, NoteObservation, Property
from synapse.notes.note_names import NoteNames, names_of, text_of
from synapse.notes.okf import OKF_DIALECTS, is_reserved
from synapse.notes.okf_families import FAMILIES, belongs_to_family, state_trust
from synapse.notes.resolution import LinkIndex
from synapse.notes.statements import describe
from synapse.notes.values import Reader
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.literals import plain
from synapse.rdf.names import file_graph, fold_key
from synapse.rdf.vocab import (
    RDF_TYPE,
    RDFS_LABEL,
    SCHEMA_TEXT,
    SYN_CATEGORY,
    SYN_CONTEXT,
    SYN_EMBEDS,
    SYN_MENTIONS,
    SYN_OBSERVATION,
    SYN_OBSERVATION_CLASS,
)

__all__ = ["Mapping", "NoteNames", "map_note", "names_of"]


@dataclass(frozen=True, slots=True)
class Mapping:
    """One note as RDF: its quads in the order of the note, each with the line that states it first.

    `keys` are what it depends on besides its own text: it must be mapped again when one of them is
    among the keys that `LinkIndex.add` or `remove` returns. `diagnostics` include those of
    `names_of`, not those of the parser.
    """

    graph: NamedNode
    subject: NamedNode
    lines: abc.Mapping[Quad, int]
    diagnostics: tuple[Diagnostic, ...] = ()
    keys: frozenset[str] = frozenset()


def map_note(
    note: Note, *, index: LinkIndex, lexicon: Lexicon, dialect: Dialect, names: NoteNames | None = None
) -> Mapping:
    """The quads of a note, canonical, without duplicates, the same on every run.

    `names` are those of `names_of`, when they are known already.
    Raises `InvalidIdentifier` for a path that cannot be an id, as `index.add` did before.
    """
    names = names or names_of(note, dialect=dialect)
    draft = Draft(note.path, file_graph(note.path), index.entity_of(note.path))
    _read(Reader(draft, index, lexicon, dialect), note)
    _check_identity(draft, note, index, names)
    return Mapping(
        draft.graph,
        draft.subject,
        draft.lines(),
        names.diagnostics + draft.diagnostics(),
        frozenset(draft.keys),
    )


def _check_identity(draft: Draft, note: Note, index: LinkIndex, names: NoteNames) -> None:
    """Two files that are one node would each state half of it: that is never what was meant."""
    draft.keys.add(name_key(note.path))
    if namesakes := index.namesakes(note.path):
        message = f"this file and {namesakes[0]} have one id and are read as one; rename one of them"
        draft.report(1, "id-duplicate", "error", message)
    if names.iri is None:
        return
    draft.keys.add(name_key(names.iri))
    if rivals := index.rivals(note.path):
        line = next(item.line for item in note.properties if item.key == "uri")
        message = f"`uri:` is also that of {', '.join(rivals[:5])}; each keeps the id of its path"
        draft.report(line, "uri-duplicate", "error", message)


def _read(reader: Reader, note: Note) -> None:
    _read_label(reader, note)
    if reader.dialect in OKF_DIALECTS and is_reserved(note.path):
        _read_links(reader, note)  # navigation, not a concept
        return
    _read_properties(reader, note)
    for observation in note.observations:
        _read_observation(reader, observation)
    for tag in note.tags:
        reader.draft.tag(reader.draft.subject, tag.name, tag.line)
    _read_links(reader, note)


def _read_label(reader: Reader, note: Note) -> None:
    """A title or name is read with the other keys; without one, the first level-1 heading or the file name.

    A heading below level 1 names a part of the note, not the note.
    """
    if any(key_of(item) in LABEL_KEYS and text_of(item) for item in note.properties):
        return
    heading = next((found for found in note.headings if found.level == 1 and found.text.strip()), None)
    text = heading.text.strip() if heading else stem(note.path.rpartition("/")[2])
    reader.draft.state(reader.draft.subject, RDFS_LABEL, plain(text), heading.line if heading else 1)


def _read_properties(reader: Reader, note: Note) -> None:
    others: list[Property] = []
    for item in note.properties:
        if item.origin == "axiom":
            read_axiom(reader, item)
        elif belongs_to_family(item, reader.dialect):
            FAMILIES[item.key](reader, item)
        else:
            others.append(item)
    describe(reader, reader.draft.subject, others)
    state_trust(reader, note.properties)


def _read_observation(reader: Reader, observation: NoteObservation) -> None:
    """A node named by what it says, so that one written above it changes nothing of it."""
    draft, line = reader.draft, observation.line
    said = f"{observation.category}\n{observation.text}".encode("utf-8", "replace")
    digest = hashlib.blake2s(said, digest_size=8).hexdigest()
    node = reader.lexicon.names.fragment(draft.subject, "observation", digest)
    draft.state(draft.subject, SYN_OBSERVATION, node, line)
    draft.state(node, RDF_TYPE, SYN_OBSERVATION_CLASS, line)
    draft.state(node, SYN_CATEGORY, plain(observation.category), line)
    draft.state(node, SCHEMA_TEXT, plain(observation.text), line)
    for tag in observation.tags:
        draft.tag(node, tag, line)
    if observation.context:
        draft.state(node, SYN_CONTEXT, plain(observation.context), line)


def _read_links(reader: Reader, note: Note) -> None:
    draft = reader.draft
    for link in note.links:
        resolution = reader.resolve(link)
        if resolution.entity is None or resolution.entity == draft.subject:
            continue
        predicate: NamedNode | None = SYN_EMBEDS if link.embed else SYN_MENTIONS
        if link.relation is not None and not resolution.relation_is_name:
            predicate = reader.property(link.relation, link.line)
        else:
            _doubt_mention(reader, link, is_known=resolution.path is not None)
        if predicate is not None:
            draft.state(draft.subject, predicate, resolution.entity, link.line)


def _doubt_mention(reader: Reader, link: Link, *, is_known: bool) -> None:
    """A relation of several words reads as an untyped link unless it is written as one."""
    phrase, target = link.phrase, link.target
    if phrase is None and not is_known:
        phrase, _, target = link.target.partition(":")
    if phrase and target and " " in phrase and fold_key(phrase) in reader.lexicon.properties:
        message = (
            f"{phrase!r} is a relation, and this link is read as a mention; "
            f'write - "{phrase}" [[{target}]], or {phrase}:: [[{target}]]'
        )
        reader.draft.report(link.line, "relation-unquoted", "warning", message)
