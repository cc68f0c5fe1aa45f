"""`synapse check` and `synapse export` as a person, a program and code scanning see them."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import pytest
from interface_helpers import CommandLine
from note_files import write_notes

from synapse.interfaces.cli.sarif import sarif

NOTES = {
    "servicios/caja.md": '---\ntype: Service\ndepends_on: "[[servicios/libro mayor]]"\n---\nCobra.\n',
    "servicios/libro mayor.md": "---\ntype: Service\n---\n# Libro mayor\n\nSee [[nowhere]].\n",
    "both #1.md": "---\ntype: [Person, Organization]\n---\n",
}


@pytest.fixture
def cli(own_home: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(write_notes(own_home / "notas", NOTES), capsys)


def test_a_check_indexes_the_folder_and_tells_each_finding_on_a_line(cli: CommandLine) -> None:
    out = cli("check", str(cli.notes), code=1).splitlines()
    assert out[0].startswith("both #1.md:2: error: these cannot all hold (cax-adc): ")
    assert out[0].endswith(" [contradiction-cax-adc]")
    assert "servicios/libro mayor.md:6: warning: no file is named 'nowhere' yet [link-unresolved]" in out
    assert out[-1] == "1 error, 1 warning in 3 notes"


def test_a_contradiction_that_rests_on_an_inference_shows_how_it_follows(cli: CommandLine) -> None:
    texts = {
        "both #1.md": "---\ntype: Course\n---\n",
        "boss.md": '---\nreports_to: "[[both #1]]"\n---\n',
        "c.md": '---\nreports_to: "[[servicios/caja]]"\n---\n',
    }
    write_notes(cli.notes, texts)
    out = cli("check", str(cli.notes), code=1)
    assert "by prp-rng" in out


def test_warnings_fail_only_a_strict_check(cli: CommandLine) -> None:
    write_notes(cli.notes, {"both #1.md": "fine\n"})
    out = cli("check", str(cli.notes))
    assert out.splitlines()[-1] == "0 errors, 1 warning in 3 notes"
    cli("check", str(cli.notes), "--strict", code=1)
    write_notes(cli.notes, {"nowhere.md": "here\n"})
    assert cli("check", "--strict") == "nothing wrong in 3 notes\n".replace("3", "4")


def test_json_is_that_of_the_contract(cli: CommandLine) -> None:
    answer = cli.json("check", str(cli.notes), code=1)
    assert (answer["errors"], answer["warnings"]) == (1, 1)
    for item in answer["diagnostics"]:
        assert item.keys() >= {"path", "line", "code", "severity", "message"}
        assert isinstance(item["line"], int)
    assert answer == json.loads(cli("check", "--format", "json", code=1))
    (contradiction,) = (item for item in answer["diagnostics"] if item["severity"] == "error")
    assert {proof["rule"] for proof in contradiction["proofs"]} == {"stated"}


def test_sarif_has_a_rule_and_a_place_in_the_repository_for_each_result(cli: CommandLine) -> None:
    log = json.loads(cli("check", str(cli.notes), "--format", "sarif", code=1))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert all(rule["shortDescription"]["text"] for rule in rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        for location in [*result["locations"], *result.get("relatedLocations", ())]:
            place = location["physicalLocation"]
            assert place["region"]["startLine"] >= 1
            uri = place["artifactLocation"]["uri"]
            assert not {" ", "#"} & set(uri)
            assert (cli.notes.parent / unquote(uri)).is_file(), uri


def test_sarif_places_are_relative_to_the_notes_when_they_lie_elsewhere(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cli.notes.parent / "elsewhere").mkdir()
    monkeypatch.chdir(cli.notes.parent / "elsewhere")
    log = json.loads(cli("check", str(cli.notes), "--format", "sarif", code=1))
    uris = {
        location["physicalLocation"]["artifactLocation"]["uri"]
        for result in log["runs"][0]["results"]
        for location in result["locations"]
    }
    assert uris == {"both%20%231.md", "servicios/libro%20mayor.md"}


def test_sarif_of_nothing_wrong_is_a_run_without_results() -> None:
    log = sarif({"diagnostics": []})
    assert log["runs"][0]["results"] == []
    assert log["runs"][0]["tool"]["driver"]["rules"] == []


def test_the_rules_of_okf_are_checked_when_asked_for(cli: CommandLine) -> None:
    write_notes(cli.notes, {"both #1.md": "no frontmatter\n"})
    assert cli.json("check", str(cli.notes))["errors"] == 0
    answer = cli.json("check", "--okf", code=1)
    errors = [(item["path"], item["code"]) for item in answer["diagnostics"] if item["severity"] == "error"]
    assert errors == [("both #1.md", "okf-frontmatter")]


def test_export_writes_a_bundle_that_passes_the_check(cli: CommandLine, tmp_path: Path) -> None:
    write_notes(cli.notes, {"both #1.md": "No frontmatter, but [[servicios/caja]].\n"})
    out = cli("export", "--okf", "bundle", "--notes", str(cli.notes))
    assert out == f"3 notes, 2 indexes and 0 other files written to {tmp_path / 'bundle'}\n"
    assert cli.json("check", "bundle", "--okf")["errors"] == 0
    cli("export", "--okf", "bundle", "--notes", str(cli.notes), code=2)
    assert "not empty" in cli.err
    report = cli.json("export", "--okf", "bundle", "--force", "--notes", str(cli.notes))
    assert report["notes"] == 3
    assert report["diagnostics"] == []


def test_export_needs_a_format(cli: CommandLine) -> None:
    cli("export", code=2)
    assert "--okf" in cli.err
