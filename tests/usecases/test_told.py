"""Answers say in words what a person would ask next: what was observed, what is doubted, what is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse.errors import InvalidIdentifier, InvalidInput
from synapse.memory import Memory
from synapse.usecases.answers import Card, Neighborhood, Unresolved
from synapse.usecases.written import FactInput, WriteAnswer


def say(memory: Memory, *facts: tuple[str, ...], **given: object) -> WriteAnswer:
    inputs = [FactInput(*fact) for fact in facts]
    return memory.assert_facts(inputs, source="stand-up", reason="Bob said so", **given)  # type: ignore[arg-type]


@pytest.fixture
def company(memory: Memory, notes: Path) -> Memory:
    (notes / "ledger.md").write_text(f"# Ledger\n- [risk] The disk fills up.\n- [idea] {'x' * 400}\n")
    (notes / "sprint.md").write_text("# Sprint review 2024\n")
    (notes / "ana.md").write_text("---\ntype: Person\n---\n# Ana Ruiz\n")
    memory.sync()
    return memory


def test_a_card_and_a_neighbourhood_say_what_was_observed(company: Memory) -> None:
    card = company.card("ledger")
    assert isinstance(card, Card)
    said = [fact.object_text for fact in card.out if fact.predicate == "syn:observation"]
    assert "[risk] The disk fills up." in said
    assert max(len(text) for text in said if text) < 300
    assert [text for text in said if text and text.endswith("…")]
    around = company.neighborhood("ledger")
    assert isinstance(around, Neighborhood)
    assert "[risk] The disk fills up." in {node.label for node in around.nodes}


@pytest.mark.parametrize(
    ("mention", "doubt"),
    [("Sprint review 2025", "another number, version or year"), ("Ana Ruis", "one word differs")],
)
def test_a_question_says_what_the_doubt_is(company: Memory, mention: str, doubt: str) -> None:
    answer = say(company, ("ledger", "depends_on", mention))
    assert [candidate.reason for candidate in answer.ambiguous[0].did_you_mean] == [doubt]


def test_taking_back_what_is_not_known_is_answered_with_what_is(company: Memory) -> None:
    say(company, ("ledger", "runs_on", "cluster"), ("ledger", "runs_on", "mainframe"))
    for object in ("the moon", "sprint"):
        fact = FactInput("ledger", "runs_on", object)
        answer = company.retract_facts(facts=[fact], reason="wrong")
        assert answer.status == "refused"
        assert answer.notices[0].message.endswith("known of ledger syn:runs_on: cluster, mainframe")
    unknown = company.retract_facts(facts=[FactInput("no such", "runs_on", "cluster")], reason="wrong")
    assert unknown.status == "refused"


def test_an_undone_write_tells_which_facts_came_back_and_which_went(company: Memory) -> None:
    wrote = say(company, ("ledger", "runs_on", "cluster"))
    assert wrote.id is not None
    gone = company.undo(wrote.id, reason="a slip")
    back = company.undo(gone.id or "", reason="no slip")
    for answer, sign in ((gone, "-"), (back, "+")):
        (change,) = answer.changes
        assert (change.sign, change.subject, change.predicate, change.object) == (
            sign, "ledger", "syn:runs_on", "cluster",
        )  # fmt: skip


def test_before_anything_was_known_the_answer_says_since_when_it_is(company: Memory) -> None:
    for ask in (company.card, company.provenance):
        found = ask("ledger", as_of="2001-01-01")  # type: ignore[operator]
        assert isinstance(found, Unresolved)
        assert (found.then or "").startswith("it is known since 20")
    never = company.card("no such thing", as_of="2001-01-01")
    assert isinstance(never, Unresolved) and never.then is None


def test_a_contradiction_shows_the_facts_that_collide_before_the_axiom_and_no_list_cells(
    company: Memory,
) -> None:
    answer = say(company, ("ana", "type", "Service"))
    (found,) = answer.contradictions
    assert [fact.subject for fact in found.premises] == [
        "ana",
        "ana",
        "syn:disjoint_kinds",
        "syn:disjoint_kinds",
    ]


def test_what_has_a_note_is_not_asked_to_be_described(company: Memory) -> None:
    for object in ("a", "b", "c", "d"):
        answer = say(company, ("ledger", "uses", object), ("mainframe", "uses", object))
    assert len(answer.enrich_hint) == 1
    assert answer.enrich_hint[0].startswith("mainframe has")


def test_a_property_mistyped_before_is_proposed_to_nobody(company: Memory) -> None:
    say(company, ("ledger", "depends_onn", "cluster"))
    with pytest.raises(InvalidIdentifier) as raised:
        company.impact("ledger", predicates=["dependz_on"])
    assert raised.value.hint == "did you mean depends_on?"


def test_a_date_as_text_beside_dates_is_told(company: Memory, notes: Path) -> None:
    (notes / "sprint.md").write_text("---\nfecha: 2026-03-01\n---\n")
    company.sync()
    answer = say(company, ("ledger", "fecha", "2026-03-02"))
    assert [notice.code for notice in answer.notices] == ["kept-as-text"]
    assert "xsd:date" in answer.notices[0].message


def test_a_fact_that_somebody_stated_before_is_written_and_told(company: Memory) -> None:
    assert say(company, ("ledger", "uses", "cluster"), ("sprint", "title", "Sprint review 2024")).notices[
        0
    ].message == ('stated before: sprint rdfs:label "Sprint review 2024" (sprint.md:1)')
    again = say(company, ("ledger", "uses", "cluster"))
    assert again.status == "ok"
    assert [notice.code for notice in again.notices] == ["known-already"]


def test_an_object_that_is_empty_is_a_mistake_unless_it_is_said_to_be_text(company: Memory) -> None:
    for predicate in ("owner", "depends_on", "title"):
        with pytest.raises(InvalidInput, match="the object is empty"):
            say(company, ("ledger", predicate, " "))
    assert say(company, ("ledger", "owner", "", None, None, "literal")).status == "ok"
