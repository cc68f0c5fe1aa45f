"""Agents write: facts are connected to what is known, all or nothing, and can be taken back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import QuerySolutions

from synapse.errors import InvalidInput
from synapse.knowledge.resolve_settings import ResolveSettings
from synapse.memory import Memory, MemoryOptions
from synapse.usecases.answers import Card, Explanation, Provenance
from synapse.usecases.written import FactInput, Log, WriteAnswer

BECAUSE = {"source": "the stand-up", "reason": "Bob said so", "agent": "claude"}


def say(memory: Memory, *facts: tuple[str, ...], **given: object) -> WriteAnswer:
    inputs = [FactInput(*fact) for fact in facts]
    return memory.assert_facts(inputs, **BECAUSE | given)  # type: ignore[arg-type]


def card(memory: Memory, id: str) -> Card:
    answer = memory.card(id)
    assert isinstance(answer, Card), answer
    return answer


def facts_of(memory: Memory, id: str) -> set[tuple[str, object, bool]]:
    return {(fact.predicate, fact.object, fact.inferred) for fact in card(memory, id).out}


def digest(memory: Memory) -> str:
    """Everything there is: the dataset, the history, what the reasoner entails, the names."""
    rooms = memory._rooms
    parts = sorted(map(str, rooms.store.quads()))
    parts += [entry.iri for entry in rooms.history.entries()]
    parts += sorted(map(str, rooms.committer.reasoner().inferred()))
    parts += sorted(rooms.naming.index()._entities)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@pytest.fixture
def company(memory: Memory, notes: Path) -> Memory:
    for path, text in {
        "services/payments.md": "---\ntype: Service\ndepends_on: '[[services/ledger]]'\n---\n",
        "services/ledger.md": "---\ntype: Service\n---\n",
        "tools/kubernetes.md": "---\ntype: Tool\naliases: [K8s]\n---\n",
        "projects/atlas.md": "---\ntype: Project\n---\n",
        "people/bob.md": "---\ntype: Person\ntitle: Bob Okafor\n---\n",
    }.items():
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        (notes / path).write_text(text, encoding="utf-8")
    memory.sync()
    return memory


def test_asserted_facts_stand_on_the_card_with_who_why_and_how_sure(company: Memory) -> None:
    answer = say(company, ("services/payments", "runs_on", "tools/kubernetes"), confidence=0.8)
    assert answer.status == "ok"
    fact = next(fact for fact in card(company, "services/payments").out if fact.predicate == "syn:runs_on")
    (source,) = fact.sources
    assert (source.kind, source.agent, source.reason, source.confidence) == (
        "assertion",
        "claude",
        "Bob said so",
        0.8,
    )
    assert source.learned_at
    assert source.activity == answer.id


def test_what_a_write_entails_is_told_and_holds(company: Memory) -> None:
    answer = say(company, ("services/ledger", "depends_on", "tools/kubernetes"))
    told = {(found.subject, found.predicate, found.object) for found in answer.inferred_added}
    assert ("services/payments", "syn:depends_on", "tools/kubernetes") in told
    assert ("syn:depends_on", "tools/kubernetes", True) in facts_of(company, "services/payments")


@pytest.mark.parametrize(
    ("mention", "by"),
    [("tools/kubernetes", "id"), ("Kubernets", "similar"), ("K8s", "alias"), ("KUBERNETES", "label")],
)
def test_a_mention_connects_to_the_entity_it_means(company: Memory, mention: str, by: str) -> None:
    answer = say(company, ("services/ledger", "runs_on", mention))
    assert answer.status == "ok"
    assert [
        (found.mention, found.id, found.by) for found in answer.connected if found.mention == mention
    ] == [(mention, "tools/kubernetes", by)]
    assert ("syn:runs_on", "tools/kubernetes", False) in facts_of(company, "services/ledger")


PAIRS = [
    ("sprint review 2024", "sprint review 2025"),
    ("C++", "C"),
    ("C++", "C#"),
    ("か", "が"),
    ("staging", "staging2"),
    ("payments v1.2", "payments v1.3"),
]


@pytest.mark.parametrize(("known", "written"), PAIRS)
def test_what_differs_in_a_number_version_or_sign_never_connects(
    memory: Memory, known: str, written: str
) -> None:
    say(memory, ("hub", "related_to", known))
    answer = say(memory, ("other hub", "related_to", written))
    assert written not in {found.mention for found in answer.connected}


def test_an_unknown_name_becomes_a_stub_and_a_description_makes_it_active(company: Memory) -> None:
    answer = say(company, ("services/ledger", "runs_on", "platform/mainframe"))
    assert answer.stubs == ("platform/mainframe",)
    assert card(company, "platform/mainframe").stub
    later = say(company, ("platform/mainframe", "description", "A big iron box."))
    assert later.stubs == ()
    assert not card(company, "platform/mainframe").stub


def test_a_name_that_may_mean_several_is_asked_about_and_the_rest_is_written(company: Memory) -> None:
    say(company, ("people/ana", "title", "Pagos"), ("teams/x", "title", "Pagos"))
    answer = say(
        company, ("services/ledger", "owned_by", "Pagos"), ("services/ledger", "tier", "1", "xsd:integer")
    )
    assert answer.status == "ok"
    assert [(found.mention, found.reason) for found in answer.ambiguous] == [("Pagos", "ambiguous")]
    assert {candidate.id for candidate in answer.ambiguous[0].did_you_mean} == {"people/ana", "teams/x"}
    assert "syn:owned_by" not in {predicate for predicate, _, _ in facts_of(company, "services/ledger")}
    assert any(notice.code == "left-out" for notice in answer.notices)


def test_an_entity_without_relations_is_told_so_with_suggestions(company: Memory) -> None:
    answer = say(company, ("ideas/cache", "description", "Speed up Atlas."), ("ideas/cache", "tags", "atlas"))
    assert answer.degree == {"ideas/cache": 0}
    assert answer.orphan_warning
    assert "https://" not in answer.orphan_warning
    assert ("ideas/cache", "syn:belongs_to", "projects/atlas") in {
        (found.subject, found.predicate, found.object) for found in answer.suggested_relations
    }


def test_a_status_is_brought_to_the_vocabulary_of_its_type(company: Memory) -> None:
    say(company, ("projects/atlas", "status", "en curso"))
    assert card(company, "projects/atlas").status == "active"
    answer = say(company, ("projects/zeus", "type", "Project"), ("projects/zeus", "status", "zzz"))
    assert answer.status_note
    assert ("syn:status_note", "zzz") in {
        (fact.predicate, getattr(fact.object, "value", fact.object))
        for fact in card(company, "projects/zeus").out
    }


def test_a_contradiction_is_told_and_the_facts_stay(company: Memory) -> None:
    answer = say(company, ("people/bob", "type", "Service"))
    assert answer.status == "ok"
    assert [found.rule for found in answer.contradictions] == ["cax-adc"]
    assert all(fact.sources for fact in answer.contradictions[0].premises)


def with_settings(**settings: object) -> MemoryOptions:
    return MemoryOptions(resolve=ResolveSettings(**settings))  # type: ignore[arg-type]


def test_dedupe_block_refuses_a_double_unless_it_is_said_to_be_new(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(options=with_settings(dedupe="block"))
    say(memory, ("tools/kubernetes", "title", "Kubernetes"))
    before = digest(memory)
    answer = say(memory, ("infra/k", "title", "Kubernetes"), ("infra/k", "related_to", "tools/kubernetes"))
    assert answer.status == "refused"
    assert [found.id for found in answer.possible_duplicate_of] == ["tools/kubernetes"]
    assert digest(memory) == before
    assert say(memory, ("infra/k", "title", "Kubernetes"), force_new=True).status == "ok"


def test_tag_linking_auto_adds_the_relations_that_tags_name(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(options=with_settings(tag_linking="auto"))
    say(memory, ("projects/atlas", "type", "Project"))
    answer = say(memory, ("ideas/cache", "tags", "atlas"))
    assert [found.object for found in answer.relations_from_tags] == ["projects/atlas"]
    assert ("syn:belongs_to", "projects/atlas", False) in facts_of(memory, "ideas/cache")


REFUSED = [
    [("a", "tier", "one", "xsd:integer")],
    [("a", "tier", "1", "xsd:nonsense")],
    [("a", "since", "2024-02-30", "xsd:date")],
    [("a\nb", "uses", "c")],
    [("x> } ; DROP ALL #", "uses", "c")],
    [("a", "uses", "c\0d")],
    [("", "uses", "c")],
    [("a", "", "c")],
    [("a", "uses", "b")] * 3 + [("a", "tier", "one", "xsd:integer")] + [("a", "uses", "c")] * 6,
    [],
    [("a", "note", "x", None, "not a language tag")],
    [("x" * 10_000, "uses", "b")],
]


@pytest.mark.parametrize("facts", REFUSED, ids=lambda facts: ascii(facts)[:40])
def test_one_bad_fact_refuses_all_and_changes_nothing(company: Memory, facts: list[tuple[str, ...]]) -> None:
    before = digest(company)
    with pytest.raises(InvalidInput) as error:
        say(company, *facts)
    assert len(error.value.message) < 300
    assert digest(company) == before


def test_a_write_must_say_where_from_and_why(company: Memory) -> None:
    before = digest(company)
    for given in ({"source": " "}, {"reason": ""}, {"confidence": 1.5}):
        with pytest.raises(InvalidInput):
            say(company, ("a", "uses", "b"), **given)
    assert digest(company) == before


def test_require_relations_refuses_what_floats_alone(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory(options=with_settings(require_relations=True))
    before = digest(memory)
    assert say(memory, ("ideas/cache", "description", "Alone.")).status == "refused"
    assert digest(memory) == before
    assert say(memory, ("people/ana", "type", "Person")).status == "ok"
    assert say(memory, ("ideas/cache", "related_to", "people/ana")).status == "ok"


def test_a_whole_assertion_is_taken_back_with_all_that_followed(company: Memory) -> None:
    before = {quad for quad in company._rooms.store.quads() if "meta" not in str(quad.graph_name)}
    answer = say(
        company, ("services/ledger", "depends_on", "tools/kubernetes"), ("people/zoe", "knows", "people/bob")
    )
    taken = company.retract_facts(assertion_id=answer.id, reason="it was a test", agent="claude")
    assert taken.status == "ok"
    assert len(taken.facts) == 2
    after = {quad for quad in company._rooms.store.quads() if "meta" not in str(quad.graph_name)}
    assert after == before


def test_a_single_fact_is_taken_back_and_the_others_stay(company: Memory) -> None:
    say(company, ("services/ledger", "tier", "1", "xsd:integer"), ("services/ledger", "runs_on", "K8s"))
    answer = company.retract_facts(
        facts=[FactInput("services/ledger", "runs_on", "tools/kubernetes")], reason="moved away", agent="ana"
    )
    assert answer.status == "ok"
    predicates = {predicate for predicate, _, _ in facts_of(company, "services/ledger")}
    assert "syn:runs_on" not in predicates
    assert ":tier" in predicates


def meta(company: Memory, query: str) -> list[list[str]]:
    results = company._rooms.store.query(query)
    assert isinstance(results, QuerySolutions)
    return [[str(value.value) for value in row] for row in results]  # type: ignore[union-attr]


def test_meta_tells_who_took_back_what_when_and_why(company: Memory) -> None:
    answer = say(company, ("a", "uses", "b"), ("a", "uses", "c"))
    company.retract_facts(facts=[FactInput("a", "uses", "b")], reason="one was wrong", agent="ana")
    company.retract_facts(assertion_id=answer.id, reason="all was wrong", agent="bob")
    rows = meta(
        company,
        "PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX syn: <urn:synapse:ns#> "
        "SELECT ?what ?agent ?reason ?time { GRAPH <urn:synapse:meta> { "
        "?what prov:wasInvalidatedBy ?activity ; prov:invalidatedAtTime ?time . "
        "?activity prov:wasAssociatedWith ?agent ; syn:reason ?reason } } ORDER BY ?time",
    )
    assert [(agent.rpartition(":")[2], reason) for _, agent, reason, _ in rows] == [
        ("ana", "one was wrong"),
        ("bob", "all was wrong"),
    ]
    assert rows[1][0] == f"urn:synapse:assertion:{answer.id}"


def test_a_fact_of_a_file_is_refused_with_the_place_to_edit(company: Memory) -> None:
    before = digest(company)
    answer = company.retract_facts(
        facts=[FactInput("services/payments", "depends_on", "services/ledger")], reason="wrong"
    )
    assert answer.status == "refused"
    assert "services/payments.md:3" in answer.notices[0].message
    assert digest(company) == before


def test_a_fact_of_a_file_and_an_assertion_survives_with_the_file_alone(company: Memory) -> None:
    say(company, ("services/payments", "depends_on", "services/ledger"))
    answer = company.retract_facts(
        facts=[FactInput("services/payments", "depends_on", "services/ledger")], reason="enough said once"
    )
    assert answer.status == "ok"
    assert answer.notices[0].code == "still-stated"
    found = company.provenance("services/payments", "depends_on", "services/ledger")
    assert isinstance(found, Provenance)
    assert [source.path for fact in found.facts for source in fact.sources] == ["services/payments.md"]


def test_an_inferred_fact_is_refused_with_what_it_follows_from(company: Memory) -> None:
    say(company, ("services/ledger", "depends_on", "tools/kubernetes"))
    answer = company.retract_facts(
        facts=[FactInput("services/payments", "depends_on", "tools/kubernetes")], reason="wrong"
    )
    assert answer.status == "refused"
    assert "services/payments.md:3" in answer.notices[0].message


def test_an_unknown_fact_or_name_is_refused_and_one_of_them_refuses_all(company: Memory) -> None:
    say(company, ("a", "uses", "b"))
    before = digest(company)
    facts = [FactInput("a", "uses", "b"), FactInput("servces/ledgr", "uses", "b")]
    answer = company.retract_facts(facts=facts, reason="wrong")
    assert answer.status == "refused"
    assert answer.ambiguous[0].did_you_mean[0].id == "services/ledger"
    assert company.retract_facts(facts=[FactInput("a", "uses", "a")], reason="wrong").status == "refused"
    assert company.retract_facts(assertion_id="nope", reason="wrong").status == "refused"
    assert digest(company) == before


def entries(memory: Memory, **given: str) -> list[tuple[str, str, int, int]]:
    log = memory.log(**given)  # type: ignore[arg-type]
    assert isinstance(log, Log)
    return [(entry.kind, entry.agent, entry.added, entry.removed) for entry in log.entries]


def test_the_log_tells_what_changed_by_agent_entity_and_time(company: Memory) -> None:
    say(company, ("a", "uses", "b"))
    say(company, ("c", "uses", "d"), agent="ana")
    assert entries(company, agent="ana") == [("assert", "ana", 1, 0)]
    assert entries(company, entity="a") == [("assert", "claude", 1, 0)]
    assert entries(company, until="2020-01-01") == []
    assert [kind for kind, *_ in entries(company)] == ["assert", "assert", "sync", "scenario", "reason"]


def test_saves_that_changed_no_fact_are_left_out_of_the_log_unless_asked_for(
    company: Memory, notes: Path
) -> None:
    for number in range(3):
        (notes / "people/bob.md").write_text(
            f"---\ntype: Person\ntitle: Bob Okafor\n---\n{'x' * number} text\n"
        )
        company.sync()
    shown, all_of_it = company.log(), company.log(all=True)
    assert isinstance(shown, Log) and isinstance(all_of_it, Log)
    assert [entry.kind for entry in shown.entries] == ["sync", "scenario", "reason"]
    assert shown.notices[0].code == "quiet"
    assert "3 synchronisations that changed no fact left out" in shown.notices[0].message
    assert [entry.kind for entry in all_of_it.entries].count("sync") == 4
    assert all_of_it.notices == ()
    cut = company.log(limit=1)
    assert isinstance(cut, Log)
    assert [notice.code for notice in cut.notices] == ["entries-cut", "quiet"]


def test_what_a_write_made_is_told_at_both_ends_of_a_fact(company: Memory) -> None:
    answer = say(company, ("people/zoe", "knows", "people/bob"), ("services/ledger", "uses", "tools/loom"))
    assert set(answer.new) == {"people/zoe", "tools/loom"}
    assert answer.stubs == ("tools/loom",)


def test_an_agents_write_is_undone_and_so_is_the_undoing(company: Memory) -> None:
    start = {quad for quad in company._rooms.store.quads() if "meta" not in str(quad.graph_name)}
    wrote = say(company, ("services/ledger", "depends_on", "tools/kubernetes"))
    assert wrote.id
    middle = {quad for quad in company._rooms.store.quads() if "meta" not in str(quad.graph_name)}
    undone = company.undo(wrote.id, reason="changed my mind")
    assert {q for q in company._rooms.store.quads() if "meta" not in str(q.graph_name)} == start
    assert undone.id
    company.undo(undone.id, reason="and again")
    assert {q for q in company._rooms.store.quads() if "meta" not in str(q.graph_name)} == middle


def test_what_was_taken_back_already_is_told_with_who_when_and_why_and_nothing_is_written(
    company: Memory,
) -> None:
    undone = say(company, ("services/ledger", "uses", "tools/kubernetes"))
    retracted = say(company, ("people/bob", "knows", "projects/atlas"))
    single = FactInput("services/ledger", "runs_on", "tools/kubernetes")
    say(company, ("services/ledger", "runs_on", "tools/kubernetes"))
    assert undone.id and retracted.id
    by = [
        company.undo(undone.id, reason="not so", agent="ana"),
        company.retract_facts(assertion_id=retracted.id, reason="not so", agent="ana"),
        company.retract_facts(facts=[single], reason="not so", agent="ana"),
    ]
    before = digest(company)
    for _ in range(2):
        again = [
            company.undo(undone.id, reason="again"),
            company.retract_facts(assertion_id=retracted.id, reason="again"),
            company.retract_facts(facts=[single], reason="again"),
            company.undo(retracted.id, reason="by the other way"),
            company.retract_facts(assertion_id=undone.id, reason="by the other way"),
        ]
        for answer, first in zip(again, [*by, by[1], by[0]], strict=True):
            assert (answer.status, answer.id, answer.facts) == ("refused", None, ())
            (notice,) = answer.notices
            assert notice.code == "already-taken-back"
            assert f"{first.id} of 20" in notice.message
            assert notice.message.endswith(", by ana: not so")
    assert digest(company) == before


def test_a_write_that_was_redone_can_be_undone_again(company: Memory) -> None:
    wrote = say(company, ("services/ledger", "uses", "tools/kubernetes"))
    assert wrote.id
    undone = company.undo(wrote.id, reason="no")
    assert undone.id
    redone = company.undo(undone.id, reason="yes")
    twice = company.undo(undone.id, reason="yes")
    assert twice.status == "refused" and str(redone.id) in twice.notices[0].message
    assert company.undo(wrote.id, reason="no after all").status == "ok"


def test_what_a_file_said_cannot_be_undone(company: Memory) -> None:
    log = company.log()
    assert isinstance(log, Log)
    sync = next(entry for entry in log.entries if entry.kind == "sync")
    before = digest(company)
    answer = company.undo(sync.activity, reason="no")
    assert answer.status == "refused"
    assert "is what people/bob.md and 4 others say" in answer.notices[0].message
    assert digest(company) == before


def test_answers_as_of_a_moment_are_those_of_that_moment(company: Memory) -> None:
    first = say(company, ("services/ledger", "depends_on", "tools/kubernetes"))
    log = company.log(limit=1)
    assert isinstance(log, Log)
    moment = log.entries[0].at
    company.retract_facts(assertion_id=first.id, reason="wrong")
    now = company.why("services/payments", "depends_on", "tools/kubernetes")
    then = company.why("services/payments", "depends_on", "tools/kubernetes", as_of=moment)
    assert isinstance(now, Explanation)
    assert isinstance(then, Explanation)
    assert (now.known, then.known) == (False, True)
    past = company.card("services/ledger", as_of=moment)
    assert isinstance(past, Card)
    assert "syn:depends_on" in {fact.predicate for fact in past.out}
    count = "SELECT ?g { GRAPH ?g { <services/ledger> syn:depends_on ?x } }"
    assert company.sparql(count, as_of=moment).rows == 1
    assert company.sparql(count).rows == 0


def test_a_moment_that_is_none_is_refused(company: Memory) -> None:
    for text in ("yesterday", "2024-13", "", "x" * 10_000):
        with pytest.raises(InvalidInput):
            company.card("services/ledger", as_of=text)
