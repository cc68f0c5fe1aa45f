"""What follows from the notes returns to them, and nothing else in them changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from note_files import write

from synapse.memory import Memory, MemoryOptions
from synapse.notes.digest import without_section
from synapse.notes.editor import with_section
from synapse.usecases.section_text import MAX_NAMES


def settle(memory: Memory) -> tuple[str, ...]:
    memory.sync()
    return memory.write_back().written


def test_a_section_lists_who_points_here_and_what_follows(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\ntitle: The shop\nuses: '[[b]]'\n---\nSee [[b]].\n")
    target = write(notes, "b.md", "---\ndepends_on: '[[c]]'\n---\nB\n")
    write(notes, "c.md", "C\n")
    settle(memory)
    assert target.read_text() == (
        "---\ndepends_on: '[[c]]'\n---\nB\n\n"
        "<!-- synapse:begin -->\n"
        "**Linked from**\n\n- [[a|The shop]] · uses\n\n"
        "**Inferred**\n\n- required by: [[a|The shop]]\n"
        "<!-- synapse:end -->\n"
    )


def test_write_back_settles_and_its_echo_is_no_change(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[b]]\n")
    write(notes, "b.md", "B\n")
    assert settle(memory) == ("b.md",)
    report = memory.sync()
    assert report.indexed == 0
    assert memory.write_back().written == ()


def test_a_section_goes_when_nothing_follows_any_more(memory: Memory, notes: Path) -> None:
    source = write(notes, "a.md", "[[b]]\n")
    target = write(notes, "b.md", "B\n")
    settle(memory)
    source.unlink()
    assert settle(memory) == ("b.md",)
    assert target.read_text() == "B\n"


def test_a_section_that_a_person_deleted_comes_back(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[b]]\n")
    target = write(notes, "b.md", "B\n")
    settle(memory)
    written = target.read_text()
    target.write_text("B\n")
    assert settle(memory) == ("b.md",)
    assert target.read_text() == written


def test_sections_follow_a_new_label(memory: Memory, notes: Path) -> None:
    source = write(notes, "a.md", "[[b]]\n")
    target = write(notes, "b.md", "B\n")
    settle(memory)
    source.write_text("# La tienda\n[[b]]\n")
    settle(memory)
    assert "- [[a|La tienda]] · mentions" in target.read_text()


def test_a_label_that_would_break_the_link_is_tamed(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\ntitle: 'x | y]] z'\n---\n[[b]]\n")
    target = write(notes, "b.md", "B\n")
    settle(memory)
    assert "- [[a|x / y) z]] · mentions" in target.read_text()


def test_a_note_with_damaged_markers_is_left_alone_and_named(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[b]]\n")
    target = write(notes, "b.md", "B\n<!-- synapse:begin -->\nmine\n")
    memory.sync()
    report = memory.write_back()
    assert report.written == ()
    assert [(found.path, found.line, found.code) for found in report.diagnostics] == [
        ("b.md", 2, "section-damaged")
    ]
    assert target.read_text() == "B\n<!-- synapse:begin -->\nmine\n"


def test_a_dry_run_shows_the_diff_and_writes_nothing(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[b]]\n")
    target = write(notes, "b.md", "B\n")
    memory.sync()
    report = memory.write_back(dry_run=True)
    assert "+- [[a]] · mentions" in report.diff
    assert target.read_text() == "B\n"


def test_what_the_section_says_is_not_read_as_facts(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[b]]\n")
    write(notes, "b.md", "B\n")
    settle(memory)
    memory.sync()
    links = memory.sparql("SELECT ?s { ?s syn:mentions ?o }")
    assert links.rows == 1


def test_every_byte_outside_the_section_of_every_real_vault_stays(real_vault: Path) -> None:
    before = {path: path.read_bytes() for path in real_vault.rglob("*") if path.is_file()}
    with Memory.open(notes=real_vault) as memory:
        memory.install_scenario("core")
        memory.sync()
        assert memory.write_back().written
        memory.sync()
        assert memory.write_back().written == ()
    with Memory.open(notes=real_vault) as memory:
        memory.install_scenario("core")
        memory.sync()
        assert memory.write_back().written == (), "a memory made anew agrees"
    for path, data in before.items():
        now = path.read_bytes()
        assert now.startswith(data)
        assert not without_section(now[len(data) :]).strip(b"\r\n"), "a blank line and the section came"
        assert now == data or with_section(now, ()) == data, "and both go again"


def test_sections_follow_a_new_label_of_a_note_that_others_only_point_at(memory: Memory, notes: Path) -> None:
    source = write(notes, "a.md", "[[b]]\n")
    target = write(notes, "b.md", "B\n")
    for _ in range(3):
        settle(memory)
    source.write_text("# La tienda\n[[b]]\n")
    memory.sync(paths=["a.md"])
    assert "b.md" in memory.write_back().written
    assert "- [[a|La tienda]] · mentions" in target.read_text()


def test_a_section_speaks_the_language_that_was_chosen(
    open_memory: Callable[..., Memory], notes: Path
) -> None:
    memory = open_memory(options=MemoryOptions(language="es"))
    write(notes, "a.md", "---\ntype: Service\nuses: '[[b]]'\n---\n")
    target = write(notes, "b.md", "B\n")
    settle(memory)
    text = target.read_text()
    assert "**Enlazado desde**\n\n- [[a]] · usa\n" in text
    assert "**Inferido**\n\n- requerido por: [[a]]\n" in text


def test_a_class_that_is_called_as_the_stated_one_is_not_repeated(memory: Memory, notes: Path) -> None:
    person = write(notes, "ana.md", "---\ntype: Person\n---\n[[b]]\n")
    settle(memory)
    assert "Person" not in person.read_text().partition("synapse:begin")[2]


def test_a_name_that_looks_like_a_marker_breaks_no_section(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\ntitle: '<!-- synapse:end --> x'\n---\n[[b]]\n")
    target = write(notes, "b.md", "B\n")
    assert settle(memory) == ("b.md",)
    assert settle(memory) == ()
    assert target.read_text().count("<!-- synapse:end -->") == 1


def test_what_a_person_typed_into_the_section_is_not_lost(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[b]]\n")
    target = write(notes, "b.md", "B\n")
    settle(memory)
    edited = target.read_text().replace("<!-- synapse:end -->", "Call Ana tomorrow.\n<!-- synapse:end -->")
    target.write_text(edited)
    write(notes, "c.md", "[[b]]\n")
    memory.sync()
    report = memory.write_back()
    assert [(found.path, found.line, found.code) for found in report.diagnostics] == [
        ("b.md", 7, "section-edited")
    ]
    assert target.read_text() == edited
    target.write_text(edited.replace("Call Ana tomorrow.\n", ""))
    assert "b.md" in settle(memory)


def cycle(notes: Path, size: int) -> None:
    for number in range(size):
        write(notes, f"n{number:02}.md", f"---\ndepends_on: '[[n{(number + 1) % size:02}]]'\n---\n")


def test_a_section_in_a_long_cycle_is_short_and_says_how_many_more_there_are(
    memory: Memory, notes: Path
) -> None:
    cycle(notes, 40)
    settle(memory)
    lines = (notes / "n00.md").read_text().partition("**Inferred**")[2].splitlines()
    # All 40 of them, itself too, but for the one that the note states.
    (needs,) = (line for line in lines if line.startswith("- depends on: "))
    assert needs.count("[[") == MAX_NAMES
    assert needs.endswith(f", … and {39 - MAX_NAMES} more")
    (needed,) = (line for line in lines if line.startswith("- required by: "))
    assert needed.endswith(f", … and {40 - MAX_NAMES} more")
    assert sum(map(len, lines)) < 1000


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "- … and more that was not worked out"), ("es", "- … y más que no se ha deducido")],
)
def test_sections_say_when_not_all_that_follows_was_worked_out(
    language: str, told: str, open_memory: Callable[..., Memory], notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synapse.usecases.rooms.MAX_INFERRED", 300)
    memory = open_memory(options=MemoryOptions(language=language))
    cycle(notes, 30)
    report = memory.sync()
    assert [notice.code for notice in report.notices] == ["inferred-cap"]
    memory.write_back()
    told_in = [path for path in notes.iterdir() if told in path.read_text().splitlines()]
    assert told_in
    assert settle(memory) == ()
    (notes / "n07.md").write_text("The end\n")
    for number in range(10, 30):
        (notes / f"n{number}.md").unlink()
    settle(memory)
    assert not memory.status().notices
    assert [path for path in notes.iterdir() if told in path.read_text().splitlines()] == []
