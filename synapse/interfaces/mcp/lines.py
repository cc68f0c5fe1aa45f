"""Answers as compact lines: the same facts as their JSON, in far fewer tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Answer = dict[str, Any]


def card_lines(card: Answer) -> Iterator[str]:
    """An entity on one page: what it is, then its facts out and in."""
    types = f" ({', '.join(card['types'])})" if card["types"] else ""
    yield f"{card['id']}: {card['label']}{types}"
    yield f"iri: {card['iri']}"
    if "description" in card:
        yield card["description"]
    marks = [f"{key}: {card[key]}" for key in ("status", "trust") if key in card]
    marks += [f"tags: {', '.join(card['tags'])}"] if card["tags"] else []
    marks += [f"stale: {'yes' if card['stale'] else 'no'}"] if "stale" in card else []
    marks += ["stub: nothing describes it yet"] if card["stub"] else []
    yield " · ".join([*marks, f"degree: {card['degree']}"])
    yield from _section("facts", [fact_line(fact) for fact in card["out"]])
    yield from _section("facts about it", [fact_line(fact) for fact in card["in"]])


def neighborhood_lines(answer: Answer) -> Iterator[str]:
    """The entities around one, nearest first, then the facts between them."""
    yield f"around {answer['id']}"
    nodes = [
        f"{node['distance']} {node['id']}: {node['label']}"
        + (f" ({', '.join(node['types'])})" if node["types"] else "")
        for node in answer["nodes"]
    ]
    yield from _section("entities (distance first)", nodes)
    yield from _section("facts", [fact_line(fact) for fact in answer["edges"]])


def impact_lines(answer: Answer) -> Iterator[str]:
    """Everything that depends on an entity, each with the chain of facts that shows why."""
    if not answer["affected"]:
        yield f"nothing shown depends on {answer['id']}"
    else:
        yield f"depends on {answer['id']} (steps first):"
    for affected in answer["affected"]:
        yield f"{affected['depth']} {affected['id']}: {affected['label']}"
        yield from (f"    {fact_line(fact)}" for fact in affected["path"])


def provenance_lines(answer: Answer) -> Iterator[str]:
    """Each fact with where it comes from, and the proof of what was inferred."""
    if not answer["facts"]:
        yield "no such fact is known"
    for fact in answer["facts"]:
        yield fact_line(fact)
        if "proof" in fact:
            yield from proof_lines(fact["proof"], indent=1)


def table_lines(answer: Answer) -> Iterator[str]:
    """The results of a query as they were serialised, and what was counted."""
    yield answer["text"].rstrip("\n")
    cut = ", cut" if answer["truncated"] else ""
    yield f"({answer['format']}, rows: {answer['rows']}{cut}, seconds: {answer['seconds']})"


def ending_lines(answer: Answer) -> Iterator[str]:
    """What every answer may end with: the query it came from, notices, the next page."""
    if "query" in answer:
        yield f"query:\n{answer['query']}"
    yield from (f"notice {notice['code']}: {notice['message']}" for notice in answer["notices"])
    if "cursor" in answer:
        yield f"cursor: {answer['cursor']}"


def fact_line(fact: Answer) -> str:
    """One fact on one line: `subject -predicate-> object (inferred) [sources]`."""
    inferred = " (inferred)" if fact["inferred"] else ""
    # "(inferred)" says what the source of an inferred fact says.
    stated = [source for source in fact["sources"] if source["kind"] != "inferred"]
    sources = "; ".join(map(source_text, stated))
    said = f" {json.dumps(fact['object_text'], ensure_ascii=False)}" if "object_text" in fact else ""
    return f"{statement(fact)}{said}{inferred}" + (f" [{sources}]" if sources else "")


def statement(triple: Answer) -> str:
    """A triple as text; ids hold blanks, so the arrow shows where each ends."""
    return f"{triple['subject']} -{triple['predicate']}-> {term(triple['object'])}"


def proof_lines(proof: Answer, *, indent: int) -> Iterator[str]:
    """A proof as an indented tree: the conclusion, by which rule, from which premises."""
    sources = "; ".join(source_text(source) for source in proof["sources"])
    conclusion = statement(proof["conclusion"])
    yield f"{'  ' * indent}{conclusion} by {proof['rule']}" + (f" [{sources}]" if sources else "")
    for premise in proof["premises"]:
        yield from proof_lines(premise, indent=indent + 1)


def source_text(source: Answer) -> str:
    """A source as a person cites it: the place of a note, else its graph, then who and why."""
    place = str(source.get("path", source["graph"])) + (f":{source['line']}" if "line" in source else "")
    said = [json.dumps(source["text"], ensure_ascii=False)] if "text" in source else []
    said += [f"no line: {source['text_missing']}"] if "text_missing" in source else []
    parts = [f"{key} {source[key]}" for key in _SOURCE_DETAILS if key in source]
    return ", ".join([place, *said, *parts])


_SOURCE_DETAILS = ("agent", "source", "reason", "confidence", "learned_at", "activity")


def term(value: Any) -> str:
    """An id as it is; a literal quoted, with its language or datatype."""
    if not isinstance(value, dict):
        return str(value)
    quoted = json.dumps(value["value"], ensure_ascii=False)
    if "lang" in value:
        return f"{quoted}@{value['lang']}"
    return f"{quoted}^^{value['datatype']}" if "datatype" in value else quoted


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from lines
