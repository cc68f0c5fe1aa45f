"""The HTTP server of a memory: who may speak to it, and how an owner is asked."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest

from synapse.errors import InvalidInput
from synapse.interfaces.daemon import OwnerRecord, announced, connect
from synapse.interfaces.gateway import LocalGateway, NotResolved, OwnerGone, RemoteGateway
from synapse.interfaces.web.app import create_app
from synapse.interfaces.web.serving import serve
from synapse.memory import Memory, MemoryOptions
from synapse.usecases.answers import Json
from synapse.usecases.changed import Changed

SECRET = "the-secret"
ROUTES = [
    ("GET", "/"),
    ("GET", "/health"),
    ("POST", "/rpc"),
    ("GET", "/changes"),
    ("POST", "/mcp"),
    ("GET", "/sse"),
    ("POST", "/messages/"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the memory that is served."""
    return tmp_path_factory.mktemp("owner") / "data"


@pytest.fixture(scope="module")
def port(data: Path, answering: Callable[[Any], AbstractContextManager[int]]) -> Iterator[int]:
    """The port of a real memory's server, which is announced as its owner."""
    notes = data.parent / "notes"
    notes.mkdir()
    (notes / "bob.md").write_text("# Bob\n\n[[knows:ana]]\n", encoding="utf-8")
    with Memory.open(notes=notes, data=data, options=MemoryOptions()) as memory:
        memory.sync()
        with answering(create_app(LocalGateway(memory), secret=SECRET)) as number:
            yield number


@pytest.fixture
def client(port: int) -> Iterator[httpx.Client]:
    """A client of the served memory."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        yield client


def ask(client: httpx.Client, body: object, **headers: str) -> httpx.Response:
    """One request to /rpc, with the secret unless another is given."""
    return client.post("/rpc", json=body, headers={"Authorization": f"Bearer {SECRET}", **headers})


def test_health_says_who_answers(client: httpx.Client) -> None:
    health = client.get("/health").json()
    assert health["status"] == "ok"
    assert health["notes"] == 1
    assert health.keys() >= {"version", "pid"}


def test_a_browser_is_told_the_addresses_and_what_to_do_next(client: httpx.Client, port: int) -> None:
    page = client.get("/", headers={"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"})
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    for path in ("/mcp", "/sse", "/health"):
        assert f"http://127.0.0.1:{port}{path}<" in page.text
    assert "synapse connect" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_a_program_is_told_in_json_that_nothing_is_at_the_root(client: httpx.Client) -> None:
    for accepted in ("*/*", "application/json"):
        answer = client.get("/", headers={"Accept": accepted})
        assert answer.status_code == 404
        assert "/mcp, /sse, /health" in answer.json()["error"]["message"]


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "", "[", "10.0.0.1"])
def test_a_host_that_is_no_loopback_name_is_refused_on_every_route(
    client: httpx.Client, method: str, path: str, host: str
) -> None:
    assert client.request(method, path, headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_a_page_of_another_origin_is_refused_on_every_route(
    client: httpx.Client, method: str, path: str, origin: str
) -> None:
    assert client.request(method, path, headers={"Origin": origin}).status_code == 403


def test_a_page_of_this_server_may_ask_for_its_health_but_never_for_operations(
    client: httpx.Client, port: int
) -> None:
    own = {"Origin": f"http://127.0.0.1:{port}"}
    assert client.get("/health", headers=own).status_code == 200
    assert client.get("/changes", headers=own).status_code == 403
    assert ask(client, {"operation": "status", "arguments": {}}, **own).status_code == 403


@pytest.mark.parametrize(("method", "path"), [("POST", "/rpc"), ("GET", "/changes")])
@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer wrong", "Basic x", f"bearer {SECRET}x", "Bearer ü"])
def test_without_the_secret_nothing_is_answered(port: int, given: str, method: str, path: str) -> None:
    connection = HTTPConnection("127.0.0.1", port)
    connection.putrequest(method, path)
    connection.putheader("Authorization", given.encode())
    connection.putheader("Content-Length", "0")
    connection.endheaders()
    assert connection.getresponse().status == 401
    connection.close()


@pytest.mark.parametrize(
    "body",
    [
        [],
        1,
        {"operation": "status"},
        {"operation": 1, "arguments": {}},
        {"operation": "status", "arguments": []},
    ],
)
def test_a_malformed_request_is_explained(client: httpx.Client, body: object) -> None:
    error = ask(client, body).json()["error"]
    assert error["code"] == "invalid-input"
    assert '"operation"' in error["message"]


def test_a_request_that_is_no_json_or_too_long_is_explained(client: httpx.Client) -> None:
    secret = {"Authorization": f"Bearer {SECRET}"}
    assert "no JSON" in client.post("/rpc", content=b"{", headers=secret).json()["error"]["message"]
    huge = client.post("/rpc", content=b" " * 5_000_000, headers=secret).json()
    assert "longer than" in huge["error"]["message"]


def test_others_find_the_owner_and_get_its_answers_and_errors(data: Path, port: int) -> None:
    record = OwnerRecord.of_this_process(
        host="127.0.0.1", port=port, secret=SECRET, notes_root=None, version="0.1.0"
    )
    with announced(data, record):
        assert connect(data) is None  # a process does not ask itself
    owner = RemoteGateway(host="127.0.0.1", port=port, secret=SECRET, pid=record.pid)
    assert owner.call("card", {"id": "bob"})["label"] == "Bob"  # type: ignore[index, call-overload]
    with pytest.raises(NotResolved) as unknown:
        owner.call("card", {"id": "bop"})
    assert [candidate.id for candidate in unknown.value.did_you_mean] == ["bob"]
    with pytest.raises(InvalidInput, match="card needs id"):
        owner.call("card", {})


def test_a_secret_that_is_out_of_date_says_that_nothing_was_done(port: int) -> None:
    owner = RemoteGateway(host="127.0.0.1", port=port, secret="an older one", pid=1)
    with pytest.raises(OwnerGone, match="secret"):
        owner.call("status", {})


def test_changes_are_told_from_a_position_on_and_who_lost_count_hears_that_anything_may_differ(
    port: int,
) -> None:
    owner = RemoteGateway(host="127.0.0.1", port=port, secret=SECRET, pid=1)
    fact: Json = {"subject": "bob", "predicate": "knows", "object": "ana"}
    start, nothing = owner.changes(None)
    assert not nothing
    for number in range(2):
        written: dict[str, Json] = {"facts": [fact], "source": f"s {number}", "reason": "r"}
        assert owner.call("assert", written)["status"] == "ok"  # type: ignore[index, call-overload]
    now, changed = owner.changes(start)
    assert now > start
    assert "bob" in changed.entities
    assert owner.changes(now + 100) == (now, Changed(everything=True))


COMMAND = """
import sys
from pathlib import Path
from synapse.interfaces.daemon import open_gateway

