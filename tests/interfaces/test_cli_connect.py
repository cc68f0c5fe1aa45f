"""`connect`: the entry a client gets, and that its file never loses anything."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse.errors import InvalidInput
from synapse.interfaces.cli import clients
from synapse.interfaces.cli.main import main


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_HOME", str(tmp_path / "synapse"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    folder = tmp_path / "notas de Zoë"
    folder.mkdir()
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return folder


def connect(notes: Path, *arguments: str) -> int:
    return main(["connect", *arguments, "--notes", str(notes)])


def config(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "file", "key"),
    [
        ("claude-code", "project/.mcp.json", "mcpServers"),
        ("vscode", "project/.vscode/mcp.json", "servers"),
        ("cursor", "home/.cursor/mcp.json", "mcpServers"),
    ],
)
def test_each_client_gets_the_entry_where_it_looks(
    notes: Path, tmp_path: Path, name: str, file: str, key: str
) -> None:
    assert connect(notes, name, "--write") == 0
    entry = config(tmp_path / file)[key]["synapse"]
    assert entry["command"] == sys.executable
    assert Path(entry["args"][entry["args"].index("--notes") + 1]) == notes
    assert ("type" in entry) == (name == "vscode")


@pytest.mark.skipif(sys.platform != "linux", reason="the place differs on each platform")
def test_claude_desktop_is_set_up_in_the_home_folder(notes: Path, tmp_path: Path) -> None:
    assert connect(notes, "claude-desktop", "--write") == 0
    assert "synapse" in config(tmp_path / "home/.config/Claude/claude_desktop_config.json")["mcpServers"]


def test_without_write_the_entry_is_printed_and_nothing_is_written(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert connect(notes, "claude-code") == 0
    captured = capsys.readouterr()
    assert "synapse" in json.loads(captured.out)["mcpServers"]
    assert "--write" in captured.err
    assert list((tmp_path / "project").iterdir()) == []


def test_the_entry_starts_this_very_program_from_anywhere(notes: Path, tmp_path: Path) -> None:
    connect(notes, "claude-code", "--write")
    entry = config(tmp_path / "project/.mcp.json")["mcpServers"]["synapse"]
    trap = tmp_path / "elsewhere" / "synapse"
    trap.mkdir(parents=True)
    (trap / "__init__.py").write_text("raise RuntimeError('a folder of this name was imported')")
    done = subprocess.run(
        [entry["command"], *entry["args"], "--help"],
        cwd=trap.parent,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Serve agents over MCP" in done.stdout


def test_other_entries_and_settings_stay_and_a_backup_is_kept(notes: Path, tmp_path: Path) -> None:
    file = tmp_path / "project/.mcp.json"
    before = {"theme": "día", "mcpServers": {"files": {"command": "npx", "args": ["x"]}}, "n": 1.5}
    text = json.dumps(before, ensure_ascii=False)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o640)
    assert connect(notes, "claude-code", "--write") == 0
    after = config(file)
    del after["mcpServers"]["synapse"]
    assert after == before
    assert file.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "project/.mcp.json.before-synapse").read_text(encoding="utf-8") == text


def test_connecting_again_changes_nothing(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "project/.mcp.json"
    connect(notes, "claude-code", "--write")
    before = file.read_bytes()
    capsys.readouterr()
    assert connect(notes, "claude-code", "--write", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["written"], answer["action"]) == (False, "unchanged")
    assert file.read_bytes() == before
    assert [entry.name for entry in file.parent.iterdir()] == [".mcp.json"]


def test_the_same_memory_at_another_level_is_updated_with_one_more_backup(
    notes: Path, tmp_path: Path
) -> None:
    connect(notes, "claude-code", "--write")
    connect(notes, "claude-code", "--write", "--access", "read")
    connect(notes, "claude-code", "--write", "--access", "full")
    project = tmp_path / "project"
    assert config(project / ".mcp.json")["mcpServers"]["synapse"]["args"][-1] == "full"
    backups = sorted(project.glob("*.before-synapse*"))
    assert [config(file)["mcpServers"]["synapse"]["args"][-1] for file in backups] == ["read_write", "read"]


def test_an_entry_for_another_memory_is_never_replaced(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    connect(other, "claude-code", "--write")
    assert connect(notes, "claude-code", "--write") == 2
    assert "--name synapse-2" in capsys.readouterr().err
    assert connect(notes, "claude-code", "--write", "--name", "synapse-2") == 0
    assert set(config(tmp_path / "project/.mcp.json")["mcpServers"]) == {"synapse", "synapse-2"}


@pytest.mark.parametrize(
    "content",
    [
        b'{ // a comment\n "servers": {} }',
        b'{"servers": {},}',
        b"[]",
        b'{"servers": []}',
        b"\xff\xfe{\x00}\x00",
        b'{"a": 1, "a": 2}',
        b'{"n": 1e999}',
        b'{"half": "\\ud83d"}',
    ],
)
def test_a_file_that_cannot_be_given_back_whole_is_left_alone(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    file = tmp_path / "project/.vscode/mcp.json"
    file.parent.mkdir()
    file.write_bytes(content)
    assert connect(notes, "vscode", "--write") == 2
    assert str(file) in capsys.readouterr().err
    assert file.read_bytes() == content
    assert list(file.parent.iterdir()) == [file]


def test_an_empty_file_and_a_bom_are_fine(notes: Path, tmp_path: Path) -> None:
    file = tmp_path / "project/.mcp.json"
    for content in (b"", b"\xef\xbb\xbf{}"):
        file.write_bytes(content)
        assert connect(notes, "claude-code", "--write") == 0
        assert "synapse" in config(file)["mcpServers"]


def test_a_linked_file_is_written_where_it_is(notes: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    link = tmp_path / "project/.mcp.json"
    link.symlink_to(real)
    assert connect(notes, "claude-code", "--write") == 0
    assert link.is_symlink()
    assert "synapse" in config(real)["mcpServers"]


def test_a_file_that_changed_meanwhile_is_left_as_it_is(notes: Path, tmp_path: Path) -> None:
    kind = clients.client("claude-code")
    merge = clients.merged(kind, "synapse", {"command": "x"})
    kind.file.write_text('{"new": 1}')
    with pytest.raises(InvalidInput, match="changed meanwhile"):
        clients.write(kind, merge)
    assert kind.file.read_text() == '{"new": 1}'


@pytest.mark.parametrize(
    ("typed", "advice"),
    [("claude", "claude-"), ("Claude Desktop", "claude-desktop"), ("zed", "known clients")],
)
def test_an_unknown_client_is_told_the_known_ones(
    notes: Path, capsys: pytest.CaptureFixture[str], typed: str, advice: str
) -> None:
    assert connect(notes, typed) == 2
    assert advice in capsys.readouterr().err


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40)
@given(
    before=st.dictionaries(st.text().filter(lambda key: key != "mcpServers"), JSON, max_size=4),
    servers=st.dictionaries(st.text().filter(lambda key: key != "synapse"), JSON, max_size=3),
)
def test_any_configuration_keeps_all_it_had(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, Any], servers: dict[str, Any]
) -> None:
    file = tmp_path_factory.mktemp("client") / "config.json"
    kind = clients.Client("any", "Any", file)
    whole = {**before, "mcpServers": servers}
    file.write_text(json.dumps(whole, ensure_ascii=True), encoding="utf-8")
    clients.write(kind, clients.merged(kind, "synapse", {"command": "x"}))
    after = config(file)
    assert after["mcpServers"].pop("synapse") == {"command": "x"}
    assert after == whole


def test_another_client_is_no_slip_of_a_known_one(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["connect", "codex", "--notes", str(notes)]) == 2
    said = capsys.readouterr().err
    assert "did you mean" not in said and "known clients: claude-desktop" in said
