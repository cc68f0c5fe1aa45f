"""Reasoning over RDF files alone: what follows from them, and what contradicts itself; no memory needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import RdfFormat, Triple, parse

from synapse.errors import InvalidInput
from synapse.rdf.names import shortened
from synapse.reasoning import Inconsistency, Reasoner, ReasonerWarning, Regime
from synapse.reasoning.rules_complete import complete_rules, reflexive


@dataclass(frozen=True, slots=True)
class FileReasoning:
    """What follows from files; `inferred` are N-Triples lines in a fixed order, the reflexive facts last."""

    asserted: int
    inferred: tuple[str, ...]
    contradictions: tuple[Inconsistency, ...]
    warnings: tuple[ReasonerWarning, ...]


def reason_files(
    paths: Sequence[Path], *, format: str | None = None, regime: Regime, trimmed: bool = False
) -> FileReasoning:
    """What follows from the union of the files; raises `InvalidInput` that names the file and the line.

    The format is that of the extension (Turtle, TriG, N-Triples, N-Quads, RDF/XML, JSON-LD, N3), or the
    one given as extension or media type. Named graphs are read as one. `trimmed` infers what a memory
    would; without it nothing is left out, not even what holds of everything.
    """
    # Blank nodes of two files are different things, even where both are called _:a; those of the
    # first keep their names, so that what follows can be read together with what was given.
    triples = [t for n, path in enumerate(paths) for t in _read(path, format, rename=n > 0)]
    terms = {term for triple in triples for term in triple}
    reasoner = Reasoner(regime=regime, rules=None if trimmed else complete_rules(regime, terms))
    reasoner.load(triples)
    inferred = list(reasoner.inferred())
    trivial = () if trimmed else set(reflexive(regime, (*triples, *inferred))) - {*triples, *inferred}
    return FileReasoning(
        reasoner.counts.asserted,
        (*_lines(inferred), *_lines(trivial)),
        _contradictions(reasoner, triples),
        reasoner.warnings,
    )


def _contradictions(reasoner: Reasoner, triples: Sequence[Triple]) -> tuple[Inconsistency, ...]:
    """Those that the W3C's rules find, else those that only the complete rules do.

    The complete rules restate axioms (disjoint both ways), so they report one contradiction several times.
    """
    if not (found := reasoner.inconsistencies()):
        return ()
    plain = Reasoner(regime=reasoner.regime)
    plain.load(triples)
    return plain.inconsistencies() or found


def _lines(triples: Iterable[Triple]) -> list[str]:
    return sorted(f"{triple} ." for triple in triples)


def _read(path: Path, format: str | None, *, rename: bool) -> Iterator[Triple]:
    kind = _format(path, format)
    try:
        base = path.resolve().as_uri()
        with path.open("rb") as stream:
            for quad in parse(stream, kind, base_iri=base, rename_blank_nodes=rename):
                yield quad.triple
    except (OSError, SyntaxError, ValueError) as error:
        raise InvalidInput(
            f"{path}: {_message(error)}", hint="mend the file, or name its --format"
        ) from error


def _format(path: Path, format: str | None) -> RdfFormat:
    name = format if format is not None else path.suffix.removeprefix(".")
    aliases = {
        "turtle": "ttl",
        "ntriples": "nt",
        "nquads": "nq",
        "rdfxml": "rdf",
        "owl": "rdf",
        "jsonld": "jsonld",
    }
    short = aliases.get(name.casefold(), name.casefold())
    found = RdfFormat.from_extension(short) or RdfFormat.from_media_type(name)
    if found is None:
        raise InvalidInput(
            f"{path}: {shortened(name)} is no RDF format", hint="--format ttl, nt, nq, trig, rdf or jsonld"
        )
    return found


def _message(error: Exception) -> str:
    """What is wrong, with the line when the parser tells it."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f"line {error.lineno}: {error.msg}"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
