"""One process owns a memory; the others find it through its owner file and ask it.

RocksDB lets one process open a dataset, so whoever opens it says where it can be asked:
`<data>/owner.json`. The lock of the data folder decides who owns the memory; the file only
tells how to reach the owner, and one that outlived its process is ignored.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final

from synapse.errors import MemoryInUse, SynapseError
from synapse.interfaces.gateway import ChangingGateway, Gateway, LocalGateway, OwnerGone, RemoteGateway
from synapse.usecases.answers import Json
from synapse.usecases.changed import Changed, Listener

if TYPE_CHECKING:
    from synapse.memory import Memory

OWNER_FILE: Final = "owner.json"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_MAX_PORT: Final = 65_535
Look = tuple[int, ...]
"""What changes with whatever is done to a file: its number, mode, size and time."""

KEEP_SECONDS: Final = 0.5
"""Between two looks of an owner at its file; less than a client waits for one."""

OPEN_ATTEMPTS: Final = 20
OPEN_PAUSE: Final = 0.1
"""Attempts and seconds between them: an owner that is starting or ending gets two seconds."""

FOLLOW_PAUSE: Final = 1.0
"""Seconds until the successor of an owner that has ended is looked for."""


@dataclass(frozen=True, slots=True)
class OwnerRecord:
    """Where the owner of a memory is asked, and the secret that proves who asks; `since` is ISO 8601."""

    pid: int
    host: str
    port: int
    secret: str
    since: str
    notes_root: str
    version: str

    @staticmethod
    def of_this_process(
        *, host: str, port: int, secret: str, notes_root: Path | None, version: str
    ) -> OwnerRecord:
        """The record of this process, from now on."""
        since = datetime.now(UTC).isoformat(timespec="seconds")
        return OwnerRecord(os.getpid(), host, port, secret, since, str(notes_root or ""), version)


def new_secret() -> str:
    """A secret that nobody guesses: 256 random bits."""
    return secrets.token_urlsafe(32)


def write_owner(data: Path, record: OwnerRecord) -> Look:
    """Put the owner file in place, whole and readable by its user alone; call after the lock is held.

    Returns how it looks now.
    """
    partial = data / f"{OWNER_FILE}.{record.pid}"
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(record), file)
        file.flush()
        look = _look_of(os.fstat(descriptor))
    partial.replace(data / OWNER_FILE)
    return look


def read_owner(data: Path) -> OwnerRecord | None:
    """The owner file's record, or None when there is none that makes sense."""
    try:
        parts = json.loads((data / OWNER_FILE).read_text(encoding="utf-8"))
        record = OwnerRecord(**{field.name: parts[field.name] for field in fields(OwnerRecord)})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return record if _makes_sense(record) else None


def _makes_sense(record: OwnerRecord) -> bool:
    numbers = isinstance(record.pid, int) and isinstance(record.port, int)
    texts = all(isinstance(text, str) for text in (record.host, record.secret, record.notes_root))
    # The secret goes to this host: whoever wrote another one into the file is not the owner.
    return numbers and texts and record.pid > 0 and 0 < record.port <= _MAX_PORT and record.host in _LOOPBACK


def await_owner(data: Path) -> OwnerRecord | None:
    """The record of the process that holds the memory in `data`; a missing file gets time to come back."""
    for _ in range(OPEN_ATTEMPTS):
        record = read_owner(data)
        if record is not None:
            return record
        time.sleep(OPEN_PAUSE)
    return None


def remove_owner(data: Path) -> None:
    """Take away the owner file if it is this process's own."""
    record = read_owner(data)
    if record is not None and record.pid == os.getpid():
        (data / OWNER_FILE).unlink(missing_ok=True)


