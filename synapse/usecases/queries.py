"""The SPARQL of each intent, built from validated terms; the console gives the same rows for it."""

from __future__ import annotations

from collections.abc import Iterable

from pyoxigraph import Literal, NamedNode

from synapse.rdf.names import INFERRED, META

Term = NamedNode | Literal


def facts(
    subject: NamedNode | None = None,
    predicates: Iterable[NamedNode] = (),
    object: Term | None = None,
) -> str:
    """Every fact of a pattern with its graph: variables `?subject ?predicate ?object ?graph`."""
    return facts_about([subject] if subject else (), predicates, [object] if object else ())


def facts_about(
    subjects: Iterable[NamedNode] = (),
    predicates: Iterable[NamedNode] = (),
    objects: Iterable[Term] = (),
    *,
    inferred: bool = True,
) -> str:
    """Every fact whose terms are among those given; an empty list lets a position be anything."""
    hidden = [META] if inferred else [META, INFERRED]
    return "\n".join(
        line
        for line in (
            "SELECT ?subject ?predicate ?object ?graph WHERE {",
            _values("subject", subjects),
            _values("predicate", predicates),
            _values("object", objects),
            "  GRAPH ?graph { ?subject ?predicate ?object }",
            f"  FILTER (?graph NOT IN ({', '.join(map(str, hidden))}))",
            "}",
        )
        if line
    )


def _values(variable: str, terms: Iterable[Term]) -> str:
    written = " ".join(sorted(map(str, terms)))
    return f"  VALUES ?{variable} {{ {written} }}" if written else ""
