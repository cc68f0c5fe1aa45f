"""Pages of long answers: nothing lost, nothing twice, never silently cut."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from synapse.errors import InvalidInput
from synapse.interfaces.mcp.lines import fact_line, term
from synapse.interfaces.mcp.pages import (
    Paging,
    card_items,
    concise,
    items_of,
    neighborhood_items,
    page,
    tokens,
)
from synapse.interfaces.mcp.schemas import schema_of
from synapse.interfaces.mcp.tools import CARD, IMPACT, NEIGHBORHOOD, PROVENANCE
from synapse.usecases.answers import (
    Card,
    Fact,
    Impact,
    Neighborhood,
    Proof,
    Provenance,
    ProvenFact,
    Source,
    SparqlResult,
    Statement,
    to_json,
)

VIEWS = {Card: CARD, Neighborhood: NEIGHBORHOOD, Impact: IMPACT, Provenance: PROVENANCE}

sources = st.tuples(
    st.builds(Source, kind=st.just("file"), graph=st.just("urn:synapse:file:a.md"), line=st.integers(1, 99))
)
facts = st.builds(Fact, sources=sources)
answers = st.one_of(
    st.builds(
        Card,
        out=st.lists(facts, max_size=30).map(tuple),
        in_=st.lists(facts, max_size=30).map(tuple),
        description=st.none() | st.text(max_size=2000),
        notices=st.just(()),
    ),
    st.builds(Neighborhood, edges=st.lists(facts, max_size=30).map(tuple), notices=st.just(())),
    st.builds(Impact, notices=st.just(())),
    st.builds(Provenance, notices=st.just(())),
)


def all_pages(answer: dict[str, Any], items: Any, *, max_tokens: int) -> list[dict[str, Any]]:
    """Every page of an answer, following the cursors as a model would."""
    pages, cursor = [], None
    while not pages or cursor is not None:
        paging = Paging.of("tool", {"id": "x"}, max_tokens=max_tokens, cursor=cursor)
        pages.append(page(answer, items, paging))
        cursor = pages[-1].get("cursor")
    return pages


@given(answers, st.integers(200, 3000))
@settings(max_examples=30, deadline=None)
def test_the_pages_together_hold_every_item_once(answer: Any, max_tokens: int) -> None:
    view, whole = VIEWS[type(answer)], to_json(answer)
    shown = [
        item for each in all_pages(whole, view.items, max_tokens=max_tokens) for item in view.items(each)
    ]
    assert sorted(map(key_of, shown)) == sorted(map(key_of, view.items(whole)))


def key_of(item: tuple[str, dict[str, Any]]) -> str:
    """An item without its proof, which may be cut (with a notice) to fit a page."""
    field, value = item
    return repr((field, {name: part for name, part in value.items() if name != "proof"}))


@given(answers, st.integers(200, 3000))
@settings(max_examples=30, deadline=None)
def test_a_page_keeps_to_its_budget_unless_one_item_alone_exceeds_it(answer: Any, max_tokens: int) -> None:
    view = VIEWS[type(answer)]
    for each in all_pages(to_json(answer), view.items, max_tokens=max_tokens):
        assert tokens(each) <= max_tokens or len(list(view.items(each))) <= 1


@given(answers, st.integers(200, 3000))
@settings(max_examples=30, deadline=None)
def test_every_page_has_the_shape_that_the_tool_announces(answer: Any, max_tokens: int) -> None:
    view, validator = VIEWS[type(answer)], Draft202012Validator(schema_of(type(answer)))
    for whole in (to_json(answer), concise(to_json(answer))):
        for each in all_pages(whole, view.items, max_tokens=max_tokens):
            validator.validate(each)


@given(answers)
@settings(max_examples=30, deadline=None)
def test_the_text_holds_every_fact_of_the_structured_content(answer: Any) -> None:
    whole = to_json(answer)
    text = "\n".join(VIEWS[type(answer)].lines(whole))
    for fact in statements(whole):
        assert f"{fact['subject']} -{fact['predicate']}-> {term(fact['object'])}" in text


def statements(value: Any) -> list[dict[str, Any]]:
    """Every triple anywhere in an answer."""
    if isinstance(value, list):
        return [found for item in value for found in statements(item)]
    if not isinstance(value, dict):
        return []
    own = [value] if {"subject", "predicate", "object"} <= value.keys() else []
    return own + [found for item in value.values() for found in statements(item)]


def fact(number: int) -> Fact:
    return Fact(
        "people/bob", ":knows", f"people/p{number}", sources=(Source("file", "urn:synapse:file:bob.md"),)
    )


def test_a_cut_answer_says_what_is_shown_and_how_to_get_the_rest() -> None:
    card = Card("people/bob", "https://x/people/bob", "Bob", (), False, 40, out=tuple(map(fact, range(40))))
    shown = page(to_json(card), card_items, Paging.of("t", {}, max_tokens=500, cursor=None))
    (notice,) = shown["notices"]
    assert notice["code"] == "cut"
    assert f"shown 1 to {len(shown['out'])} of 40" in notice["message"]
    assert f'cursor="{shown["cursor"]}"' in notice["message"]


def test_an_answer_that_the_memory_cut_at_the_limit_has_a_next_page() -> None:
    paging = Paging.of("t", {}, max_tokens=200, cursor=None)
    answer = {"facts": [{"n": 1}] * paging.limit, "notices": []}
    shown = page(answer, items_of("facts"), paging)
    assert len(shown["facts"]) == paging.limit
    assert shown["cursor"].startswith(f"{paging.limit}.")


def test_the_cursor_replaces_what_the_memory_says_of_its_own_limit() -> None:
    limited = {"code": "facts-cut", "message": "shown 6 of 90 facts about it; raise the limit to see more"}
    other = {"code": "stale", "message": "2 notes look changed"}
    paging = Paging.of("t", {}, max_tokens=200, cursor=None)
    answer = {"facts": [{"n": "x" * 100}] * paging.limit, "notices": [limited, other]}
    first, second = page(answer, items_of("facts"), paging)["notices"]
    assert (first, second["code"]) == (other, "cut")
    assert "of at least 6 (90 facts about it); for the next page" in second["message"]
    whole = {**answer, "facts": []}
    assert page(whole, items_of("facts"), paging)["notices"] == [limited, other]


def test_the_cursor_of_another_question_is_refused() -> None:
    cursor = Paging.of("get_entity", {"id": "a"}, max_tokens=200, cursor=None).cursor(5)
    assert Paging.of("get_entity", {"id": "a"}, max_tokens=900, cursor=cursor).offset == 5
    with pytest.raises(InvalidInput, match="another question"):
        Paging.of("get_entity", {"id": "b"}, max_tokens=200, cursor=cursor)
    with pytest.raises(InvalidInput, match="another question"):
        Paging.of("get_entity", {"id": "a"}, max_tokens=200, cursor="' ; DROP ALL #")


def test_a_long_literal_and_a_long_description_are_cut_with_a_notice() -> None:
    long = dataclasses.replace(fact(1), object=to_literal("x" * 50_000))
    card = Card("a", "https://x/a", "A", (), False, 1, out=(long,), description="y" * 50_000)
    shown = page(to_json(card), card_items, Paging.of("t", {}, max_tokens=500, cursor=None))
    assert [notice["code"] for notice in shown["notices"]] == ["text-cut", "text-cut"]
    assert tokens(shown) < 600
    assert "50000 characters" in shown["notices"][0]["message"]


def to_literal(text: str) -> Any:
    from synapse.usecases.answers import LiteralValue

    return LiteralValue(text)


def test_a_deep_proof_is_cut_with_a_notice_instead_of_breaking_the_budget() -> None:
    proof = Proof(Statement("a", "p", "b"), "stated")
    for _ in range(200):
        proof = Proof(Statement("a", "p", "b"), "prp-trp", (proof,))
    answer = to_json(Provenance((ProvenFact("a", "p", "b", True, (), proof),)))
    shown = page(answer, items_of("facts"), Paging.of("t", {}, max_tokens=400, cursor=None))
    assert [notice["code"] for notice in shown["notices"]] == ["proof-cut"]
    assert tokens(shown) <= 400


def test_a_neighbourhood_shows_an_edge_only_after_both_of_its_ends() -> None:
    nodes = [{"id": str(n), "distance": n} for n in range(4)]
    edges = [{"subject": str(n), "predicate": "p", "object": str(n + 1)} for n in range(3)]
    seen: set[str] = set()
    for field, item in neighborhood_items({"nodes": nodes, "edges": edges}):
        if field == "nodes":
            seen.add(item["id"])
        else:
            assert {item["subject"], item["object"]} <= seen


def test_concise_keeps_one_short_source_a_fact() -> None:
    source = Source("file", "urn:synapse:file:a.md", "a.md", 3, learned_at="2026-01-01", activity="urn:x")
    whole = to_json(Fact("a", "p", "b", sources=(source, source)))
    assert concise(whole)["sources"] == [
        {"kind": "file", "graph": "urn:synapse:file:a.md", "path": "a.md", "line": 3}
    ]
    asserted = Source("assertion", "urn:synapse:assertion:1", agent="ana", reason="r", activity="1")
    short = concise(to_json(Fact("a", "p", "b", sources=(asserted,))))
    assert fact_line(short).endswith("[urn:synapse:assertion:1, agent ana]")


@given(st.from_type(SparqlResult))
@settings(max_examples=20, deadline=None)
def test_a_query_result_has_the_shape_that_its_tool_announces(answer: SparqlResult) -> None:
    Draft202012Validator(schema_of(SparqlResult)).validate(to_json(answer))
