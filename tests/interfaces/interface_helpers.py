"""What tests of several front ends share: a person's command line, an MCP client, hostile text."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from synapse.interfaces.cli.main import main

HOSTILE = [
    "x> } ; DROP ALL #",
    'x" } INSERT DATA { <a> <b> <c> } #',
    "two\nlines",
    "nul\x00",
    "<https://synapse.local/a> ?p ?o",
    "../../../etc/passwd",
    "ü" * 10_240,
    "",
    "   ",
    "\u202egpj.exe",
]
"""What an argument of a tool must survive."""


class CommandLine:
    """One person's command line over one folder of notes; `always` follows the words of every command."""

    def __init__(
        self, notes: Path, capsys: pytest.CaptureFixture[str], *, always: tuple[str, ...] = ()
    ) -> None:
        self.notes = notes
        self._capsys = capsys
        self._always = always
        self.err = ""

    def __call__(self, *arguments: str, code: int | None = 0) -> str:
        """Run a command that must end with `code` (None: with any that a person may cause); its stdout."""
        self._capsys.readouterr()
        ended = main([*arguments, *self._always])
        captured = self._capsys.readouterr()
        self.err = captured.err
        allowed = (0, 1, 2) if code is None else (code,)
        assert ended in allowed, captured.err + captured.out
        return captured.out

    def json(self, *arguments: str, code: int = 0) -> Any:
        """The answer of a command with `--json`."""
        return json.loads(self(*arguments, "--json", code=code))

    def index(self) -> Any:
        """The report of reading the notes."""
        return self.json("index", str(self.notes))

    def quads(self) -> set[str]:
        """Everything that the memory holds."""
        query = "SELECT ?g ?s ?p ?o { GRAPH ?g { ?s ?p ?o } }"
        return set(self("sparql", query, "--format", "tsv", "--limit", "100000").splitlines())


def talk(server: Any, conversation: Callable[[Client], Awaitable[Any]], **options: Any) -> Any:
    """What a conversation of a client with a server returns; `options` are the client's."""

    async def run() -> Any:
        async with Client(server, **options) as client:
            return await conversation(client)

    return asyncio.run(run())


def call(server: Any, tool: str, /, **arguments: Any) -> Any:
    """The result of one call."""
    return talk(server, lambda client: client.call_tool(tool, arguments))


def text_of(result: Any) -> str:
    """The text channel of a result."""
    return "\n".join(block.text for block in result.content)


def environment(folder: Path) -> dict[str, str]:
    """The environment of a child process whose home is a folder of the test."""
    return {**os.environ, "SYNAPSE_HOME": str(folder / "home")}
