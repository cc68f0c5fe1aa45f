"""What a thing is called: by its own file first; a stub never stands in front of what is described."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse.memory import Memory
from synapse.usecases.answers import Card, Explanation, Unresolved
from synapse.usecases.written import FactInput, WriteAnswer


def say(memory: Memory, *facts: tuple[str, ...], **given: object) -> WriteAnswer:
    inputs = [FactInput(*fact) for fact in facts]
    return memory.assert_facts(inputs, source="stand-up", reason="Bob said so", **given)  # type: ignore[arg-type]


def card(memory: Memory, id: str) -> Card:
    found = memory.card(id)
    assert isinstance(found, Card), found
    return found


@pytest.fixture
def company(memory: Memory, notes: Path) -> Memory:
    (notes / "services").mkdir()
    (notes / "services/search.md").write_text("---\nnombre: Búsqueda\ndescription: Finds things.\n---\n")
    (notes / "services/ledger.md").write_text("---\ndepends_on: '[[services/search]]'\n---\n# Ledger\n")
    memory.sync()
    return memory


def test_the_label_and_description_of_the_file_are_shown_before_those_of_agents(
    company: Memory, notes: Path
) -> None:
    say(company, ("services/search", "title", "A Search"), ("services/search", "description", "A box."))
    shown = card(company, "services/search")
    assert (shown.label, shown.description) == ("Búsqueda", "Finds things.")
    labels = [fact for fact in shown.out if fact.predicate == "rdfs:label"]
    assert {source.kind for fact in labels for source in fact.sources} == {"file", "assertion"}
    assert card(company, "A Search").id == "services/search"
    around = say(company, ("services/ledger", "uses", "A Search")).neighborhood
    assert "Búsqueda" in {near.label for near in around}


def test_a_label_that_the_file_gets_later_takes_its_place_in_every_answer(
    memory: Memory, notes: Path
) -> None:
    say(memory, ("search", "title", "A Search"), ("search", "part_of", "shop"))
    (notes / "search.md").write_text("# Búsqueda\n")
    memory.sync()
    assert card(memory, "search").label == "Búsqueda"
    around = say(memory, ("shop", "covers", "search")).neighborhood
    assert "Búsqueda" in {near.label for near in around}


def test_a_name_that_was_a_stub_means_the_note_that_is_called_so_by_now(memory: Memory, notes: Path) -> None:
    say(memory, ("ledger", "depends_on", "Búsqueda"))
    assert card(memory, "Búsqueda").stub
    (notes / "services").mkdir()
    (notes / "services/search.md").write_text("---\nnombre: Búsqueda\n---\n")
    memory.sync()
    assert card(memory, "Búsqueda").id == "services/search"
    answer = say(memory, ("shop", "uses", "Búsqueda"))
    assert [(one.mention, one.id, one.by) for one in answer.connected] == [
        ("Búsqueda", "services/search", "label")
    ]
    by_iri = card(memory, "https://synapse.local/Búsqueda")
    assert (by_iri.id, by_iri.stub) == ("Búsqueda", True)


def test_a_stub_that_another_is_called_like_is_still_explained_and_taken_back_by_its_id(
    memory: Memory, notes: Path
) -> None:
    say(memory, ("ledger", "depends_on", "Búsqueda"))
    (notes / "search.md").write_text("---\nnombre: Búsqueda\n---\n")
    memory.sync()
    why = memory.why("ledger", "depends_on", "Búsqueda")
    assert isinstance(why, Explanation) and why.known
    fact = FactInput("ledger", "depends_on", "Búsqueda")
    assert memory.retract_facts(facts=[fact], reason="meant the note").status == "ok"


def test_a_described_entity_keeps_its_id_whatever_others_are_called(company: Memory, notes: Path) -> None:
    (notes / "Búsqueda.md").write_text("# Something else\n")
    company.sync()
    assert card(company, "Búsqueda").id == "Búsqueda"
    assert isinstance(company.card("busqueda"), Unresolved)


@pytest.fixture
def people(memory: Memory, notes: Path) -> Memory:
    """A note that is called Ana Núñez, and a link to that name, which means no file."""
    (notes / "personas").mkdir()
    (notes / "personas/ana.md").write_text("---\nnombre: Ana Núñez\nalias: La jefa\n---\n")
    (notes / "tarea.md").write_text("---\nresponsable: '[[Ana Núñez]]'\n---\nSee [[equipo/La jefa]].\n")
    memory.sync()
    return memory


@pytest.mark.parametrize(
    "name", ["Ana Núñez", "ana núñez", "Ana Nunez", "ANA NÚÑEZ", "[[ana nunez]]", "la jefa"]
)
def test_a_name_in_any_spelling_means_the_note_and_not_what_is_only_pointed_at(
    name: str, people: Memory
) -> None:
    assert card(people, name).id == "personas/ana"
    answer = say(people, ("equipo uno", "uses", name), (name, "knows", "equipo uno"))
    assert {one.id for one in answer.connected} == {"personas/ana"}
    assert answer.ambiguous == ()
    why = people.why(name, "knows", "equipo uno")
    assert isinstance(why, Explanation) and why.known


def test_two_notes_of_one_name_are_asked_about_with_what_is_only_pointed_at(
    people: Memory, notes: Path
) -> None:
    (notes / "otra.md").write_text("---\nnombre: Ana Núñez\n---\n")
    people.sync()
    found = people.card("ana nunez")
    assert isinstance(found, Unresolved) and found.reason == "ambiguous"
    assert {one.id for one in found.did_you_mean} == {"personas/ana", "otra", "Ana Núñez"}
    assert [one.reason for one in say(people, ("x", "uses", "ana nunez")).ambiguous] == ["ambiguous"]


def test_a_type_that_the_note_is_not_of_is_still_asked_about(people: Memory, notes: Path) -> None:
    (notes / "personas/ana.md").write_text("---\nnombre: Ana Núñez\ntipo: Persona\n---\n")
    (notes / "tarea.md").write_text("nothing\n")
    people.sync()
    answer = say(people, ("ana nunez", "type", "Project"))
    assert [one.reason for one in answer.ambiguous] == ["label_conflict"]


def test_a_status_is_taken_back_and_explained_by_the_word_it_was_asserted_with(
    memory: Memory, notes: Path
) -> None:
    (notes / "apollo.md").write_text("---\ntipo: Proyecto\n---\n")
    memory.sync()
    say(memory, ("apollo", "estado", "terminado"))
    assert card(memory, "apollo").status == "done"
    why = memory.why("apollo", "estado", "terminado")
    assert isinstance(why, Explanation) and why.known
    wrong = memory.retract_facts(facts=[FactInput("apollo", "estado", "en curso")], reason="r")
    assert wrong.status == "refused"
    answer = memory.retract_facts(facts=[FactInput("apollo", "estado", "terminado")], reason="r")
    assert answer.status == "ok"
    assert card(memory, "apollo").status is None
