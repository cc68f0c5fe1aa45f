"""Answers that fit a token budget: whole items until it is spent, a notice, and a cursor.

A model sees either the structured content or the text; the budget counts the former, which
is the larger. Nothing is dropped silently: each cut leaves a notice saying how to get the rest.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from synapse.errors import InvalidInput
from synapse.usecases.answers import Json

Answer = dict[str, Any]
Item = tuple[str, Answer]
"""A field of an answer that holds a list, and one element of it."""

BYTES_PER_TOKEN: Final = 3
"""Cautious for JSON with ids and IRIs, where tokenizers average 3 to 4 bytes."""

SMALLEST_ITEM: Final = 30
"""Tokens of the shortest fact; no more items are asked of the memory than a page may hold."""

BY_LIMIT: Final = ("facts-cut", "nodes-cut", "affected-cut", "entries-cut")
"""Notices of the memory about the limit asked of it; a cursor says the same, and what to do."""

CONCISE_SOURCE: Final = ("kind", "graph", "path", "line", "text", "text_missing", "agent")
_COUNTED = re.compile(r"shown \d+ of (.+?);")
_CURSOR = re.compile(r"(\d{1,9})\.([0-9a-f]{8})")


def tokens(value: Any) -> int:
    """How many tokens the compact JSON of a value takes, rounded up."""
    return -(-len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) // BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Paging:
    """One call's place in a long answer: the question, how much fits, and where to begin."""

    question: str
    max_tokens: int
    offset: int = 0

    @staticmethod
    def of(tool: str, arguments: Mapping[str, Json], *, max_tokens: int, cursor: str | None) -> Paging:
        """The place that `cursor` names; raises `InvalidInput` for the cursor of another question."""
        asked = json.dumps([tool, dict(arguments)], sort_keys=True, ensure_ascii=False)
        question = hashlib.sha256(asked.encode(errors="replace")).hexdigest()[:8]
        if cursor is None:
            return Paging(question, max_tokens)
        match = _CURSOR.fullmatch(cursor)
        if match is None or match.group(2) != question:
            raise InvalidInput(
                "the cursor belongs to another question",
                hint="repeat the call with the same arguments and its own cursor, or without one",
            )
        return Paging(question, max_tokens, int(match.group(1)))

    @property
    def limit(self) -> int:
        """How many items the memory should answer for this page."""
        return self.offset + self.max_tokens // SMALLEST_ITEM

    def cursor(self, offset: int) -> str:
        """The cursor of the page that begins at `offset`."""
        return f"{offset}.{self.question}"


def card_items(card: Answer) -> Iterator[Item]:
    """Facts out, then facts in."""
    yield from (("out", fact) for fact in card["out"])
    yield from (("in", fact) for fact in card["in"])


def neighborhood_items(answer: Answer) -> Iterator[Item]:
    """Nodes, nearest first, each followed by the edges that connect it to those before it."""
    # Sorted, because each page asks anew and the store promises no order.
    waiting, shown = sorted(answer["edges"], key=_statement), set[str]()
    for node in sorted(answer["nodes"], key=lambda node: node["distance"]):
        shown.add(node["id"])
        yield "nodes", node
        ready = [edge for edge in waiting if _ends(edge) <= shown]
        waiting = [edge for edge in waiting if edge not in ready]
        yield from (("edges", edge) for edge in ready)
    yield from (("edges", edge) for edge in waiting)


def _statement(edge: Answer) -> str:
    return json.dumps([edge["subject"], edge["predicate"], edge["object"]])


def _ends(edge: Answer) -> set[str]:
    return {end for end in (edge["subject"], edge["object"]) if isinstance(end, str)}


def items_of(field: str) -> Callable[[Answer], Iterator[Item]]:
    """The items of an answer with a single list."""
    return lambda answer: ((field, item) for item in answer[field])


