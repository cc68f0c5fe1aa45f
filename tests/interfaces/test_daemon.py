"""The owner file, and how others find the owner of a memory."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from synapse.errors import MemoryInUse
from synapse.interfaces import daemon
from synapse.interfaces.daemon import (
    LazyGateway,
    OwnerRecord,
    announced,
    connect,
    is_alive,
    new_secret,
    open_gateway,
    read_owner,
    remove_owner,
    write_owner,
)
from synapse.interfaces.gateway import LocalGateway, RemoteGateway
from synapse.memory import Memory, MemoryOptions


def record(*, pid: int | None = None, port: int = 1) -> OwnerRecord:
    """A record of a process that serves on `port`."""
    return OwnerRecord(pid or os.getpid(), "127.0.0.1", port, "secret", "2026-01-01", "/notes", "0.1.0")


@pytest.fixture
def ended_pid() -> int:
    """The id of a process that has just ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.fixture
def living_pid() -> Any:
    """The id of a process that lives and answers nothing."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process.pid
    process.communicate(b"\n")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer attempts to open a memory that stays in use."""
    monkeypatch.setattr(daemon, "OPEN_ATTEMPTS", 2)


def open_memory(data: Path) -> Memory:
    """A memory without notes."""
    return Memory.open(notes=None, data=data, options=MemoryOptions())


def test_the_owner_file_is_private_and_says_what_was_written(tmp_path: Path) -> None:
    write_owner(tmp_path, record())
    assert read_owner(tmp_path) == record()
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "owner.json").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["owner.json"]


