"""A neighbourhood as a person reads it: who is around, then what connects them, predicate by predicate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from synapse.interfaces.cli.layout import ByAudience, Flow, Rows, whole
from synapse.interfaces.cli.render_terms import (
    JsonMap,
    clean,
    count,
    grid,
    heading,
    labels,
    notices,
    places,
    predicate,
    stacked,
    term,
)

NODES: Final = 20
"""Entities of one distance that a screen shows; `--limit` shows more."""

FACTS: Final = 5
"""Facts of one predicate about the entity itself that a screen shows; `--limit` shows more and all others."""


def neighborhood(answer: JsonMap, *, limit: int | None = None) -> RenderableType:
    """The entities around one entity by distance, then the facts that connect them.

    A terminal shows the first of each group and counts the others, unless a `limit` was asked for;
    a pipe gets every fact as one line.
    """
    around = [node for node in answer["nodes"] if node["distance"] > 0]
    about = [count(len(around), "neighbor")]
    terminal = stacked(
        Flow([term(answer["id"]), Text(", ".join([*about, *_connections(answer)]), style="source")]),
        _by_distance(around, limit or NODES) if around else None,
        _by_predicate(answer, limit),
        *notices(answer),
    )
    pipe = stacked(
        Flow([term(answer["id"]), Text(about[0], style="source")]),
        _by_distance(around, len(around), all_types=True) if around else None,
        _every_fact(answer),
        *notices(answer),
    )
    return ByAudience(terminal, pipe)


def _connections(answer: JsonMap) -> list[str]:
    edges = answer["edges"]
    return [count(len(edges), "fact")] if edges else []


def _by_distance(around: Sequence[JsonMap], most: int, *, all_types: bool = False) -> Rows:
    nodes = grid()
    for distance, group in groupby(around, key=lambda node: node["distance"]):
        listed = list(group)
        for position, node in enumerate(listed[:most]):
            steps = count(distance, "step") if position == 0 else ""
            types = node["types"] if all_types else node["types"][:1]
            nodes.add_row(whole(Text(steps, style="source")), term(node["id"]), _named(node, types))
        if len(listed) > most:
            nodes.add_row(Text(), _more(len(listed) - most, len(around) + 1))
    return nodes


def _more(number: int, limit: int) -> Text:
    return whole(Text(f"{number:,} more: --limit {limit}", style="notice"))


def _named(node: JsonMap, types: Sequence[str]) -> Text:
    label = "" if node["label"] == node["id"] else clean(node["label"])
    return Text("  ").join([part for part in (Text(label), labels(types)) if part])


def _by_predicate(answer: JsonMap, most: int | None) -> RenderableType | None:
    """The facts under their predicates; without `most` those of the entity itself, the others counted."""
    center = answer["id"]
    own = [fact for fact in answer["edges"] if center in (fact["subject"], fact["object"])]
    others = [fact for fact in answer["edges"] if center not in (fact["subject"], fact["object"])]
    shown, counted = (own, others) if most is None else (own + others, [])
    enough = max([len(answer["nodes"]), *map(len, _grouped(own + others).values())])
    groups = _grouped(shown).items()
    blocks = [block for name, group in groups for block in _group(name, group, most or FACTS, enough, center)]
    return stacked(
        Group(heading("Connected by"), *blocks) if blocks else None,
        _among_themselves(counted, enough) if counted else None,
    )


def _grouped(facts: Sequence[JsonMap]) -> dict[str, list[JsonMap]]:
    groups = defaultdict[str, list[JsonMap]](list)
    for fact in facts:
        groups[fact["predicate"]].append(fact)
    return groups


def _group(
    name: str, group: Sequence[JsonMap], most: int, enough: int, center: str
) -> Iterator[RenderableType]:
    yield Flow([predicate(name), Text(f"{len(group):,}", style="source")], indent=2)
    table = Rows(indent=4)
    for fact in group[:most]:
        table.add_row(*_ends(fact, center))
    yield table
    if len(group) > most:
        yield Flow([_more(len(group) - most, enough)], indent=4)


def _ends(fact: JsonMap, center: str) -> tuple[Text, Text]:
    """The other end of a fact about the entity itself, both ends of any other, and its places."""
    subject, value = term(fact["subject"]), term(fact["object"])
    if fact["subject"] == center:
        return whole(Text("→ ", style="source").append_text(value)), places(fact)
    if fact["object"] == center:
        return whole(Text("← ", style="source").append_text(subject)), places(fact, beside_subject=True)
    return whole(subject.append(" → ", style="source").append_text(value)), places(fact)


def _among_themselves(facts: Sequence[JsonMap], enough: int) -> RenderableType:
    counts = [
        whole(predicate(name).append(f" {len(group):,}", style="source"))
        for name, group in sorted(_grouped(facts).items(), key=lambda item: -len(item[1]))
    ]
    return Group(
        heading("Among themselves"),
        Flow(counts, indent=2, hang=0),
        Flow([_more(len(facts), enough)], indent=2),
    )


def _every_fact(answer: JsonMap) -> RenderableType | None:
    if not answer["edges"]:
        return None
    table, last = grid(), None
    for fact in answer["edges"]:
        subject = Text() if fact["subject"] == last else term(fact["subject"])
        place = places(fact, beside_subject=True)
        table.add_row(subject, predicate(fact["predicate"]), term(fact["object"]), place)
        last = fact["subject"]
    return Group(heading("Connected by"), table)
