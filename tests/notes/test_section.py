from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.notes.section import (
    SECTION_END,
    SECTION_START,
    SectionAbsent,
    SectionDamaged,
    SectionPresent,
    find_section,
)

SECTION = f"{SECTION_START}\n- [[a]]\n{SECTION_END}\n"
LINES = st.sampled_from(
    [SECTION_START, SECTION_END, "---", "text", "", "```", "~~~", "    code", "> quote", "- item", "%%"]
)
TEXTS = st.lists(st.one_of(LINES, st.text(max_size=6)), max_size=12).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join(lines))
)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "before", ["", "text\n\n", "\ufeff", "---\nk: v\n---\n", "é 日本 🎉\n", "```\ncode\n```\n"]
)
@pytest.mark.parametrize("after", ["", "text", "\n# more\n"])
def test_a_section_is_found_with_its_markers_and_line_ends(before: str, after: str, end: str) -> None:
    parts = [part.replace("\n", end) for part in (before, SECTION, after)]
    found = find_section("".join(parts))
    start = len(parts[0])
    assert found == SectionPresent(start, start + len(parts[1]))


def test_blanks_behind_a_marker_belong_to_the_section() -> None:
    text = f"a\n{SECTION_START} \t\nx\n{SECTION_END}  "
    assert find_section(text) == SectionPresent(2, len(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Backlinks\n- [[a]]\n",
        f"see `{SECTION_START}` here",
        f"x {SECTION_START}\n",
        f"> {SECTION_START}\n> {SECTION_END}\n",
        f"{SECTION_START} x\n",
        "<!--synapse:begin-->\n<!--synapse:end-->\n",
        f"```\n{SECTION}```\n",
        f"~~~~\n{SECTION}",
        f"- ```\n  {SECTION_START}\n  ```\n",
        f"text\n\n    {SECTION_START}\n    {SECTION_END}\n",
    ],
)
def test_text_about_markers_is_no_section(text: str) -> None:
    assert find_section(text) == SectionAbsent()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a\n{SECTION_START}\nb\n", 2),
        (f"a\r\n\r\n{SECTION_END}\r\n", 3),
        (f"{SECTION_END}\n{SECTION_START}\n", 1),
        (f"{SECTION_START}\n{SECTION_START}\n{SECTION_END}\n", 2),
        (f"{SECTION_START}\n{SECTION_END}\n{SECTION_END}\n", 3),
        (f"{SECTION}x\n{SECTION}", 5),
        (f"---\n{SECTION_START}\n{SECTION_END}\n---\n", 2),
        (f"---\nk: |\n{SECTION_START}\n---\n{SECTION_END}\n", 3),
        (f"```\n{SECTION_START}\n```\n{SECTION_END}\n", 4),
    ],
)
def test_damage_is_named_with_its_line(text: str, line: int) -> None:
    found = find_section(text)
    assert isinstance(found, SectionDamaged)
    assert found.line == line
    assert found.reason


@given(TEXTS)
def test_any_text_gives_an_answer_and_a_present_section_begins_and_ends_with_markers(text: str) -> None:
    found = find_section(text)
    if isinstance(found, SectionPresent):
        section = text[found.start : found.end]
        assert section.startswith(SECTION_START)
        assert section.rstrip().endswith(SECTION_END)
        assert isinstance(
            find_section(text[: found.start] + text[found.end :]), SectionAbsent | SectionDamaged
        )


@given(st.text())
def test_any_characters_give_an_answer(text: str) -> None:
    find_section(SECTION_START + "\n" + text)
