"""Which notes a command acts on where nobody named any: never others than those in front of the person."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from interface_helpers import CommandLine
from note_files import write_notes

NOTES = {"zeta.md": "---\nuses: '[[omega]]'\n---\n", "omega.md": "# Omega\n"}
WHY = ("--source", "s", "--reason", "r")
WRITES = [
    ("assert", "zeta", "uses", "omega", *WHY),
    ("retract", "--fact", "zeta", "uses", "omega", "--reason", "r"),
    ("undo", "01m8q5a4zzzzzzzzzzzzzzzzzz", "--reason", "r"),
    ("scenario", "install", "kthulu-go"),
    ("scenario", "remove", "kthulu-go"),
    ("reason",),
    ("reason", "--verify"),
    ("connect", "claude-code", "--write"),
]


@pytest.fixture
def cli(own_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A command line of somebody who used one folder of notes, and now stands in another, new one."""
    made = CommandLine(write_notes(own_home / "used last", NOTES), capsys)
    made.index()
    monkeypatch.chdir(write_notes(own_home / "in front of me", NOTES))
    return made


@pytest.fixture
def nowhere(cli: CommandLine, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder holds no notes."""
    (own_home / "empty").mkdir()
    monkeypatch.chdir(own_home / "empty")


def everything(cli: CommandLine, folder: Path) -> tuple[set[str], str]:
    """The memory of the folder used last, its history, and every file that a person could miss."""
    query = "SELECT ?g ?s ?p ?o { GRAPH ?g { ?s ?p ?o } }"
    named = ("--notes", str(cli.notes))
    quads = set(cli("sparql", query, "--format", "tsv", "--limit", "100000", *named).splitlines())
    files = {str(file): file.read_text(encoding="utf-8") for file in folder.rglob("*.md")}
    return quads, json.dumps([files, cli.json("log", *named)], sort_keys=True)


@pytest.mark.parametrize("command", WRITES, ids=" ".join)
def test_what_changes_a_memory_asks_which_one_is_meant(
    cli: CommandLine, own_home: Path, command: tuple[str, ...]
) -> None:
    before = everything(cli, own_home)
    cli(*command, code=2)
    assert str(own_home / "in front of me") in cli.err
    assert f"--notes {cli.notes}" in cli.err
    assert "synapse up ." in cli.err
    assert everything(cli, own_home) == before
    assert not (Path.cwd() / ".mcp.json").exists()


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("command", [("assert", "zeta", "uses", "omega", *WHY), ("index",), ("check",)])
def test_in_a_folder_without_notes_the_folder_used_last_is_meant_and_named(
    cli: CommandLine, command: tuple[str, ...]
) -> None:
    cli(*command)
    assert f"used is {cli.notes}, as last time" in cli.err
    assert cli.json("status")["notes_root"] == str(cli.notes)


@pytest.mark.parametrize("command", [("index", "--write-back"), ("check",), ("export", "--okf", "../okf")])
def test_what_reads_notes_reads_those_of_the_current_folder(
    cli: CommandLine, own_home: Path, command: tuple[str, ...]
) -> None:
    kept = {file: file.read_bytes() for file in cli.notes.rglob("*.md")}
    cli(*command)
    assert f"{own_home / 'in front of me'} is new to synapse" in cli.err
    assert {file: file.read_bytes() for file in cli.notes.rglob("*.md")} == kept
    assert cli.json("status")["notes_root"] == str(own_home / "in front of me")
    cli("assert", "zeta", "uses", "omega", *WHY)
    assert "new to synapse" not in cli.err


def test_questions_are_answered_from_the_folder_used_last_and_say_so(cli: CommandLine) -> None:
    assert cli.json("card", "zeta")["id"] == "zeta"
    assert f"used is {cli.notes}, as last time" in cli.err


def test_a_memory_that_was_named_is_written_wherever_one_stands(
    cli: CommandLine, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data,) = map(str, (own_home / "home" / "memories").iterdir())
    for named in (("--notes", str(cli.notes)), ("--data", data)):
        assert cli.json("assert", "zeta", "uses", "omega", *WHY, *named)["status"] == "ok"
    for variable, value in (("SYNAPSE_NOTES", str(cli.notes)), ("SYNAPSE_DATA", data)):
        with monkeypatch.context() as only:
            only.setenv(variable, value)
            assert cli.json("assert", "zeta", "uses", "omega", *WHY)["status"] == "ok"
