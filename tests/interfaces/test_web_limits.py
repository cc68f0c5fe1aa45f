"""What a server takes from clients that are slow, many, loud or wrong, seen through raw sockets."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from typing import Any

import pytest

from synapse.errors import InvalidInput
from synapse.interfaces.gateway import LocalGateway, RemoteGateway
from synapse.interfaces.web import connection, limits
from synapse.interfaces.web.app import create_app
from synapse.memory import Memory

SECRET = "the-secret"


@pytest.fixture(scope="module")
def port(answering: Callable[[Any], AbstractContextManager[int]]) -> Iterator[int]:
    """The port of the server of a memory without notes."""
    with Memory.open() as memory, answering(create_app(LocalGateway(memory), secret=SECRET)) as number:
        yield number


def connected(port: int) -> socket.socket:
    """A connection that gives up after a while instead of hanging the tests."""
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def answer(wire: socket.socket) -> tuple[int, dict[str, Any]]:
    """The status and the JSON of everything until the server closes."""
    received = b""
    while chunk := wire.recv(65_536):
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    assert b"application/json" in head, received
    return int(head.split()[1]), json.loads(body)


def ask(port: int, *lines: str, body: bytes = b"") -> tuple[int, dict[str, Any]]:
    """The answer to one request whose lines are sent as they are."""
    with closing(connected(port)) as wire:
        # Who is refused early may be cut off while still sending; the answer is there all the same.
        with suppress(ConnectionError):
            wire.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)
        return answer(wire)


@pytest.mark.parametrize(
    "host",
    [
        "evil.com@127.0.0.1",
        "127.0.0.1@evil.com",
        "localhost:abc",
        "localhost:",
        "localhost:99999",
        "localhost:80:80",
        "localhost/evil.com",
        "localhost.",
        "localhost, evil.com",
        "::1",
        "[::1",
        "127.1",
        "2130706433",
        "127.0.0.1:٨٠",
    ],
)
def test_a_host_that_is_more_or_less_than_a_name_and_a_port_is_refused(port: int, host: str) -> None:
    status, reply = ask(port, "GET /health HTTP/1.1", f"Host: {host}")
    assert status in (400, 421)
    assert reply["error"]["code"] == "refused"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:7337", "127.0.0.1:1", "[::1]:65535"])
def test_a_loopback_name_is_accepted_with_any_port_for_tunnels_have_their_own(port: int, host: str) -> None:
    assert ask(port, "GET /health HTTP/1.1", f"Host: {host}")[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        ("Host: 127.0.0.1", "Host: evil.com"),
        ("Host: 127.0.0.1", "Origin: http://127.0.0.1", "Origin: http://evil.com"),
        ("Host: 127.0.0.1", "Origin: http://evil.com", "Origin: http://127.0.0.1"),
        (),
    ],
)
def test_a_second_host_or_origin_header_is_refused_whatever_the_first_says(
    port: int, headers: tuple[str, ...]
) -> None:
    status, reply = ask(port, "GET /health HTTP/1.1", *headers)
    assert status in (400, 403, 421)
    assert reply["error"]["code"] == "refused"


def test_an_unknown_address_and_a_wrong_method_are_explained_in_json(port: int) -> None:
    status, reply = ask(port, "GET /nothing HTTP/1.1", "Host: localhost")
    assert (status, reply["error"]["code"]) == (404, "not-found")
    assert "/mcp" in reply["error"]["message"]
    status, reply = ask(port, "DELETE /health HTTP/1.1", "Host: localhost")
    assert (status, reply["error"]["message"]) == (405, "/health takes no DELETE")


@pytest.mark.parametrize("path", ["/rpc", "/mcp", "/messages/", "/health"])
@pytest.mark.parametrize("framing", ["Content-Length: {length}", "Transfer-Encoding: chunked"])
def test_a_body_that_is_too_long_is_answered_on_every_route_however_it_is_framed(
    port: int, path: str, framing: str
) -> None:
    body = b"x" * (limits.MAX_BODY + 1)
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    status, reply = ask(
        port,
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        framing.format(length=len(body)),
        body=chunked if "chunked" in framing else body,
    )
    assert (status, reply["error"]["code"]) == (413, "invalid-input")
    assert f"{limits.MAX_BODY:,}" in reply["error"]["message"]


def test_a_write_that_is_too_long_is_the_callers_mistake_not_a_silent_owner(port: int) -> None:
    owner = RemoteGateway(host="127.0.0.1", port=port, secret=SECRET, pid=1)
    with pytest.raises(InvalidInput, match="longer than"):
        owner.call("card", {"id": "x" * limits.MAX_BODY})


@pytest.mark.parametrize("sent", [b"", b"GET /health HTTP/1.1\r\nHost: local", b"POST"])
def test_a_request_that_never_ends_its_head_is_given_up(
    port: int, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.2)
    with closing(connected(port)) as wire:
        wire.sendall(sent)
        received = b""
        while chunk := wire.recv(65_536):
            received += chunk
    assert b"408 Request Timeout" in received


def test_a_head_that_drips_is_given_up_too(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.3)
    with closing(connected(port)) as wire:
        wire.sendall(b"GET /health HTTP/1.1\r\n")
        with pytest.raises(OSError):  # a reset or a broken pipe
            for number in range(400):
                wire.sendall(b"X-%d: y\r\n" % number)
                time.sleep(0.05)


def test_a_body_that_drips_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.2)
    status, reply = ask(
        port, "POST /rpc HTTP/1.1", "Host: localhost", "Content-Length: 100", body=b"a beginning"
    )
    assert status == 408
    assert "to arrive" in reply["error"]["message"]


@pytest.mark.parametrize("sent", [b"\x16\x03\x01\x02\x00\x01\x00", b"HELO localhost\r\n\r\n", b"\x00" * 100])
def test_what_is_no_http_gets_an_error_and_the_door(port: int, sent: bytes) -> None:
    with closing(connected(port)) as wire:
        wire.sendall(sent)
        wire.shutdown(socket.SHUT_WR)
        received = b""
        while chunk := wire.recv(65_536):
            received += chunk
    assert received == b"" or b"400 Bad Request" in received


def test_headers_beyond_the_limit_are_refused_before_they_end(port: int) -> None:
    with closing(connected(port)) as wire:
        wire.sendall(b"GET /health HTTP/1.1\r\nX: " + b"y" * (connection.MAX_HEAD + 1))
        status, reply = answer(wire)
    assert status == 400
    assert str(connection.MAX_HEAD) in reply["error"]["message"]


def test_one_connection_too_many_is_turned_away_and_a_free_place_is_given_again(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MAX_CONNECTIONS", 3)
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(closing(connected(port)))
        with closing(connected(port)) as wire:
            status, reply = answer(wire)
    assert status == 503
    assert "3 connections" in reply["error"]["message"]
    for _ in range(50):  # the server sees its peers go a moment later
        with closing(connected(port)) as wire:
            wire.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            status = answer(wire)[0]
        if status == 200:
            return
        time.sleep(0.1)
    pytest.fail("no place was given again")


def test_event_streams_leave_room_for_requests(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_STREAMS", 2)
    with ExitStack() as stack:
        for _ in range(2):
            wire = stack.enter_context(closing(connected(port)))
            wire.sendall(b"GET /sse HTTP/1.1\r\nHost: localhost:1\r\n\r\n")
            assert b"200 OK" in wire.recv(65_536)
        with closing(connected(port)) as refused:
            refused.sendall(b"GET /sse HTTP/1.1\r\nHost: localhost:1\r\n\r\n")
            status, reply = answer(refused)  # which ends with the connection
        assert (status, reply["error"]["code"]) == (503, "busy")
        assert ask(port, "GET /health HTTP/1.1", "Host: localhost")[0] == 200