def never():
    raise AssertionError("the memory was opened although its owner answers")

with open_gateway(never, Path(sys.argv[1])) as gateway:
    print(type(gateway).__name__, gateway.call("card", {"id": "bob"})["label"])
"""


def test_another_process_is_forwarded_to_the_owner_instead_of_opening_the_memory(
    data: Path, port: int
) -> None:
    record = OwnerRecord.of_this_process(
        host="127.0.0.1", port=port, secret=SECRET, notes_root=None, version="0.1.0"
    )
    with announced(data, record):
        command = [sys.executable, "-c", COMMAND, str(data)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "RemoteGateway Bob\n", "")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.10", "example.org", ""])
def test_only_loopback_is_served(host: str, data: Path, port: int) -> None:
    gateway = RemoteGateway(host="127.0.0.1", port=port, secret=SECRET, pid=1)
    with pytest.raises(InvalidInput, match="other machines") as refusal:
        create_app(gateway, secret=SECRET, host=host)
    assert "--host 127.0.0.1" in (refusal.value.hint or "")
    with pytest.raises(InvalidInput, match="other machines"):
        serve(create_app(gateway, secret=SECRET), host=host, port=0)


def test_a_port_in_use_is_named_with_the_flag_that_helps(port: int) -> None:
    gateway = RemoteGateway(host="127.0.0.1", port=port, secret=SECRET, pid=1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        with pytest.raises(InvalidInput, match=f"port {number} .* in use") as problem:
            serve(create_app(gateway, secret=SECRET), host="127.0.0.1", port=number)
    assert "--port" in (problem.value.hint or "")


def test_a_port_that_does_not_exist_is_refused(port: int) -> None:
    gateway = RemoteGateway(host="127.0.0.1", port=port, secret=SECRET, pid=1)
    with pytest.raises(InvalidInput, match="port 70000"):
        serve(create_app(gateway, secret=SECRET), host="127.0.0.1", port=70_000)
