"""Views: what a person reads of each answer, on a terminal and in a pipe."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType
from rich.text import Text

from synapse.interfaces.cli import render_entity, render_neighborhood, render_proof, render_reports
from synapse.interfaces.cli.output import THEME, deliver, plain
from synapse.interfaces.cli.render_terms import clean, term
from synapse.notes.note import Diagnostic
from synapse.usecases.answers import (
    Affected,
    Card,
    Explanation,
    Fact,
    Impact,
    LiteralValue,
    Neighbor,
    Neighborhood,
    Notice,
    Owner,
    Proof,
    Provenance,
    ProvenFact,
    ScenarioChange,
    ScenarioInfo,
    Source,
    Statement,
    Status,
    SyncReport,
    WriteBackReport,
    to_json,
)

CHECKOUT_NOTE = Source("file", "urn:synapse:file:services/checkout.md", path="services/checkout.md", line=9)
PAYMENTS_NOTE = Source("file", "urn:synapse:file:services/payments.md", path="services/payments.md", line=12)
ONTOLOGY = Source("ontology", "urn:synapse:ontology:core")
ASSERTION = Source(
    "assertion",
    "urn:synapse:assertion:01J",
    agent="claude",
    reason="said in the meeting",
    confidence=0.8,
    learned_at="2026-01-02T03:04:05Z",
)

STATED = Fact("services/checkout", "syn:depends_on", "services/payments", sources=(CHECKOUT_NOTE,))
INFERRED = Fact("services/checkout", "syn:depends_on", "services/ledger", inferred=True)
PROOF = Proof(
    Statement("services/checkout", "syn:depends_on", "services/ledger"),
    "prp-trp",
    premises=(
        Proof(
            Statement("syn:depends_on", "rdf:type", "owl:TransitiveProperty"), "stated", sources=(ONTOLOGY,)
        ),
        Proof(
            Statement("services/checkout", "syn:depends_on", "services/payments"),
            "stated",
            sources=(CHECKOUT_NOTE,),
        ),
        Proof(
            Statement("services/payments", "syn:depends_on", "services/ledger"),
            "stated",
            sources=(PAYMENTS_NOTE,),
        ),
    ),
)


def lines(view: RenderableType) -> list[str]:
    return plain(view).splitlines()


def on_terminal(view: RenderableType, *, width: int) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, theme=THEME, force_terminal=True, highlight=False).print(
        view, crop=False
    )
    return stream.getvalue()


def card(**changes: Any) -> Any:
    values: dict[str, Any] = {
        "id": "services/checkout",
        "iri": "https://synapse.local/services/checkout",
        "label": "Checkout",
        "types": (":Service",),
        "stub": False,
        "degree": 3,
        "out": (STATED, INFERRED, Fact("services/checkout", ":tier", LiteralValue("1", "xsd:integer"))),
        "in_": (Fact("teams/web", ":owns", "services/checkout", sources=(CHECKOUT_NOTE, ASSERTION)),),
        "tags": ("críticó",),
        "description": "Takes the money.",
    }
    return to_json(Card(**{**values, **changes}))


def test_a_card_shows_facts_with_their_places_and_marks_the_inferred_ones() -> None:
    shown = lines(render_entity.card(card()))
    assert shown[0] == "services/checkout  Checkout  Service"
    assert "3 connections · #críticó" in shown[1]
    assert [line.split() for line in shown if "services/payments" in line] == [
        ["depends_on", "services/payments", "services/checkout.md:9"]
    ]
    assert [line.split() for line in shown if "services/ledger" in line] == [["services/ledger", "inferred"]]
    assert any(line.split()[:3] == ["←", "owns", "teams/web"] and "by claude" in line for line in shown)


def test_a_card_of_a_stub_says_so() -> None:
    shown = plain(render_entity.card(card(stub=True, out=(), in_=(), label="services/checkout", types=())))
    assert shown.startswith("services/checkout\n")
    assert "stub" in shown


def test_notices_are_shown_with_every_answer() -> None:
    notice = Notice("stale", "2 notes changed since the last sync")
    views = [
        render_entity.card(card(notices=(notice,))),
        render_neighborhood.neighborhood(to_json(Neighborhood("a", (), (), notices=(notice,)))),  # type: ignore[arg-type]
        render_entity.impact(to_json(Impact("a", (), notices=(notice,)))),  # type: ignore[arg-type]
        render_proof.why(to_json(Explanation(False, notices=(notice,))), "a b c"),  # type: ignore[arg-type]
        render_proof.provenance(to_json(Provenance((), notices=(notice,)))),  # type: ignore[arg-type]
    ]
    for view in views:
        assert "note: 2 notes changed since the last sync" in plain(view)


def test_a_proof_is_a_tree_whose_leaves_name_path_and_line() -> None:
    answer: Any = to_json(Explanation(True, (PROOF,)))
    shown = lines(render_proof.why(answer, "…"))
    assert shown[0] == "services/checkout  depends_on  services/ledger  by prp-trp"
    assert shown[1].startswith("├── ") and shown[1].endswith("ontology:core")
    assert shown[2].endswith("services/checkout.md:9")
    assert shown[3].startswith("└── ") and shown[3].endswith("services/payments.md:12")


def test_an_unknown_fact_is_said_to_be_unknown() -> None:
    answer: Any = to_json(Explanation(False))
    assert plain(render_proof.why(answer, "a  knows  b")) == "not known: a knows b\n"


def test_a_deep_proof_is_shown_to_its_last_leaf() -> None:
    proof = Proof(Statement("a", "b", "c"), "stated", sources=(CHECKOUT_NOTE,))
    for _ in range(60):
        proof = Proof(Statement("a", "b", "c"), "prp-trp", premises=(proof,))
    answer: Any = to_json(Explanation(True, (proof,)))
    assert "services/checkout.md:9" in lines(render_proof.why(answer, "…"))[60]


def test_provenance_tells_reason_confidence_and_since_when() -> None:
    fact = ProvenFact("a", ":b", "c", inferred=False, sources=(ASSERTION,))
    answer: Any = to_json(Provenance((fact,)))
    (line,) = [text for text in lines(render_proof.provenance(answer)) if "assertion" in text]
    for part in ("by claude", "said in the meeting", "confidence 0.8", "known since 2026-01-02T03:04:05Z"):
        assert part in line


def test_an_inferred_fact_brings_its_proof_in_provenance() -> None:
    fact = ProvenFact("services/checkout", "syn:depends_on", "services/ledger", True, (), PROOF)
    answer: Any = to_json(Provenance((fact,)))
    assert "services/payments.md:12" in plain(render_proof.provenance(answer))


def test_impact_shows_each_entity_with_the_chain_that_explains_it() -> None:
    answer: Any = to_json(
        Impact("services/payments", (Affected("services/checkout", "Checkout", 1, (STATED,)),))
    )
    shown = lines(render_entity.impact(answer))
    assert shown[0] == "services/payments  1 entity depends on it"
    assert shown[2] == "services/checkout  Checkout"
    assert shown[3].split() == [
        "services/checkout",
        "depends_on",
        "services/payments",
        "services/checkout.md:9",
    ]


def test_a_neighborhood_lists_nodes_by_distance_and_the_facts_between() -> None:
    own = Source("file", "urn:synapse:file:a.md", path="a.md", line=4)
    nodes = (
        Neighbor("a", "a", (), 0),
        Neighbor("b", "Bob", (":Person",), 1),
        Neighbor("c", "c", (), 1),
        Neighbor("d", "d", (), 2),
    )
    edges = (Fact("a", ":knows", "b", sources=(CHECKOUT_NOTE,)), Fact("a", ":knows", "c", sources=(own,)))
    answer: Any = to_json(Neighborhood("a", nodes, edges))
    shown = lines(render_neighborhood.neighborhood(answer))
    assert shown[0] == "a  3 neighbors"
    assert shown[2].split() == ["1", "step", "b", "Bob", "Person"]
    assert shown[4].split() == ["2", "steps", "d"]
    assert shown[-2].split() == ["a", "knows", "b", "services/checkout.md:9"]
    assert shown[-1].split() == ["knows", "c", "line", "4"]


def report(**changes: Any) -> Any:
    values: dict[str, Any] = {
        "found": 3,
        "indexed": 2,
        "unchanged": 0,
        "removed": 1,
        "failed": 1,
        "diagnostics": (Diagnostic("a b.md", 7, "yaml", "error", "bad value"),),
        "triples": 1200,
        "inferred": 300,
        "inferred_added": 5,
        "inferred_removed": 2,
        "seconds": 0.25,
    }
    return to_json(SyncReport(**{**values, **changes}))


def test_a_sync_report_has_a_line_a_diagnostic_as_compilers_write_them() -> None:
    shown = lines(render_reports.sync_report(report()))
    assert shown[0] == "a b.md:7: error: bad value [yaml]"
    assert shown[2] == "3 notes: 2 indexed, 0 unchanged, 1 removed, 1 failed"
    assert shown[3] == "1,200 facts, 300 inferred (+5 −2) in 0.25 s"


def test_the_facts_of_scenarios_are_told_apart_from_ones_own() -> None:
    shown = lines(render_reports.sync_report(report(from_scenarios=1099)))
    assert shown[3] == "101 facts of your own, 1,099 from scenarios, 300 inferred (+5 −2) in 0.25 s"
    answer: Any = to_json(
        Status(3, 5, 1200, 12, None, 0, "off", None, "obsidian", ("core 1",), from_scenarios=1099)
    )
    assert "101 of your own, 1,099 from scenarios" in plain(render_reports.status(answer))


def test_of_many_diagnostics_the_worst_are_shown_and_the_rest_counted() -> None:
    many = [Diagnostic(f"{n}.md", 1, "x", "warning", "odd") for n in range(20)]
    answer: Any = to_json([*many, Diagnostic("last.md", 1, "y", "error", "broken")])
    view = render_reports.diagnostics(answer, most=3)
    assert view is not None
    shown = lines(view)
    assert shown[0].startswith("last.md:1: error")
    assert shown[3:] == ["and 18 more; synapse check shows those of every note"]


def flood(path: str, number: int, code: str = "link-unresolved") -> list[Diagnostic]:
    return [Diagnostic(path, line, code, "warning", f"no {line}") for line in range(1, number + 1)]


def test_a_flood_in_one_note_is_told_in_few_lines_and_in_full_in_json() -> None:
    found = [
        *flood("a.md", 1),
        *flood("huge.md", 5000),
        *flood("huge.md", 2, "key-unknown"),
        *flood("z.md", 4),
    ]
    view = render_reports.diagnostics(to_json(found))  # type: ignore[arg-type]
    assert view is not None
    shown = lines(view)
    assert shown == [
        "a.md:1: warning: no 1 [link-unresolved]",
        "huge.md:1: warning: no 1 [link-unresolved]",
        "huge.md:2: warning: no 2 [link-unresolved]",
        "huge.md:3: warning: no 3 [link-unresolved]",
        "huge.md: warning: and 4,997 more of [link-unresolved] in this note; --json has them all",
        "huge.md:1: warning: no 1 [key-unknown]",
        "huge.md:2: warning: no 2 [key-unknown]",
        *(f"z.md:{line}: warning: no {line} [link-unresolved]" for line in range(1, 5)),
    ]


def test_where_few_fit_each_note_is_heard_before_one_is_heard_twice() -> None:
    found = [*flood("huge.md", 5000), *flood("other.md", 2), *flood("third.md", 1)]
    view = render_reports.diagnostics(to_json(found), most=5)  # type: ignore[arg-type]
    assert view is not None
    assert [line.split(": ")[0] for line in lines(view)[:5]] == [
        "huge.md:1", "other.md:1", "third.md:1", "huge.md:2", "other.md:2",
    ]  # fmt: skip


def test_a_dry_run_says_that_nothing_was_changed() -> None:
    assert "nothing was changed" in plain(render_reports.sync_report(report(), dry_run=True))


def test_a_write_back_report_shows_the_diff_as_it_is() -> None:
    diff = "--- a.md\n+++ a.md\n@@ -1 +1,2 @@\n text\n+  - [[b]]\n"
    answer: Any = to_json(WriteBackReport(("a.md",), 2, diff=diff))
    shown = lines(render_reports.write_back_report(answer, dry_run=True))
    assert shown[:5] == diff.splitlines()
    assert shown[-1] == "1 managed section would be written, 2 unchanged"


def test_status_says_what_is_pending_and_who_owns_the_memory() -> None:
    answer: Any = to_json(
        Status(
            3, 5, 40, 12, "2026-01-01T00:00:00Z", 2, "alive", Owner(42, "2026"), "obsidian", ("core",), "/n"
        )
    )
    shown = plain(render_reports.status(answer))
    assert "2 notes changed since the last sync" in shown
    assert "process 42 since 2026" in shown
    assert "/n" in shown


def test_scenarios_say_whether_they_are_installed() -> None:
    infos = [
        ScenarioInfo("core", "1", "Core", "…", "d", installed="1"),
        ScenarioInfo("kthulu-go", "2", "Kthulu", "…", "d", installed="1", requires=("core",)),
        ScenarioInfo("other", "1", "Other", "…", "d"),
    ]
    answer: Any = to_json(infos)
    shown = lines(render_reports.scenario_list(answer))
    assert "installed 1" in shown[0]
    assert "2 is here" in shown[1]
    assert "not installed" in shown[2]
    assert "needs" in plain(render_reports.scenario(answer[1]))
    change: Any = to_json(ScenarioChange("core", "1", "installed", 10, 0, 3, 0))
    assert plain(render_reports.scenario_change(change)) == "core 1 installed: facts +10 −0, inferred +3 −0\n"


@pytest.mark.parametrize("width", [80, 120])
def test_on_a_terminal_no_line_is_wider_than_the_screen_and_no_text_is_lost(width: int) -> None:
    long = Fact("services/checkout", ":url", LiteralValue("https://example.org/" + "x" * 150))
    shown = on_terminal(render_entity.card(card(out=(STATED, long))), width=width)
    for line in shown.splitlines():
        assert Text.from_ansi(line).cell_len <= width
    assert shown.count("x") >= 150


def test_a_pipe_never_breaks_a_path() -> None:
    path = "/".join(["folder with spaces"] * 20) + ".md"
    source = Source("file", "urn:synapse:file:x", path=path, line=3)
    shown = lines(render_entity.card(card(out=(Fact("a", ":b", "c", sources=(source,)),))))
    assert any(line.endswith(f"{path}:3") for line in shown)


@given(text=st.text(max_size=400))
def test_nothing_a_note_says_can_steer_the_terminal(text: str) -> None:
    for shown in (clean(text), term({"value": text}).plain, plain(term(text))[:-1]):
        assert not any(ord(one) < 32 or 0x7F <= ord(one) < 0xA0 or one in "\u202e\u2066" for one in shown)


def test_markup_in_notes_is_text() -> None:
    assert (
        plain(render_entity.card(card(label="[bold red]x[/] [link=file:///]y"))).count("[bold red]x[/]") == 1
    )


def test_json_is_exactly_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    answer = card()
    deliver(answer, render_entity.card, as_json=True)
    out = capsys.readouterr().out
    assert json.loads(out) == answer
    assert "críticó" in out and out.endswith("}\n")


def test_a_view_in_a_pipe_has_no_ansi_and_no_trailing_blanks(capsys: pytest.CaptureFixture[str]) -> None:
    deliver(card(), render_entity.card, as_json=False)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert all(line == line.rstrip() for line in out.splitlines())
