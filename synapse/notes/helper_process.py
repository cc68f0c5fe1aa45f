"""A second process that works for this one: requests and answers over pipes, in order.

Whatever becomes of it costs time alone: who asks does himself what is not answered.
"""

from __future__ import annotations

import gc
import pickle
import struct
import subprocess
import sys
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO
from typing import IO, Any, Final

from synapse.isolated import isolated
from synapse.notes.note import (
    Diagnostic,
    Heading,
    Link,
    Note,
    NoteObservation,
    Property,
    Record,
    Scalar,
    Tag,
)

AHEAD: Final = 3
"""Requests that the helper has at most: one in its hands, the next, and one whose answer is on its way."""

PIPE: Final = 1 << 20
"""Bytes that a pipe takes where that can be set (Linux): a batch of notes, and nobody waits to be read."""

FAILURES: Final = (OSError, EOFError, pickle.PickleError, ValueError)
"""What a future of `HelperProcess.ask` raises when there is no answer."""

_VALUES: Final = (Diagnostic, Heading, Link, Note, NoteObservation, Property, Record, Scalar, Tag)
_LENGTH: Final = struct.Struct("<Q")

Process = subprocess.Popen[bytes]


class HelperProcess:
    """The other process, and the threads that talk with it: either end may block on a full pipe.

    Requests and answers have a thread each, so that the next request is there when an answer is done.
    """

    def __init__(self, module: str, function: str) -> None:
        """Start a process that runs `function` of `module`, which calls `serve`."""
        self._asking, self._hearing = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._asked: deque[Future[Any]] = deque()
        self._process = _started(module, function)

    def close(self) -> None:
        """End the process; what was not answered by then raises."""
        if self._process is not None:
            self._process.kill()
        for thread in (self._asking, self._hearing):
            thread.shutdown(cancel_futures=True)
        if self._process is not None:
            with suppress(OSError):  # what a dead helper was not told any more
                self._process.communicate()

    def ask(self, method: str, *arguments: object) -> Future[Any] | None:
        """The answer to come; None when the helper has enough to do or is gone."""
        while self._asked and self._asked[0].done():
            self._asked.popleft()
        if self._process is None or self._process.poll() is not None or len(self._asked) >= AHEAD:
            return None
        assert self._process.stdout is not None
        self._asking.submit(_request, self._process, (method, arguments))
        future: Future[Any] = self._hearing.submit(_receive, self._process.stdout)
        self._asked.append(future)
        return future


def serve(desk: object) -> None:
    """The helper's side: requests from stdin call methods of `desk`, until stdin ends."""
    gc.freeze()
    gc.disable()  # what notes say holds no cycles, and much of it is kept
    with suppress(EOFError):
        while True:
            method, arguments = _receive(sys.stdin.buffer)
            _send(sys.stdout.buffer, getattr(desk, method)(*arguments))


def _started(module: str, function: str) -> Process | None:
    try:
        return subprocess.Popen(
            isolated(module, function),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pipesize=PIPE,
        )
    except OSError:
        return None


def _request(process: Process, value: object) -> None:
    assert process.stdin is not None
    try:
        _send(process.stdin, value)
    except BaseException:
        process.kill()  # or its answer would be waited for
        raise


def _as_call(value: Any) -> tuple[type, tuple[object, ...]]:
    """A value of a note as its class and what to call it with."""
    kind = type(value)
    return kind, tuple([getattr(value, name) for name in kind.__match_args__])


class _Pickler(pickle.Pickler):
    """Dataclasses with slots look their fields up for each value: half the time that parsing takes."""

    dispatch_table = dict.fromkeys(_VALUES, _as_call)


def _send(stream: IO[bytes], value: object) -> None:
    data = BytesIO()
    _Pickler(data, pickle.HIGHEST_PROTOCOL).dump(value)
    stream.write(_LENGTH.pack(data.tell()))
    stream.write(data.getbuffer())
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """The next value. It is read at once: each of many small reads would wait for Python's lock again."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return pickle.loads(_exactly(stream, length))


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data
