"""Proofs as trees down to `path:line`, and the sources of facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from synapse.interfaces.cli.layout import Branches, Flow, whole
from synapse.interfaces.cli.render_terms import JsonMap, clean, notices, place, stacked, triple

MOST_SOURCES: Final = 3


def why(answer: JsonMap, asked: str) -> RenderableType:
    """Every proof of a fact, or the sentence that it is not known."""
    if not answer["known"]:
        unknown = Text("not known: ", style="warning").append(clean(asked), style="default")
        return stacked(unknown, *notices(answer))
    return stacked(*(proof_tree(proof) for proof in answer["proofs"]), *notices(answer))


def proof_tree(proof: JsonMap, *, indent: int = 0) -> RenderableType:
    """The conclusion at the root, premises below, stated facts with their places as leaves."""
    steps: list[tuple[int, Flow]] = []
    pending = [(0, proof)]
    while pending:
        depth, step = pending.pop()
        steps.append((depth, Flow(list(_step(step)), hang=0 if depth else 2)))
        pending.extend((depth + 1, premise) for premise in reversed(step["premises"]))
    return Branches(steps, indent=indent, style="source")


def _step(proof: JsonMap) -> Iterator[Text]:
    yield from triple(proof["conclusion"])
    if proof["rule"] != "stated":
        yield whole(Text(f"by {clean(proof['rule'])}", style="inferred"))
    else:
        yield sources_of(proof)
        yield from (Text(said, style="source") for source in proof["sources"][:1] for said in _said(source))


def sources_of(fact: JsonMap) -> Text:
    """The first places that state a fact, and the number of the others."""
    sources = fact["sources"]
    shown = whole(Text(", ")).join([place(source) for source in sources[:MOST_SOURCES]])
    more = f" and {len(sources) - MOST_SOURCES} more" if len(sources) > MOST_SOURCES else ""
    return shown.append(more, style="source")


def provenance(answer: JsonMap) -> RenderableType:
    """Each fact with all its sources, and its proof when no source states it."""
    if not answer["facts"]:
        return stacked(Text("no such fact is known", style="warning"), *notices(answer))
    return stacked(*(_proven(fact) for fact in answer["facts"]), *notices(answer))


def _proven(fact: JsonMap) -> RenderableType:
    if fact.get("proof"):
        return proof_tree(fact["proof"])
    mark = [Text("inferred", style="inferred")] if fact["inferred"] else []
    title = Flow([*triple(fact), *mark])
    return Group(title, *(Flow(_source(source), indent=2, gap=1) for source in fact["sources"]))


def _source(source: JsonMap) -> list[Text]:
    """The kind, the place, then the details, each behind a dot."""
    details = [Text(f"· {detail}", style="source") for detail in _details(source)]
    return [whole(Text(f"{source['kind']}  ", style="source")).append_text(place(source)), *details]


def _said(source: JsonMap) -> Iterator[str]:
    """What the line of a file says now, or why that is not shown."""
    if source.get("text"):
        yield f"“{clean(source['text'])}”"
    elif source.get("text_missing"):
        yield f"({clean(source['text_missing'])})"


def _details(source: JsonMap) -> Iterator[str]:
    yield from _said(source)
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
