from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.notes.note import Link, Property, Scalar
from synapse.notes.parser import parse_note

KEYS = st.from_regex(r"[a-zñ](?:[a-zñ0-9_-]{0,10}[a-zñ0-9])?", fullmatch=True)
VALUES = st.from_regex(r"[a-zé][a-zé0-9 .,]{0,20}[a-z]", fullmatch=True).filter(
    lambda text: text not in ("null", "true", "false")
)


def properties(text: str) -> tuple[Property, ...]:
    return parse_note("a.md", text.encode()).properties


@given(KEYS, VALUES, st.sampled_from(["{}", "- {}", "1. {}", "> {}", "- [ ] {}", "text\n{}", "  {}"]))
def test_a_field_on_its_own_line_is_read(key: str, value: str, frame: str) -> None:
    (item,) = properties(frame.format(f"{key}:: {value}"))
    assert (item.key, item.value, item.origin) == (key, Scalar(value), "inline")
    assert item.line == frame.count("\n") + 1


@given(KEYS, VALUES, st.sampled_from(["x [{}] y", "x ({}) y", "- [{}]", "# T ({})"]))
def test_a_field_in_brackets_is_read(key: str, value: str, frame: str) -> None:
    assert [(item.key, item.value) for item in properties(frame.format(f"{key}:: {value}"))] == [
        (key, Scalar(value))
    ]


@given(KEYS, VALUES)
def test_without_a_blank_there_is_no_field(key: str, value: str) -> None:
    assert properties(f"{key}::{value} [{key}::{value}]") == ()


@pytest.mark.parametrize(
    "text", ["`k:: v`", "```\nk:: v\n```", "    k:: v", "<!-- k:: v -->", "| k:: v |\n|--|\n"]
)
def test_a_field_in_code_or_a_table_row_is_text(text: str) -> None:
    assert properties(text) == ()


def test_a_link_of_a_field_is_no_mention() -> None:
    note = parse_note("a.md", b"owner:: [[bob]]\n\nsee [[eve]]")
    assert note.properties == (Property("owner", Link("bob", 1), 1, "inline"),)
    assert note.links == (Link("eve", 3),)


def test_fields_keep_their_order_and_their_lines() -> None:
    found = properties("a:: 1\n\n- [b:: 2] (c:: 3)\n\nd:: 4")
    assert [(item.key, item.line) for item in found] == [("a", 1), ("b", 3), ("c", 3), ("d", 5)]


def test_a_bracket_that_never_closes_makes_no_field() -> None:
    assert properties("[k:: v\n] and (j:: w") == ()
