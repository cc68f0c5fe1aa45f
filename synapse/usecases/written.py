"""What a write takes and what it answers (contract, sections 4, 5 and 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from synapse.usecases.answers import Candidate, Fact, Neighbor, Notice, Statement

ObjectIs = Literal["id", "literal", "iri"]


@dataclass(frozen=True, slots=True)
class FactInput:
    """A fact as an agent gives it: names, not nodes.

    `object_is` says how to read the object; without it, one with `datatype` or `lang` is a literal, else
    the property decides, else the text itself, else whether something is called so (`usecases.objects`).
    """

    subject: str
    predicate: str
    object: str
    datatype: str | None = None
    lang: str | None = None
    object_is: ObjectIs | None = None


@dataclass(frozen=True, slots=True)
class Connected:
    """A mention that was taken for a known entity: `by` id, label, alias or similar."""

    mention: str
    id: str
    score: float
    by: str


@dataclass(frozen=True, slots=True)
class AmbiguousMention:
    """A mention that may mean several things; nothing was written for the facts that use it."""

    mention: str
    reason: str
    did_you_mean: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class SuggestedRelation:
    """A relation that would tie an entity to the graph, and why."""

    subject: str
    predicate: str
    object: str
    reason: str


@dataclass(frozen=True, slots=True)
class PossibleDuplicate:
    """An entity that a written one may double."""

    id: str
    type: str
    name: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A rule that concludes *false* and the facts that make it fire."""

    rule: str
    premises: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class LogChange:
    """One fact that an activity brought (`+`) or took (`-`), and the graph it did so in."""

    sign: Literal["+", "-"]
    subject: str
    predicate: str
    object: str
    graph: str


@dataclass(frozen=True, slots=True)
class WriteAnswer:
    """What a write did to the graph, or why it was refused; a refused one changed nothing.

    `changes` are those of an undone write: which of its `facts` came back, which went. `new` are the
    entities that the write made; those of them that nothing describes yet are `stubs`.
    """

    status: Literal["ok", "refused"]
    id: str | None = None
    facts: tuple[Fact, ...] = ()
    inferred_added: tuple[Statement, ...] = ()
    inferred_removed: tuple[Statement, ...] = ()
    connected: tuple[Connected, ...] = ()
    ambiguous: tuple[AmbiguousMention, ...] = ()
    stubs: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    degree: dict[str, int] | None = None
    orphan_warning: str | None = None
    suggested_relations: tuple[SuggestedRelation, ...] = ()
    relations_from_tags: tuple[SuggestedRelation, ...] = ()
    possible_duplicate_of: tuple[PossibleDuplicate, ...] = ()
    enrich_hint: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    review_relations: tuple[SuggestedRelation, ...] = ()
    neighborhood: tuple[Neighbor, ...] = ()
    status_note: str | None = None
    changes: tuple[LogChange, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One activity of the history; `changes` may be cut, `added` and `removed` count them all."""

    activity: str
    at: str
    kind: str
    agent: str
    added: int
    removed: int
    reason: str | None = None
    changes: tuple[LogChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Log:
    """Activities, the newest first."""

    entries: tuple[LogEntry, ...]
    notices: tuple[Notice, ...] = ()
