"""The command line over real notes and a real memory: index, ask, prove, serve, stop."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from interface_helpers import CommandLine
from note_files import write_notes
from pyoxigraph import RdfFormat, parse

from synapse.interfaces.cli.main import main

NOTES = {
    "services/checkout.md": '---\ntype: Service\ndepends_on: "[[services/payments]]"\n---\nTakes orders.\n',
    "services/payments.md": '---\ntype: Service\ndepends_on: "[[services/ledger]]"\ntier: 1\n---\n',
    "services/ledger.md": "---\ntype: Service\naliases: [libro mayor]\n---\n# Ledger\n",
    "people/begoña.md": "Knows [[services/ledger]] well. #críticó\n",
}
FACT = ("services/checkout", "depends_on", "services/ledger")
HOSTILE = ["x> } ; DROP ALL #", "a\nb", '"', "a" * 10_000, "", "<x>", "'; DELETE WHERE { ?s ?p ?o }"]


@pytest.fixture
def cli(own_home: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(write_notes(own_home / "notas de Zoë", NOTES), capsys)


@pytest.fixture
def inside(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is the notes."""
    monkeypatch.chdir(cli.notes)


def leaves(proof: Any) -> Iterator[Any]:
    if not proof["premises"]:
        yield proof
    for premise in proof["premises"]:
        yield from leaves(premise)


@pytest.mark.usefixtures("inside")
def test_index_reports_what_it_did_and_a_second_run_finds_all_unchanged(cli: CommandLine) -> None:
    first = cli.index()
    assert (first["found"], first["indexed"], first["failed"]) == (4, 4, 0)
    assert first["inferred_added"] > 0
    second = cli.json("index")
    assert (second["indexed"], second["unchanged"]) == (0, 4)
    assert "4 notes: 0 indexed, 4 unchanged" in cli("index")


def test_a_broken_note_is_named_with_its_line_and_the_rest_is_read(cli: CommandLine) -> None:
    (cli.notes / "bad.md").write_text("---\nok: 1\nkey: @at\n---\n[[services/ledger]]\n", encoding="utf-8")
    out = cli("index", str(cli.notes))
    assert any(line.startswith("bad.md:3: ") for line in out.splitlines())
    assert "5 notes: 5 indexed" in out


def test_before_the_first_index_the_answer_is_what_to_type(cli: CommandLine) -> None:
    cli("card", "people/begoña", "--notes", str(cli.notes), code=2)
    assert "nothing was indexed yet" in cli.err
    assert f"synapse up {cli.notes}" in cli.err


