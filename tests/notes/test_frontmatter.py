from __future__ import annotations

from datetime import date, datetime
from typing import Any

import frontmatter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.errors import InvalidInput
from synapse.notes.frontmatter import NoteHandler, Verbatim, new_note, read_post, split_frontmatter
from synapse.notes.note import Scalar, ScalarType
from synapse.notes.parser import parse_note

PRINTABLE = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cn"], exclude_characters="\u2028\u2029\ufeff")
)
KEYS = PRINTABLE.map(str.strip).filter(lambda key: bool(key) and key != "<<")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | PRINTABLE | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    "text", ["", "a", "----\nk: v\n---\n", "\n---\nk: v\n---\n", "---\nk: v\n", "--- x\n---\n", " ---\n---\n"]
)
def test_text_that_does_not_open_with_a_closed_block_has_no_frontmatter(text: str) -> None:
    assert split_frontmatter(text) is None


@given(
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["---", "..."]),
    st.text(),
)
def test_the_offsets_give_back_the_content_and_the_body(bom: str, end: str, fence: str, body: str) -> None:
    text = f"{bom}---{end}k: v{end}{fence} {end}{body}"
    block = split_frontmatter(text)
    assert block is not None
    assert block.content == f"k: v{end}"
    assert text[block.start : block.start + len(block.content)] == block.content
    assert text[block.end :].removeprefix("\n") == body.removeprefix("\n")


@given(
    st.dictionaries(KEYS, VALUES, max_size=4),
    st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])),
)
def test_a_new_note_reads_back_as_what_it_was_made_from(metadata: dict[str, Any], body: str) -> None:
    post = read_post(new_note(metadata, body))
    assert post.metadata == metadata
    assert post.content == body


@given(PRINTABLE.filter(lambda text: "[" not in text and bool(text.strip())))
def test_a_string_of_a_new_note_is_that_string_in_the_parser(text: str) -> None:
    (item,) = parse_note("a.md", new_note({"k": text}, "").encode()).properties
    assert item.value == Scalar(text)


@pytest.mark.parametrize(
    "text", ["1.10", "1e3", ".5", "+7", "2024-01-15T10:30", "2024-01-15T10:30:00+0200", "1.", "TRUE"]
)
def test_a_value_that_python_would_rewrite_keeps_its_text_and_its_type(text: str) -> None:
    source = f"---\nk: {text}\n---\nbody"
    again = frontmatter.dumps(read_post(source))
    one, two = (parse_note("a.md", note.encode()).properties for note in (source, again))
    assert one == two
    if text != "TRUE":
        assert again == source


def test_values_are_python_values_of_yaml_1_2() -> None:
    handler = NoteHandler()
    loaded = handler.load(
        "a: no\nb: 12:30\nc: 2024-01-15\nd: [1, 1.5, '1']\ne: 2024-01-15 10:30:00\nf: null\ng: 1.10"
    )
    assert loaded == {
        "a": "no",
        "b": "12:30",
        "c": date(2024, 1, 15),
        "d": [1, 1.5, "1"],
        "e": datetime(2024, 1, 15, 10, 30),
        "f": None,
        "g": Verbatim("1.10"),
    }


def test_the_handler_works_with_python_frontmatter() -> None:
    post = frontmatter.loads("---\nk: no\n---\n\nbody\n---\nmore", handler=NoteHandler())
    assert post.metadata == {"k": "no"}
    assert post.content == "body\n---\nmore"


def test_a_post_keeps_blanks_rules_and_a_byte_order_mark_apart() -> None:
    post = read_post("\ufeff---\nk: v\n---\n\n  body\n\n---\n\nmore\n\n")
    assert post.metadata == {"k": "v"}
    assert post.content == "\n  body\n\n---\n\nmore\n\n"


def test_a_block_of_text_stays_in_the_body() -> None:
    assert read_post("---\nsome text\n---\nmore").content == "---\nsome text\n---\nmore"


@pytest.mark.parametrize("text", ["---\nk: a: b\n---\n", "---\nk: &a [*a]\n---\n"])
def test_frontmatter_that_cannot_be_a_value_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_post(text)


def test_nested_anchors_load_as_shared_values_in_no_time() -> None:
    rows = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}, *a{i - 1}]" for i in range(1, 40)]
    loaded = NoteHandler().load("\n".join(rows))
    assert loaded["a39"][0] is loaded["a38"]


def test_emoji_and_links_are_written_readably() -> None:
    assert new_note({"k": "🎉", "l": "[[a]]", "d": "2024-01-15"}, "x") == (
        "---\nk: 🎉\nl: '[[a]]'\nd: '2024-01-15'\n---\nx"
    )


def test_types_of_the_parser_and_of_posts_agree() -> None:
    (item,) = parse_note("a.md", new_note({"k": date(2024, 1, 15)}, "").encode()).properties
    assert item.value == Scalar("2024-01-15", ScalarType.DATE)
