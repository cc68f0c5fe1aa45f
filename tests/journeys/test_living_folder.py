"""Under `synapse up`: a person edits, agents ask over MCP, and what they hear is what the disk says."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from synapse.memory import Memory

ROOT = Path(__file__).parents[2]
PATIENCE = 20.0
"""Seconds to wait for what takes a fraction of one on a quiet machine."""


@contextmanager
def up(notes: Path, home: Path) -> Iterator[str]:
    """A served folder; yields the address of its server."""
    command = [sys.executable, "-m", "synapse.interfaces.cli", "up", str(notes), "--port", "0", "--json"]
    environment = os.environ | {"SYNAPSE_HOME": str(home)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
    ) as process:
        try:
            assert process.stdout is not None
            lines: list[str] = []
            while "}\n" not in lines:
                lines.append(process.stdout.readline())
                assert lines[-1], "up ended before it was ready"
            yield str(json.loads("".join(lines))["url"])
        finally:
            process.terminate()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    shutil.copytree(ROOT / "notes-example", folder)
    return folder


def ask(url: str, questions: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Client(streamable_http_client(f"{url}/mcp")) as client:
            await questions(client)

    asyncio.run(run())


async def why(client: Client, subject: str, predicate: str, object: str) -> list[Any]:
    """The facts of a pattern that the memory knows, over MCP."""
    arguments = {"subject": subject, "predicate": predicate, "object": object}
    answer = await client.call_tool("get_provenance", arguments)
    return [] if answer.structured_content is None else list(answer.structured_content["facts"])


async def eventually(condition: Callable[[], Awaitable[bool]]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not await condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


def truncate_and_write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def write_and_rename(file: Path, text: str) -> None:
    draft = file.with_name(f".{file.name}.swp")
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)


@pytest.mark.parametrize("save", [truncate_and_write, write_and_rename])
def test_an_edit_is_answered_over_mcp(notes: Path, tmp_path: Path, save: Callable[[Path, str], None]) -> None:
    file = notes / "services/search.md"

    async def questions(client: Client) -> None:
        fact = ("services/search", "uses", "services/notifier")
        assert await why(client, *fact) == []
        text = file.read_text(encoding="utf-8")
        save(file, text + "\nIt tells [[uses:services/notifier]] when it is done.\n")

        async def known() -> bool:
            return bool(await why(client, *fact))

        await eventually(known)

    with up(notes, tmp_path / "home") as url:
        ask(url, questions)


def test_a_deleted_note_takes_what_rested_on_it_everywhere_and_restoring_brings_it_back(
    notes: Path, tmp_path: Path
) -> None:
    middle, ledger = notes / "services/payments.md", notes / "services/ledger.md"
    text = middle.read_text(encoding="utf-8")
    inferred = ("services/checkout", "depends_on", "services/ledger")
    elsewhere = ("people/marta-gómez", "member_of", "teams/payments")

    async def questions(client: Client) -> None:
        async def known() -> bool:
            return bool(await why(client, *inferred))

        async def unknown() -> bool:
            return not await known()

        async def written_back() -> bool:
            return ("[[services/checkout|Checkout]]" in ledger.read_text(encoding="utf-8")) == await known()

        assert await known()
        middle.unlink()
        await eventually(unknown)
        await eventually(written_back)
        assert await why(client, *elsewhere), "what another file also states stays"
        middle.write_text(text, encoding="utf-8")
        await eventually(known)
        await eventually(written_back)

    with up(notes, tmp_path / "home") as url:
        ask(url, questions)


def test_a_hundred_files_changed_at_once_settle_with_one_sync(notes: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"

    def cli(*arguments: str) -> Any:
        command = [
            sys.executable,
            "-m",
            "synapse.interfaces.cli",
            *arguments,
            "--notes",
            str(notes),
            "--json",
        ]
        environment = os.environ | {"SYNAPSE_HOME": str(home)}
        done = subprocess.run(command, capture_output=True, env=environment, check=False, text=True)
        return json.loads(done.stdout)

    def syncs() -> int:
        query = "SELECT ?a { GRAPH <urn:synapse:meta> { ?a a syn:Sync } }"
        return len(cli("sparql", query, "--format", "json")["results"]["bindings"])

    with up(notes, home):
        before = syncs()
        for number in range(100):
            (notes / f"burst-{number}.md").write_text(f"[[services/ledger]] {number}\n", encoding="utf-8")
        deadline = time.monotonic() + PATIENCE
        while cli("status", "--wait")["notes"] < 140:
            assert time.monotonic() < deadline
        assert syncs() - before == 1


def test_the_example_notes_carry_the_sections_that_follow_from_them(notes: Path) -> None:
    with Memory.open(notes=notes) as memory:
        memory.install_scenario("core")
        memory.sync()
        report = memory.write_back(dry_run=True)
    assert report.diff == "", "renew them: synapse index notes-example --write-back"
