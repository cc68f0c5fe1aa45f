"""The managed section: what is put in can be taken out, and nothing else moves."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from synapse.errors import InvalidInput
from synapse.notes.editor import Refusal, with_section
from synapse.notes.section import SECTION_END, SECTION_START, SectionAbsent, SectionPresent, find_section

BEGIN, END = SECTION_START.encode(), SECTION_END.encode()
LINES = ["## Linked from", "- [[people/ana]] knows"]

# Pieces that make line ends, fences, frontmatter and markers meet in every order.
_PIECES = st.sampled_from(
    [
        *("a", "ñ", " ", "\n", "\r\n", "\r", "\u2028", "\f", "    ", "\ufeff"),
        *("```", "~~~", "---", "- ", "> ", "<div>", "$$", "<!--", "-->", "%%"),
        *(SECTION_START, SECTION_END, SECTION_START + "\n", SECTION_END + "\n"),
    ]
)
_TEXTS = st.lists(st.one_of(_PIECES, st.text(max_size=4)), max_size=14).map("".join)
_NOTES = _TEXTS.map(lambda text: text.encode("utf-8", "replace"))
_LINE = st.sampled_from(["- [[x]]", "", "> quote", "# Título", "```", "plain"])
_LINES = st.lists(_LINE, min_size=1, max_size=4)


def edited(data: bytes, lines: list[str]) -> bytes:
    """The edited bytes; fails the test on a refusal."""
    result = with_section(data, lines)
    assert isinstance(result, bytes), result
    return result


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", BEGIN + b"\n- x\n" + END + b"\n"),
        (b"text\n", b"text\n\n" + BEGIN + b"\n- x\n" + END + b"\n"),
        (b"text", b"text\n\n" + BEGIN + b"\n- x\n" + END),
        (b"a\r\nb\r\n", b"a\r\nb\r\n\r\n" + BEGIN + b"\r\n- x\r\n" + END + b"\r\n"),
        (b"a\rb\r", b"a\rb\r\r" + BEGIN + b"\r- x\r" + END + b"\r"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf" + BEGIN + b"\n- x\n" + END + b"\n"),
        (b"---\nk: v\n---\n", b"---\nk: v\n---\n\n" + BEGIN + b"\n- x\n" + END + b"\n"),
    ],
    ids=["empty", "final newline", "no final newline", "CRLF", "CR", "BOM only", "frontmatter only"],
)
def test_a_new_section_goes_to_the_end_in_the_style_of_the_file(before: bytes, after: bytes) -> None:
    assert edited(before, ["- x"]) == after
    assert edited(after, []) == before


@given(_NOTES, _LINES)
@example(b"a\nb\r", ["- [[x]]"])
@example(b"```\n" + BEGIN + b"\n" + END + b"\n```\n", ["- [[x]]"])
def test_taking_out_what_was_put_in_gives_back_the_same_bytes(data: bytes, lines: list[str]) -> None:
    assume(isinstance(find_section(data.decode()), SectionAbsent))
    result = with_section(data, lines)
    if isinstance(result, bytes):
        assert result.startswith(data)
        assert with_section(result, []) == data


@given(_NOTES, _LINES)
def test_writing_twice_changes_nothing_the_second_time(data: bytes, lines: list[str]) -> None:
    once = with_section(data, lines)
    if isinstance(once, bytes):
        assert with_section(once, lines) == once


@given(_TEXTS, _TEXTS, _LINES, _LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_replacing_a_section_leaves_every_byte_around_it(
    before: str, after: str, old: list[str], new: list[str], eol: str
) -> None:
    text = before + eol + eol.join([SECTION_START, *old, SECTION_END]) + eol + after
    data = text.encode("utf-8", "replace")
    section = find_section(data.decode())
    assume(isinstance(section, SectionPresent))
    assert isinstance(section, SectionPresent)
    result = with_section(data, new)
    if isinstance(result, bytes):
        head, tail = data.decode()[: section.start], data.decode()[section.end :]
        assert result.startswith(head.encode())
        assert result.endswith(tail.encode())
        found = find_section(result.decode())
        assert found == SectionPresent(section.start, len(result.decode()) - len(tail))


@given(_NOTES, _LINES)
def test_an_edited_note_always_has_a_section_that_is_found(data: bytes, lines: list[str]) -> None:
    result = with_section(data, lines)
    if isinstance(result, bytes):
        assert isinstance(find_section(result.decode()), SectionPresent)


@given(st.binary(max_size=60), _LINES)
def test_any_bytes_give_bytes_or_a_refusal(data: bytes, lines: list[str]) -> None:
    assert isinstance(with_section(data, lines), bytes | Refusal)


def test_no_lines_and_no_section_is_the_note_itself() -> None:
    assert with_section(b"text\n\n\n", []) == b"text\n\n\n"


def test_text_after_the_section_stays_after_it() -> None:
    note = edited(b"Before.\n", LINES) + b"\nWritten below by a person.\n"
    replaced = edited(note, ["- [[b]]"])
    assert replaced.endswith(END + b"\n\nWritten below by a person.\n")
    assert edited(replaced, LINES) == note


def test_removal_does_not_join_the_paragraphs_around_the_section() -> None:
    note = edited(b"Before.\n", LINES) + b"After.\n"
    assert edited(note, []) == b"Before.\n\nAfter.\n"


def test_a_deleted_blank_line_before_the_section_costs_the_text_nothing() -> None:
    note = edited(b"Before.\n", LINES).replace(b"\n\n" + BEGIN, b"\n" + BEGIN)
    assert edited(note, []) == b"Before.\n"


def test_markers_in_a_closed_fence_are_text_and_the_section_comes_after() -> None:
    note = b"```\n" + BEGIN + b"\n" + END + b"\n```\n"
    assert edited(note, LINES).startswith(note + b"\n" + BEGIN)


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (BEGIN + b"\n- a\n", "section-damaged", 1),
        (b"a\n" + END + b"\n", "section-damaged", 2),
        ((BEGIN + b"\n" + END + b"\n") * 2, "section-damaged", 3),
        (b"---\nk: 1\n" + BEGIN + b"\n---\n", "section-damaged", 3),
        (b"a\r\n\xff\n", "not-utf-8", 2),
        ("hi\n".encode("utf-16-le"), "nul-byte", 1),
        (b"```python\nopen to the end\n", "section-hidden", 4),
    ],
    ids=["no end", "no begin", "twice", "in frontmatter", "latin-1", "UTF-16", "unclosed fence"],
)
def test_a_note_that_cannot_be_edited_safely_is_refused_with_its_place(
    data: bytes, code: str, line: int
) -> None:
    refusal = with_section(data, LINES)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.line) == (code, line)
    assert refusal.reason


@pytest.mark.parametrize("line", ["a\nb", "a\rb", SECTION_END, f"  {SECTION_START} ", "\ud83d"])
def test_a_line_that_would_break_the_section_is_a_wrong_call(line: str) -> None:
    with pytest.raises(InvalidInput):
        with_section(b"", [line])


def test_real_notes_get_a_section_and_lose_it_again_byte_for_byte() -> None:
    data = Path(__file__).parents[2] / "../shared/data"
    if not data.exists():
        pytest.skip(f"no vaults in {data}")
    notes = [file.read_bytes() for file in sorted(data.rglob("*.md"))]
    assert notes
    for note in notes:
        with_it = edited(note, LINES)
        assert with_it.startswith(note)
        assert edited(with_it, LINES) == with_it
        assert edited(with_it, []) == note
