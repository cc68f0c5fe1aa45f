"""Facts that cannot all hold: each contradiction at a line of a note, with its proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from synapse.reasoning import Inconsistency
from synapse.reasoning.proofs import STATED
from synapse.usecases.answers import (
    Fact,
    Finding,
    LiteralValue,
    Notice,
    Proof,
    RelatedPlace,
    Source,
    SourceKind,
    Statement,
)
from synapse.usecases.commit import Committer
from synapse.usecases.explain import Explanations

MOST: Final = 100
"""Contradictions told in one report; one wrong axiom can contradict every note."""

MOST_LEAVES: Final = 8
"""Stated facts told of one contradiction; its proofs hold all of them."""


class Contradictions:
    """The contradictions of one memory, as findings."""

    def __init__(self, committer: Committer, *, explanations: Explanations) -> None:
        self._committer = committer
        self._explanations = explanations

    def findings(self) -> tuple[tuple[Finding, ...], tuple[Notice, ...]]:
        """The first contradictions, and a notice of what the reasoner or this report left out."""
        with self._committer.lock:
            reasoner = self._committer.reasoner()
            found, warnings = reasoner.inconsistencies(), reasoner.warnings
        notices = [Notice(warning.code, warning.message) for warning in warnings]
        if len(found) > MOST:
            notices.append(Notice("contradictions-cut", f"shown {MOST} of {len(found)} contradictions"))
        return tuple(map(self._finding, found[:MOST])), tuple(notices)

    def _finding(self, found: Inconsistency) -> Finding:
        proofs = tuple(proof for triple in found.premises for proof in self._explanations.proofs(triple))
        # What a note or an agent says can be mended; the axiom that forbids it comes behind.
        proofs = tuple(sorted(proofs, key=_distance))
        places = tuple(islice(_places(proofs), MOST_LEAVES))
        told = "; ".join(_told(proof) for proof in proofs if proof.conclusion.predicate not in _LIST)
        anchor = next(iter(places), None)
        return Finding(
            (anchor.path if anchor else None) or "",
            (anchor.line if anchor else None) or 1,
            f"contradiction-{found.rule}",
            "error",
            f"these cannot all hold ({found.rule}): {told}",
            places,
            proofs,
            kind=anchor.kind if anchor else "file",
        )


def statement_text(statement: Statement | Fact) -> str:
    """A statement on one line, a literal in quotes."""
    value = statement.object
    shown = f'"{value.value}"' if isinstance(value, LiteralValue) else value
    return f"{statement.subject} {statement.predicate} {shown}"


def source_text(source: Source) -> str:
    """Where a source can be looked up: `path:line`, else the name of its graph."""
    if source.path is None:
        return source.graph.removeprefix("urn:synapse:")
    return source.path if source.line is None else f"{source.path}:{source.line}"


_LIST: Final = frozenset({"rdf:first", "rdf:rest"})
"""How RDF writes the list in an axiom; the axiom is told with its list, the cells say nothing more."""


_MENDABLE: Final[tuple[SourceKind, ...]] = ("file", "spec", "assertion", "observation")
"""Sources, those first that a person edits with the least ado."""


def _distance(proof: Proof) -> int:
    """How far what a proof rests on is from what a person can mend."""
    return min((_rank(source) for leaf in _leaves(proof) for source in leaf.sources), default=len(_MENDABLE))


def _rank(source: Source) -> int:
    return _MENDABLE.index(source.kind) if source.kind in _MENDABLE else len(_MENDABLE)


def _told(proof: Proof) -> str:
    sources = list(dict.fromkeys(source_text(source) for leaf in _leaves(proof) for source in leaf.sources))
    more = f" and {len(sources) - MOST_LEAVES} more" if len(sources) > MOST_LEAVES else ""
    how = "" if proof.rule == STATED else f"by {proof.rule} from "
    return f"{statement_text(proof.conclusion)} ({how}{', '.join(sources[:MOST_LEAVES])}{more})"


def _leaves(proof: Proof) -> Iterator[Proof]:
    """The stated facts of a proof, each once, in order."""
    pending, seen = [proof], set[Statement]()
    while pending:
        step = pending.pop()
        if step.conclusion in seen:
            continue
        seen.add(step.conclusion)
        if step.rule == STATED:
            yield step
        pending.extend(reversed(step.premises))


def _places(proofs: Iterable[Proof]) -> Iterator[RelatedPlace]:
    leaves = [leaf for proof in proofs for leaf in _leaves(proof)]
    told = {(leaf.conclusion, source): source for leaf in leaves for source in leaf.sources}
    for (statement, _), source in sorted(told.items(), key=lambda item: _rank(item[1])):
        path = source.path or source.graph.removeprefix("urn:synapse:")
        yield RelatedPlace(statement_text(statement), source.kind, path, source.line)
