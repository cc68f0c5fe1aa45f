"""The documented table of rules is the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse.reasoning.catalogue import markdown, renewed
from synapse.reasoning.rules_owl import OMITTED, OWL_RL

# Rows of tables 4 to 9 of OWL 2 Profiles, section 4.3, as the recommendation lists them.
W3C_ROWS = [
    *("eq-ref", "eq-sym", "eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o", "eq-diff1", "eq-diff2", "eq-diff3"),
    *("prp-ap", "prp-dom", "prp-rng", "prp-fp", "prp-ifp", "prp-irp", "prp-symp", "prp-asyp", "prp-trp"),
    *("prp-spo1", "prp-spo2", "prp-eqp1", "prp-eqp2", "prp-pdw", "prp-adp", "prp-inv1", "prp-inv2"),
    *("prp-key", "prp-npa1", "prp-npa2"),
    *("cls-thing", "cls-nothing1", "cls-nothing2", "cls-int1", "cls-int2", "cls-uni", "cls-com"),
    *("cls-svf1", "cls-svf2", "cls-avf", "cls-hv1", "cls-hv2", "cls-maxc1", "cls-maxc2"),
    *("cls-maxqc1", "cls-maxqc2", "cls-maxqc3", "cls-maxqc4", "cls-oo"),
    *("cax-sco", "cax-eqc1", "cax-eqc2", "cax-dw", "cax-adc"),
    *("dt-type1", "dt-type2", "dt-eq", "dt-diff", "dt-not-type"),
    *("scm-cls", "scm-sco", "scm-eqc1", "scm-eqc2", "scm-op", "scm-dp", "scm-spo", "scm-eqp1", "scm-eqp2"),
    *("scm-dom1", "scm-dom2", "scm-rng1", "scm-rng2", "scm-hv", "scm-svf1", "scm-svf2", "scm-avf1"),
    *("scm-avf2", "scm-int", "scm-uni"),
]


def test_every_row_of_the_w3c_tables_is_a_rule_or_has_a_reason() -> None:
    assert {rule.name for rule in OWL_RL} | set(OMITTED) == set(W3C_ROWS)


def test_the_rules_stand_in_the_order_of_the_w3c_tables() -> None:
    names = list(dict.fromkeys(rule.name for rule in OWL_RL if rule.name not in OMITTED))
    assert names == [name for name in W3C_ROWS if name in names]


def test_the_documentation_shows_the_rules_as_they_are() -> None:
    page = (Path(__file__).parents[2] / "docs/reasoning.md").read_text(encoding="utf-8")
    assert renewed(page) == page, "run: python -m synapse.reasoning.catalogue docs/reasoning.md"
    assert all(f"| {rule.name} | `{rule}` |" in markdown() for rule in OWL_RL)


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="needs the lines"):
        renewed("# A page")
