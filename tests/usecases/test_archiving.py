"""What is archived is kept and shown, never linked silently, and can be brought back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from synapse.memory import Memory, MemoryOptions
from synapse.rdf.names import INFERRED
from synapse.usecases.answers import Card, Explanation
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


# Consequences withdrawn, by setting

WITHDRAW = MemoryOptions(archived_consequences="withdraw")


@pytest.fixture
def strict(open_memory: Callable[..., Memory]) -> Memory:
    """A memory in which nothing follows from what is archived."""
    return open_memory(options=WITHDRAW)


def inferred(memory: Memory) -> set[tuple[str, str, str]]:
    view = memory._rooms.view
    shown = (view.statement(quad.triple) for quad in memory._rooms.store.quads(graph=INFERRED))
    return {(found.subject, found.predicate, str(found.object)) for found in shown}


def depends(memory: Memory) -> set[str]:
    """On what the ledger depends, by inference."""
    return {o for s, p, o in inferred(memory) if (s, p) == ("services/ledger", "syn:depends_on")}


def test_archiving_takes_the_consequences_along_and_reviving_brings_them_back(
    strict: Memory, notes: Path
) -> None:
    written(strict, notes, "type: Tool\ndepends_on: '[[hosts/a]]'")
    say(strict, ("services/ledger", "depends_on", "tools/jenkins"))
    before = inferred(strict)
    assert depends(strict) == {"hosts/a"}
    archived = say(strict, ("tools/jenkins", "status", "retired"))
    assert depends(strict) == set()
    assert not [fact for fact in inferred(strict) if "tools/jenkins" in fact]
    card = strict.card("services/ledger")
    assert isinstance(card, Card)
    assert [fact.object for fact in card.out if not fact.inferred] == ["tools/jenkins"], (
        "what is stated stays"
    )
    strict.retract_facts(assertion_id=archived.id, reason="it is still used")
    assert inferred(strict) == before


def test_what_is_said_of_it_meanwhile_has_consequences_from_its_revival_on(
    strict: Memory, notes: Path
) -> None:
    written(strict, notes, "type: Tool\nstatus: retired")
    say(strict, ("services/ledger", "depends_on", "tools/jenkins", None, None, "id"))
    say(strict, ("tools/jenkins", "depends_on", "hosts/a"))
    assert depends(strict) == set()
    (notes / "tools" / "jenkins.md").write_text("---\ntitle: Jenkins\ntype: Tool\nstatus: active\n---\n")
    strict.sync()
    assert depends(strict) == {"hosts/a"}


def test_a_stated_fact_without_consequences_is_still_its_own_proof(strict: Memory, notes: Path) -> None:
    written(strict, notes, "type: Tool\nstatus: retired\ndepends_on: '[[hosts/a]]'")
    answer = strict.why("tools/jenkins", "depends_on", "hosts/a")
    assert isinstance(answer, Explanation)
    assert [proof.rule for proof in answer.proofs] == ["stated"]
    assert answer.proofs[0].sources[0].path == "tools/jenkins.md"


def test_a_class_below_one_with_statuses_archives_as_it_does(strict: Memory, notes: Path) -> None:
    written(strict, notes, "type: Cron\nstatus: retired\ndepends_on: '[[hosts/a]]'")
    say(strict, ("services/ledger", "depends_on", "tools/jenkins", None, None, "id"))
    assert depends(strict) == {"hosts/a"}
    axiom = say(strict, (":Cron", "rdfs:subClassOf", "syn:Tool", None, None, "iri"))
    assert depends(strict) == set()
    assert notices(strict) == ["archived"]
    assert say(strict, ("services/search", "uses", "Jenkins")).ambiguous[0].reason == "revive_candidate"
    strict.retract_facts(assertion_id=axiom.id, reason="it is none")
    assert depends(strict) == {"hosts/a"}


def test_no_contradiction_comes_of_what_is_archived(strict: Memory, notes: Path) -> None:
    written(strict, notes, "type: Tool\narchived: true")
    answer = say(
        strict,
        (":Robot", "owl:disjointWith", ":Human", None, None, "iri"),
        ("tools/jenkins", "type", "Robot"),
        ("tools/jenkins", "type", "Human"),
    )
    assert answer.contradictions == ()
    revived = say(strict, ("tools/jenkins", "archived", "false", "xsd:boolean"))
    assert [found.rule for found in revived.contradictions] == ["cax-dw"]


def test_the_vocabulary_of_a_scenario_decides_who_is_archived(strict: Memory, notes: Path) -> None:
    written(strict, notes, "type: Tool\nstatus: retired")
    say(strict, (":needs", "type", "owl:TransitiveProperty", None, None, "iri"))
    say(strict, ("services/ledger", "needs", "tools/jenkins", None, None, "id"))
    say(strict, ("tools/jenkins", "needs", "hosts/a", None, None, "id"))
    needs = ("services/ledger", ":needs", "hosts/a")
    assert needs not in inferred(strict)
    strict.remove_scenario("core")
    assert needs in inferred(strict)
    strict.install_scenario("core")
    assert needs not in inferred(strict)
    report = strict.reason()
    assert (report.added, report.removed) == (0, 0)


def test_another_setting_takes_effect_at_the_next_start(
    open_memory: Callable[..., Memory], notes: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with open_memory(data) as memory:
        written(memory, notes, "type: Tool\nstatus: retired\ndepends_on: '[[hosts/a]]'")
        say(memory, ("services/ledger", "depends_on", "tools/jenkins", None, None, "id"))
        kept, then = inferred(memory), memory.log(limit=1).entries[0].at
    for options, wanted in ((WITHDRAW, set()), (None, {"hosts/a"})):
        with open_memory(data, core=False, options=options) as memory:
            assert depends(memory) == wanted
            assert memory.reason().added == memory.reason().removed == 0
            card = memory.card("services/ledger", as_of=then)
            assert isinstance(card, Card)
            assert {fact.object for fact in card.out if fact.inferred} == wanted
    with open_memory(data, core=False) as memory:
        assert inferred(memory) == kept


def test_owlrl_agrees_on_what_is_left(strict: Memory, notes: Path) -> None:
    strict.remove_scenario("core")
    say(strict, (":kin", "type", "owl:TransitiveProperty", None, None, "iri"))
    say(
        strict,
        ("a", "kin", "b", None, None, "id"),
        ("b", "kin", "c", None, None, "id"),
        ("c", "kin", "d", None, None, "id"),
    )
    say(strict, ("b", "syn:archived", "true", "xsd:boolean"))
    report = strict.reason(verify=True)
    assert report.verification is not None
    assert report.verification.differences == 0
    assert {fact for fact in inferred(strict) if fact[1] == ":kin"} == set()
