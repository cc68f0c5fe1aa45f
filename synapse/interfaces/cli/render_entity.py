"""A card, a neighbourhood and an impact as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from synapse.interfaces.cli.render_terms import (
    JsonMap,
    clean,
    count,
    facts,
    grid,
    heading,
    labels,
    notices,
    places,
    predicate,
    stacked,
    term,
)

IN_THE_TITLE: Final = frozenset({"rdfs:label", "schema:description", "schema:keywords"})
"""Facts that the head of a card shows already; types stay below, to tell stated from inferred."""


def card(answer: JsonMap) -> RenderableType:
    """Everything known of one entity, on one page."""
    outgoing = [fact for fact in answer["out"] if fact["predicate"] not in IN_THE_TITLE]
    return stacked(
        Group(_title(answer), *_facets(answer)),
        _description(answer),
        facts(_grouped(outgoing), other="object") if outgoing else None,
        _incoming(answer),
        *notices(answer),
    )


def _grouped(rows: Sequence[JsonMap]) -> list[JsonMap]:
    """Relations before values, and all facts of one predicate together, else in the order given."""
    first: dict[str, int] = {}
    for position, fact in enumerate(rows):
        first.setdefault(fact["predicate"], position)
    return sorted(rows, key=lambda fact: (isinstance(fact["object"], Mapping), first[fact["predicate"]]))


def _title(answer: JsonMap) -> Text:
    title = term(answer["id"])
    if answer["label"] != answer["id"]:
        title.append("  ").append(clean(answer["label"]), style="heading")
    if answer["types"]:
        title.append("  ").append_text(labels(answer["types"]))
    return title


def _facets(answer: JsonMap) -> list[RenderableType]:
    parts = [count(answer["degree"], "connection")]
    parts += [f"{name} {clean(answer[name])}" for name in ("status", "trust") if answer.get(name)]
    parts += ["stale"] if answer.get("stale") else []
    parts += ["stub: others point at it, nothing describes it"] if answer["stub"] else []
    parts += [" ".join(f"#{clean(tag)}" for tag in answer["tags"])] if answer["tags"] else []
    return [Text(" · ".join(parts), style="source")]


def _description(answer: JsonMap) -> RenderableType | None:
    text = answer.get("description")
    return Padding(Text(clean(text)), (0, 1)) if text else None


def _incoming(answer: JsonMap) -> RenderableType | None:
    if not answer["in"]:
        return None
    incoming = facts(_grouped(answer["in"]), other="subject", arrow="← ")
    return Group(heading("What points here"), incoming)


def neighborhood(answer: JsonMap) -> RenderableType:
    """The entities around one entity by distance, then the facts that connect them."""
    around = [node for node in answer["nodes"] if node["distance"] > 0]
    title = term(answer["id"]).append(f"  {count(len(around), 'neighbor')}", style="source")
    nodes = grid()
    for distance, group in groupby(around, key=lambda node: node["distance"]):
        for position, node in enumerate(group):
            steps = count(distance, "step") if position == 0 else ""
            nodes.add_row(Text(steps, style="source"), term(node["id"]), _named(node))
    return stacked(title, nodes if around else None, _edges(answer), *notices(answer))


def _edges(answer: JsonMap) -> RenderableType | None:
    if not answer["edges"]:
        return None
    table, last = grid(4), None
    for fact in answer["edges"]:
        subject = Text() if fact["subject"] == last else term(fact["subject"])
        place = places(fact, beside_subject=True)
        table.add_row(subject, predicate(fact["predicate"]), term(fact["object"]), place)
        last = fact["subject"]
    return Group(heading("Connected by"), table)


def _named(node: Any) -> Text:
    label = "" if node["label"] == node["id"] else clean(node["label"])
    return Text("  ").join([part for part in (Text(label), labels(node["types"])) if part])


def impact(answer: JsonMap) -> RenderableType:
    """Everything that depends on one entity, each with the chain of facts that shows why."""
    affected = answer["affected"]
    depend = "nothing depends on it" if not affected else f"{_depend(len(affected))} on it"
    title = term(answer["id"]).append(f"  {depend}", style="source")
    return stacked(title, *(_affected(entity) for entity in affected), *notices(answer))


def _depend(number: int) -> str:
    return f"{count(number, 'entity depends', 'entities depend')}"


def _affected(entity: JsonMap) -> RenderableType:
    title = term(entity["id"])
    if entity["label"] != entity["id"]:
        title.append(f"  {clean(entity['label'])}")
    steps = grid()
    for fact in entity["path"]:
        steps.add_row(
            Text("  ").append_text(term(fact["subject"])),
            Text("  ").join([predicate(fact["predicate"]), term(fact["object"])]),
            places(fact),
        )
    return Group(title, steps)
