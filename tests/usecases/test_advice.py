"""Did you mean: of broken links in reports, of properties in questions."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from synapse.errors import InvalidIdentifier
from synapse.memory import Memory
from synapse.usecases.answers import Explanation, Impact, Neighborhood, Provenance, Unresolved
from synapse.usecases.written import FactInput, WriteAnswer


@pytest.fixture
def company(memory: Memory, notes: Path) -> Memory:
    memory.install_scenario("core")
    for name in ("services/payments", "services/ledger", "diario/2026-03-01"):
        (notes / name).parent.mkdir(exist_ok=True)
        (notes / f"{name}.md").write_text("---\ndepends_on: '[[services/ledger]]'\ntier: 1\n---\n")
    memory.sync()
    return memory


def broken(memory: Memory, notes: Path, link: str) -> str:
    (notes / "new.md").write_text(f"[[{link}]]\n")
    report = memory.sync(paths=["new.md"])
    (message,) = [item.message for item in report.diagnostics if item.path == "new.md"]
    assert [item.message for item in memory.check().diagnostics if item.path == "new.md"] == [message]
    return message


@pytest.mark.parametrize(
    ("link", "meant"),
    [
        ("services/paymnets", "services/payments"),
        ("paymens", "services/payments"),
        ("servicios/ledgers", "services/ledger"),
    ],
)
def test_a_broken_link_names_the_note_that_was_meant(
    company: Memory, notes: Path, link: str, meant: str
) -> None:
    assert broken(company, notes, link).endswith(f"; did you mean {meant}?")


def test_a_note_with_many_broken_links_leaves_advice_for_others(company: Memory, notes: Path) -> None:
    (notes / "huge.md").write_text("\n".join(f"[[gone {number}]]" for number in range(100)))
    (notes / "new.md").write_text("[[services/paymnets]]\n")
    (message,) = [item.message for item in company.sync().diagnostics if item.path == "new.md"]
    assert message.endswith("; did you mean services/payments?")


@pytest.mark.parametrize("link", ["diario/2026-03-02", "something else", 'it\'s "quoted"'])
def test_a_note_that_is_still_to_be_written_is_taken_for_no_other(
    company: Memory, notes: Path, link: str
) -> None:
    assert "did you mean" not in broken(company, notes, link)


@pytest.mark.parametrize("link", ["Ana Núñez", "ana nunez", "La jéfa", "ANA-NÚÑEZ"])
def test_a_broken_link_that_is_the_title_or_alias_of_a_note_names_that_note(
    company: Memory, notes: Path, link: str
) -> None:
    for name, text in (
        ("personas/ana", "alias: La Jefa\n---\n# Ana Núñez\n"),
        ("otra", "alias: La jefá\n---\n"),
    ):
        (notes / name).parent.mkdir(exist_ok=True)
        (notes / f"{name}.md").write_text(f"---\n{text}")
    company.sync()
    meant = "otra or personas/ana" if link == "La jéfa" else "personas/ana"
    assert broken(company, notes, link).endswith(f"; did you mean {meant}?")


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("depnds_on", "depends_on"),
        ("depende d", "depends_on"),
        ("teir", "tier"),
        ("syn:depends", "depends_on"),
    ],
)
def test_a_mistyped_property_is_refused_with_the_nearest(company: Memory, key: str, meant: str) -> None:
    for ask in (company.impact, company.neighborhood):
        with pytest.raises(InvalidIdentifier, match="nothing has a property") as raised:
            ask("services/ledger", predicates=[key])  # type: ignore[operator]
        assert meant in (raised.value.hint or "")


def test_a_property_like_no_other_is_refused_too(company: Memory) -> None:
    with pytest.raises(InvalidIdentifier):
        company.impact("services/ledger", predicates=["foo"])


@pytest.mark.parametrize("key", ["depends_on", "depende de", "type", "tier", "syn:calls", "owl:sameAs"])
def test_a_property_that_a_fact_or_a_vocabulary_has_is_no_mistake(company: Memory, key: str) -> None:
    assert isinstance(company.impact("services/ledger", predicates=[key]), Impact)


def test_why_and_provenance_answer_that_nothing_has_the_property(company: Memory) -> None:
    why = company.why("services/payments", "depnds_on", "services/ledger")
    assert isinstance(why, Explanation) and not why.known
    provenance = company.provenance("services/payments", "depnds_on")
    assert isinstance(provenance, Provenance) and not provenance.facts
    for answer in (why, provenance):
        (notice,) = answer.notices
        assert notice.message == "nothing has a property 'depnds_on'; did you mean depends_on?"


def test_advice_rests_on_the_target_of_a_link_and_not_on_the_words_of_the_message(
    company: Memory, notes: Path
) -> None:
    long = "services/" + "payments-" * 12
    (notes / f"{long}x.md").write_text("x\n")
    company.sync()
    assert broken(company, notes, f"{long}y").endswith(f"; did you mean {long}x?")
    (item,) = (item for item in company.check().diagnostics if item.path == "new.md")
    assert item.target == f"{long}y"


def test_a_note_cache_of_an_older_format_is_read_anew_with_the_targets(
    open_memory: Callable[..., Memory], notes: Path, tmp_path: Path
) -> None:
    (notes / "services").mkdir()
    (notes / "services/payments.md").write_text("x\n")
    (notes / "new.md").write_text("[[paymens]]\n")
    data = tmp_path / "data"
    memory = open_memory(data)
    memory.sync()
    memory.close()
    with closing(sqlite3.connect(data / "notes.sqlite")) as cache:
        target = ', "paymens"]'
        older = "UPDATE note SET state = replace(state, ?, ']') WHERE instr(state, ?)"
        assert cache.execute(older, (target, target)).rowcount == 1
        cache.execute("PRAGMA user_version = 1")
        cache.commit()
    (item,) = open_memory(data).sync().diagnostics
    assert item.target == "paymens"
    assert item.message.endswith("; did you mean services/payments?")


def say(memory: Memory, *fact: str) -> WriteAnswer:
    return memory.assert_facts([FactInput(*fact)], source="stand-up", reason="Bob said so")


def slips(answer: WriteAnswer | Explanation | Impact | Neighborhood) -> list[str]:
    return [notice.message for notice in answer.notices if notice.code == "property-slip"]


@pytest.mark.parametrize(("key", "meant"), [("dpends_on", "depends_on"), ("depende dde", "depends_on")])
def test_a_write_with_a_mistyped_property_is_done_and_told_the_nearest(
    company: Memory, key: str, meant: str
) -> None:
    for _ in range(2):
        answer = say(company, "services/ledger", key, "services/payments")
        assert answer.status == "ok"
        assert slips(answer) == [f"'{key}' is a property of this memory's own; did you mean {meant}?"]


def test_a_new_property_that_is_a_slip_of_one_in_use_is_told_once(company: Memory) -> None:
    assert slips(say(company, "services/ledger", "maintained_with", "care")) == []
    answer = say(company, "services/ledger", "maintained_wiht", "care")
    assert slips(answer) == [
        "'maintained_wiht' is a property of this memory's own; did you mean maintained_with?"
    ]
    assert slips(say(company, "services/ledger", "maintained_with", "patience")) == []


@pytest.mark.parametrize("key", ["depends_on", "tier", "title", "etiquetas", "colour", "foaf:nick", "rank"])
def test_a_property_in_order_is_written_without_a_word(company: Memory, key: str) -> None:
    assert slips(say(company, "services/ledger", key, "seven")) == []


def test_questions_with_a_slip_that_somebody_wrote_before_say_what_was_meant(company: Memory) -> None:
    say(company, "services/ledger", "dpends_on", "services/payments")
    message = "'dpends_on' is a property of this memory's own; did you mean depends_on?"
    why = company.why("services/payments", "dpends_on", "services/ledger")
    impact = company.impact("services/ledger", predicates=["dpends_on"])
    around = company.neighborhood("services/ledger", predicates=["dpends_on"])
    for answer in (why, impact, around):
        assert not isinstance(answer, Unresolved)
        assert slips(answer) == [message]


def test_check_names_the_assertion_whose_property_is_a_slip(company: Memory) -> None:
    answer = say(company, "services/ledger", "dpends_on", "services/payments")
    (finding,) = [item for item in company.check().diagnostics if item.code == "key-unknown"]
    assert (finding.path, finding.kind) == (f"assertion:{answer.id}", "assertion")
    assert company.retract_facts(assertion_id=finding.path, reason="a slip").status == "ok"
    assert company.check().ok


def test_a_contradiction_that_an_agent_caused_names_the_assertion(company: Memory) -> None:
    answer = say(company, "services/ledger", "supersedes", "services/ledger")
    (finding,) = [item for item in company.check().diagnostics if item.severity == "error"]
    assert (finding.path, finding.kind) == (f"assertion:{answer.id}", "assertion")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT ?x { ?x syn:depend_on <services/ledger> }", ["'syn:depend_on'; did you mean depends_on?"]),
        ("SELECT ?x { ?x :teir 7 }", ["':teir'; did you mean tier?"]),
        ("ASK { ?x syn:depends_on <services/nobody> ; a syn:Service }", []),
        ("SELECT ?x { ?x rdfs:label 'see syn:depends_on' . FILTER(false) }", []),
        ("SELECT ?x { ?x syn:depends_on <services/ledger> }", []),
    ],
)
def test_a_query_that_found_nothing_is_told_of_a_term_that_nothing_has(
    company: Memory, query: str, said: list[str]
) -> None:
    messages = [notice.message for notice in company.sparql(query).notices]
    assert [message.removeprefix("nothing has a property ") for message in messages] == said
