from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.notes.tags import tag_of, tags_in, tags_of_text


@given(st.lists(st.from_regex(r"[a-z][a-z0-9_-]{0,8}(/[a-z]{1,4})?", fullmatch=True)))
def test_words_with_a_hash_are_tags_at_their_place(names: list[str]) -> None:
    text = " ".join(f"#{name}" for name in names)
    found = list(tags_in(text))
    assert [name for name, _ in found] == names
    assert all(text[offset] == "#" for _, offset in found)


@pytest.mark.parametrize(
    "text", ["#", "##", "# a", "a#b", "/#a", "&#35;", r"\#a", "##a", "#1984", "#1/", "#!", "é#a"]
)
def test_a_hash_alone_makes_no_tag(text: str) -> None:
    assert list(tags_in(text)) == []


def test_decomposed_letters_become_one_character() -> None:
    assert tag_of("#dia\u0301") == "di\u00e1"


def test_a_joined_emoji_is_one_tag() -> None:
    assert [name for name, _ in tags_in("#👩\u200d💻 x")] == ["👩\u200d💻"]


@pytest.mark.parametrize(
    ("text", "tags"),
    [("a, b", ["a", "b"]), ("#a #b", ["#a", "#b"]), ("two words", ["two words"]), (" , ", [])],
)
def test_one_string_of_several_tags(text: str, tags: list[str]) -> None:
    assert tags_of_text(text) == tags