def page(answer: Answer, items: Callable[[Answer], Iterable[Item]], paging: Paging) -> Answer:
    """The part of an answer that fits, in its own shape, with a notice and a cursor if it was cut."""
    listed = list(items(answer))
    fields = {field for field, _ in listed}
    shown: Answer = {name: ([] if name in fields else value) for name, value in answer.items()}
    shown["notices"] = list(answer["notices"])
    _bound_description(shown, paging.max_tokens)
    # An ending that names the last item is at least as long as one that names any before it.
    ended = _ended(shown, paging, len(listed), len(listed))
    left = paging.max_tokens - max(tokens(shown), tokens(ended))
    end = paging.offset
    for field, item in listed[paging.offset :]:
        fitting, cuts = fit(item, paging.max_tokens)
        cost = tokens([fitting, *cuts])
        if cost > left and end > paging.offset:
            break
        shown[field].append(fitting)
        shown["notices"] += cuts
        left, end = left - cost, end + 1
    if end < len(listed) or len(listed) >= paging.limit:
        return _ended(shown, paging, end, len(listed))
    return shown


def _ended(shown: Answer, paging: Paging, end: int, listed: int) -> Answer:
    """The page with the notice and the cursor by which the next one is asked for."""
    limits = [notice for notice in shown["notices"] if notice["code"] in BY_LIMIT]
    others = [notice for notice in shown["notices"] if notice["code"] not in BY_LIMIT]
    notices = [*others, _cut_notice(paging, end, listed, limits)]
    return {**shown, "notices": notices, "cursor": paging.cursor(end)}


def _cut_notice(paging: Paging, end: int, listed: int, limits: list[Answer]) -> Answer:
    counted = [found.group(1) for notice in limits if (found := _COUNTED.match(notice["message"]))]
    total = f"at least {listed} ({', '.join(counted)})" if counted else str(listed)
    first = paging.offset + 1
    message = (
        f"shown {first} to {end} of {total}; for the next page repeat the call with "
        f'cursor="{paging.cursor(end)}", or raise max_tokens, or narrow the question'
    )
    return {"code": "cut", "message": message}


def _bound_description(shown: Answer, max_tokens: int) -> None:
    text = shown.get("description")
    if isinstance(text, str) and len(text) > max_tokens:
        shown["description"] = text[: max_tokens - 1] + "…"
        shown["notices"].append(_text_cut("the description", len(text)))


def fit(item: Answer, max_tokens: int) -> tuple[Answer, list[Answer]]:
    """An item that fits a page of its own: long literals and deep proofs are cut, each with a notice."""
    notices: list[Answer] = []
    value = item.get("object")
    if isinstance(value, dict) and len(value["value"]) > max_tokens:
        notices.append(_text_cut("a literal", len(value["value"])))
        item = {**item, "object": {**value, "value": value["value"][: max_tokens - 1] + "…"}}
    depth = 8
    while "proof" in item and tokens(item) > max_tokens and depth > 0:
        item = {**item, "proof": _pruned(item["proof"], depth)}
        depth -= 1
    if depth < 8:
        message = "a proof is cut: ask get_provenance for the premise where it stops, or raise max_tokens"
        notices.append({"code": "proof-cut", "message": message})
    return item, notices


def _pruned(proof: Answer, depth: int) -> Answer:
    premises = [_pruned(premise, depth - 1) for premise in proof["premises"]] if depth else []
    return {**proof, "premises": premises}


def _text_cut(what: str, length: int) -> Answer:
    return {
        "code": "text-cut",
        "message": f"{what} of {length} characters is cut: raise max_tokens to read it",
    }


def concise(answer: Any) -> Any:
    """The answer with one short source a fact and without its query."""
    if isinstance(answer, list):
        return [concise(item) for item in answer]
    if not isinstance(answer, dict):
        return answer
    short = {name: concise(value) for name, value in answer.items() if name != "query"}
    if "sources" in short:
        short["sources"] = [
            {key: source[key] for key in CONCISE_SOURCE if key in source} for source in short["sources"][:1]
        ]
    return short
