"""W3C entailment cases, compared by name: a regression fails, and so does a surprise pass."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from entailment_cases import ROOT, Case, owl2_rl, rdf11_mt

with Path(__file__).with_name("expected.tsv").open(encoding="utf-8") as _file:
    EXPECTED = {(row["suite"], row["case"]): row for row in csv.DictReader(_file, delimiter="\t")}
_ABSENT = not ROOT.is_dir()
CASES = {} if _ABSENT else {(case.suite, case.name): case for case in (*owl2_rl(), *rdf11_mt())}

needs_cases = pytest.mark.skipif(_ABSENT, reason=f"no conformance cases at {ROOT} (set SYNAPSE_CONFORMANCE)")


@needs_cases
@pytest.mark.parametrize("key", sorted(EXPECTED), ids="/".join)
def test_a_case_answers_as_expected(key: tuple[str, str]) -> None:
    case: Case = CASES[key]
    assert case.holds() == (EXPECTED[key]["expected"] == "pass")


@needs_cases
def test_every_case_has_an_expectation() -> None:
    assert sorted(CASES) == sorted(EXPECTED)


@needs_cases
def test_nothing_is_entailed_that_should_not_be() -> None:
    negatives = [key for key, case in CASES.items() if not case.positive]
    assert len(negatives) == 46
    assert all(EXPECTED[key]["expected"] == "pass" for key in negatives)


@needs_cases
def test_two_thirds_of_the_owl_rl_entailments_are_in_the_closure() -> None:
    passing = [k for k, c in CASES.items() if k[0] == "owl2-rl" and c.positive and _passes(k)]
    assert len(passing) == 18


@needs_cases
def test_every_rdfs_and_simple_entailment_without_datatypes_is_in_the_closure() -> None:
    positive = [key for key, case in CASES.items() if key[0] == "rdf11-mt" and case.positive]
    failing = [key for key in positive if not _passes(key)]
    assert len(positive) == 28
    assert all(EXPECTED[key]["reason"].startswith("datatypes: ") for key in failing)


def test_what_is_not_entailed_has_a_reason() -> None:
    assert all(bool(row["reason"]) == (row["expected"] == "differ") for row in EXPECTED.values())


def _passes(key: tuple[str, str]) -> bool:
    return EXPECTED[key]["expected"] == "pass"