def test_a_data_folder_that_is_a_file_is_told_in_words(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    cli("index", str(cli.notes), "--data", str(tmp_path / "data"), code=2)
    assert "cannot be used" in cli.err


def test_the_memory_is_found_from_inside_the_notes(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.index()
    monkeypatch.chdir(cli.notes / "people")
    assert cli.json("card", "begoña")["id"] == "people/begoña"


def test_a_memory_is_found_by_its_data_folder_alone(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = str(tmp_path / "data")
    cli("index", str(cli.notes), "--data", data)
    monkeypatch.setenv("SYNAPSE_HOME", str(tmp_path / "another-home"))
    assert cli.json("status", "--data", data)["notes_root"] == str(cli.notes)


@pytest.mark.parametrize(
    "name", ["services/ledger", "libro mayor", "Ledger", "<https://synapse.local/services/ledger>"]
)
def test_an_entity_goes_by_its_id_alias_label_or_iri(cli: CommandLine, name: str) -> None:
    cli.index()
    assert cli.json("card", name)["id"] == "services/ledger"


def test_an_unknown_entity_is_exit_code_1_and_names_the_nearest(cli: CommandLine) -> None:
    cli.index()
    cli("card", "services/checkaut", code=1)
    assert "services/checkout" in cli.err
    error = cli.json("card", "services/checkaut", code=1)["error"]
    assert "services/checkout" in [near["id"] for near in error["did_you_mean"]]


def test_a_fact_over_two_files_is_proved_down_to_path_and_line(cli: CommandLine) -> None:
    cli.index()
    (proof,) = cli.json("why", *FACT)["proofs"]
    assert {leaf["rule"] for leaf in leaves(proof)} == {"stated"}
    places = {
        (source.get("path"), source.get("line")) for leaf in leaves(proof) for source in leaf["sources"]
    }
    assert {("services/checkout.md", 3), ("services/payments.md", 3)} <= places
    out = cli("why", *FACT)
    assert "services/checkout.md:3" in out and "services/payments.md:3" in out


@pytest.mark.usefixtures("inside")
def test_deleting_a_file_takes_what_rested_on_it_and_restoring_brings_it_back(cli: CommandLine) -> None:
    cli.index()
    note = cli.notes / "services/payments.md"
    text = note.read_text(encoding="utf-8")
    note.unlink()
    cli("index")
    assert cli.json("why", *FACT, code=1)["known"] is False
    assert "not known" in cli("why", *FACT, code=1)
    note.write_text(text, encoding="utf-8")
    cli("index")
    assert cli.json("why", *FACT)["known"] is True


@pytest.mark.parametrize("typed", ["1", '"1"^^xsd:integer'])
def test_a_literal_object_is_typed_plainly_or_as_in_turtle(cli: CommandLine, typed: str) -> None:
    cli.index()
    assert cli.json("why", "services/payments", "tier", typed)["known"] is True
    assert cli.json("provenance", "services/payments", "tier", typed)["facts"][0]["sources"][0]["line"] == 4


def test_provenance_of_nothing_is_exit_code_1(cli: CommandLine) -> None:
    cli.index()
    assert cli.json("provenance", "services/ledger", "depends_on", code=1)["facts"] == []


@pytest.mark.usefixtures("inside")
def test_an_answer_says_when_the_notes_changed_since(cli: CommandLine) -> None:
    cli.index()
    # A note saved in the last two seconds may change again within one tick of its clock.
    eventually(lambda: fresh(cli))
    (cli.notes / "new.md").write_text("[[services/ledger]]\n", encoding="utf-8")
    (notice,) = cli.json("card", "services/ledger")["notices"]
    assert notice["code"] == "stale"
    assert "note: 1 note looks changed" in cli("card", "services/ledger")
    cli("sparql", "ASK {}")
    assert "1 note looks changed" in cli.err


def fresh(cli: CommandLine) -> bool:
    cli.json("index")
    return not cli.json("card", "services/ledger")["notices"]


def test_impact_and_neighborhood_answer_with_reasons(cli: CommandLine) -> None:
    cli.index()
    affected = {one["id"]: one["depth"] for one in cli.json("impact", "services/ledger")["affected"]}
    assert (affected["services/payments"], affected["services/checkout"]) == (1, 2)
    assert "services/payments.md:3" in cli("impact", "services/ledger", "--depth", "1", "-p", "depends_on")
    nodes = cli.json("neighborhood", "services/ledger", "--direction", "in")["nodes"]
    assert {"services/payments", "people/begoña"} <= {node["id"] for node in nodes}


@pytest.mark.usefixtures("inside")
def test_a_dry_run_changes_neither_memory_nor_notes(cli: CommandLine) -> None:
    cli.index()
    before = cli.quads()
    (cli.notes / "new.md").write_text("[[services/ledger]]\n", encoding="utf-8")
    answer = cli.json("index", "--dry-run")
    assert answer["indexed"] == 1
    out = cli("index", "--dry-run", "--write-back")
    assert "nothing was changed" in out and "+<!-- synapse:begin" in out
    assert cli.quads() == before
    assert "synapse:begin" not in (cli.notes / "services/ledger.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("inside")
def test_write_back_writes_once_and_is_then_quiet(cli: CommandLine) -> None:
    answer = cli.json("index", str(cli.notes), "--write-back")
    assert answer["written_back"] > 0
    assert "synapse:begin" in (cli.notes / "services/ledger.md").read_text(encoding="utf-8")
    again = cli.json("index", "--write-back")
    assert (again["written_back"], again["indexed"]) == (0, 0)


def test_sparql_comes_from_argument_file_or_pipe_in_every_format(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.index()
    query = "SELECT ?x { ?x syn:depends_on <services/ledger> } ORDER BY ?x"
    assert cli("sparql", query).split() == ["x", "─" * 17, "services/checkout", "services/payments"]
    file = tmp_path / "q.rq"
    file.write_text(query, encoding="utf-8")
    assert len(cli.json("sparql", "-f", str(file))["results"]["bindings"]) == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO(query))
    assert cli("sparql", "--format", "csv").splitlines()[0] == "x"
    graph = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o . FILTER(?s = <services/ledger>) }"
    for form in ("turtle", "ntriples", "nquads"):
        assert "services/ledger" in cli("sparql", graph, "--format", form)
    described = cli("sparql", "DESCRIBE <services/ledger>")
    assert list(parse(described.encode(), RdfFormat.TURTLE)), "what is shown unasked can be read again"
    assert cli("sparql", "ASK { <services/payments> :tier 1 }").strip() == "true"


def test_sparql_says_on_stderr_what_was_cut_and_refuses_what_is_not_allowed(cli: CommandLine) -> None:
    cli.index()
    assert len(cli("sparql", "SELECT * { ?s ?p ?o }", "--limit", "2", "--format", "csv").splitlines()) == 3
    assert "first 2" in cli.err
    cli("sparql", "SELECT * {", code=2)
    cli("sparql", "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }", code=2)
    before = cli.quads()
    cli("sparql", "DELETE WHERE { ?s ?p ?o }", code=2)
    assert cli.quads() == before


@pytest.mark.usefixtures("inside")
def test_scenarios_come_and_go_with_their_facts(cli: CommandLine) -> None:
    cli.index()
    before = cli.quads()
    assert {"core", "kthulu-go", "research-assistant"} <= {
        one["name"] for one in cli.json("scenario", "list")
    }
    assert cli.json("scenario", "install", "kthulu-go")["action"] == "installed"
    assert cli.json("scenario", "install", "kthulu-go")["action"] == "unchanged"
    assert "installed" in cli("scenario", "show", "kthulu-go")
    assert cli.json("scenario", "remove", "kthulu-go")["action"] == "removed"
    meta = "<urn:synapse:meta>"
    assert {q for q in cli.quads() if not q.startswith(meta)} == {q for q in before if not q.startswith(meta)}
    cli("scenario", "show", "kthulu", code=2)
    assert "kthulu-go" in cli.err
    cli("scenario", "remove", "kthulu-go", code=2)
    cli("scenario", "remove", "core", code=2)
    assert "core cannot be removed" in cli.err
    assert cli("status").count("from scenarios") == 1


def test_looking_at_scenarios_makes_no_memory(cli: CommandLine, tmp_path: Path) -> None:
    data = tmp_path / "none"
    where = ("--notes", str(cli.notes), "--data", str(data))
    assert cli("scenario", "list", *where).count("not installed") == 3
    assert "Core vocabulary" in cli("scenario", "show", "core", *where)
    cli("scenario", "remove", "kthulu-go", *where, code=2)
    assert "nothing was indexed yet" in cli.err
    assert not data.exists()


def test_a_folder_that_is_no_scenario_is_told_in_words(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.index()
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("./mine", str(tmp_path / "mine")):
        cli("scenario", "install", name, "--notes", str(cli.notes), code=2)
        assert f"{tmp_path / 'mine'} is no scenario: it has no scenario.toml" in cli.err
        assert "Errno" not in cli.err
    (tmp_path / "mine" / "scenario.toml").write_bytes(b"name = '\xff'")
    cli("scenario", "install", "./mine", "--notes", str(cli.notes), code=2)
    assert "is not UTF-8" in cli.err


def test_a_control_character_in_a_note_never_reaches_the_terminal(cli: CommandLine) -> None:
    (cli.notes / "evil.md").write_text('---\ntitle: "a\\x1b[2Jb"\n---\n', encoding="utf-8")
    cli.index()
    out = cli("card", "evil") + cli("sparql", "SELECT ?l { <evil> rdfs:label ?l }")
    assert "\x1b" not in out and "�[2Jb" in out


# -- commands that run until they are stopped ---------------------------------------------------


@contextmanager
def running(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "synapse.interfaces.cli", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", **options
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def announced(process: subprocess.Popen[str]) -> Any:
    """The JSON that a server prints when it is ready."""
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if line == "}\n":
            return json.loads(text)
    assert process.stderr is not None
    raise AssertionError(process.stderr.read())


def eventually(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def known(cli: CommandLine) -> Any:
    main(["why", *FACT, "--json"])
    return json.loads(cli._capsys.readouterr().out)["known"]


def test_up_serves_follows_the_notes_answers_others_and_stops(cli: CommandLine) -> None:
    with running("up", str(cli.notes), "--port", "0", "--json") as process:
        ready = announced(process)
        assert ready["index"]["indexed"] == 4
        assert ready["example"]["known"] is True
        with urlopen(f"{ready['url']}/health") as reply:
            assert json.load(reply)["status"] == "ok"

        status = cli.json("status")
        assert (status["owner"]["pid"], status["watcher"]) == (process.pid, "alive")
        assert f"process {process.pid}" in cli("status")
        assert cli.json("why", *FACT)["known"] is True
        cli("card", "services/checkaut", code=1)
        assert "services/checkout" in cli.err

        (cli.notes / "services/payments.md").unlink()
        eventually(lambda: known(cli) is False)
        (cli.notes / "services/payments.md").write_text(NOTES["services/payments.md"], encoding="utf-8")
        eventually(lambda: known(cli) is True)

        cli("up", str(cli.notes), "--port", "0", code=3)
        assert ready["url"] in cli.err and str(process.pid) in cli.err

        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert "Traceback" not in (process.stderr.read() if process.stderr else "")
    assert "synapse:begin" in (cli.notes / "services/ledger.md").read_text(encoding="utf-8")
    assert cli.json("status")["owner"]["pid"] == os.getpid()


def test_hostile_text_is_refused_and_changes_nothing(cli: CommandLine) -> None:
    with running("up", str(cli.notes), "--port", "0", "--json", "--no-watch") as process:
        announced(process)
        before = cli.quads()
        for hostile in HOSTILE:
            for words in hostile_calls(hostile):
                assert main([words[0], "--", *words[1:]]) in (1, 2), words
        assert main(["scenario", "install", "--", HOSTILE[0]]) == 2
        assert cli.quads() == before


def hostile_calls(hostile: str) -> Iterator[tuple[str, ...]]:
    yield from ((command, hostile) for command in ("card", "neighborhood", "impact", "provenance"))
    for command in ("why", "provenance"):
        yield (command, hostile, "depends_on", "x")
        yield (command, "services/ledger", hostile, "x")
        yield (command, "services/ledger", "depends_on", hostile)


def test_up_leaves_the_notes_alone_when_asked_to(cli: CommandLine) -> None:
    with running("up", str(cli.notes), "--port", "0", "--json", "--no-write-back", "--no-watch") as process:
        announced(process)
        assert cli.json("status")["watcher"] == "off"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    for name, text in NOTES.items():
        assert (cli.notes / name).read_text(encoding="utf-8") == text


def test_a_killed_owner_leaves_nothing_that_must_be_cleaned_up(cli: CommandLine) -> None:
    with running("up", str(cli.notes), "--port", "0", "--json") as process:
        announced(process)
        process.kill()
        process.wait(20)
    assert cli.json("why", *FACT)["known"] is True


def test_a_taken_port_and_a_public_host_are_refused(cli: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        cli("up", str(cli.notes), "--port", port, code=2)
    assert f"port {port}" in cli.err and "--port" in cli.err
    cli("up", str(cli.notes), "--host", "0.0.0.0", code=2)
    assert "other machines" in cli.err


def test_serve_over_stdio_answers_agents_and_the_command_line_together(cli: CommandLine) -> None:
    with running("serve", "--stdio", "--notes", str(cli.notes), stdin=subprocess.PIPE) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None and stdout is not None

        def send(message: dict[str, Any]) -> None:
            stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            stdin.flush()

        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        send({"id": 1, "method": "initialize", "params": hello})
        assert json.loads(stdout.readline())["result"]["serverInfo"]["name"] == "synapse"
        send({"method": "notifications/initialized"})
        call = {"name": "get_entity", "arguments": {"id": "services/checkout"}}
        send({"id": 2, "method": "tools/call", "params": call})
        answer = json.loads(stdout.readline())["result"]
        assert answer["structuredContent"]["id"] == "services/checkout"

        status = cli.json("status", "--notes", str(cli.notes))
        assert (status["owner"]["pid"], status["watcher"]) == (process.pid, "alive")
        stdin.close()
        assert process.wait(20) == 0
        assert process.stderr is not None and process.stderr.read() == ""
    for name, text in NOTES.items():
        assert (cli.notes / name).read_text(encoding="utf-8") == text


def test_serve_over_http_says_where(cli: CommandLine) -> None:
    with running("serve", "--http", str(cli.notes), "--port", "0", "--json") as process:
        ready = announced(process)
        assert ready["mcp"] == f"{ready['url']}/mcp"
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
