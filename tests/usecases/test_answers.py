"""Cards, neighbourhoods, impact, proofs and provenance of a small company's notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from synapse.errors import InvalidIdentifier, SynapseError
from synapse.memory import Memory
from synapse.usecases.answers import (
    Card,
    Explanation,
    Impact,
    Neighborhood,
    Proof,
    Provenance,
    Unresolved,
    to_json,
)

NOTES = {
    "services/checkout.md": (
        "---\ntype: Service\ntitle: Checkout\nuses: '[[services/payments]]'\ntags: [core]\n---\n"
    ),
    "services/payments.md": (
        "---\ntype: Service\naliases: [Pagos, PSP]\ndepends_on:\n  - '[[services/ledger]]'\n---\n"
    ),
    "services/ledger.md": "---\ntype: Service\ndescription: Who owes what.\ndepends_on: '[[db]]'\n---\n",
    "db.md": "---\ntype: Database\nrequired_by: '[[jobs/nightly]]'\n---\n",
    "loop/a.md": "---\ndepends_on: '[[loop/b]]'\n---\n",
    "loop/b.md": "---\ndepends_on: '[[loop/a]]'\n---\n",
    "teams/pagos.md": "---\ntitle: Pagos\n---\n[[services/payments]]\n",
}


@pytest.fixture
def company(memory: Memory, notes: Path) -> Memory:
    for path, text in NOTES.items():
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        (notes / path).write_text(text, encoding="utf-8")
    memory.sync()
    return memory


def leaves(proof: Proof) -> Iterator[Proof]:
    if not proof.premises:
        yield proof
    for premise in proof.premises:
        yield from leaves(premise)


def explained(memory: Memory, subject: str, predicate: str, object: str, **given: int) -> Explanation:
    answer = memory.why(subject, predicate, object, **given)
    assert isinstance(answer, Explanation), answer
    return answer


def test_a_fact_that_rests_on_three_notes_is_proved_down_to_their_lines(company: Memory) -> None:
    answer = explained(company, "services/checkout", "depends_on", "db")
    assert answer.known
    (proof,) = answer.proofs
    assert proof.rule == "prp-trp"
    stated = {(s.path, s.line) for leaf in leaves(proof) for s in leaf.sources}
    assert {("services/checkout.md", 4), ("services/payments.md", 5), ("services/ledger.md", 4)} <= stated
    assert {leaf.rule for leaf in leaves(proof)} == {"stated"}
    assert all(source.path and source.line for leaf in leaves(proof) for source in leaf.sources)


def test_a_stated_fact_is_its_own_proof(company: Memory) -> None:
    (proof,) = explained(company, "services/ledger", "depends on", "db").proofs
    assert (proof.rule, proof.premises) == ("stated", ())
    assert [(source.path, source.line) for source in proof.sources] == [("services/ledger.md", 4)]


def test_what_does_not_hold_is_not_known_and_says_what_is(company: Memory) -> None:
    answer = explained(company, "db", "depends_on", "services/checkout")
    assert (answer.known, answer.proofs) == (False, ())
    assert answer.notices[0].message == "known of db syn:depends_on: nothing"


def test_proofs_in_a_circle_of_facts_end(company: Memory) -> None:
    answer = explained(company, "loop/a", "depends_on", "loop/a", limit=3)
    assert answer.known
    assert all(leaf.rule == "stated" for proof in answer.proofs for leaf in leaves(proof))


def test_impact_shows_for_each_dependent_the_stated_path(company: Memory) -> None:
    answer = company.impact("db")
    assert isinstance(answer, Impact)
    paths = {
        found.id: [(fact.subject, fact.predicate, fact.object) for fact in found.path]
        for found in answer.affected
    }
    assert paths["services/checkout"] == [
        ("services/checkout", "syn:uses", "services/payments"),
        ("services/payments", "syn:depends_on", "services/ledger"),
        ("services/ledger", "syn:depends_on", "db"),
    ]
    assert paths["jobs/nightly"] == [("db", "syn:required_by", "jobs/nightly")]
    assert all(not fact.inferred and fact.sources for found in answer.affected for fact in found.path)
    assert [found.depth for found in answer.affected] == sorted(found.depth for found in answer.affected)


def test_impact_in_a_circle_ends_and_leaves_the_start_out(company: Memory) -> None:
    answer = company.impact("loop/a")
    assert isinstance(answer, Impact)
    assert [found.id for found in answer.affected] == ["loop/b"]


def test_impact_is_cut_by_depth_and_by_limit_with_a_notice(company: Memory) -> None:
    near = company.impact("db", depth=1)
    assert isinstance(near, Impact)
    assert {found.id for found in near.affected} == {"services/ledger", "jobs/nightly"}
    few = company.impact("db", limit=1)
    assert isinstance(few, Impact)
    assert (len(few.affected), few.notices[0].code) == (1, "affected-cut")


def test_impact_along_one_predicate_follows_that_alone(company: Memory) -> None:
    answer = company.impact("services/payments", predicates=["uses"])
    assert isinstance(answer, Impact)
    assert [(found.id, found.depth) for found in answer.affected] == [("services/checkout", 1)]


def test_a_dependent_that_only_rules_know_is_found_with_the_inferred_fact(
    memory: Memory, notes: Path
) -> None:
    """`owned_ledger` is below no dependency property; an ontology note says it implies one."""
    (notes / "terms.md").write_text("---\nrequires: '[[x]]'\n---\n")
    (notes / "a.md").write_text("---\nbuilt with: '[[terms]]'\n---\n")
    memory.sync()
    answer = memory.impact("x")
    assert isinstance(answer, Impact)
    assert [(found.id, found.depth) for found in answer.affected] == [("terms", 1), ("a", 2)]


def test_a_card_marks_what_was_inferred_and_names_sources(company: Memory) -> None:
    card = company.card("services/checkout")
    assert isinstance(card, Card)
    assert (card.label, card.tags, card.stub) == ("Checkout", ("core",), False)
    by_object = {str(fact.object): fact for fact in card.out if fact.predicate == "syn:depends_on"}
    assert by_object["db"].inferred
    assert [source.kind for source in by_object["db"].sources] == ["inferred"]
    assert card.degree == 1


def test_a_card_is_cut_with_a_notice(company: Memory) -> None:
    card = company.card("services/checkout", limit=2)
    assert isinstance(card, Card)
    assert len(card.out) == 2
    assert card.notices[0].code == "facts-cut"


def test_a_long_list_of_one_predicate_leaves_room_for_the_others(memory: Memory, notes: Path) -> None:
    links = "\n".join(f"[[n{number}]]" for number in range(5_200))
    (notes / "huge.md").write_text(f"---\ntype: Book\nzone: north\nzulu: '[[n1]]'\n---\n{links}\n")
    for number in range(60):
        (notes / f"from{number}.md").write_text("---\nalpha: '[[huge]]'\n---\n")
    (notes / "last.md").write_text("---\nzulu: '[[huge]]'\n---\n")
    memory.sync()
    card = memory.card("huge", limit=27)
    assert isinstance(card, Card)
    assert {"rdf:type", ":zone", ":zulu"} <= {fact.predicate for fact in card.out}
    assert ":zulu" in {fact.predicate for fact in card.in_}
    assert not card.stub
    assert "shown 27 of more than 5000 facts about it" in card.notices[0].message
    # A longer answer begins with the shorter one: pages of it fit together.
    longer = memory.card("huge", limit=200)
    assert isinstance(longer, Card)
    assert longer.out[:27] == card.out
    assert len(set(map(str, longer.out))) == 200


@pytest.mark.parametrize(
    "mention",
    [
        "services/payments",
        "services/payments.md",
        "[[services/payments]]",
        "[[services/payments|the service]]",
        "https://synapse.local/services/payments",
        "<https://synapse.local/services/payments>",
        "PSP",
        "psp",
    ],
)
def test_an_entity_is_found_by_id_iri_link_or_alias(company: Memory, mention: str) -> None:
    card = company.card(mention)
    assert isinstance(card, Card)
    assert card.id == "services/payments"


def test_a_name_of_several_entities_is_answered_with_all_of_them(company: Memory) -> None:
    answer = company.card("pagos")
    assert isinstance(answer, Unresolved)
    assert answer.reason == "ambiguous"
    assert {candidate.id for candidate in answer.did_you_mean} == {"services/payments", "teams/pagos"}


def test_an_unknown_name_is_answered_with_the_nearest(company: Memory) -> None:
    answer = company.card("servces/paymnts")
    assert isinstance(answer, Unresolved)
    assert (answer.reason, answer.did_you_mean[0].id) == ("unknown", "services/payments")


@pytest.mark.parametrize("name", ["Project", "project", "Proyecto", "syn:Project"])
def test_the_name_of_a_class_opens_it(name: str, memory: Memory, notes: Path) -> None:
    (notes / "apollo.md").write_text("---\ntipo: Proyecto\n---\n")
    memory.sync()
    card = memory.card(name)
    assert isinstance(card, Card)
    assert card.id == "syn:Project"
    assert "apollo" in {fact.subject for fact in card.in_}


def test_a_class_of_this_memory_alone_is_opened_by_its_name_and_an_entity_comes_first(
    memory: Memory, notes: Path
) -> None:
    (notes / "a.md").write_text("---\ntype: Space Ship\n---\n")
    memory.sync()
    card = memory.card("Space Ship")
    assert isinstance(card, Card) and card.id == ":Space_Ship"
    (notes / "b.md").write_text("---\ntitle: Space ship\n---\n")
    memory.sync()
    card = memory.card("Space Ship")
    assert isinstance(card, Card) and card.id == "b"


@pytest.mark.parametrize("mention", ["#incidente", "incidente", "Incidente"])
def test_a_tag_is_no_entity_and_the_answer_says_what_bears_it(
    mention: str, memory: Memory, notes: Path
) -> None:
    for number in range(7):
        (notes / f"day {number}.md").write_text("- [caída] Se cayó todo. #incidente\n")
    memory.sync()
    answer = memory.card(mention)
    assert isinstance(answer, Unresolved) and answer.reason == "unknown"
    assert answer.instead == "it is a tag of 7 entities: day 0, day 1, day 2, day 3, day 4, …"
    for number in range(1, 7):
        (notes / f"day {number}.md").unlink()
    memory.sync()
    answer = memory.card(mention)
    assert isinstance(answer, Unresolved) and answer.instead == "it is a tag of 1 entity: day 0"
    other = memory.card("nada de nada")
    assert isinstance(other, Unresolved) and other.instead is None


def test_a_word_that_is_a_tag_and_a_class_means_the_class_once_something_is_of_it(
    memory: Memory, notes: Path
) -> None:
    (notes / "day.md").write_text("---\ntipo: Incidente\n---\n#incidente\n")
    memory.sync()
    card = memory.card("incidente")
    assert isinstance(card, Card) and card.id == "syn:Incident"


def test_names_follow_edits(company: Memory, notes: Path) -> None:
    assert isinstance(company.card("equipo de cobros"), Unresolved)
    (notes / "teams/pagos.md").write_text("---\ntitle: Equipo de cobros\n---\n")
    company.sync()
    assert isinstance(company.card("equipo de cobros"), Card)


def test_a_note_goes_by_its_file_name_too(company: Memory) -> None:
    card = company.card("checkout")
    assert isinstance(card, Card)
    assert card.id == "services/checkout"


def test_a_neighbourhood_holds_what_is_near_and_the_facts_between(company: Memory) -> None:
    answer = company.neighborhood("services/ledger", predicates=["depends_on"], direction="out")
    assert isinstance(answer, Neighborhood)
    assert [(node.id, node.distance) for node in answer.nodes] == [("services/ledger", 0), ("db", 1)]
    assert [(fact.subject, fact.object) for fact in answer.edges] == [("services/ledger", "db")]


def test_an_edge_of_a_neighbourhood_names_each_source_once(company: Memory) -> None:
    answer = company.neighborhood("services/ledger")
    assert isinstance(answer, Neighborhood)
    assert all(len(set(fact.sources)) == len(fact.sources) > 0 for fact in answer.edges)


def test_a_neighbourhood_is_cut_with_a_notice(company: Memory) -> None:
    answer = company.neighborhood("services/ledger", depth=2, limit=3)
    assert isinstance(answer, Neighborhood)
    assert (len(answer.nodes), answer.notices[0].code) == (3, "nodes-cut")


def test_provenance_names_the_line_or_the_proof(company: Memory) -> None:
    answer = company.provenance("services/checkout", "depends_on")
    assert isinstance(answer, Provenance)
    assert all(fact.inferred and fact.proof for fact in answer.facts)
    stated = company.provenance("services/checkout", "uses")
    assert isinstance(stated, Provenance)
    (fact,) = stated.facts
    assert [(source.path, source.line) for source in fact.sources] == [("services/checkout.md", 4)]
    assert fact.sources[0].learned_at
    assert fact.sources[0].activity


def test_the_query_shown_gives_the_same_rows_on_the_console(company: Memory) -> None:
    answer = company.provenance("services/checkout", "depends_on")
    assert isinstance(answer, Provenance)
    assert answer.query
    assert company.sparql(answer.query).rows == sum(len(fact.sources) for fact in answer.facts)


def test_a_literal_is_explained_by_its_text(company: Memory) -> None:
    assert explained(company, "services/ledger", "schema:description", "Who owes what.").known


def test_a_class_is_explained_by_its_key(company: Memory) -> None:
    answer = explained(company, "services/ledger", "rdf:type", "System")
    assert answer.known
    assert answer.proofs[0].rule == "cax-sco"


HOSTILE = [
    "x> } ; DROP ALL #",
    '" } ; DROP ALL #',
    "<urn:a> <urn:b> <urn:c>",
    "a\nb",
    "a\0b",
    "'; DROP TABLE note; --",
    "\\",
    "?x",
    "<not an iri>",
    "<",
    "#",
    "../../etc/passwd",
    "\ud800",
    "%",
    "x" * 10_000,
    "",
    " ",
    "[[",
    ":",
    "syn:",
    "http://",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_hostile_text_is_not_found_or_refused_and_changes_nothing(company: Memory, text: str) -> None:
    before = company.sparql(
        "SELECT ?s ?p ?o ?g { GRAPH ?g { ?s ?p ?o } } ORDER BY ?s ?p ?o ?g", format="tsv"
    ).text
    calls = [
        lambda: company.card(text),
        lambda: company.neighborhood(text),
        lambda: company.neighborhood("db", predicates=[text]),
        lambda: company.impact(text),
        lambda: company.impact("db", predicates=[text]),
        lambda: company.why(text, "depends_on", "db"),
        lambda: company.why("db", text, "db"),
        lambda: company.why("db", "depends_on", text),
        lambda: company.provenance(text),
        lambda: company.provenance("db", text),
        lambda: company.provenance("db", "depends_on", text),
        lambda: company.sparql(text),
        lambda: company.install_scenario(text),
        lambda: company.remove_scenario(text),
        lambda: company.scenario(text),
    ]
    for call in calls:
        try:
            answer = call()
        except SynapseError as error:
            assert error.message
            assert len(error.message) < 500
            assert "Traceback" not in error.message
        else:
            to_json(answer)
    after = company.sparql(
        "SELECT ?s ?p ?o ?g { GRAPH ?g { ?s ?p ?o } } ORDER BY ?s ?p ?o ?g", format="tsv"
    ).text
    assert after == before


def test_a_line_break_in_an_id_is_refused_before_any_query(company: Memory) -> None:
    with pytest.raises(InvalidIdentifier, match="line break"):
        company.card("people/bob\n}")


def test_a_card_does_not_repeat_a_fact_turned_around(memory: Memory, notes: Path) -> None:
    (notes / "a.md").write_text("---\nknows: '[[b]]'\ndepends_on: '[[b]]'\n---\n")
    (notes / "b.md").write_text("B")
    memory.sync()
    card = memory.card("a")
    assert isinstance(card, Card)
    assert card.in_ == (), "b knows a, and b is required by a: both only turn around what a says"
    other = memory.card("b")
    assert isinstance(other, Card)
    assert {(fact.predicate, fact.inferred) for fact in other.in_} == {
        ("syn:knows", False),
        ("syn:depends_on", False),
    }
