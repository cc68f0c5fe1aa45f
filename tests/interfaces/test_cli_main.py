"""The command line itself: help, mistyped commands, shared options, exit codes, and how light it is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from synapse.errors import (
    InvalidInput,
    InvalidQuery,
    MemoryInUse,
    NotesUnavailable,
    QueryTimeout,
    StoreError,
    SynapseError,
)
from synapse.interfaces.cli import main as command_line
from synapse.interfaces.cli.main import COMMANDS, cli, main
from synapse.interfaces.cli.options import Invocation
from synapse.interfaces.gateway import NotResolved
from synapse.usecases.answers import Candidate

ROOT = Path(__file__).parents[2]
HEAVY = ("pyoxigraph", "mcp", "numpy", "starlette", "uvicorn", "httpx", "watchdog", "rich", "rdflib")


@pytest.fixture(autouse=True)
def _own_home(own_home: Path) -> None:
    """Every command here is that of a person with nothing yet."""


def spawn(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "synapse.interfaces.cli", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        **options,
    )


def failing(error: BaseException) -> Callable[..., object]:
    def body(**_: object) -> object:
        raise error

    return body


@pytest.fixture
def status_raises(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Let `synapse status` meet an error: the way out is the same for every command."""

    def use(error: BaseException) -> None:
        from synapse.interfaces.cli.status import status

        monkeypatch.setattr(status, "callback", failing(error))

    return use


@pytest.mark.parametrize("arguments", [["--help"], [], ["--version"], ["indexx"]])
def test_help_and_the_first_screen_import_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from synapse.interfaces.cli.main import main; "
        f"main({arguments!r}); print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=60, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_the_first_screen_is_short_and_names_one_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert "synapse up my-notes" in out
    assert len(out.splitlines()) < 20
    assert max(map(len, out.splitlines())) <= 92


def test_help_lists_every_command_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    for name, command in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(command.summary)}$", out, re.MULTILINE)


def test_every_command_loads_has_help_and_takes_the_shared_options() -> None:
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help
        names = {param.name for param in command.params}
        assert {"notes", "data", "json", "debug"} <= names, name


