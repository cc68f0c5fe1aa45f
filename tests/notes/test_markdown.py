from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.notes.markdown import LINK_MARK, code_ranges, read_body

PIECES = st.sampled_from(
    [
        "`",
        "```",
        "\n",
        "\n\n",
        "[[a]]",
        "[t](a)",
        "#t",
        "é🎉",
        "$",
        "%%",
        "<b>",
        "<!--",
        "-->",
        "- ",
        "> ",
        "    ",
        "x",
    ]
)
TEXTS = st.lists(PIECES, max_size=16).map("".join)


@given(TEXTS)
def test_the_plain_text_has_the_length_and_the_lines_of_the_text(text: str) -> None:
    body = read_body(text)
    assert len(body.plain) == len(text)
    assert [at for at, sign in enumerate(body.plain) if sign == "\n"] == [
        at for at, sign in enumerate(text) if sign == "\n"
    ]


@given(TEXTS)
def test_the_plain_text_differs_only_where_something_is_hidden(text: str) -> None:
    for sign, plain in zip(text, read_body(text).plain, strict=True):
        assert plain in (sign, " ", LINK_MARK)


@given(TEXTS)
def test_a_link_covers_its_own_text(text: str) -> None:
    body = read_body(text)
    for link in body.links:
        source = text[link.start : link.end]
        assert source.lstrip("!").startswith(("[", "<"))
        assert source.endswith(("]", ")", ">"))


@given(TEXTS)
def test_code_ranges_are_in_order_and_apart(text: str) -> None:
    bounds = [bound for start, end in code_ranges(text) for bound in (start, end)]
    assert bounds == sorted(bounds)
    assert all(0 <= bound <= len(text) for bound in bounds)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a `b` c", ["`b`"]),
        ("``a ` b``", ["``a ` b``"]),
        ("```\na\n```\nb", ["```\na\n```"]),
        ("é\n\n    x\n", ["x\n"]),
        ("- ```\n  a\n  ```\n", ["```\n  a\n  ```"]),
        ("```\ra\r```\rb", ["```\ra\r```"]),
    ],
)
def test_code_is_found_where_it_stands(text: str, code: list[str]) -> None:
    assert [text[start:end] for start, end in code_ranges(text)] == code


@pytest.mark.parametrize(
    "text", ["```\na", "- ```\n  a\n\nb", "> ```\n> a\n\nb", "````\na\n```", "~~~\na\n```", "```"]
)
def test_an_open_fence_is_reported(text: str) -> None:
    assert [kind for kind, _ in read_body(text).unclosed] == ["code"]


@pytest.mark.parametrize(
    "text", ["```\na\n```", "```\n```", "````\n```\n`````", "- ```\n  a\n  ```", "> ```\n> a\n> ```", "    a"]
)
def test_a_closed_fence_is_not(text: str) -> None:
    assert read_body(text).unclosed == []


def test_items_in_quotes_are_not_of_the_note() -> None:
    assert read_body("- a\n\n> - b\n\n1. c\n").items == [0, 12]
