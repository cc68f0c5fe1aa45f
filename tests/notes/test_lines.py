from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from synapse.notes.lines import Lines, inside, with_newlines

TEXTS = st.text(st.sampled_from("ab é日🎉\n\u2028\x85\f"))


@given(TEXTS)
def test_every_byte_offset_of_a_character_is_its_character_offset(text: str) -> None:
    lines = Lines(text)
    for offset in range(len(text) + 1):
        assert lines.character(len(text[:offset].encode())) == offset


@given(TEXTS, st.integers(1, 9))
def test_only_lf_ends_a_line(text: str, first: int) -> None:
    lines = Lines(text, first=first)
    for offset in range(len(text)):
        assert lines.line(offset) == first + text.count("\n", 0, offset)


def test_line_ends_of_all_systems_count_once() -> None:
    assert with_newlines("a\r\nb\rc\nd\r\r\ne") == "a\nb\nc\nd\n\ne"


@given(st.lists(st.integers(0, 30), unique=True, max_size=8).map(sorted), st.integers(0, 31))
def test_inside_agrees_with_looking_at_every_range(bounds: list[int], offset: int) -> None:
    ranges = list(zip(bounds[::2], bounds[1::2], strict=False))
    assert inside(offset, ranges) == any(start <= offset < end for start, end in ranges)
