"""An object that nobody says the kind of: an entity by any of its names, else a text, and told."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse.memory import Memory
from synapse.usecases.answers import LiteralValue
from synapse.usecases.written import FactInput, WriteAnswer

BECAUSE = {"source": "the stand-up", "reason": "Bob said so", "agent": "claude"}


def say(memory: Memory, *facts: tuple[str, ...], **given: object) -> WriteAnswer:
    return memory.assert_facts([FactInput(*fact) for fact in facts], **BECAUSE | given)  # type: ignore[arg-type]


def objects(answer: WriteAnswer) -> list[object]:
    return [
        fact.object.value if isinstance(fact.object, LiteralValue) else fact.object for fact in answer.facts
    ]


def kept(answer: WriteAnswer) -> list[str]:
    return [notice.message for notice in answer.notices if notice.code == "kept-as-text"]


@pytest.fixture
def company(memory: Memory, notes: Path) -> Memory:
    for path, text in {
        "teams/search.md": "---\ntype: Team\ntitle: Search Team\naliases: [Buscadores]\n---\n",
        "services/ledger.md": "---\ntype: Service\ncontact: hotline\ntier: 1\n---\n# Ledger\n",
        "tools/kubernetes.md": "---\ntype: Tool\naliases: [K8s]\n---\n# Kubernetes\n",
        "people/begoña.md": "---\ntype: Person\n---\n# Begoña Ruiz\n",
        "2026-03-01.md": "A day.\n",
        "hotline.md": "# Hotline\n",
    }.items():
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        (notes / path).write_text(text, encoding="utf-8")
    memory.sync()
    return memory


NAMES = [
    ("teams/search", "teams/search", "id"),
    ("Search Team", "teams/search", "label"),
    ("search-team", "teams/search", "label"),
    ("Buscadores", "teams/search", "alias"),
    ("[[Search Team]]", "teams/search", "label"),
    ("Kubernets", "tools/kubernetes", "similar"),
]


@pytest.mark.parametrize(("mention", "id", "by"), NAMES)
def test_an_own_property_connects_to_whatever_name_of_an_entity(
    company: Memory, mention: str, id: str, by: str
) -> None:
    answer = say(company, ("services/ledger", "maintained_with", mention))
    assert objects(answer) == [id]
    assert (mention, id, by) in {(one.mention, one.id, one.by) for one in answer.connected}
    assert kept(answer) == []


def test_a_name_that_is_only_alike_is_asked_about_as_a_subject_is(company: Memory) -> None:
    asked = say(company, ("services/ledger", "maintained_with", "Begonia Ruiz"))
    subject = say(company, ("Begonia Ruiz", "maintained_with", "teams/search"))
    assert asked.status == subject.status == "refused"
    assert asked.ambiguous == subject.ambiguous
    assert "object_is=literal" in asked.notices[0].message
    assert "object_is" not in subject.notices[0].message
    text = say(company, ("services/ledger", "maintained_with", "Begonia Ruiz", None, None, "literal"))
    assert objects(text) == ["Begonia Ruiz"]
    new = say(company, ("services/ledger", "helped_by", "Begonia Ruiz"), force_new=True)
    assert new.stubs == ("Begonia Ruiz",)


def test_what_nothing_is_called_is_kept_as_text_and_told_with_the_way_to_an_entity(company: Memory) -> None:
    answer = say(company, ("services/ledger", "maintained_with", "a wooden hammer"))
    assert answer.facts[0].object == LiteralValue("a wooden hammer")
    (message,) = kept(answer)
    assert "'a wooden hammer' was kept as text" in message
    assert "object_is=id" in message
    entity = say(company, ("services/ledger", "maintained_with", "a wooden hammer", None, None, "id"))
    assert entity.stubs == ("a wooden hammer",)
    again = say(company, ("services/ledger", "mended_with", "a wooden hammer"))
    assert objects(again) == ["a wooden hammer"]
    assert kept(again) == []


def test_what_another_fact_of_the_same_write_describes_is_known_by_its_name(company: Memory) -> None:
    answer = say(
        company, ("services/ledger", "maintained_with", "Night Shift"), ("Night Shift", "type", "Team")
    )
    assert answer.facts[0].object == "Night Shift"
    assert kept(answer) == []


TEXTS = [
    ("a well-known key", "title", "Search Team"),
    ("a well-known key in Spanish", "nombre", "Search Team"),
    ("tags", "tags", "Hotline"),
    ("a description", "description", "Search Team"),
    ("a status", "status", "Hotline"),
    ("a declared datatype property", "criticality", "Hotline"),
    ("a datatype property of another vocabulary", "foaf:nick", "Hotline"),
    ("a declared annotation", "skos:definition", "Search Team"),
    ("a number", "floor", "7"),
    ("a decimal", "load", "-1.5"),
    ("a truth value", "is_public", "true"),
    ("sentences", "remark", "Ask the Search Team. Then wait for Kubernetes."),
    ("lines", "remark", "Search Team\nKubernetes"),
    ("a long text", "remark", "one two three four five six seven eight nine ten eleven twelve thirteen"),
]


@pytest.mark.parametrize(("predicate", "text"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_what_is_a_text_by_its_property_or_by_itself_stays_one_without_a_word(
    company: Memory, predicate: str, text: str
) -> None:
    answer = say(company, ("services/ledger", predicate, text))
    assert isinstance(answer.facts[0].object, LiteralValue)
    assert kept(answer) == []


def test_a_property_that_only_texts_have_gets_a_text_and_an_entity_of_that_name_is_told(
    company: Memory,
) -> None:
    answer = say(company, ("teams/search", "contact", "Search Team"), ("teams/search", "contact", "pager"))
    assert all(isinstance(fact.object, LiteralValue) for fact in answer.facts)
    assert kept(answer) == ["'Search Team' was kept as text; with object_is=id it is teams/search"]
    by_id = say(company, ("teams/search", "contact", "people/begoña"))
    assert objects(by_id) == ["people/begoña"]


def test_a_date_that_is_also_a_note_is_a_text_and_told(company: Memory) -> None:
    answer = say(company, ("teams/search", "met_on", "2026-03-01"))
    assert isinstance(answer.facts[0].object, LiteralValue)
    assert kept(answer) == ["'2026-03-01' was kept as text; with object_is=id it is 2026-03-01"]


def test_a_number_as_text_beside_numbers_is_told(company: Memory) -> None:
    answer = say(company, ("teams/search", "tier", "2"))
    assert kept(answer) == ["'2' was kept as text where others are xsd:integer: give it as datatype"]


def test_an_object_said_to_be_something_is_that_without_a_word(company: Memory) -> None:
    for kind, object in (("literal", LiteralValue("Search Team")), ("id", "teams/search")):
        answer = say(company, ("services/ledger", "maintained_with", "Search Team", None, None, kind))
        assert answer.facts[0].object == object
        assert kept(answer) == []


def test_the_very_name_of_one_entity_means_it_even_when_forced_to_be_new(company: Memory) -> None:
    answer = say(
        company,
        ("Search Team", "uses", "Kubernetes"),
        ("services/ledger", "kept_by", "Buscadores"),
        force_new=True,
    )
    assert {(fact.subject, fact.object) for fact in answer.facts} == {
        ("teams/search", "tools/kubernetes"),
        ("services/ledger", "teams/search"),
    }
    assert answer.stubs == ()
    other = say(company, ("services/ledger", "uses", "Kubernets"), force_new=True)
    assert other.stubs == ("Kubernets",)
