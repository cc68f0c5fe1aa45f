"""Clients that are killed, send halves or send too much: real processes, and the server stays well."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from interface_helpers import environment
from mcp import Client

from synapse.interfaces.daemon import OwnerRecord, await_owner, read_owner

COMMAND = [sys.executable, "-m", "synapse.interfaces.cli"]
GROWTH = 150
"""Megabytes that rough treatment may add to a server; one refused request alone is a tenth of it."""

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "rough", "version": "1"},
    },
}
CARD: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "get_entity", "arguments": {"id": "services/payments"}},
}

# A client that starts a server as its child, makes it open the memory, and then waits to be killed.
CLIENT = """
import json, subprocess, sys
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in json.loads(sys.argv[1]):
    server.stdin.write(line.encode() + b"\\n")
    server.stdin.flush()
    server.stdout.readline()
print(server.pid, flush=True)
server.stdin.write(b'{"jsonrpc": "2.0", "id": 3, "meth')
server.stdin.flush()
server.wait()
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Two notes of which one depends on the other."""
    folder = tmp_path / "notes" / "services"
    folder.mkdir(parents=True)
    (folder / "payments.md").write_text("[[depends_on:services/ledger]]\n", encoding="utf-8")
    (folder / "ledger.md").write_text("# Ledger\n", encoding="utf-8")
    return tmp_path / "notes"


def stdio_command(notes: Path, data: Path) -> list[str]:
    """The command of a server over stdio."""
    return [*COMMAND, "serve", str(notes), "--data", str(data), "--stdio"]


@pytest.fixture
def held() -> Iterator[list[socket.socket]]:
    """Connections that stay open until the server has ended."""
    wires: list[socket.socket] = []
    yield wires
    for wire in wires:
        wire.close()


@pytest.fixture
def owner(notes: Path, tmp_path: Path, held: list[socket.socket]) -> Iterator[OwnerRecord]:
    """The process that runs `synapse up` on the notes, and that ends without a word."""
    command = [*COMMAND, "up", str(notes), "--data", str(tmp_path / "data"), "--port", "0"]
    log = (tmp_path / "log").open("w+")
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=environment(tmp_path))
    assert server.stdout is not None
    server.stdout.readline()
    record = await_owner(tmp_path / "data")
    assert record is not None
    yield record
    assert server.poll() is None, "the server ended"
    server.terminate()
    server.communicate(timeout=30)
    log.seek(0)
    complaints = log.read()
    assert "Traceback" not in complaints
    assert "Cancel" not in complaints
    log.close()


def memory_of(pid: int) -> int:
    """The resident megabytes of a process; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


@pytest.mark.skipif(os.name != "posix", reason="kills a process as POSIX does")
def test_a_server_over_stdio_ends_with_its_killed_client_and_lets_the_memory_go(
    notes: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    lines = json.dumps([json.dumps(HELLO), json.dumps(CARD)])
    command = [sys.executable, "-c", CLIENT, lines, *stdio_command(notes, data)]
    client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(tmp_path))
    assert client.stdout is not None
    server = int(client.stdout.readline())
    assert read_owner(data) is not None
    client.send_signal(signal.SIGKILL)
    client.communicate()
    for _ in range(300):
        if not (data / "owner.json").exists():
            break
        time.sleep(0.1)
    else:
        os.kill(server, signal.SIGKILL)
        pytest.fail("the server outlived its client")
    status = [*COMMAND, "status", str(notes), "--data", str(data), "--json"]
    done = subprocess.run(status, capture_output=True, text=True, check=False, env=environment(tmp_path))
    assert done.returncode == 0, done.stderr


def test_over_stdio_garbage_and_ten_megabytes_are_answered_and_the_next_call_works(
    notes: Path, tmp_path: Path
) -> None:
    huge = {**CARD, "id": 3, "params": {"name": "get_entity", "arguments": {"id": "x" * 10_000_000}}}
    rough = ["{", "null", "[]", '{"jsonrpc": "2.0"}', "\x00", json.dumps(huge)]
    sent = "\n".join([json.dumps(HELLO), *rough, json.dumps(CARD)]) + "\n"
    server = subprocess.Popen(
        stdio_command(notes, tmp_path / "data"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(tmp_path),
        encoding="utf-8",
    )
    assert server.stdin and server.stdout
    server.stdin.write(sent)
    server.stdin.flush()
    answers = {}
    while not {2, 3} <= answers.keys():
        answer = json.loads(server.stdout.readline())
        answers[answer.get("id")] = answer
    server.stdin.close()
    assert server.wait(30) == 0
    server.stdout.close()
    assert answers[3]["result"]["isError"]
    assert len(json.dumps(answers[3])) < 10_000
    assert answers[2]["result"]["structuredContent"]["id"] == "services/payments"


def test_rough_clients_over_http_leave_the_server_well_and_its_memory_bounded(owner: OwnerRecord) -> None:
    address = f"http://127.0.0.1:{owner.port}/mcp"
    before = memory_of(owner.pid)
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    with httpx.Client(trust_env=False, timeout=60, headers=headers) as http:
        for body in (b'{"jsonrpc"', b"", b"[]", b"null", b"\xff\xfe", b"[" * 100_000):
            assert http.post(address, content=body).status_code == 400
        huge = {**CARD, "params": {"name": "get_entity", "arguments": {"id": "x" * 10_000_000}}}
        for _ in range(5):
            assert http.post(address, content=json.dumps(huge)).status_code == 413
    for _ in range(50):  # who leaves in the middle of a request
        with closing(socket.create_connection(("127.0.0.1", owner.port))) as wire:
            wire.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{")
    asyncio.run(everybody_at_once(address))
    assert memory_of(owner.pid) - before < GROWTH


def test_streams_that_are_open_when_a_server_ends_end_quietly(
    owner: OwnerRecord, held: list[socket.socket]
) -> None:
    headers = f"Host: localhost:{owner.port}\r\nAuthorization: Bearer {owner.secret}\r\n\r\n"
    for path in ("/changes", "/changes?since=0", "/sse"):
        wire = socket.create_connection(("127.0.0.1", owner.port), timeout=20)
        held.append(wire)
        wire.sendall(f"GET {path} HTTP/1.1\r\n{headers}".encode())
        if "since" not in path:
            assert b"200 OK" in wire.recv(65_536)


async def everybody_at_once(address: str) -> None:
    """Twenty clients of both eras with five calls each, all at the same time."""

    async def one(number: int) -> None:
        async with Client(address, mode="legacy" if number % 2 else "auto") as client:
            for _ in range(5):
                answer = await client.call_tool("get_entity", {"id": "services/payments"})
                assert answer.structured_content is not None
                assert answer.structured_content["id"] == "services/payments"

    await asyncio.gather(*map(one, range(20)))
