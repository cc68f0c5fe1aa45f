"""Did you mean: of broken links in reports, of properties in questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse.errors import InvalidIdentifier
from synapse.memory import Memory
from synapse.usecases.answers import Explanation, Impact, Provenance


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


@pytest.mark.parametrize("link", ["diario/2026-03-02", "something else", 'it\'s "quoted"'])
def test_a_note_that_is_still_to_be_written_is_taken_for_no_other(
    company: Memory, notes: Path, link: str
) -> None:
    assert "did you mean" not in broken(company, notes, link)


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