def test_the_owner_file_is_replaced_whole_even_over_a_public_one(tmp_path: Path) -> None:
    (tmp_path / "owner.json").write_text("{}", encoding="utf-8")
    (tmp_path / "owner.json").chmod(0o644)
    write_owner(tmp_path, record())
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "owner.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "[]", "{", '{"pid": 1}', '{"pid": "x"}', "\x00", "[" * 100_000])
def test_a_broken_owner_file_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "owner.json").write_text(text, encoding="utf-8")
    assert read_owner(tmp_path) is None
    assert connect(tmp_path) is None


@pytest.mark.parametrize(
    "wrong", [{"port": 70_000}, {"port": 0}, {"pid": -1}, {"secret": None}, {"host": "evil.example"}]
)
def test_an_owner_file_with_an_impossible_value_is_as_good_as_none(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    (tmp_path / "owner.json").write_text(json.dumps({**asdict(record()), **wrong}), encoding="utf-8")
    assert read_owner(tmp_path) is None


def deleted(file: Path) -> None:
    file.unlink()


def truncated(file: Path) -> None:
    os.truncate(file, 0)


def garbled(file: Path) -> None:
    file.write_bytes(os.urandom(200))


def somebody_elses(file: Path) -> None:
    file.write_text(json.dumps(asdict(record(pid=1, port=2))), encoding="utf-8")


def opened_to_all(file: Path) -> None:
    file.chmod(0o644)


def moved_away(file: Path) -> None:
    file.rename(file.with_name("elsewhere"))


@pytest.mark.parametrize("harm", [deleted, truncated, garbled, somebody_elses, opened_to_all, moved_away])
def test_an_owner_puts_its_file_back_whatever_happened_to_it(
    tmp_path: Path, harm: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "KEEP_SECONDS", 0.02)
    with announced(tmp_path, record()):
        harm(tmp_path / "owner.json")
        for _ in range(500):
            if read_owner(tmp_path) == record() and is_private(tmp_path / "owner.json"):
                break
            time.sleep(0.02)
        assert read_owner(tmp_path) == record()
        assert is_private(tmp_path / "owner.json")
    assert not (tmp_path / "owner.json").exists()


def is_private(file: Path) -> bool:
    """Whether only its user can read a file, where a system knows such a thing."""
    return os.name != "posix" or stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_memory_that_is_held_without_an_owner_file_is_explained(tmp_path: Path, quick: None) -> None:
    holder = open_memory(tmp_path)
    (tmp_path / "owner.json").write_text("{", encoding="utf-8")
    try:
        with (
            pytest.raises(MemoryInUse, match=r"owner\.json is not there or broken") as problem,
            open_gateway(lambda: open_memory(tmp_path), tmp_path),
        ):
            pass
    finally:
        holder.close()
    assert "wait" in (problem.value.hint or "")


def test_only_its_own_owner_file_is_removed(tmp_path: Path) -> None:
    write_owner(tmp_path, record(pid=1))
    remove_owner(tmp_path)
    assert read_owner(tmp_path) is not None
    with announced(tmp_path, record()):
        assert read_owner(tmp_path) == record()
    assert read_owner(tmp_path) is None


def test_the_owner_file_of_an_ended_process_is_stale(tmp_path: Path, ended_pid: int) -> None:
    write_owner(tmp_path, record(pid=ended_pid))
    assert not is_alive(ended_pid)
    assert connect(tmp_path) is None


def test_an_owner_that_lives_but_does_not_answer_is_reported(tmp_path: Path, living_pid: int) -> None:
    write_owner(tmp_path, record(pid=living_pid))
    with pytest.raises(MemoryInUse, match=f"process {living_pid} .* does not answer") as problem:
        connect(tmp_path)
    assert str(living_pid) in (problem.value.hint or "")


def test_a_reused_process_id_does_not_lock_the_memory_out(tmp_path: Path, living_pid: int) -> None:
    write_owner(tmp_path, record(pid=living_pid))
    with open_gateway(lambda: open_memory(tmp_path), tmp_path) as gateway:
        assert isinstance(gateway, LocalGateway)


def test_a_memory_that_nobody_owns_is_opened_here_and_closed_after(tmp_path: Path) -> None:
    for _ in range(2):
        with open_gateway(lambda: open_memory(tmp_path), tmp_path) as gateway:
            assert gateway.call("status", {})["notes"] == 0  # type: ignore[index, call-overload]


def test_a_memory_held_by_a_silent_owner_is_in_use(tmp_path: Path, quick: None) -> None:
    holder = open_memory(tmp_path)
    try:
        with pytest.raises(MemoryInUse), open_gateway(lambda: open_memory(tmp_path), tmp_path):
            pass
    finally:
        holder.close()


def test_a_memory_that_is_let_go_meanwhile_is_opened(tmp_path: Path) -> None:
    holder, waiting = open_memory(tmp_path), Event()

    def opener() -> Memory:
        waiting.set()
        return open_memory(tmp_path)

    def let_go() -> None:
        waiting.wait(30)
        holder.close()

    thread = Thread(target=let_go)
    thread.start()
    with open_gateway(opener, tmp_path) as gateway:
        assert isinstance(gateway, LocalGateway)
    thread.join()


def test_a_lazy_gateway_opens_nothing_until_it_is_asked(tmp_path: Path) -> None:
    opened = []

    def opener() -> Memory:
        opened.append(True)
        return open_memory(tmp_path)

    gateway = LazyGateway(opener, tmp_path)
    assert not gateway.is_open
    assert not opened
    gateway.call("status", {})
    gateway.call("status", {})
    assert gateway.is_open
    assert opened == [True]
    gateway.close()
    open_memory(tmp_path).close()


def test_a_lazy_gateway_takes_over_when_the_owner_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway = LazyGateway(lambda: open_memory(tmp_path), tmp_path)
    gone = RemoteGateway(host="127.0.0.1", port=1, secret="x", pid=1)
    with monkeypatch.context() as patched:
        patched.setattr(daemon, "connect", lambda data: gone)
        gateway._opened()
    assert gateway.call("status", {})["notes"] == 0  # type: ignore[index, call-overload]
    gateway.close()


def test_secrets_differ() -> None:
    assert len({new_secret() for _ in range(50)}) == 50
