"""What synapse wrote never becomes what a note states, however its markers were damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from note_files import write

from synapse.memory import Memory, MemoryOptions
from synapse.notes.note import Note
from synapse.notes.parser import parse_note
from synapse.notes.section import SECTION_END, SECTION_START
from synapse.notes.section_lines import without_remains

BEGIN, END = f"{SECTION_START}\n", f"{SECTION_END}\n"
OWN = (
    "**Linked from**\n\n- [[z|The Z: a · b]] · depends on, uses\n"
    "- [The Z](/z.md) · mentions\n- … and 3 more\n\n"
    "**Inferido**\n\n- requerido por: [[x|X · y]], [[y]]\n- … y más que no se ha deducido\n"
)

DAMAGE = {
    "no end": f"[[a]]\n\n{BEGIN}{OWN}",
    "no end, and text below": f"{BEGIN}{OWN}\n[[a]]\n",
    "no begin": f"[[a]]\n\n{OWN}{END}",
    "no begin and no heading": f"[[a]]\n\n- [[z]] · mentions\n{END}",
    "a second pair": f"{BEGIN}{OWN}{END}\n[[a]]\n\n{BEGIN}{OWN}{END}",
    "a second begin below": f"{BEGIN}{OWN}{END}\n[[a]]\n{BEGIN}",
    "a begin within": f"[[a]]\n{BEGIN}{OWN}{BEGIN}{OWN}{END}",
    "an end within": f"[[a]]\n{BEGIN}{OWN}{END}{OWN}{END}",
    "reversed": f"[[a]]\n{OWN}{END}\n{BEGIN}{OWN}",
    "in the frontmatter": f"---\n{BEGIN}---\n[[a]]\n\n{BEGIN}{OWN}{END}",
    "after a BOM": f"\ufeff{BEGIN}{OWN}\n[[a]]\n",
}


def targets(note: Note) -> list[str]:
    return [link.target for link in note.links]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_what_synapse_wrote_beside_damaged_markers_is_not_read(damage: str, end: str) -> None:
    note = parse_note("n.md", DAMAGE[damage].replace("\n", end).encode())
    assert targets(note) == ["a"]
    assert note.properties == ()
    (found,) = (found for found in note.diagnostics if found.code == "section-damaged")
    assert found.severity == "error"


@pytest.mark.parametrize(
    "line",
    [
        "[[p]]",
        "See [[p]] · there",
        "- [[p]]",
        "- [ ] call [[p]] · soon",
        "- [decision] we ask [[p]]: no",
        "- due:: [[p]]: x",
        "- depends_on [[p]]",
        "- [[a]] · [[p]]",
        "  - [[p]] · x",
        "**[[p]]**",
        "> - [[p]] · x",
    ],
)
@pytest.mark.parametrize(
    "text", ["{begin}{line}\n", "{begin}{own}{line}\n- [[p]] · x\n", "{line}\n{own}{end}"]
)
def test_what_a_person_wrote_beside_damaged_markers_is_read(line: str, text: str) -> None:
    data = text.format(begin=BEGIN, end=END, own=OWN, line=line).encode()
    note = parse_note("n.md", data)
    linked = [getattr(item.value, "target", None) for item in note.properties]
    assert "p" in [*targets(note), *linked]


def test_lines_of_a_damaged_note_are_those_of_the_file() -> None:
    note = parse_note("n.md", f"{BEGIN}{OWN}\n[[a]]\n".encode())
    assert [link.line for link in note.links] == [2 + OWN.count("\n") + 1]


@given(
    st.lists(
        st.sampled_from(
            [BEGIN, END, OWN, "text\n", "\n", "```\n", "---\n", "    x\n", "- [[a]]", "\ufeff", "\u2028"]
        )
    ).map("".join)
)
def test_any_mixture_keeps_its_lines_and_loses_only_own_ones(text: str) -> None:
    before, after = text.split("\n"), without_remains(text).split("\n")
    own = {line.strip() for line in OWN.splitlines()}
    for old, new in zip(before, after, strict=True):
        assert new == old or (new == "" and old.strip() in own)


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("lost", [SECTION_START, SECTION_END])
def test_sections_as_they_are_written_state_nothing_when_a_marker_is_lost(
    lost: str, language: str, open_memory: Callable[..., Memory], notes: Path
) -> None:
    memory = open_memory(options=MemoryOptions(language=language))
    write(notes, "a b.md", "---\ntitle: 'A: the · first'\ntype: Service\nuses: '[[b]]'\n---\n[[b]] is\n")
    target = write(notes, "b.md", "---\ndepends_on: '[[c]]'\n---\nB\n")
    write(notes, "c.md", "---\ndepends_on: '[[b]]'\n---\n")
    memory.sync()
    memory.write_back()
    before = stated(memory)
    target.write_text(target.read_text().replace(f"{lost}\n", ""))
    memory.sync()
    assert stated(memory) == before


def stated(memory: Memory) -> object:
    return memory.sparql(
        "SELECT ?s ?p ?o { GRAPH <urn:synapse:file:b.md> { ?s ?p ?o } } ORDER BY ?s ?p ?o"
    ).text
