"""A folder of notes becomes known, and stays in step with the disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from note_files import write

from synapse.errors import NotesUnavailable
from synapse.memory import Memory
from synapse.notes import shared_reading
from synapse.notes.note import Dialect, Note
from synapse.notes.parser import parse_note
from synapse.usecases.answers import Card, to_json


def card(memory: Memory, id: str) -> Card:
    answer = memory.card(id)
    assert isinstance(answer, Card), answer
    return answer


def objects(memory: Memory, id: str, predicate: str) -> set[object]:
    """The objects of an entity's facts, inferred ones included."""
    return {fact.object for fact in card(memory, id).out if fact.predicate == predicate}


def sources(memory: Memory, id: str, predicate: str) -> list[tuple[str | None, int | None]]:
    facts = [fact for fact in card(memory, id).out if fact.predicate == predicate]
    return [(source.path, source.line) for fact in facts for source in fact.sources]


def test_a_note_becomes_an_entity_with_label_type_and_links(memory: Memory, notes: Path) -> None:
    write(
        notes,
        "people/bob.md",
        "---\ntype: Person\nworks-on: '[[projects/apollo]]'\n---\n# Bob\n\nSee [[ana]].\n",
    )
    write(notes, "people/ana.md", "Hi\n")
    report = memory.sync()
    assert (report.found, report.indexed, report.failed) == (2, 2, 0)
    bob = card(memory, "people/bob")
    assert bob.label == "Bob"
    assert bob.types[0] == "syn:Person"
    assert objects(memory, "people/bob", "syn:works_on") == {"projects/apollo"}
    assert objects(memory, "people/bob", "syn:mentions") == {"people/ana"}


def test_a_stub_is_what_others_point_at_and_nothing_describes(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[projects/apollo]]")
    memory.sync()
    assert card(memory, "projects/apollo").stub
    assert not card(memory, "a").stub


def test_a_second_look_finds_everything_unchanged(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[b]]")
    memory.sync()
    report = memory.sync()
    assert (report.indexed, report.unchanged) == (0, 1)


def test_a_saved_note_replaces_what_it_said(memory: Memory, notes: Path) -> None:
    file = write(notes, "a.md", "---\nuses: '[[b]]'\n---\n")
    memory.sync()
    file.write_text("---\nuses: '[[c]]'\n---\n")
    report = memory.sync()
    assert report.indexed == 1
    assert objects(memory, "a", "syn:uses") == {"c"}


