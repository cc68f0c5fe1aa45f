"""What the operations that write take: every argument is read whole or refused by name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.errors import InvalidInput
from synapse.interfaces import arguments as takes
from synapse.usecases.written import FactInput

FACT = {"subject": "a", "predicate": "p", "object": "b"}


def test_facts_arrive_as_they_were_given() -> None:
    given_ = [FACT, {**FACT, "lang": "es", "object_is": "literal", "datatype": None}]
    assert takes.facts("facts", given_) == (
        FactInput("a", "p", "b"),
        FactInput("a", "p", "b", lang="es", object_is="literal"),
    )


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("x", "facts must be a list of facts, not 'x'"),
        ({}, "facts must be a list of facts"),
        ([FACT, "x"], 'fact 2 must be as {"subject": …, "predicate": …, "object": …}'),
        ([{"subject": "a", "predicate": "p"}], "fact 1 needs object"),
        ([{**FACT, "objct": "b"}], "fact 1 does not take 'objct'"),
        ([{**FACT, "object": 5}], "fact 1: object must be a text, not '5'"),
        ([{**FACT, "object_is": "thing"}], "fact 1: object_is must be id, literal or iri, not 'thing'"),
        ([{**FACT, "object_is": ["id"]}], "fact 1: object_is must be"),
        ([{**FACT, "subject": "\ud800"}], "fact 1: subject holds half of a character pair"),
    ],
)
def test_a_wrong_fact_is_named_by_its_place(value: Any, problem: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        takes.facts("facts", value)
    assert refusal.value.message.startswith(problem)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-03-01", "2026-03-01"),
        (" 2026-03-01 ", "2026-03-01"),
        ("2026-03-01T09:30", "2026-03-01T09:30"),
        ("2026-03-01 09:30:05", "2026-03-01T09:30:05"),
        ("2026-03-01T09:30:05.123456Z", "2026-03-01T09:30:05.123456"),
        ("2026-03-01T09:30:05+00:00", "2026-03-01T09:30:05"),
    ],
)
def test_a_moment_is_read_as_the_history_writes_it(text: str, read: str) -> None:
    assert takes.moment("since", text) == read


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026", "2026-02-30", "2026-03-01T25:00", "2026-03-01T09:30+02:00", "20260301"]
)
def test_what_is_no_moment_in_utc_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InvalidInput, match="since must be a day, 2026-03-01, or a moment in UTC"):
        takes.moment("since", text)


@given(st.datetimes())
def test_the_beginnings_of_a_time_of_the_history_are_moments_not_after_it(time: Any) -> None:
    at = time.isoformat(timespec="microseconds").rjust(26, "0")
    for length in (10, 16, 19, 26):
        assert takes.moment("since", at[:length]) <= at
        assert takes.moment("since", f"{at[:length]}Z" if length > 10 else at[:10]) == at[:length]


@given(st.text(max_size=300))
def test_a_name_of_an_agent_is_one_short_line_or_refused(text: str) -> None:
    try:
        name = takes.agent("agent", text)
    except InvalidInput:
        return
    assert 0 < len(name) <= takes.MAX_AGENT
    assert len(name.splitlines()) == 1
    assert takes.agent("agent", name) == name


@pytest.mark.parametrize("value", ["", " ", "\x00", "n" * 201, 7])
def test_what_names_no_agent_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="agent must be a "):
        takes.agent("agent", value)


@pytest.mark.parametrize("value", [-0.1, 1.01, float("nan"), True, "1"])
def test_a_confidence_is_a_number_from_0_to_1(value: Any) -> None:
    with pytest.raises(InvalidInput, match="confidence must be a number from 0 to 1"):
        takes.fraction("confidence", value)
