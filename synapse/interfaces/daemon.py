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
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from synapse.errors import MemoryInUse
from synapse.interfaces.gateway import Gateway, LocalGateway, OwnerGone, RemoteGateway
from synapse.usecases.answers import Json

if TYPE_CHECKING:
    from synapse.memory import Memory

OWNER_FILE: Final = "owner.json"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
OPEN_ATTEMPTS: Final = 20
OPEN_PAUSE: Final = 0.1
"""Attempts and seconds between them: an owner that is starting or ending gets two seconds."""


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


def write_owner(data: Path, record: OwnerRecord) -> None:
    """Put the owner file in place, whole and readable by its user alone; call after the lock is held."""
    partial = data / f"{OWNER_FILE}.{record.pid}"
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(record), file)
    partial.replace(data / OWNER_FILE)


def read_owner(data: Path) -> OwnerRecord | None:
    """The owner file's record, or None when there is none that makes sense."""
    try:
        parts = json.loads((data / OWNER_FILE).read_text(encoding="utf-8"))
        record = OwnerRecord(**{field.name: parts[field.name] for field in fields(OwnerRecord)})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    well_typed = isinstance(record.pid, int) and isinstance(record.port, int) and isinstance(record.host, str)
    # The secret goes to this host: whoever wrote another one into the file is not the owner.
    return record if well_typed and record.host in _LOOPBACK else None


def remove_owner(data: Path) -> None:
    """Take away the owner file if it is this process's own."""
    record = read_owner(data)
    if record is not None and record.pid == os.getpid():
        (data / OWNER_FILE).unlink(missing_ok=True)


@contextmanager
def announced(data: Path, record: OwnerRecord) -> Iterator[None]:
    """While it lasts, other processes find this one as the owner of the memory in `data`."""
    write_owner(data, record)
    try:
        yield
    finally:
        remove_owner(data)


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


def _open(open_memory: Callable[[], Memory], data: Path) -> tuple[Gateway, Callable[[], None]]:
    # A process id may be reused and a start may be under way: only the lock tells who owns.
    problem = MemoryInUse("the memory is in use")
    for _ in range(OPEN_ATTEMPTS):
        try:
            owner = connect(data)
        except MemoryInUse as unreachable:
            owner, problem = None, unreachable
        if owner is not None:
            return owner, _nothing
        try:
            memory = open_memory()
        except MemoryInUse as held:
            problem = held
            time.sleep(OPEN_PAUSE)
        else:
            return LocalGateway(memory), memory.close
    raise problem


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
        self._gateway: Gateway | None = None
        self._close: Callable[[], None] = _nothing

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

    def close(self) -> None:
        """Close what was opened here."""
        with self._lock:
            self._close()
            self._gateway, self._close = None, _nothing

    def _opened(self) -> Gateway:
        with self._lock:
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
