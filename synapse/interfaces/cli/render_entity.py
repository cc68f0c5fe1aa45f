"""A card and an impact as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from synapse.interfaces.cli.layout import Flow, Rows, whole
from synapse.interfaces.cli.render_terms import (
    JsonMap,
    clean,
    count,
    facts,
    heading,
    labels,
    notices,
    places,
    predicate,
    stacked,
    term,
)

IN_THE_TITLE: Final = frozenset({"rdfs:label", "schema:description", "schema:keywords"})
"""Facts that the head of a card shows; types stay below, to tell stated from inferred."""


def card(answer: JsonMap) -> RenderableType:
    """Everything known of one entity, on one page."""
    outgoing = [fact for fact in answer["out"] if not _is_told(fact, answer)]
    return stacked(
        Group(_title(answer), *_facets(answer)),
        _description(answer),
        facts(_grouped(outgoing), other="object") if outgoing else None,
        _incoming(answer),
        *notices(answer),
    )


def _is_told(fact: JsonMap, answer: JsonMap) -> bool:
    """Whether the head of the card says all of a fact: not where files and agents say different things."""
    told = fact["predicate"] in IN_THE_TITLE
    same = [other for other in answer["out"] if other["predicate"] == fact["predicate"]]
    is_only = fact["predicate"] == "schema:keywords" or len(same) == 1
    return told and is_only and not any(source["kind"] == "assertion" for source in fact["sources"])


def _grouped(rows: Sequence[JsonMap]) -> list[JsonMap]:
    """Relations before values, and all facts of one predicate together, else in the order given."""
    first: dict[str, int] = {}
    for position, fact in enumerate(rows):
        first.setdefault(fact["predicate"], position)
    return sorted(rows, key=lambda fact: (isinstance(fact["object"], Mapping), first[fact["predicate"]]))


def _title(answer: JsonMap) -> Flow:
    title = [term(answer["id"])]
    if answer["label"] != answer["id"]:
        title.append(Text(clean(answer["label"]), style="heading"))
    return Flow([*title, labels(answer["types"])])


def _facets(answer: JsonMap) -> list[RenderableType]:
    parts = [count(answer["degree"], "connection")]
    parts += [f"{name} {clean(answer[name])}" for name in ("status", "trust") if answer.get(name)]
    parts += ["stale"] if answer.get("stale") else []
    parts += ["stub: others point at it, nothing describes it"] if answer["stub"] else []
    parts += [" ".join(f"#{clean(tag)}" for tag in answer["tags"])] if answer["tags"] else []
    return [Flow([Text(" · ".join(parts), style="source")], hang=2)]


def _description(answer: JsonMap) -> RenderableType | None:
    text = answer.get("description")
    return Flow([Text(clean(text))], indent=1, hang=0) if text else None


def _incoming(answer: JsonMap) -> RenderableType | None:
    if not answer["in"]:
        return None
    incoming = facts(_grouped(answer["in"]), other="subject", arrow="← ")
    return Group(heading("What points here"), incoming)


def impact(answer: JsonMap) -> RenderableType:
    """Everything that depends on one entity, each with the chain of facts that shows why."""
    affected = answer["affected"]
    depend = "nothing depends on it" if not affected else f"{_depend(len(affected))} on it"
    title = Flow([term(answer["id"]), Text(depend, style="source")])
    return stacked(title, *(_affected(entity) for entity in affected), *notices(answer))


def _depend(number: int) -> str:
    return f"{count(number, 'entity depends', 'entities depend')}"


def _affected(entity: JsonMap) -> RenderableType:
    title = [term(entity["id"])]
    if entity["label"] != entity["id"]:
        title.append(Text(clean(entity["label"])))
    steps = Rows(indent=4)
    for fact in entity["path"]:
        relation = whole(Text("  ")).join([predicate(fact["predicate"]), term(fact["object"])])
        steps.add_row(term(fact["subject"]), relation, places(fact))
    return Group(Flow(title), steps)
