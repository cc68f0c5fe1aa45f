"""What a write did, and the history, as a person reads them: done, connected, followed, asked, warned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

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

_MINUS = "\N{MINUS SIGN}"


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
        _block("New, not described yet", (term(id) for id in answer["stubs"])),
        _block("What follows", _inferred(answer)),
        _block("Questions: nothing was written for these", _questions(answer)),
        *_warnings(answer),
        *notices(answer),
    )


def _done(answer: JsonMap, done: str) -> RenderableType:
    if answer["status"] == "refused":
        return Text(f"nothing was {done}", style="error")
    title = Text(f"{count(len(answer['facts']), 'fact')} {done}", style="heading")
    title.append(f"  {clean(answer['id'])}", style="source")
    return Group(title, *map(_indented, map(triple, answer["facts"])))


def _connected(answer: JsonMap) -> Iterator[RenderableType]:
    """The names that were taken for something; an id that is itself needs no mention."""
    for one in answer["connected"]:
        if one["mention"] != one["id"]:
            how = f"  by {one['by']}" + (f", {one['score']:.0%}" if one["by"] == "similar" else "")
            line = Text(clean(one["mention"])).append(" is ").append_text(term(one["id"]))
            yield line.append(how, style="source")


def _inferred(answer: JsonMap) -> Iterator[RenderableType]:
    signed = [("+", one) for one in answer["inferred_added"]]
    signed += [(_MINUS, one) for one in answer["inferred_removed"]]
    for sign, statement in signed:
        yield _signed(sign, statement)


def _signed(sign: str, statement: JsonMap) -> Text:
    return Text(f"{sign} ", style="good" if sign == "+" else "error").append_text(triple(statement))


def _questions(answer: JsonMap) -> Iterator[RenderableType]:
    for asked in answer["ambiguous"]:
        yield Text(clean(asked["mention"])).append(f"  {clean(asked['reason'])}; which one?", style="warning")
        for one in asked["did_you_mean"]:
            yield _indented(_candidate(one))


def _candidate(one: JsonMap) -> Text:
    line = term(one["id"])
    if one["label"] != one["id"]:
        line.append(f"  {clean(one['label'])}")
    if one.get("types"):
        line.append("  ").append_text(labels(one["types"]))
    score = one.get("score")
    return line if score is None else line.append(f"  {score:.0%}", style="source")


def _warnings(answer: JsonMap) -> Iterator[RenderableType | None]:
    yield _block("Contradictions", _contradictions(answer), style="error")
    yield _block("May be a duplicate of", map(_double, answer["possible_duplicate_of"]), style="warning")
    orphan = answer.get("orphan_warning")
    yield Text(f"warning: {clean(orphan)}", style="warning") if orphan else None
    yield _block("Relations that would connect it", _relations(answer["suggested_relations"]))
    yield _block("Relations added from tags", _relations(answer["relations_from_tags"]))
    yield _block("Still true?", _relations(answer["review_relations"]))
    yield _block("Worth describing", (Text(clean(hint)) for hint in answer["enrich_hint"]))


def _contradictions(answer: JsonMap) -> Iterator[RenderableType]:
    for found in answer["contradictions"]:
        yield Text(clean(found["rule"]), style="error")
        for fact in found["premises"]:
            sources = Text(", ").join([place(source) for source in fact["sources"][:2]])
            yield _indented(triple(fact).append("  ").append_text(sources))


def _double(one: JsonMap) -> Text:
    shown = {"id": one["id"], "label": one["name"], "types": [one["type"]] if one["type"] else []}
    return _candidate({**shown, "score": one["score"]}).append(f"  {clean(one['reason'])}", style="source")


def _relations(relations: Iterable[JsonMap]) -> Iterator[RenderableType]:
    for one in relations:
        yield triple(one).append(f"  {clean(one['reason'])}", style="source")


def _block(title: str, lines: Iterable[RenderableType], *, style: str = "heading") -> RenderableType | None:
    listed = [_indented(line) for line in lines]
    return Group(Text(title, style=style), *listed) if listed else None


def _indented(line: RenderableType) -> Padding:
    return Padding(line, (0, 0, 0, 2))


def log(answer: JsonMap) -> RenderableType:
    """The activities, the newest first, each with its facts."""
    entries = answer["entries"]
    if not entries:
        return stacked(Text("nothing changed that fits", style="warning"), *notices(answer))
    return stacked(*map(_activity, entries), *notices(answer))


def _activity(entry: JsonMap) -> RenderableType:
    # Seconds are enough for a reader and stay valid for --as-of; --json has the microseconds.
    line = Text(f"{entry['at'][:19]}Z", style="source").append("  ")
    line.append(clean(entry["agent"]), style="heading").append(f"  {clean(entry['kind'])}", style="predicate")
    line.append(f"  +{entry['added']:,} {_MINUS}{entry['removed']:,}", style="default")
    line.append(f"  {clean(entry['activity'])}", style="source")
    reason = [_indented(Text(clean(entry["reason"])))] if entry.get("reason") else []
    return Group(line, *reason, *_changes(entry))


def _changes(entry: JsonMap) -> Iterator[RenderableType]:
    for change in entry["changes"]:
        line = _signed(_MINUS if change["sign"] == "-" else "+", change)
        # That an assertion states its facts needs no saying.
        own = change["graph"] == f"assertion {entry['activity']}"
        yield _indented(line if own else line.append(f"  {clean(change['graph'])}", style="source"))
    more = entry["added"] + entry["removed"] - len(entry["changes"])
    if more:
        yield _indented(Text(f"and {more:,} more", style="source"))
