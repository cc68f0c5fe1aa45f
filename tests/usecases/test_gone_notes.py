"""What agents asserted of a note that was renamed is not left on a ghost without a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from note_files import write

from synapse.memory import Memory
from synapse.usecases.answers import Finding
from synapse.usecases.written import FactInput

GROUNDS = {"source": "a talk", "reason": "worth keeping", "agent": "ana"}


def gone(memory: Memory) -> list[Finding]:
    return [item for item in memory.check().diagnostics if item.code == "note-gone"]


def said(memory: Memory, *facts: FactInput) -> str:
    answer = memory.assert_facts(facts, **GROUNDS)
    assert answer.id is not None, answer
    return answer.id


@pytest.mark.parametrize("text", ["---\ntitle: Correo\n---\n", "Un texto.\n"], ids=["title", "text"])
@pytest.mark.parametrize("to", ["servicios/correo-saliente.md", "correo-saliente.md"])
def test_assertions_about_a_renamed_note_are_told_with_the_note_that_is_meant_by_now(
    to: str, text: str, memory: Memory, notes: Path
) -> None:
    file = write(notes, "servicios/correo.md", text)
    write(notes, "servidor uno.md", "Hola\n")
    memory.sync()
    first = said(
        memory,
        FactInput("servicios/correo", "depends_on", "servidor uno"),
        FactInput("servicios/correo", "tier", "1", "xsd:integer"),
    )
    second = said(memory, FactInput("servidor uno", "part_of", "servicios/correo"))
    assert gone(memory) == []
    file.rename(notes / to)
    found = gone(memory)
    assert [(item.path, item.kind, item.severity) for item in found] == [
        (f"assertion:{first}", "assertion", "warning"),
        (f"assertion:{second}", "assertion", "warning"),
    ]
    told = found[0].message
    assert told.startswith(
        "the note servicios/correo is gone, and an agent asserted of it: "
        'servicios/correo :tier "1" and 1 more; '
        f"did you mean {to.removesuffix('.md')} (the same "
    )
    assert told.endswith(f"synapse retract {first} --reason moved")


def test_a_moved_note_is_found_by_its_file_name(memory: Memory, notes: Path) -> None:
    file = write(notes, "a/correo.md", "---\ntitle: Uno\n---\n")
    memory.sync()
    said(memory, FactInput("a/correo", "uses", "x", object_is="id"))
    file.unlink()
    write(notes, "b/correo.md", "---\ntitle: Dos\n---\n")
    (item,) = gone(memory)
    assert "did you mean b/correo (the same name)?" in item.message


def test_what_is_asserted_of_a_deleted_note_is_told_as_an_info(memory: Memory, notes: Path) -> None:
    file = write(notes, "correo.md", "Un texto.\n")
    memory.sync()
    said(memory, FactInput("correo", "uses", "x", object_is="id"))
    file.unlink()
    (item,) = gone(memory)
    assert (item.severity, "did you mean" in item.message) == ("info", False)


def test_nothing_is_told_once_the_note_is_back_or_the_assertion_taken_back(
    memory: Memory, notes: Path
) -> None:
    file = write(notes, "correo.md", "Un texto.\n")
    memory.sync()
    id = said(memory, FactInput("correo", "uses", "x", object_is="id"))
    file.rename(notes / "mail.md")
    assert len(gone(memory)) == 1
    (notes / "mail.md").rename(file)
    assert gone(memory) == []
    file.rename(notes / "mail.md")
    assert len(gone(memory)) == 1
    memory.retract_facts(assertion_id=id, reason="moved", agent="ana")
    assert gone(memory) == []


def test_what_never_was_a_note_and_what_has_an_address_of_its_own_are_not_told(
    memory: Memory, notes: Path
) -> None:
    file = write(notes, "a.md", "---\nuri: https://example.org/a\n---\n")
    memory.sync()
    said(memory, *(FactInput(name, "uses", "x", object_is="id") for name in ("never a note", "a")))
    file.rename(notes / "b.md")
    assert gone(memory) == []


def test_a_memory_opened_again_knows_which_notes_are_gone(
    open_memory: Callable[..., Memory], notes: Path, tmp_path: Path
) -> None:
    file = write(notes, "correo.md", "---\ntitle: El correo\n---\n")
    memory = open_memory(tmp_path / "data")
    memory.sync()
    said(memory, FactInput("correo", "uses", "x", object_is="id"))
    memory.close()
    file.rename(notes / "mail.md")
    memory = open_memory(tmp_path / "data")
    (item,) = gone(memory)
    assert "did you mean mail (the same" in item.message
