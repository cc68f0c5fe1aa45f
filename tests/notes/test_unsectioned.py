"""The managed section changes nothing of what a note means: written, read, or taken out again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from synapse.notes.digest import without_section
from synapse.notes.editor import with_section
from synapse.notes.note import Dialect, Link, Note, Property, Record
from synapse.notes.parser import parse_note
from synapse.notes.section import SECTION_END, SECTION_START, SectionPresent, find_section

SECTION = f"{SECTION_START}\n**Linked from**\n\n- [[z]] · mentions\n{SECTION_END}\n"

# What text around the section has to be for the section to matter: it parts, hides, ends or begins a block.
PIECES = st.sampled_from(
    [
        *(
            "---\n",
            "===\n",
            "...\n",
            "k: v\n",
            "---\nk: '[[a]]'\n---\n",
            "text\n",
            "[[a]]\n",
            "[[a\n",
            "b]]\n",
        ),
        *(
            "\n",
            "    [[a]]\n",
            "\t#t\n",
            "- item\n",
            "- rel [[a]]\n",
            "  more [[a]]\n",
            "> quote\n",
            "1. one\n",
        ),
        *("| a |\n", "|---|\n", "| [[a]] |\n", "<div>\n", "</div>\n", "<!--\n", "-->\n", "<pre>\n", "```\n"),
        *(
            "~~~\n",
            "$$\n",
            "%%\n",
            "# h\n",
            "#t\n",
            "k:: v\n",
            "[r]: a.md\n",
            "[r]\n",
            "[^1]: [[a]]\n",
            "x[^1]\n",
        ),
        *("- [cat] said #t\n", "\ufeff", "\r\n", "\r", "`", "**", "\\", "[x](a.md\n", '"t")\n', "a", " "),
    ]
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


def facts(note: Note) -> tuple[Any, ...]:
    """All that a note says, without its lines."""
    return (
        [lineless(item) for item in note.properties],
        [replace(item, line=0) for item in note.links],
        [item.name for item in note.tags],
        [(item.level, item.text) for item in note.headings],
        [replace(item, line=0) for item in note.observations],
    )


def lineless(item: Property) -> Property:
    value = item.value
    if isinstance(value, Record):
        value = Record(tuple(map(lineless, value.properties)))
    return replace(item, value=replace(value, line=0) if isinstance(value, Link) else value, line=0)


@given(TEXTS, TEXTS, st.sampled_from(Dialect))
@example("", "---\nk: v\n---\n", Dialect.OBSIDIAN)
@example("\ufeff", "---\nk: v\n---\n", Dialect.OBSIDIAN)
@example("text\n", "---\n", Dialect.OBSIDIAN)
@example("text\n", "===\n", Dialect.OBSIDIAN)
@example("- item\n", "    [[a]]\n", Dialect.OBSIDIAN)
@example("<div>\n", "[[a]]\n", Dialect.OBSIDIAN)
@example("| a |\n|---|\n", "| [[a]] |\n", Dialect.OBSIDIAN)
@example("---\nk: v\n---\n", "---\nj: v\n---\n", Dialect.OBSIDIAN)
@example(f"<div>\n{SECTION}```\n", f"{SECTION}```\n", Dialect.OBSIDIAN)
def test_a_section_between_any_two_texts_changes_no_fact(before: str, after: str, dialect: Dialect) -> None:
    data = (before + SECTION + after).encode()
    assume(isinstance(find_section(data.decode()), SectionPresent))
    bare = without_section(data)
    assert facts(parse_note("n.md", data, dialect=dialect)) == facts(
        parse_note("n.md", bare, dialect=dialect)
    )


@given(TEXTS, st.sampled_from(Dialect))
def test_writing_a_section_and_taking_it_out_changes_no_fact(text: str, dialect: Dialect) -> None:
    data = text.encode()
    written = with_section(data, ["- [[z]] · mentions"])
    if isinstance(written, bytes):
        there = facts(parse_note("n.md", written, dialect=dialect))
        assert there == facts(parse_note("n.md", data, dialect=dialect))
        removed = with_section(written, [])
        assert isinstance(removed, bytes)
        assert facts(parse_note("n.md", removed, dialect=dialect)) == there


@given(TEXTS, TEXTS)
def test_notes_with_one_digest_say_one_thing(before: str, after: str) -> None:
    """A note counts as unchanged when its digest is; then its facts may not differ either."""
    whole, bare = (before + SECTION + after).encode(), (before + after).encode()
    first, second = parse_note("n.md", whole), parse_note("n.md", bare)
    if first.digest == second.digest:
        assert facts(first) == facts(second)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_the_file(end: str) -> None:
    head = "[[a]]\nk:: v\n"
    tail = "[[b]] #t\n\n# h\n\n- [cat] said\n- rel [[c]]\n\nj:: [[d]]\n\n[[e\nf]]\n"
    note = parse_note("n.md", (head + SECTION + tail).replace("\n", end).encode())
    at = {link.target: link.line for link in note.links} | {item.key: item.line for item in note.properties}
    assert at == {"a": 1, "k": 2, "b": 8, "rel": 13, "j": 15}
    assert [item.value.line for item in note.properties if isinstance(item.value, Link)] == [15, 13]
    assert [item.line for item in (*note.tags, *note.headings, *note.observations)] == [8, 10, 12]
    assert [(found.code, found.line) for found in note.diagnostics] == [("link-over-lines", 17)]


def test_frontmatter_below_a_section_at_the_top_has_its_lines() -> None:
    note = parse_note("n.md", (SECTION + "---\nk: v\nm: {p: '[[a]]'}\nx: 2024-02-30\n---\n").encode())
    assert [(item.key, item.line) for item in note.properties] == [("k", 7), ("m", 8), ("x", 9)]
    record = note.properties[1].value
    assert isinstance(record, Record)
    assert [item.line for item in record.properties] == [8]
    assert [(found.code, found.line) for found in note.diagnostics] == [("value-not-a-date", 9)]
