"""What a memory answers: the frozen shapes of the contract, shared by every front end.

A *term* in an answer is the id of an entity of this memory, a CURIE, a full IRI, or a
`LiteralValue`. `to_json` gives the JSON of the contract (section 9).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

from synapse.notes.note import Diagnostic, Severity

SourceKind = Literal["file", "spec", "ontology", "assertion", "observation", "inferred"]


@dataclass(frozen=True, slots=True)
class LiteralValue:
    """A literal in an answer; a plain string has neither datatype nor language."""

    value: str
    datatype: str | None = None
    lang: str | None = None


Term = str | LiteralValue


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the reader should know of an answer: what was cut, how stale it is, what to do."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact comes from: one named graph, and the place in it that says so.

    `text` is what the line says now, where somebody asked why; `text_missing` is why there is none.
    """

    kind: SourceKind
    graph: str
    path: str | None = None
    line: int | None = None
    text: str | None = None
    text_missing: str | None = None
    agent: str | None = None
    reason: str | None = None
    source: str | None = None
    confidence: float | None = None
    learned_at: str | None = None
    activity: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A bare triple, shown."""

    subject: str
    predicate: str
    object: Term


@dataclass(frozen=True, slots=True)
class Fact:
    """A triple with all its sources; `inferred` when no source states it.

    `object_text` is what an observation says, `[category] text`, where the object is one.
    """

    subject: str
    predicate: str
    object: Term
    inferred: bool = False
    sources: tuple[Source, ...] = ()
    object_text: str | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a fact holds: a rule and its premises; the leaves have the rule `stated`."""

    conclusion: Statement
    rule: str
    premises: tuple[Proof, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention may mean; `reason` says in words what the likeness is, and the doubt."""

    id: str
    label: str
    types: tuple[str, ...] = ()
    score: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A mention that names no entity, or several: the answer lists them, it never guesses.

    `then` says of a question about the past since when something has been known, `instead` what the
    mention is if it is no entity: a tag.
    """

    mention: str
    reason: Literal["unknown", "ambiguous"]
    did_you_mean: tuple[Candidate, ...] = ()
    then: str | None = None
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """Everything known of one entity, on one page."""

    id: str
    iri: str
    label: str
    types: tuple[str, ...]
    stub: bool
    degree: int
    out: tuple[Fact, ...] = ()
    in_: tuple[Fact, ...] = ()
    tags: tuple[str, ...] = ()
    description: str | None = None
    status: str | None = None
    trust: str | None = None
    stale: bool | None = None
    query: str | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A node of a neighbourhood; `distance` counts edges from its centre."""

    id: str
    label: str
    types: tuple[str, ...]
    distance: int


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """The entities around one entity, and the facts that connect them."""

    id: str
    nodes: tuple[Neighbor, ...]
    edges: tuple[Fact, ...]
    query: str | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Affected:
    """An entity that depends on another; `path` is the chain of facts from it to that one."""

    id: str
    label: str
    depth: int
    path: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Impact:
    """Everything that depends on one entity, each with the path that shows why."""

    id: str
    affected: tuple[Affected, ...]
    query: str | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Whether a fact is known and every proof asked for."""

    known: bool
    proofs: tuple[Proof, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class ProvenFact:
    """A fact with its sources, and its proof when it was inferred."""

    subject: str
    predicate: str
    object: Term
    inferred: bool
    sources: tuple[Source, ...]
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where each fact of a pattern comes from."""

    facts: tuple[ProvenFact, ...]
    query: str | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one synchronisation found and changed; `triples` and `inferred` count the memory after it.

    `triples` include those `from_scenarios`.
    """

    found: int
    indexed: int
    unchanged: int
    removed: int
    failed: int
    diagnostics: tuple[Diagnostic, ...]
    triples: int
    inferred: int
    inferred_added: int
    inferred_removed: int
    seconds: float
    written_back: int = 0
    from_scenarios: int = 0
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class WriteBackReport:
    """What write-back did or, on a dry run, would do; `diff` is unified, one per changed note.

    `postponed` are the notes that somebody may be typing in: they are written once they are quiet.
    """

    written: tuple[str, ...]
    unchanged: int
    diagnostics: tuple[Diagnostic, ...] = ()
    diff: str = ""
    postponed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScenarioInfo:
    """A packaged scenario and what of it is installed."""

    name: str
    version: str
    title: str
    description: str
    digest: str
    installed: str | None = None
    graphs: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScenarioChange:
    """What installing or removing a scenario did."""

    name: str
    version: str
    action: Literal["installed", "updated", "unchanged", "removed"]
    added: int
    removed: int
    inferred_added: int = 0
    inferred_removed: int = 0


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that owns the memory."""

    pid: int
    since: str


@dataclass(frozen=True, slots=True)
class Status:
    """Counts, freshness and liveness of a memory; `triples` include those `from_scenarios`."""

    notes: int
    entities: int
    triples: int
    inferred: int
    last_sync: str | None
    pending: int
    watcher: Literal["alive", "dead", "off"]
    owner: Owner | None
    dialect: str
    scenarios: tuple[str, ...]
    notes_root: str | None = None
    data_dir: str | None = None
    notices: tuple[Notice, ...] = ()
    from_scenarios: int = 0


@dataclass(frozen=True, slots=True)
class SparqlResult:
    """A query's results, already serialised in the format asked for."""

    format: str
    text: str
    rows: int
    truncated: bool
    seconds: float
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class RelatedPlace:
    """A place that a finding rests on; only those of kind `file` lie in the notes folder."""

    message: str
    kind: SourceKind
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that `check` found: a diagnostic, where else it shows, and the proofs of a contradiction.

    Where `kind` is `file`, `path` is that of a note; an assertion has the path `assertion:<id>` and no lines.
    """

    path: str
    line: int
    code: str
    severity: Severity
    message: str
    related: tuple[RelatedPlace, ...] = ()
    proofs: tuple[Proof, ...] = ()
    target: str | None = None
    kind: SourceKind = "file"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `check` found, by path and line; `ok` when nothing counts as an error."""

    errors: int
    warnings: int
    diagnostics: tuple[Finding, ...]
    ok: bool
    notes: int = 0
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote; `renamed` holds the notes whose path means something else over there."""

    folder: str
    notes: int
    indexes: int
    assets: int
    renamed: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...] = ()
    notices: tuple[Notice, ...] = ()


Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def to_json(answer: Any) -> Json:
    """The JSON of an answer: tuples as lists, fields that are None left out."""
    if is_dataclass(answer) and not isinstance(answer, type):
        pairs = ((field.name.rstrip("_"), getattr(answer, field.name)) for field in fields(answer))
        return {name: to_json(value) for name, value in pairs if value is not None}
    if isinstance(answer, Mapping):
        return {str(key): to_json(value) for key, value in answer.items()}
    if isinstance(answer, (list, tuple, frozenset, set)):
        return [to_json(value) for value in answer]
    if answer is None or isinstance(answer, (bool, int, float, str)):
        return answer
    raise TypeError(f"{type(answer).__name__} is no part of an answer")
