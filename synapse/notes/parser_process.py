"""Many notes are parsed by two processes at once: this one, and a helper that does nothing else.

Of a first look at a large folder, parsing is what can be shared: a pure function of a note's bytes.
Whatever becomes of the helper costs time alone: what it does not answer is parsed here.
"""

from __future__ import annotations

import gc
import os
import pickle
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from types import TracebackType
from typing import IO, Any, Final, TypeVar

from synapse.isolated import isolated
from synapse.notes.files import FileBytes
from synapse.notes.note import (
    Diagnostic,
    Dialect,
    Heading,
    Link,
    Note,
    NoteObservation,
    Property,
    Record,
    Scalar,
    Tag,
)
from synapse.notes.parser import parse_note

WORTHWHILE: Final = 2_000
"""Notes; starting the helper takes as long as parsing 500."""

BATCH: Final = 64
AHEAD: Final = 3
"""Batches the helper has at most: one in its hands, the next, and one that is on its way back."""

PIPE: Final = 1 << 20
"""Bytes that a pipe takes where that can be set (Linux): a batch of notes, and nobody waits to be read."""

_VALUES: Final = (Diagnostic, Heading, Link, Note, NoteObservation, Property, Record, Scalar, Tag)
_LENGTH: Final = struct.Struct("<Q")
_FAILURES: Final = (OSError, EOFError, pickle.PickleError, ValueError)

Process = subprocess.Popen[bytes]
Other = TypeVar("Other")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file and what it says."""

    content: FileBytes
    note: Note


def parse_all(
    looks: Iterable[FileBytes | Other], *, dialect: Dialect, expected: int
) -> Generator[Parsed | Other, None, None]:
    """The looks in their order, those that are bytes with the note that they say.

    `expected` is about how many there are; only from `WORTHWHILE` on is there a helper.
    """
    if expected < WORTHWHILE or (os.cpu_count() or 1) < 2:
        yield from (_parsed(look, dialect) for look in looks)
        return
    with _Helper(dialect) as helper:
        batches = iter(looks)
        waiting: deque[_Batch[Other]] = deque()
        while batch := list(islice(batches, BATCH)):
            waiting.append(_Batch(batch, helper))
            while waiting and waiting[0].is_done():
                yield from waiting.popleft().results()
        for last in waiting:
            yield from last.results()


def _parsed(look: FileBytes | Other, dialect: Dialect) -> Parsed | Other:
    if isinstance(look, FileBytes):
        return Parsed(look, parse_note(look.file.path, look.data, dialect=dialect))
    return look


class _Batch(list[FileBytes | Other]):
    """Looks that one of the two processes parses: the helper if it has little to do, else this one."""

    def __init__(self, looks: list[FileBytes | Other], helper: _Helper) -> None:
        super().__init__(looks)
        self._dialect = helper.dialect
        self._asked = helper.ask([look for look in looks if isinstance(look, FileBytes)])
        self._own = [] if self._asked else self._parsed_here()

    def is_done(self) -> bool:
        return self._asked is None or self._asked.done()

    def results(self) -> Iterator[Parsed | Other]:
        if self._asked is None:
            yield from self._own
            return
        try:
            notes = iter(self._asked.result())
        except _FAILURES:
            yield from self._parsed_here()
            return
        for look in self:
            yield Parsed(look, next(notes)) if isinstance(look, FileBytes) else look

    def _parsed_here(self) -> list[Parsed | Other]:
        return [_parsed(look, self._dialect) for look in self]


class _Helper:
    """The other process, and the threads that talk with it: either end may block on a full pipe.

    Requests and answers have a thread each, so that the next request is there when an answer is done.
    """

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._asking, self._hearing = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._asked: deque[Future[list[Note]]] = deque()
        self._process = _started()

    def __enter__(self) -> _Helper:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
        for thread in (self._asking, self._hearing):
            thread.shutdown(cancel_futures=True)
        if self._process is not None:
            with suppress(OSError):  # what a dead helper was not told any more
                self._process.communicate()

    def ask(self, files: list[FileBytes]) -> Future[list[Note]] | None:
        """The notes of these files to come; None when the helper has enough to do or is gone."""
        while self._asked and self._asked[0].done():
            self._asked.popleft()
        if self._process is None or self._process.poll() is not None or len(self._asked) >= AHEAD:
            return None
        assert self._process.stdout is not None
        request = [(file.file.path, file.data) for file in files]
        self._asking.submit(_request, self._process, (self.dialect, request))
        future: Future[list[Note]] = self._hearing.submit(_receive, self._process.stdout)
        self._asked.append(future)
        return future


def _started() -> Process | None:
    try:
        return subprocess.Popen(
            isolated(__name__, serve.__name__),
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


def serve() -> None:
    """The helper's side: answers requests from stdin until it ends."""
    gc.freeze()
    with suppress(EOFError):
        while True:
            dialect, files = _receive(sys.stdin.buffer)
            _send(sys.stdout.buffer, [parse_note(path, data, dialect=dialect) for path, data in files])


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
