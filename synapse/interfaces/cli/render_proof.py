"""Proofs as trees down to `path:line`, and the sources of facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text
from rich.tree import Tree

from synapse.interfaces.cli.render_terms import JsonMap, clean, notices, place, stacked, triple

MOST_SOURCES: Final = 3


def why(answer: JsonMap, asked: str) -> RenderableType:
    """Every proof of a fact, or the sentence that it is not known."""
    if not answer["known"]:
        unknown = Text("not known: ", style="warning").append(clean(asked), style="default")
        return stacked(unknown, *notices(answer))
    return stacked(*(proof_tree(proof) for proof in answer["proofs"]), *notices(answer))


def proof_tree(proof: JsonMap) -> Tree:
    """The conclusion at the root, premises below, stated facts with their places as leaves."""
    tree = Tree(_step(proof), guide_style="source")
    pending = [(tree, proof)]
    while pending:
        branch, parent = pending.pop()
        pending.extend([(branch.add(_step(premise)), premise) for premise in parent["premises"]])
    return tree


def _step(proof: JsonMap) -> RenderableType:
    line = triple(proof["conclusion"])
    if proof["rule"] != "stated":
        return line.append(f"  by {clean(proof['rule'])}", style="inferred")
    sources = proof["sources"]
    shown = [place(source) for source in sources[:MOST_SOURCES]]
    more = f" and {len(sources) - MOST_SOURCES} more" if len(sources) > MOST_SOURCES else ""
    return line.append("  ").append_text(Text(", ").join(shown)).append(more, style="source")


def provenance(answer: JsonMap) -> RenderableType:
    """Each fact with all its sources, and its proof when no source states it."""
    if not answer["facts"]:
        return stacked(Text("no such fact is known", style="warning"), *notices(answer))
    return stacked(*(_proven(fact) for fact in answer["facts"]), *notices(answer))


def _proven(fact: JsonMap) -> RenderableType:
    if fact.get("proof"):
        return proof_tree(fact["proof"])
    mark = "  inferred" if fact["inferred"] else ""
    title = triple(fact).append(mark, style="inferred")
    return Group(title, *(Padding(_source(source), (0, 0, 0, 2)) for source in fact["sources"]))


def _source(source: JsonMap) -> Text:
    line = Text(f"{source['kind']}  ", style="source").append_text(place(source))
    for detail in _details(source):
        line.append(f" · {detail}", style="source")
    return line


def _details(source: JsonMap) -> Iterator[str]:
    if source.get("path") and source.get("agent"):
        yield f"by {clean(source['agent'])}"
    if source.get("source"):
        yield f"from {clean(source['source'])}"
    if source.get("reason"):
        yield clean(source["reason"])
    if source.get("confidence") is not None:
        yield f"confidence {source['confidence']:g}"
    if source.get("learned_at"):
        yield f"known since {clean(source['learned_at'])}"
