from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from synapse.notes.digest import note_digest, without_section
from synapse.notes.section import SECTION_END, SECTION_START

WORDS = st.text(st.characters(exclude_characters="`~<\r", exclude_categories=["Cs"]), max_size=40)


def section(content: str) -> str:
    return f"{SECTION_START}\n{content}\n{SECTION_END}\n"


def test_trailing_blanks_do_not_change_the_digest() -> None:
    assert note_digest(b"a") == note_digest(b"a \t\r\n\n")


def test_the_digest_is_sha256_of_what_a_person_wrote() -> None:
    assert note_digest(b"abc\n") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_leading_and_inner_blanks_change_the_digest() -> None:
    assert (
        len(
            {note_digest(data) for data in (b"a b", b" a b", b"a  b", b"a\nb", b"a\r\nb", b"\xef\xbb\xbfa b")}
        )
        == 6
    )


@given(WORDS, WORDS, WORDS)
def test_only_what_stands_outside_the_section_counts(before: str, first: str, second: str) -> None:
    one, two = (f"x\n{before}\n\n{section('- ' + item)}".encode() for item in (first, second))
    assert note_digest(one) == note_digest(two) == note_digest(f"x\n{before}".encode())


def test_a_damaged_section_counts_as_text() -> None:
    damaged = f"a\n{SECTION_START}\nb\n".encode()
    assert without_section(damaged) == damaged
    assert note_digest(damaged) != note_digest(b"a")


@given(st.binary())
def test_any_bytes_have_a_digest(data: bytes) -> None:
    assert len(note_digest(SECTION_START.encode() + b"\n" + data)) == 64
