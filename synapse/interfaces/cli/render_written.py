"""What a write did, and the history, as a person reads them: done, connected, followed, asked, warned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from synapse.interfaces.cli.layout import Flow, whole
from synapse.interfaces.cli.render_terms import (
    JsonMap,
    clean,
    count,
    labels,
    notices,
    place,
    stacked,
    term,
    triple,
)
from synapse.interfaces.questions import QUESTIONS

_MINUS = "\N{MINUS SIGN}"

Pieces = Sequence[Text]
"""A line, as far as it must not be broken elsewhere."""


def asserted(answer: JsonMap) -> RenderableType:
    """What was written and what it did to the graph, or why nothing was."""
    return _written(answer, done="written")


def retracted(answer: JsonMap) -> RenderableType:
    """What was taken back and what no longer follows, or what to edit instead."""
    return _written(answer, done="retracted")


def undone(answer: JsonMap) -> RenderableType:
    """The facts that are as they were before."""
    return _written(answer, done="undone")


def _written(answer: JsonMap, *, done: str) -> RenderableType:
    return stacked(
        _done(answer, done),
        _block("Connected", _connected(answer)),
        _block("New", ([term(id)] for id in answer.get("new", ()) if id not in answer["stubs"])),
        _block("New, not described yet", ([term(id)] for id in answer["stubs"])),
        _block("What follows", _inferred(answer)),
        _block(f"Questions: nothing was {done} for these", _questions(answer)),
        *_warnings(answer),
        *notices(answer),
    )


def _done(answer: JsonMap, done: str) -> RenderableType:
    if answer["status"] == "refused":
        return Text(f"nothing was {done}", style="error")
    title = [Text(f"{count(len(answer['facts']), 'fact')} {done}", style="heading")]
    title.append(whole(Text(clean(answer["id"]), style="source")))
    if answer.get("changes"):
        return Group(Flow(title), *_changed(answer["changes"]))
    return Group(Flow(title), *map(_indented, map(triple, answer["facts"])))


def _changed(changes: Iterable[JsonMap]) -> Iterator[RenderableType]:
    """The net change of an undone write, as the log shows changes."""
    for change in changes:
        yield _indented(_signed(_MINUS if change["sign"] == "-" else "+", change))


def _connected(answer: JsonMap) -> Iterator[Pieces]:
    """The names that were taken for something; an id that is itself needs no mention."""
    for one in answer["connected"]:
        if one["mention"] != one["id"]:
            how = f"by {one['by']}" + (f", {one['score']:.0%}" if one["by"] == "similar" else "")
            line = whole(Text(clean(one["mention"]))).append(" is ").append_text(term(one["id"]))
            yield [line, Text(how, style="source")]


def _inferred(answer: JsonMap) -> Iterator[Pieces]:
    signed = [("+", one) for one in answer["inferred_added"]]
    signed += [(_MINUS, one) for one in answer["inferred_removed"]]
    for sign, statement in signed:
        yield _signed(sign, statement)


def _signed(sign: str, statement: JsonMap) -> list[Text]:
    first, *others = triple(statement)
    mark = whole(Text(f"{sign} ", style="good" if sign == "+" else "error"))
    return [mark.append_text(first), *others]


def _questions(answer: JsonMap) -> Iterator[Pieces]:
    for asked in answer["ambiguous"]:
        ask = "; which one?" if asked["did_you_mean"] else ""
        question = Text(f"{QUESTIONS[asked['reason']]}{ask}", style="warning")
        yield [whole(Text(clean(asked["mention"]))), question]
        for one in asked["did_you_mean"]:
            first, *others = _candidate(one)
            yield [whole(Text("  ")).append_text(first), *others]


def _candidate(one: JsonMap) -> list[Text]:
    line = [term(one["id"])]
    if one["label"] != one["id"]:
        line.append(Text(clean(one["label"])))
    if one.get("types"):
        line.append(labels(one["types"]))
    score = one.get("score")
    line += [] if score is None else [Text(f"{score:.0%}", style="source")]
    reason = one.get("reason")
    return [*line, Text(clean(reason), style="source")] if reason else line


def _warnings(answer: JsonMap) -> Iterator[RenderableType | None]:
    yield _block("Contradictions", _contradictions(answer), style="error")
    yield _block("May be a duplicate of", map(_double, answer["possible_duplicate_of"]), style="warning")
    orphan = answer.get("orphan_warning")
    yield Flow([Text(f"warning: {clean(orphan)}", style="warning")]) if orphan else None
    yield _block("Relations that would connect it", _relations(answer["suggested_relations"]))
    yield _block("Relations added from tags", _relations(answer["relations_from_tags"]))
    yield _block("Still true?", _relations(answer["review_relations"]))
    yield _block("Worth describing", ([Text(clean(hint))] for hint in answer["enrich_hint"]))


def _contradictions(answer: JsonMap) -> Iterator[Pieces]:
    for found in answer["contradictions"]:
        yield [Text(f"these cannot all hold ({clean(found['rule'])})", style="error")]
        for fact in found["premises"]:
            sources = whole(Text(", ")).join([place(source) for source in fact["sources"][:2]])
            first, *others = triple(fact)
            yield [whole(Text("  ")).append_text(first), *others, sources]


def _double(one: JsonMap) -> Pieces:
    shown = {"id": one["id"], "label": one["name"], "types": [one["type"]] if one["type"] else []}
    return _candidate({**shown, "score": one["score"], "reason": one["reason"]})


def _relations(relations: Iterable[JsonMap]) -> Iterator[Pieces]:
    for one in relations:
        yield [*triple(one), Text(clean(one["reason"]), style="source")]


def _block(title: str, lines: Iterable[Pieces], *, style: str = "heading") -> RenderableType | None:
    listed = [_indented(line) for line in lines]
    return Group(Text(title, style=style), *listed) if listed else None


def _indented(pieces: Pieces) -> Flow:
    return Flow(pieces, indent=2)


def log(answer: JsonMap) -> RenderableType:
    """The activities, the newest first, each with its facts."""
    entries = answer["entries"]
    if not entries:
        return stacked(Text("nothing changed that fits", style="warning"), *notices(answer))
    return stacked(*map(_activity, entries), *notices(answer))


def _activity(entry: JsonMap) -> RenderableType:
    # Seconds are enough for a reader and stay valid for --as-of; --json has the microseconds.
    line = [
        whole(Text(f"{entry['at'][:19]}Z", style="source")),
        Text(clean(entry["agent"]), style="heading"),
        Text(clean(entry["kind"]), style="predicate"),
        whole(Text(f"+{entry['added']:,} {_MINUS}{entry['removed']:,}", style="default")),
        whole(Text(clean(entry["activity"]), style="source")),
    ]
    reason = [_indented([Text(clean(entry["reason"]))])] if entry.get("reason") else []
    return Group(Flow(line), *reason, *_changes(entry))


def _changes(entry: JsonMap) -> Iterator[RenderableType]:
    for change in entry["changes"]:
        line = _signed(_MINUS if change["sign"] == "-" else "+", change)
        # That an assertion states its facts needs no saying.
        if change["graph"] != f"assertion {entry['activity']}":
            line.append(whole(Text(clean(change["graph"]), style="source")))
        yield _indented(line)
    more = entry["added"] + entry["removed"] - len(entry["changes"])
    if more:
        yield _indented([Text(f"and {more:,} more", style="source")])
