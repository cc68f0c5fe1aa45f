"""What is wrong with the notes is told at the line where it can be mended, and nothing else is told."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from note_files import write

from synapse.memory import Memory
from synapse.usecases.answers import CheckReport, Finding
from synapse.usecases.check_rules import RULES, rule_text
from synapse.usecases.slips import nearest_word

ROOT = Path(__file__).resolve().parents[2]


def found(report: CheckReport, code: str) -> list[Finding]:
    return [item for item in report.diagnostics if item.code == code]


def places(report: CheckReport, code: str) -> list[tuple[str, int]]:
    return [(item.path, item.line) for item in found(report, code)]


def test_notes_in_order_have_nothing_wrong(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\ntype: Service\ndepends_on: '[[b]]'\nstatus: active\n---\n# A\n")
    write(notes, "b.md", "# B\n")
    report = memory.check(strict=True)
    assert (report.errors, report.warnings, report.diagnostics, report.ok) == (0, 0, (), True)


def test_a_check_sees_the_disk_as_it_is_now(memory: Memory, notes: Path) -> None:
    file = write(notes, "a.md", "[[missing]]\n")
    assert places(memory.check(), "link-unresolved") == [("a.md", 1)]
    file.write_text("fine\n")
    assert memory.check().diagnostics == ()


CASES = {
    "frontmatter-yaml": ("---\nok: 1\nkey: @at\n---\n", 3, "error"),
    "link-unresolved": ("one\n\n[[nowhere]]\n", 3, "warning"),
    "link-ambiguous": ("[[twin]]\n", 1, "warning"),
    "code-unclosed": ("text\n\n```\ncode\n", 3, "warning"),
    "comment-unclosed": ("text\n\n%%\nhidden\n", 3, "warning"),
    "relation-unquoted": ("text\n\n- depende de [[y/twin]]\n", 3, "warning"),
    "section-damaged": ("text\n<!-- synapse:end -->\n", 2, "error"),
    "uri-duplicate": ("---\nuri: https://e.org/x\n---\n", 2, "error"),
    "key-unknown": ("---\nx: 1\ndepnds_on: '[[x/twin]]'\n---\n", 3, "warning"),
    "type-unknown": ("---\ntype: Servcie\n---\n", 2, "warning"),
    "status-unknown": ("---\ntype: Service\nstatus: frobnicating\n---\n", 3, "warning"),
}


@pytest.mark.parametrize("code", CASES)
def test_each_kind_of_trouble_has_its_code_line_and_severity(code: str, memory: Memory, notes: Path) -> None:
    text, line, severity = CASES[code]
    write(notes, "x/twin.md", "---\nuri: https://e.org/x\n---\n")
    write(notes, "y/twin.md", "y\n")
    write(notes, "a.md", text)
    items = [item for item in found(memory.check(), code) if item.path == "a.md"]
    assert [(item.line, item.severity) for item in items] == [(line, severity)]


def test_a_slip_is_answered_with_the_word_that_was_meant_in_either_language(
    memory: Memory, notes: Path
) -> None:
    write(notes, "a.md", "---\ndepnds_on: '[[b]]'\ndepende dde: '[[b]]'\ntype: Servcie\n---\n")
    write(notes, "b.md", "B\n")
    report = memory.check()
    told = {item.message.partition("did you mean ")[2] for item in report.diagnostics}
    assert told == {
        "depends_on (syn:depends_on)?",
        "depende de (syn:depends_on)?",
        "Service (syn:Service)?",
    }


@pytest.mark.parametrize(
    "text",
    ["- depende de [[b]]", "- Depends on [[b]] (since May)", "* está cerca de [[b]]", "[[depende de:b]]"],
)
def test_a_relation_of_several_words_that_reads_as_a_mention_is_told_with_how_to_write_it(
    text: str, memory: Memory, notes: Path
) -> None:
    write(notes, "b.md", "B\n")
    write(notes, "a.md", f"{text}\n")
    told = [item.message for item in found(memory.check(), "relation-unquoted")]
    if "cerca" in text:
        assert told == [], "no relation is called so"
        return
    (message,) = told
    written = message.partition("; write ")[2].split(", or ")
    assert len(written) == 2
    for form in written:
        write(notes, "a.md", f"{form}\n")
        assert memory.check().diagnostics == ()
        assert memory.why("a", "depends_on", "b").known  # type: ignore[union-attr]


def test_a_note_of_the_very_name_is_no_relation(memory: Memory, notes: Path) -> None:
    write(notes, "depende de: b.md", "B\n")
    write(notes, "a.md", "[[depende de: b]] and - depende de [[depende de: b]] again\n")
    assert memory.check().diagnostics == ()


@pytest.mark.parametrize("spelled", [str, str.upper, lambda key: unicodedata.normalize("NFD", key)])
def test_well_known_keys_in_spanish_have_nothing_wrong(
    spelled: Callable[[str], str], memory: Memory, notes: Path
) -> None:
    keys = ("tipo", "título", "alias", "descripción", "creado", "actualizada", "fecha")
    values = ("Servicio", "A", "Aa", "Así es.", "2024-01-15", "2024-01-16", "2024-01-17")
    head = "".join(f"{spelled(key)}: {value}\n" for key, value in zip(keys, values, strict=True))
    write(notes, "a.md", f"---\n{head}etiquetas: [x]\n---\n")
    assert memory.check(strict=True).diagnostics == ()


@pytest.mark.parametrize("key", ["ficha", "flecha", "creador", "atlas", "hombres"])
def test_a_spanish_word_near_a_well_known_key_is_no_slip(key: str, memory: Memory, notes: Path) -> None:
    write(notes, "a.md", f"---\n{key}: x\n---\n")
    assert found(memory.check(), "key-unknown") == []


def test_a_slip_in_many_notes_is_one_finding_that_names_the_others(memory: Memory, notes: Path) -> None:
    for name in "abc":
        write(notes, f"{name}.md", f"---\n{'x: 1' if name == 'a' else ''}\ndepnds_on: '[[a]]'\n---\n")
    (item,) = found(memory.check(), "key-unknown")
    assert (item.path, item.line) == ("b.md", 3)
    assert [(place.path, place.line) for place in item.related] == [("c.md", 3)]


def test_another_form_of_a_word_is_mentioned_and_does_not_fail_a_strict_check(
    memory: Memory, notes: Path
) -> None:
    write(notes, "a.md", "---\ntopics: x\n---\n")
    report = memory.check(strict=True)
    assert [item.severity for item in found(report, "key-unknown")] == ["info"]
    assert report.ok


def test_a_word_inside_a_nested_map_is_no_slip(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\nparameters:\n  - {depnds_on: x}\n---\n")
    assert memory.check().diagnostics == ()


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("dependson", None),
        ("depndson", "dependson"),
        ("dpeendson", "dependson"),
        ("depndsn", None),
        ("tire", None),
        ("phase2", None),
        ("something", None),
        ("", None),
    ],
)
def test_a_slip_is_a_letter_or_two_in_a_word_long_enough(key: str, meant: str | None) -> None:
    known = {"dependson": 1, "tier": 2, "phase1": 3}
    assert nearest_word(key, known) == meant


def test_a_status_that_a_profile_knows_by_another_word_is_fine(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\ntype: Service\nstatus: live\n---\n")
    write(notes, "b.md", "---\ntype: Thingamajig\nstatus: whatever\n---\n")
    assert memory.check().diagnostics == ()


def test_a_name_that_several_notes_have_is_told_once(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "---\naliases: [Bob]\n---\n")
    write(notes, "people/bob.md", "B\n")
    (item,) = memory.check().diagnostics
    assert (item.path, item.line, item.code, item.severity) == ("a.md", 2, "name-shared", "info")
    assert [(place.path, place.line) for place in item.related] == [("people/bob.md", 1)]


def test_a_contradiction_is_an_error_with_its_rule_its_places_and_its_proofs(
    memory: Memory, notes: Path
) -> None:
    write(notes, "a.md", "---\ntype: Course\n---\n")
    write(notes, "b.md", "text\n\n- reports_to [[a]]\n")
    items = [item for item in memory.check().diagnostics if item.severity == "error"]
    (item,) = items
    assert item.code == "contradiction-cax-dw"
    assert (item.path, item.line) in {("a.md", 2), ("b.md", 3)}
    assert {"a.md", "b.md"} <= {place.path for place in item.related if place.kind == "file"}
    assert "cax-dw" in item.message
    assert "a.md:2" in item.message
    assert "b.md:3" in item.message
    assert {proof.rule for proof in item.proofs} >= {"stated"}
    assert any(proof.rule != "stated" for proof in item.proofs), "that a is a person was inferred"


def test_a_contradiction_goes_when_one_of_its_premises_does(memory: Memory, notes: Path) -> None:
    file = write(notes, "a.md", "---\ntype: [Person, Organization]\n---\n")
    assert memory.check().errors == 1
    file.write_text("---\ntype: Person\n---\n")
    assert memory.check().errors == 0


def test_shapes_of_installed_scenarios_are_checked_and_told_at_their_line(
    memory: Memory, notes: Path
) -> None:
    write(notes, "p.md", "---\ntype: Paper\nauthor: '[[bob]]'\ndoi: https://doi.org/10.1/x\n---\n")
    write(notes, "bob.md", "Bob\n")
    write(notes, "c.md", "---\ntitle: C\ntype: Claim\n---\n")
    memory.sync()
    memory.install_scenario("research-assistant")
    report = memory.check()
    assert places(report, "shape-PaperDoiShape") == [("p.md", 4)]
    assert places(report, "shape-ClaimSourceShape") == [("c.md", 3)]
    (doi,) = found(report, "shape-PaperDoiShape")
    assert doi.severity == "error"
    assert "it is https://doi.org/10.1/x" in doi.message
    memory.remove_scenario("research-assistant")
    assert memory.check().diagnostics == ()


def test_a_shape_sees_what_was_inferred(memory: Memory, notes: Path) -> None:
    """`states` in the paper is `stated_in` of the claim the other way round."""
    memory.install_scenario("research-assistant")
    write(notes, "c.md", "---\ntype: Claim\n---\n")
    write(notes, "p.md", "---\ntype: Paper\nauthor: '[[c]]'\nstates: '[[c]]'\n---\n")
    assert found(memory.check(), "shape-ClaimSourceShape") == []


def test_shapes_that_cannot_be_used_are_a_finding_and_the_rest_is_checked(
    memory: Memory, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from synapse.usecases import check

    broken = write(tmp_path, "broken.ttl", "this is no Turtle")
    monkeypatch.setattr(check, "shapes_of", lambda _: [broken])
    write(notes, "a.md", "[[nowhere]]\n")
    report = memory.check()
    assert places(report, "shapes-invalid") == [("broken.ttl", 1)]
    assert places(report, "link-unresolved") == [("a.md", 1)]


def test_only_a_strict_check_fails_on_warnings(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[nowhere]]\n")
    assert memory.check().ok
    assert not memory.check(strict=True).ok


def test_a_check_writes_nothing_into_the_notes(memory: Memory, notes: Path) -> None:
    write(notes, "a.md", "[[b]] [[nowhere]]\n")
    file = write(notes, "b.md", "B\n")
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    memory.check(okf=True)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


# -- OKF --------------------------------------------------------------------------------------


BUNDLES = ["okf-acme", "okf-bitcoin", "okf-ga4", "okf-stackoverflow"]


@pytest.mark.parametrize("real_vault", BUNDLES, indirect=True)
def test_the_official_bundles_conform(real_vault: Path) -> None:
    with Memory.open(notes=real_vault) as memory:
        memory.install_scenario("core")
        report = memory.check(okf=True)
    assert [item for item in report.diagnostics if item.severity == "error"] == []


BROKEN = {
    "okf-type": ("c.md", "---\ntitle: no type\n---\n", 1),
    "okf-type ": ("c.md", "---\ntitle: empty type\ntype: ''\n---\n", 1),
    "okf-frontmatter": ("c.md", "---\nkey: @at\n---\n", 2),
    "okf-frontmatter ": ("c.md", "no frontmatter\n", 1),
    "okf-index": ("sub/index.md", "---\ntitle: x\n---\n# A\n", 2),
    "okf-log": ("log.md", "# Log\n\nWe did things.\n", 1),
}


@pytest.mark.parametrize("case", BROKEN)
def test_each_broken_rule_of_okf_is_named_with_path_and_line(case: str, memory: Memory, notes: Path) -> None:
    path, text, line = BROKEN[case]
    write(notes, "index.md", '---\nokf_version: "0.2"\n---\n# All\n')
    write(notes, "good.md", "---\ntype: T\ntitle: t\ndescription: d\n---\n")
    write(notes, path, text)
    report = memory.check(okf=True)
    assert places(report, case.strip()) == [(path, line)]
    assert not report.ok
    assert found(memory.check(), case.strip()) == [], "only asked for with okf"


# -- sections --------------------------------------------------------------------------------


def with_sections(memory: Memory, notes: Path) -> Path:
    """A note into whose section somebody wrote; another has one that is in order."""
    write(notes, "a.md", "[[b]] and [[c]]\n")
    write(notes, "c.md", "C\n")
    target = write(notes, "b.md", "B\n")
    memory.sync()
    assert memory.write_back().written == ("b.md", "c.md")
    target.write_text(target.read_text().replace("<!-- synapse:end", "Call Ana.\n<!-- synapse:end"))
    return target


def test_a_section_that_somebody_wrote_into_is_told_until_it_is_mended(memory: Memory, notes: Path) -> None:
    target = with_sections(memory, notes)
    report = memory.check()
    assert [(item.path, item.line, item.severity) for item in found(report, "section-edited")] == [
        ("b.md", 7, "warning")
    ]
    assert report.warnings == 1
    target.write_text(target.read_text().replace("Call Ana.\n", ""))
    assert memory.check().diagnostics == ()


def test_a_section_that_would_stand_in_an_unclosed_code_block_is_told_where_one_is_due(
    memory: Memory, notes: Path
) -> None:
    for name in "bd":
        write(notes, f"{name}.md", "text\n\n```\ncode\n")
    write(notes, "a.md", "[[b]]\n")
    assert found(memory.check(), "section-hidden") == [], "nobody has sections here"
    write(notes, "a.md", "[[b]] and [[c]]\n")
    write(notes, "c.md", "C\n")
    memory.sync()
    assert memory.write_back().written == ("c.md",)
    assert places(memory.check(), "section-hidden") == [("b.md", 6)]


# -- codes ------------------------------------------------------------------------------------


def test_the_codes_that_the_sources_report_are_those_that_have_a_sentence() -> None:
    """A literal that looks like a code and stands where one is reported."""
    reported = re.compile(
        r"(?:report|_report|Diagnostic|file_diagnostic|Unreadable|Refusal|_refused|Finding)"
        r"\([^\"()]*(?:\([^()]*\))?[^\"()]*\"([a-z]+(?:-[a-z0-9]+)+)\""
        r"|(?:return|taken =|code =) \"((?:link|name|iri)-[a-z-]+)\""
    )
    sources = [*ROOT.glob("synapse/notes/*.py"), *ROOT.glob("synapse/usecases/*.py")]
    texts = [file.read_text() for file in sources if file.name != "check_rules.py"]
    codes = {code for text in texts for match in reported.findall(text) for code in match if code}
    assert len(codes) > 30
    known = {code for rules in RULES.values() for code in rules}
    assert codes <= known
    of_okf = set(RULES["Open Knowledge Format"])
    for code in known - of_okf:
        end = code.partition("-")[2] if code.endswith(("-unknown", "-unclosed")) else code
        assert any(f'"{code}"' in text or f'-{end}"' in text for text in texts), f"nobody reports {code}"


def test_every_code_of_every_real_vault_has_a_sentence(real_vault: Path) -> None:
    with Memory.open(notes=real_vault) as memory:
        memory.install_scenario("core")
        report = memory.check(okf=True)
    assert all(rule_text(item.code) != item.code for item in report.diagnostics)


def test_the_documentation_lists_every_code() -> None:
    text = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    for heading, rules in RULES.items():
        assert f"### {heading}\n" in text
        for code, sentence in rules.items():
            assert f"| `{code}` | {sentence} |" in text
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|", text.partition("## Every code")[2], re.MULTILINE)
    assert sorted(listed) == sorted(code for rules in RULES.values() for code in rules)


def test_the_example_notes_have_nothing_wrong() -> None:
    with Memory.open(notes=ROOT / "notes-example") as memory:
        memory.install_scenario("core")
        report = memory.check(strict=True)
    assert report.ok, report.diagnostics
