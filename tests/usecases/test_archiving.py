"""What is archived is kept and shown, never linked silently, and can be brought back."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse.memory import Memory
from synapse.usecases.answers import Card
from synapse.usecases.written import FactInput, WriteAnswer

ARCHIVED = {
    "a status that its type archives": "type: Tool\nstatus: retired",
    "a Spanish word for it": "type: Tool\nstatus: abandonada",
    "a date": "type: Tool\narchived: 2024-05-01",
    "a yes": "type: Tool\narchived: true",
}
LIVE = {
    "a live status": "type: Tool\nstatus: active",
    "a no": "type: Tool\narchived: false",
    "a no beside an archived status": "type: Tool\nstatus: retired\narchived: false",
    "a word that its type does not archive": "type: Person\nstatus: left",
    "no status": "type: Tool",
}


def say(memory: Memory, *facts: tuple[str, ...]) -> WriteAnswer:
    return memory.assert_facts([FactInput(*fact) for fact in facts], source="a test", reason="a test")


def written(memory: Memory, notes: Path, frontmatter: str) -> Memory:
    (notes / "tools").mkdir()
    (notes / "tools" / "jenkins.md").write_text(
        f"---\ntitle: Jenkins\n{frontmatter}\n---\n", encoding="utf-8"
    )
    memory.sync()
    return memory


def notices(memory: Memory) -> list[str]:
    card = memory.card("tools/jenkins")
    assert isinstance(card, Card)
    return [notice.code for notice in card.notices]


@pytest.mark.parametrize("frontmatter", ARCHIVED.values(), ids=ARCHIVED)
def test_a_name_of_what_is_archived_is_asked_about(memory: Memory, notes: Path, frontmatter: str) -> None:
    written(memory, notes, frontmatter)
    answer = say(memory, ("services/ledger", "uses", "Jenkins"))
    assert [(found.reason, found.did_you_mean[0].id) for found in answer.ambiguous] == [
        ("revive_candidate", "tools/jenkins")
    ]
    assert notices(memory) == ["archived"]


@pytest.mark.parametrize("frontmatter", LIVE.values(), ids=LIVE)
def test_a_name_of_what_is_live_connects(memory: Memory, notes: Path, frontmatter: str) -> None:
    written(memory, notes, frontmatter)
    answer = say(memory, ("services/ledger", "uses", "Jenkins"))
    assert "tools/jenkins" in {found.id for found in answer.connected}
    assert notices(memory) == []


def test_an_id_of_what_is_archived_is_linked_and_told(memory: Memory, notes: Path) -> None:
    written(memory, notes, "type: Tool\nstatus: retired")
    answer = say(memory, ("services/ledger", "replaces", "tools/jenkins", None, None, "id"))
    assert answer.status == "ok"
    assert [notice.message for notice in answer.notices if notice.code == "archived"] == [
        "tools/jenkins is archived (status retired)"
    ]


def test_another_status_revives_and_taking_it_back_archives_again(memory: Memory, notes: Path) -> None:
    written(memory, notes, "type: Tool\nstatus: retired")
    revived = say(memory, ("tools/jenkins", "status", "active"))
    assert notices(memory) == []
    assert say(memory, ("services/ledger", "uses", "Jenkins")).ambiguous == ()
    memory.retract_facts(assertion_id=revived.id, reason="it is gone after all")
    assert notices(memory) == ["archived"]
    assert say(memory, ("services/search", "uses", "Jenkins")).ambiguous[0].reason == "revive_candidate"


def test_what_an_agent_archived_comes_back_when_the_fact_is_retracted(memory: Memory, notes: Path) -> None:
    written(memory, notes, "type: Tool")
    done = say(memory, ("tools/jenkins", "archived", "true", "xsd:boolean"))
    assert notices(memory) == ["archived"]
    memory.retract_facts(assertion_id=done.id, reason="it is still used")
    assert notices(memory) == []


def test_archiving_withdraws_nothing_that_followed(memory: Memory, notes: Path) -> None:
    written(memory, notes, "type: Tool\ndepends_on: '[[hosts/a]]'")
    say(memory, ("services/ledger", "depends_on", "tools/jenkins"))
    say(memory, ("tools/jenkins", "status", "retired"))
    card = memory.card("services/ledger")
    assert isinstance(card, Card)
    assert ("hosts/a", True) in {(fact.object, fact.inferred) for fact in card.out}


def test_removing_the_vocabulary_revives_what_only_it_archived(memory: Memory, notes: Path) -> None:
    written(memory, notes, "type: Tool\nstatus: retired")
    assert say(memory, ("services/ledger", "uses", "Jenkins")).ambiguous
    memory.remove_scenario("core")
    assert say(memory, ("services/ledger", "uses", "Jenkins", None, None, "id")).ambiguous == ()