@contextmanager
def announced(data: Path, record: OwnerRecord) -> Iterator[None]:
    """While it lasts, other processes find this one as the owner of the memory in `data`.

    A file that is deleted, changed or opened to others meanwhile is put back within `KEEP_SECONDS`.
    """
    look, ended = write_owner(data, record), Event()
    keeper = Thread(target=_keep, args=(data, record, look, ended), name="synapse-owner-file", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
        remove_owner(data)


def _keep(data: Path, record: OwnerRecord, look: Look, ended: Event) -> None:
    while not ended.wait(KEEP_SECONDS):
        # A full disk, or a data folder that is gone: tried again until it works.
        with suppress(OSError):
            if _look(data) != look:
                look = write_owner(data, record)


def _look(data: Path) -> Look | None:
    try:
        return _look_of((data / OWNER_FILE).lstat())
    except FileNotFoundError:
        return None


def _look_of(found: os.stat_result) -> Look:
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


def connect(data: Path) -> RemoteGateway | None:
    """The owner of the memory in `data`, or None when no process owns it.

    Raises `MemoryInUse` when the owner's process lives but does not answer.
    """
    record = read_owner(data)
    if record is None or record.pid == os.getpid() or not is_alive(record.pid):
        return None
    owner = RemoteGateway(host=record.host, port=record.port, secret=record.secret, pid=record.pid)
    return owner if owner.health().get("pid") == record.pid else None


@contextmanager
def open_gateway(open_memory: Callable[[], Memory], data: Path) -> Iterator[Gateway]:
    """The memory in `data`: asked through its owner if there is one, else opened here and closed after.

    Raises `MemoryInUse` when another process holds the memory and cannot be asked.
    """
    gateway, close = _open(open_memory, data)
    try:
        yield gateway
    finally:
        close()


def _open(open_memory: Callable[[], Memory], data: Path) -> tuple[ChangingGateway, Callable[[], None]]:
    # A process id may be reused and a start may be under way: only the lock tells who owns.
    problem = MemoryInUse("the memory is in use")
    for _ in range(OPEN_ATTEMPTS):
        try:
            owner = connect(data)
        except MemoryInUse as silent:
            owner, problem = None, silent
        if owner is not None:
            return owner, _nothing
        try:
            memory = open_memory()
        except MemoryInUse as held:
            problem = held
            time.sleep(OPEN_PAUSE)
        else:
            return LocalGateway(memory), memory.close
    raise unreachable(data, problem)


def unreachable(data: Path, problem: MemoryInUse) -> MemoryInUse:
    """Why a memory that is held cannot be asked: its owner is silent, or does not say who it is."""
    if read_owner(data) is not None:
        return problem
    return MemoryInUse(
        f"another process holds the memory in {data}, and its {OWNER_FILE} is not there or broken",
        hint="wait until that process is done; a server (synapse up) writes the file anew by itself",
    )


def _nothing() -> None:
    """A remote memory is not ours to close."""


class LazyGateway:
    """A memory that is found or opened when it is first asked, and found again when its owner has ended.

    For servers that must answer before the memory is open, as MCP over stdio does.
    """

    def __init__(self, open_memory: Callable[[], Memory], data: Path) -> None:
        self._open_memory = open_memory
        self._data = data
        self._lock = Lock()
        self._gateway: ChangingGateway | None = None
        self._close: Callable[[], None] = _nothing
        self._closed = False

    @property
    def is_open(self) -> bool:
        """Whether asking costs no opening."""
        return self._gateway is not None

    def call(self, operation: str, arguments: Mapping[str, Json]) -> Json:
        """See `Gateway.call`."""
        gateway = self._opened()
        try:
            return gateway.call(operation, arguments)
        except OwnerGone:
            # The owner ended: a new one, or this process, answers from now on.
            self._forget(gateway)
            return self._opened().call(operation, arguments)
        except MemoryInUse:
            # It broke off midway and may have done what was asked: not sent twice.
            self._forget(gateway)
            raise

    def follow(self, listener: Listener, ended: Event) -> None:
        """See `ChangingGateway.follow`; when the owner has ended, its successor is followed."""
        while not ended.is_set():
            gateway = None
            try:
                gateway = self._opened()
                gateway.follow(listener, ended)
            except SynapseError:
                if gateway is not None:
                    self._forget(gateway)
                ended.wait(FOLLOW_PAUSE)
                # Nobody told what changed in between.
                listener(Changed(everything=True))

    def close(self) -> None:
        """Close what was opened here, for good."""
        with self._lock:
            self._close()
            self._gateway, self._close, self._closed = None, _nothing, True

    def _opened(self) -> ChangingGateway:
        with self._lock:
            if self._closed:
                raise MemoryInUse("this process has closed the memory")
            if self._gateway is None:
                self._gateway, self._close = _open(self._open_memory, self._data)
            return self._gateway

    def _forget(self, gateway: Gateway) -> None:
        with self._lock:
            if self._gateway is gateway:
                self._gateway, self._close = None, _nothing


def is_alive(pid: int) -> bool:
    """Whether a process of this id runs on this machine."""
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    # os.kill(pid, 0) would end the process there.
    import ctypes  # noqa: PLC0415

    kernel: Any = getattr(ctypes, "windll").kernel32  # noqa: B009
    handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    if handle:
        with suppress(OSError):
            kernel.CloseHandle(handle)
    return bool(handle)