def test_every_command_and_option_is_documented() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    context = click.Context(cli)
    for name in COMMANDS:
        assert f"`synapse {name}" in text, name
        command = cli.get_command(context, name)
        assert command is not None
        for param in command.params:
            if isinstance(param, click.Option):
                assert any(option in text for option in param.opts), f"{name} {param.opts}"


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        ("indexx", "Did you mean index?"),
        ("wy", "Did you mean why?"),
        ("neighbourhood", "Did you mean neighborhood?"),
        ("people/bob", "synapse card people/bob"),
        ("zzzzz", "synapse --help"),
    ],
)
def test_a_mistyped_command_gets_advice(capsys: pytest.CaptureFixture[str], typed: str, advice: str) -> None:
    assert main([typed]) == 2
    assert advice in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["card"], ["card", "a", "b"], ["impact", "a", "--depth", "0"], ["why", "a"], ["--nope"]]
)
def test_a_wrong_call_is_exit_code_2_with_usage(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("Usage: synapse")
    assert captured.out == ""


def test_shared_options_work_before_and_after_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    from synapse.interfaces.cli.status import status

    seen: list[Invocation] = []

    @click.pass_obj
    def record(invocation: Invocation, /, **_: object) -> None:
        seen.append(invocation)

    monkeypatch.setattr(status, "callback", record)
    for arguments in (
        ["--notes", "n", "--data", "d", "--json", "status"],
        ["status", "--notes", "n", "--data", "d", "--json"],
        ["--data", "d", "--json", "status", "n"],
        ["--notes", "other", "--data", "d", "status", "--json", "--notes", "n"],
    ):
        assert main(arguments) == 0
    assert all(one == Invocation(Path("n"), Path("d"), json=True) for one in seen)
    assert len(seen) == 4


def test_two_different_folders_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "a", "--notes", "b"]) == 2
    assert "two notes folders" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidInput("x"), 2),
        (InvalidQuery("x"), 2),
        (NotesUnavailable("x"), 2),
        (MemoryInUse("x"), 3),
        (QueryTimeout("x"), 1),
        (StoreError("x"), 4),
        (SynapseError("x"), 4),
        (NotResolved("x", code="unknown-entity"), 1),
        (ValueError("x"), 4),
        (BrokenPipeError(), 0),
        (KeyboardInterrupt(), 130),
    ],
)
def test_every_error_has_its_exit_code_and_no_traceback(
    status_raises: Callable[[BaseException], None],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
) -> None:
    monkeypatch.setattr(command_line, "_closed_pipe", lambda: 0)
    status_raises(error)
    assert main(["status"]) == code
    captured = capfd.readouterr()
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_debug_shows_the_traceback(
    status_raises: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    status_raises(StoreError("the disk is full"))
    assert main(["status", "--debug"]) == 4
    assert "Traceback" in capsys.readouterr().err


def test_an_error_says_what_was_wrong_and_what_to_do(
    status_raises: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    status_raises(InvalidInput("port 7337 is taken", hint="choose another with --port"))
    assert main(["status"]) == 2
    assert capsys.readouterr().err == "synapse: port 7337 is taken\n  choose another with --port\n"


def test_an_unknown_entity_lists_the_nearest_ids(
    status_raises: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    near = (Candidate("people/bob", "Bob"), Candidate("people/rob", "people/rob"))
    status_raises(
        NotResolved("nothing is known of 'bbo'", code="unknown-entity", did_you_mean=near, hint="…")
    )
    assert main(["status", "--json"]) == 1
    captured = capsys.readouterr()
    assert "people/bob  (Bob)\n    people/rob\n" in captured.err
    answer = json.loads(captured.out)["error"]
    assert answer["code"] == "unknown-entity"
    assert [one["id"] for one in answer["did_you_mean"]] == ["people/bob", "people/rob"]


def test_json_output_is_utf8_whatever_the_locale_says() -> None:
    env = {**os.environ, "PYTHONUTF8": "1", "PYTHONIOENCODING": "ascii"}
    done = spawn("status", "--notes", "café", "--json", env=env)
    assert done.returncode == 2
    assert "café" in json.loads(done.stdout)["error"]["message"]


def test_a_closed_pipe_is_quiet() -> None:
    code = "import sys; from synapse.interfaces.cli.main import main; sys.exit(main(['--help']))"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_sparql_without_a_query_on_a_terminal_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert main(["sparql"]) == 2
    assert "pipe one in" in capsys.readouterr().err
    assert main(["sparql", "ASK {}", "-f", "q.rq"]) == 2
    assert main(["sparql", "-f", "missing.rq"]) == 2
    assert "missing.rq: the query cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("transport", ["--http", "--sse"])
def test_an_agent_is_named_over_stdio_only(transport: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", transport, "--agent", "bob"]) == 2
    assert "over HTTP each client says its name" in " ".join(capsys.readouterr().err.split())


def test_serve_wants_to_know_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve"]) == 2
    assert "--stdio, --http or --sse" in capsys.readouterr().err
    assert main(["serve", "--stdio", "--port", "1"]) == 2


def test_outside_of_known_folders_one_line_on_stderr_names_the_memory_that_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, elsewhere = tmp_path / "notas", tmp_path / "elsewhere"
    for folder in (notes, elsewhere):
        folder.mkdir()
    (notes / "a.md").write_text("# A\n")
    main(["index", str(notes)])
    for folder, arguments, told in (
        (elsewhere, [], True),
        (elsewhere, ["--notes", str(notes)], False),
        (notes, [], False),
    ):
        monkeypatch.chdir(folder)
        capsys.readouterr()
        assert main(["card", "a", "--json", *arguments]) == 0
        captured = capsys.readouterr()
        assert json.loads(captured.out)["id"] == "a"
        assert (str(notes) in captured.err) == told
