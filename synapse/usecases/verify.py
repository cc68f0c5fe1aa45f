"""The inferred graph against an independent reasoner, owlrl, which others wrote over rdflib."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from synapse.knowledge.provenance import Activity
from synapse.rdf.bridge import from_rdflib, to_rdflib
from synapse.rdf.vocab import OWL, RDF, RDF_FIRST, RDF_REST, RDF_TYPE, RDFS, XSD
from synapse.reasoning import Regime
from synapse.reasoning.schema import REFLEXIVE
from synapse.usecases.answers import Notice, Statement
from synapse.usecases.commit import Committer
from synapse.usecases.view import View

_VOCABULARIES: Final = (RDF, RDFS, OWL, XSD)
_TRIVIAL: Final = frozenset(
    NamedNode(name)
    for name in (
        OWL + "Thing",
        OWL + "Nothing",
        OWL + "Class",
        RDFS + "Resource",
        RDFS + "Class",
        RDFS + "Literal",
        RDFS + "Datatype",
        RDF + "Property",
    )
)
SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Verification:
    """How the inferred graph compares: `missing` only owlrl infers, `extra` only synapse does."""

    agreed: int
    missing: tuple[Statement, ...]
    extra: tuple[Statement, ...]
    differences: int


@dataclass(frozen=True, slots=True)
class ReasonReport:
    """What a rebuild of the inferred graph found: `added` and `removed` should be 0 in a healthy memory."""

    regime: str
    inferred: int
    added: int
    removed: int
    seconds: float
    verification: Verification | None = None
    notices: tuple[Notice, ...] = ()


def rebuild(committer: Committer, view: View, *, agent: str, compare: bool) -> ReasonReport:
    """Materialise from nothing, write the difference, and compare with owlrl if asked to."""
    started = time.perf_counter()
    outcome = committer.rebuild(activity=Activity("reason", agent=agent, reason="rebuild"))
    seconds = time.perf_counter() - started
    with committer.lock:
        reasoner = committer.reasoner()
        warnings = tuple(Notice(warning.code, warning.message) for warning in reasoner.warnings)
    return ReasonReport(
        reasoner.regime.value,
        reasoner.counts.inferred,
        len(outcome.inferred.added),
        len(outcome.inferred.removed),
        round(seconds, 3),
        verify(committer, view) if compare else None,
        warnings,
    )


def verify(committer: Committer, view: View) -> Verification:
    """Compare what is inferred with what owlrl infers of the same facts; minutes beyond some 10,000 facts.

    Left out on both sides is what `docs/reasoning.md` lists: reflexive facts, axiomatic triples, and
    what owlrl says of literals.
    """
    with committer.lock:
        reasoner = committer.reasoner()
        asserted = list(committer.stated_triples())
        inferred = set(reasoner.inferred())
        regime = reasoner.regime
    theirs = entailed_by_owlrl(asserted, regime) - set(asserted)
    ours = {triple for triple in inferred if not is_trivial(triple)}
    missing, extra = sorted(theirs - ours, key=str), sorted(ours - theirs, key=str)
    return Verification(
        len(ours & theirs),
        tuple(map(view.statement, missing[:SHOWN])),
        tuple(map(view.statement, extra[:SHOWN])),
        len(missing) + len(extra),
    )


def entailed_by_owlrl(asserted: Iterable[Triple], regime: Regime) -> set[Triple]:
    """What owlrl derives of these triples under a regime, trivial facts left out."""
    import owlrl  # noqa: PLC0415 - owlrl and rdflib take half a second to import

    if regime is Regime.NONE:
        return set()
    semantics = owlrl.RDFS_Semantics if regime is Regime.RDFS else owlrl.OWLRL_Semantics
    graph = to_rdflib(asserted)
    owlrl.DeductiveClosure(semantics, axiomatic_triples=False, datatype_axioms=False).expand(graph)
    return {triple for triple in from_rdflib(graph) if not is_trivial(triple)}


def is_trivial(triple: Triple) -> bool:
    """Whether synapse leaves this out on purpose (`OMITTED` in the rules), or owlrl adds it as an axiom."""
    subject, predicate, object = triple
    reflexive = predicate in REFLEXIVE and (subject == object or isinstance(object, Literal))
    of_the_language = isinstance(subject, NamedNode) and subject.value.startswith(_VOCABULARIES)
    datatype = predicate == RDF_TYPE and isinstance(object, NamedNode) and object.value.startswith(XSD)
    return (
        reflexive
        or of_the_language
        or datatype
        or object in _TRIVIAL
        or predicate in (RDF_FIRST, RDF_REST)
        # owlrl records contradictions as blank nodes among the data.
        or isinstance(subject, BlankNode)
    )