def test_a_deleted_note_takes_its_facts_and_all_that_followed(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\ndepends_on: '[[b]]'\n---\n")
    middle = write(notes, "b.md", "---\ndepends_on: '[[c]]'\n---\n")
    memory.sync()
    assert objects(memory, "a", "syn:depends_on") == {"b", "c"}
    middle.unlink()
    report = memory.sync()
    assert report.removed == 1
    assert objects(memory, "a", "syn:depends_on") == {"b"}
    write(notes, "b.md", "---\ndepends_on: '[[c]]'\n---\n")
    memory.sync()
    assert objects(memory, "a", "syn:depends_on") == {"b", "c"}


def test_a_fact_that_two_notes_state_survives_one_of_them(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\nknows: '[[b]]'\n---\n")
    second = write(notes, "b.md", "---\nknows: '[[a]]'\n---\n")
    memory.sync()
    second.unlink()
    memory.sync()
    answer = memory.why("b", "knows", "a")
    assert to_json(answer)["known"]  # type: ignore[index, call-overload]


def test_a_link_finds_its_file_when_that_appears_moves_and_goes(memory: Memory, notes: Path) -> None:
    """An unchanged note changes its meaning because another file does."""
    write(notes, "a.md", "[[apollo]]")
    memory.sync()
    assert objects(memory, "a", "syn:mentions") == {"apollo"}
    target = write(notes, "projects/apollo.md", "Apollo")
    report = memory.sync()
    assert (report.indexed, report.unchanged) == (1, 1)
    assert objects(memory, "a", "syn:mentions") == {"projects/apollo"}
    target.rename(notes / "apollo.md")
    memory.sync()
    assert objects(memory, "a", "syn:mentions") == {"apollo"}
    (notes / "apollo.md").unlink()
    memory.sync()
    assert objects(memory, "a", "syn:mentions") == {"apollo"}
    assert card(memory, "apollo").stub


def test_a_note_remapped_for_another_file_is_not_parsed_again(
    memory: Memory, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(notes, "a.md", "[[apollo]]")
    memory.sync()
    parsed: list[str] = []

    def counted(path: str, data: bytes, *, dialect: Dialect) -> Note:
        parsed.append(path)
        return parse_note(path, data, dialect=dialect)

    monkeypatch.setattr(shared_reading, "parse_note", counted)
    write(notes, "projects/apollo.md", "Apollo")
    memory.sync()
    assert parsed == ["projects/apollo.md"]
    assert objects(memory, "a", "syn:mentions") == {"projects/apollo"}


def test_a_renamed_note_is_one_entity_under_its_new_id(memory: Memory, notes: Path) -> None:
    file = write(notes, "old.md", "---\nuses: '[[b]]'\n---\n")
    write(notes, "b.md", "")
    memory.sync()
    file.rename(notes / "new.md")
    report = memory.sync()
    assert (report.indexed, report.removed) == (1, 1)
    assert objects(memory, "new", "syn:uses") == {"b"}
    assert {fact.subject for fact in card(memory, "b").in_} == {"new"}


def test_facts_know_their_line_after_edits_above_them(memory: Memory, notes: Path) -> None:
    file = write(notes, "a.md", "text\n\n[[b]]\n")
    memory.sync()
    assert sources(memory, "a", "syn:mentions") == [("a.md", 3)]
    file.write_text("more\ntext\n\n\n[[b]]\n")
    memory.sync()
    assert sources(memory, "a", "syn:mentions") == [("a.md", 5)]


def test_facts_know_their_line_in_a_process_that_read_no_note(
    open_memory: Callable[..., Memory], notes: Path, tmp_path: Path
) -> None:
    write(notes, "a.md", "text\n\n[[b]]\n")
    first = open_memory(tmp_path / "data")
    first.sync()
    first.close()
    second = open_memory(tmp_path / "data", core=False)
    assert sources(second, "a", "syn:mentions") == [("a.md", 3)]


def test_a_note_touched_without_a_change_is_unchanged(memory: Memory, notes: Path) -> None:
    file = write(notes, "a.md", "[[b]]")
    memory.sync()
    os.utime(file, (1, 1))
    assert memory.sync().indexed == 0


def test_looking_at_one_path_leaves_the_others(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[x]]")
    write(notes, "b.md", "[[x]]")
    memory.sync()
    write(notes, "a.md", "[[y]]")
    write(notes, "b.md", "[[y]]")
    report = memory.sync(paths=["a.md"])
    assert (report.found, report.indexed) == (2, 1)
    assert objects(memory, "a", "syn:mentions") == {"y"}
    assert objects(memory, "b", "syn:mentions") == {"x"}


def test_looking_at_a_moved_folder_finds_what_is_in_it(memory: Memory, notes: Path) -> None:
    write(notes, "old/a.md", "[[b]]")
    memory.sync()
    (notes / "old").rename(notes / "new")
    memory.sync(paths=["old", "new"])
    assert objects(memory, "new/a", "syn:mentions") == {"b"}
    assert memory.status().notes == 1


def test_a_missing_root_changes_nothing(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[b]]")
    memory.sync()
    notes.rename(notes.with_name("away"))
    with pytest.raises(NotesUnavailable):
        memory.sync()
    notes.with_name("away").rename(notes)
    assert objects(memory, "a", "syn:mentions") == {"b"}


def test_an_emptied_folder_of_many_notes_is_taken_for_an_unmounted_drive(memory: Memory, notes: Path) -> None:
    for number in range(30):
        write(notes, f"{number}.md", "[[x]]")
    memory.sync()
    notes.rename(notes.with_name("unmounted"))
    notes.mkdir()
    with pytest.raises(NotesUnavailable, match="30 notes were known"):
        memory.sync()
    assert memory.status().notes == 30
    write(notes, "synapse.toml", "")
    assert memory.sync().removed == 30


def test_a_note_that_is_not_text_fails_and_the_rest_is_read(memory: Memory, notes: Path) -> None:
    (notes / "bad.md").write_bytes(b"\xff\xfe\x00[[x]]")
    write(notes, "good.md", "[[b]]")
    for _ in range(2):
        report = memory.sync()
        assert report.failed == 1
        assert [(found.path, found.line) for found in report.diagnostics if found.path == "bad.md"]
    assert objects(memory, "good", "syn:mentions") == {"b"}


def test_a_dry_run_counts_and_changes_nothing(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\ndepends_on: '[[b]]'\n---\n")
    memory.sync()
    write(notes, "b.md", "---\ndepends_on: '[[c]]'\n---\n")
    report = memory.sync(dry_run=True)
    assert (report.found, report.indexed) == (2, 1)
    assert report.inferred_added > 0
    assert objects(memory, "a", "syn:depends_on") == {"b"}
    assert memory.sync().indexed == 1


def test_two_notes_that_claim_one_iri_keep_their_own_until_one_lets_go(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\nuri: https://example.org/x\nuses: '[[c]]'\n---\n")
    memory.sync()
    assert card(memory, "https://example.org/x").label == "a"
    rival = write(notes, "b.md", "---\nuri: https://example.org/x\n---\n")
    memory.sync()
    assert objects(memory, "a", "syn:uses") == {"c"}
    rival.unlink()
    memory.sync()
    assert objects(memory, "https://example.org/x", "syn:uses") == {"c"}


def test_terms_installed_later_give_meaning_to_keys_already_read(
    open_memory: Callable[..., Memory], notes: Path
) -> None:
    write(notes, "a.md", "---\ndepends on: '[[b]]'\n---\n")
    memory = open_memory(core=False)
    memory.sync()
    assert objects(memory, "a", ":depends_on") == {"b"}
    memory.install_scenario("core")
    assert objects(memory, "a", "syn:depends_on") == {"b"}
    memory.remove_scenario("core")
    assert objects(memory, "a", ":depends_on") == {"b"}


def test_every_real_vault_is_read_without_failures_and_then_unchanged(
    real_vault: Path, tmp_path: Path
) -> None:
    memory = Memory.open(notes=real_vault)
    memory.install_scenario("core")
    first = memory.sync()
    assert first.failed == 0
    assert first.found == first.indexed > 0
    assert all(found.path and found.line >= 1 for found in first.diagnostics)
    second = memory.sync()
    assert (second.indexed, second.unchanged, second.failed) == (0, first.found, 0)
    memory.close()


@pytest.mark.parametrize(
    "data", [b"\x00", b"\xff\xfe[\x00[\x00", b"caf\xe9\n"], ids=["NUL", "UTF-16", "Latin-1"]
)
def test_a_note_that_cannot_be_read_is_unchanged_while_its_bytes_are(
    data: bytes, open_memory: Callable[..., Memory], notes: Path, tmp_path: Path
) -> None:
    file = notes / "a.md"
    file.write_bytes(data)
    memory = open_memory(tmp_path / "data")
    first = memory.sync()
    assert (first.indexed, first.unchanged, first.failed) == (1, 0, 1)
    for _ in range(2):
        again = memory.sync()
        assert (again.indexed, again.unchanged, again.failed) == (0, 1, 1)
        assert again.diagnostics == first.diagnostics
        memory.close()
        memory = open_memory(tmp_path / "data")
    file.write_bytes(b"[[b]]\n")
    mended = memory.sync()
    assert (mended.indexed, mended.failed) == (1, 0)


@pytest.mark.parametrize("folder", ["Templates", "meta/templates", "TEMPLATES"])
def test_a_template_is_a_note_whose_oddities_are_one_diagnostic(
    folder: str, memory: Memory, notes: Path
) -> None:
    text = "---\ntitle: {{title}}\n---\n[[x]] <% tp.date %> [[{{y}}]]\n"
    write(notes, f"{folder}/nota.md", text)
    write(notes, f"{folder}/plain.md", "[[nota]]\n")
    report = memory.sync()
    assert (report.found, report.failed) == (2, 0)
    assert [(item.path, item.code) for item in report.diagnostics] == [(f"{folder}/nota.md", "template")]
    assert len(memory.check(strict=True).diagnostics) == 1
