from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.notes.note import Dialect, Note, Record, Value
from synapse.notes.parser import parse_note

DATA = Path(__file__).parents[2] / "../shared/data"
DIALECTS = st.sampled_from(list(Dialect))
FRAGMENTS = st.sampled_from(
    [
        "---", "k: v", "k: [[a]]", "tags: [a]", "k: {a: [1]}", "[[a]]", "[[rel:b|c]]", "![[d.png|10]]",
        "[t](a.md)", "[t][r]", "[r]: a.md", "#tag", "# Title #t", "k:: v", "[k:: [[a]]]", "- rel [[X]] (c)",
        "- [cat] text #t (c)", "```", "~~~", "`", "``", "%%", "$", "$$", "<!--", "-->", "<div>", "</div>",
        "> ", "- ", "    ", "| a | b |", "|--|--|", "| [[a\\|b]] | c |", "\\", "é日🎉", "\u2028", "[^1]",
        "[^1]: x [[f]]", "===", "{{embed [[a]]}}", "<!-- synapse:begin -->", "<!-- synapse:end -->",
        "((64f0c1de-0000-4000-8000-000000000000))", "@ana",
    ]
)  # fmt: skip
TEXTS = st.lists(st.tuples(FRAGMENTS, st.sampled_from(["\n", "\n\n", " ", ""])), max_size=14).map(
    lambda parts: "".join(text + end for text, end in parts)
)


def lines_of(note: Note) -> list[int]:
    def inner(value: Value) -> list[int]:
        if isinstance(value, Record):
            return [line for item in value.properties for line in (item.line, *inner(item.value))]
        return []

    lines = [item.line for item in note.properties] + [item.line for item in note.links]
    lines += [item.line for item in note.tags] + [item.line for item in note.headings]
    lines += [item.line for item in note.observations] + [item.line for item in note.diagnostics]
    return lines + [line for item in note.properties for line in inner(item.value)]


@given(st.binary(), DIALECTS)
def test_any_bytes_give_a_note(data: bytes, dialect: Dialect) -> None:
    note = parse_note("dir/a.md", data, dialect=dialect)
    assert note.path == "dir/a.md"
    assert len(note.digest) == 64


@given(TEXTS, DIALECTS)
def test_every_fact_stands_on_a_line_of_the_file(text: str, dialect: Dialect) -> None:
    note = parse_note("a.md", text.encode(), dialect=dialect)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines_of(note))


@given(TEXTS, st.sampled_from(["\r\n", "\r"]))
def test_every_line_end_reads_the_same(text: str, end: str) -> None:
    one, two = (parse_note("a.md", data.encode()) for data in (text, text.replace("\n", end)))
    assert one == replace(two, digest=one.digest)


@given(TEXTS)
def test_a_byte_order_mark_changes_nothing_but_the_digest(text: str) -> None:
    one, two = (parse_note("a.md", data.encode()) for data in (text, "\ufeff" + text))
    assert one == replace(two, digest=one.digest)


@given(TEXTS)
def test_nothing_inside_a_fence_is_read(text: str) -> None:
    fence = "`" * 50  # Longer than any run of backticks that the fragments make.
    fenced = f"[[before]]\n\n{fence}\n{text}\n{fence}\n\n[[after]]"
    note = parse_note("a.md", fenced.encode())
    assert [link.target for link in note.links] == ["before", "after"]
    assert (note.properties, note.tags, note.headings, note.observations) == ((), (), (), ())


@given(TEXTS.filter(lambda text: not text.startswith(("---", " ", "=")) and "synapse:" not in text))
def test_lines_before_a_text_move_its_facts_down_and_change_nothing_else(text: str) -> None:
    alone, moved = parse_note("a.md", text.encode()), parse_note("a.md", b"---\n---\n" + text.encode())
    assert [line + 2 for line in lines_of(alone)] == lines_of(moved)


@given(
    TEXTS.filter(
        lambda text: "synapse:" not in text and "`" not in text and "~" not in text and "<" not in text
    )
)
def test_the_managed_section_adds_nothing(text: str) -> None:
    section = "<!-- synapse:begin -->\n- rel [[z]] #z\n<!-- synapse:end -->\n"
    without, with_it = (parse_note("a.md", data.encode()) for data in (text, f"{text}\n\n{section}"))
    said = (with_it.properties, with_it.links, with_it.tags, with_it.headings, with_it.observations)
    assert said == (without.properties, without.links, without.tags, without.headings, without.observations)


def test_lines_are_right_after_frontmatter_code_and_letters_of_many_bytes() -> None:
    text = (
        "---\nk: v\n---\né 日本 [[a]]\n\n```\n[[no]]\n```\n- 🎉 [[b]] #t\n\n## H\n\nk2:: [[c]]\n- [cat] x\n"
    )
    note = parse_note("a.md", text.encode())
    assert [(link.target, link.line) for link in note.links] == [("a", 4), ("b", 9)]
    assert [(item.key, item.line) for item in note.properties] == [("k", 2), ("k2", 13)]
    assert (note.tags[0].line, note.headings[0].line, note.observations[0].line) == (9, 11, 14)


def test_a_link_by_reference_has_the_line_of_the_definition_that_holds_its_target() -> None:
    (link,) = parse_note("a.md", b"x [t][r]\n\ny\n\n[r]: b.md\n").links
    assert (link.target, link.line) == ("b.md", 5)


def test_the_path_is_nfc() -> None:
    assert parse_note("Jose\u0301.md", b"").path == "Jos\u00e9.md"


@pytest.mark.parametrize(
    ("data", "line"), [(b"a\nb\xff", 2), (b"a\r\n\r\nb\x00", 3), ("x".encode("utf-16"), 1)]
)
def test_a_file_that_is_no_text_says_nothing_but_where_it_fails(data: bytes, line: int) -> None:
    note = parse_note("a.md", data)
    (found,) = note.diagnostics
    assert (found.severity, found.line) == ("error", line)
    assert (note.links, note.properties, note.tags) == ((), (), ())


def test_a_control_character_is_replaced_and_reported_once() -> None:
    note = parse_note("a.md", b"# A\x07B\x08\n")
    assert note.headings[0].text == "A\ufffdB\ufffd"
    assert [found.code for found in note.diagnostics] == ["unwritable-character"]


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("# A", "A"),
        ("###   A  ##", "A"),
        ("A\n===", "A"),
        ("# **A** `b` [c](d) [[e|f]] [[g]]", "A b c f g"),
        ("#", ""),
        ("# C#", "C#"),
        ("> ## A", "A"),
    ],
)
def test_a_heading_is_its_words(heading: str, text: str) -> None:
    assert [item.text for item in parse_note("a.md", heading.encode()).headings] == [text]


@pytest.mark.parametrize("vault", ["kepano-vault", "obsidian-tasks-demo/vault", "okf-bundles"])
def test_real_vaults_read_without_an_error(vault: str) -> None:
    if not (DATA / vault).is_dir():
        pytest.skip(f"{DATA / vault} is not there")
    notes = [parse_note(path.name, path.read_bytes()) for path in sorted((DATA / vault).rglob("*.md"))]
    assert len(notes) > 50
    assert [found for note in notes for found in note.diagnostics if found.severity == "error"] == []
    assert sum(len(note.links) + len(note.properties) for note in notes) > 100
