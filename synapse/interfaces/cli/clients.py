"""MCP clients: where each keeps its servers, and how one entry joins the others."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from synapse.errors import InvalidInput
from synapse.interfaces.environment import process_environment
from synapse.interfaces.known_roots import replace_text
from synapse.interfaces.settings import Settings


@dataclass(frozen=True, slots=True)
class Client:
    """An MCP client: its configuration file, and the key that holds the servers."""

    name: str
    title: str
    file: Path
    key: str = "mcpServers"
    typed: bool = False
    after: str = ""


@dataclass(frozen=True, slots=True)
class Merge:
    """A configuration with the new entry in it: the text to write, and what stood there before."""

    text: str
    before: str | None
    action: str


def client(name: str) -> Client:
    """The client of this name; raises `InvalidInput` that lists the known ones."""
    found = {known.name: known for known in _clients(process_environment(), Path.cwd())}
    if name in found:
        return found[name]
    word = name.casefold().replace(" ", "-")
    # A slip rarely concerns the first letter, and another client is no slip: codex is not vscode.
    alike = [known for known in found if known[:1] == word[:1]]
    near = difflib.get_close_matches(word, alike, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}?" if near else f"known clients: {', '.join(found)}"
    raise InvalidInput(f"{name!r} is no client that synapse can set up", hint=hint)


def _clients(env: Mapping[str, str], project: Path) -> tuple[Client, ...]:
    home = Path.home()
    restart = "Restart {title}; the tools appear in its list."
    return (
        Client("claude-desktop", "Claude Desktop", _claude_desktop(env, home), after=restart),
        Client("claude-code", "Claude Code", project / ".mcp.json", after="Open {title} in this folder."),
        Client("cursor", "Cursor", home / ".cursor" / "mcp.json", after=restart),
        Client(
            "vscode",
            "VS Code",
            project / ".vscode" / "mcp.json",
            key="servers",
            typed=True,
            after="Open this folder in {title} and start the server from mcp.json.",
        ),
    )


def _claude_desktop(env: Mapping[str, str], home: Path) -> Path:
    if sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(env.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        folder = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    return folder / "Claude" / "claude_desktop_config.json"


def entry(kind: Client, settings: Settings, *, access: str) -> dict[str, Any]:
    """The server entry: this Python by its absolute path, so that no PATH or folder matters."""
    # -P keeps a folder named synapse, where the client happens to start, from being imported.
    arguments = ["-P", "-m", "synapse.interfaces.cli", "serve", "--stdio"]
    arguments += ["--notes", str(settings.root)] if settings.root else []
    arguments += ["--data", str(settings.data), "--agent", kind.name, "--access", access]
    typed = {"type": "stdio"} if kind.typed else {}
    return {**typed, "command": sys.executable, "args": arguments}


def merged(kind: Client, name: str, new: Mapping[str, Any]) -> Merge:
    """The client's configuration with the entry in it, all else kept.

    Raises `InvalidInput` when the file cannot be read as JSON, or another memory has the name.
    """
    before = _read(kind.file)
    config = _parsed(kind, before)
    servers = config.setdefault(kind.key, {})
    if not isinstance(servers, dict):
        raise InvalidInput(f"{kind.file}: {kind.key} is not an object", hint="repair it, then try again")
    old = servers.get(name)
    if old is not None and old != new and _notes(old) != _notes(new):
        raise InvalidInput(
            f"{kind.file} has an entry {name!r} for {_notes(old) or 'something else'}",
            hint=f"choose another name, as in: --name {name}-2",
        )
    action = "unchanged" if old == new else "updated" if old else "added"
    servers[name] = dict(new)
    return Merge(_dumped(kind, config), before, action)


def write(kind: Client, merge: Merge) -> Path | None:
    """Write the configuration atomically and return the backup of what stood there, if anything did."""
    target = kind.file.resolve()
    if _read(target) != merge.before:
        raise InvalidInput(f"{target} changed meanwhile; it was left as it is", hint="try again")
    backup = None
    if merge.before is not None:
        backup = _free_name(target)
        replace_text(backup, merge.before)
    replace_text(target, merge.text)
    return backup


def _free_name(target: Path) -> Path:
    names = (f"{target.name}.before-synapse{suffix}" for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(place for name in names if not (place := target.with_name(name)).exists())


def _dumped(kind: Client, config: Mapping[str, Any]) -> str:
    """The configuration as JSON; refused when it holds what JSON or UTF-8 cannot give back."""
    try:
        text = json.dumps(config, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        text.encode()
    except ValueError as error:
        raise InvalidInput(f"{kind.file} cannot be written back unchanged ({error})", hint=_BY_HAND) from None
    return text


def _read(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8; it was left as it is", hint=_BY_HAND) from None
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read ({error.strerror})", hint=_BY_HAND) from None


_BY_HAND: Final = "run the same command without --write and add the entry by hand"


def _parsed(kind: Client, text: str | None) -> dict[str, Any]:
    if text is None or not text.removeprefix("\ufeff").strip():
        return {}
    try:
        config = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_no_duplicates)
    except ValueError as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        message = f"{kind.file}{line}: not plain JSON, so it was left as it is ({error})"
        raise InvalidInput(message, hint=_BY_HAND) from None
    if not isinstance(config, dict):
        raise InvalidInput(f"{kind.file} holds no JSON object; it was left as it is", hint=_BY_HAND)
    return config


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless writing it back would lose one of two values under one key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _notes(server: object) -> str | None:
    arguments = server.get("args") if isinstance(server, Mapping) else None
    if isinstance(arguments, list) and "--notes" in arguments[:-1]:
        return str(arguments[arguments.index("--notes") + 1])
    return None
