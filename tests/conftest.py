"""What every room's tests share: where the shared data lies, and memories over folders of notes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from queue import Queue
from threading import Event, Thread
from typing import Any

import pytest

from synapse.memory import Memory, MemoryOptions

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"

VAULTS = {
    "tasks-demo": "obsidian-tasks-demo/vault",
    "kepano": "kepano-vault",
    "okf-acme": "okf-bundles/bundles/acme_retail",
    "okf-bitcoin": "okf-bundles/bundles/crypto_bitcoin",
    "okf-ga4": "okf-bundles/bundles/ga4",
    "okf-stackoverflow": "okf-bundles/bundles/stackoverflow",
}


def shared(relative: str) -> Path:
    """A folder of the shared data; skips the test, visibly, where it is absent."""
    path = SHARED / relative
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return path


@pytest.fixture(params=VAULTS)
def real_vault(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of each real vault in turn, writable."""
    copy = tmp_path / "vault"
    shutil.copytree(shared(VAULTS[request.param]), copy, copy_function=shutil.copyfile)
    for folder in (copy, *copy.rglob("*")):
        folder.chmod(0o755 if folder.is_dir() else 0o644)
    return copy


Answering = Callable[[Any], AbstractContextManager[int]]
"""Serves an application over HTTP while a block lasts; the value is the port."""


@pytest.fixture(scope="session")
def answering() -> Answering:
    """Serves an application in a thread of this process, as `synapse up` does."""
    return _answering


@contextmanager
def _answering(app: Any) -> Iterator[int]:
    from synapse.interfaces.web.serving import serve

    ports, stop = Queue[int](), Event()
    arguments = {"host": "127.0.0.1", "port": 0, "ready": ports.put, "stop": stop}
    thread = Thread(target=serve, args=(app,), kwargs=arguments)
    thread.start()
    try:
        yield ports.get(timeout=30)
    finally:
        stop.set()
        thread.join()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """An empty notes root."""
    root = tmp_path / "notes"
    root.mkdir()
    return root


@pytest.fixture
def open_memory(notes: Path) -> Iterator[Callable[..., Memory]]:
    """Opens memories over `notes`, in RAM unless `data` is given; closes those left open."""
    opened: list[Memory] = []

    def open_(data: Path | None = None, *, core: bool = True, options: MemoryOptions | None = None) -> Memory:
        memory = Memory.open(notes=notes, data=data, options=options)
        opened.append(memory)
        if core:
            memory.install_scenario("core")
        return memory

    yield open_
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """A memory in RAM over `notes`, with the core scenario."""
    return open_memory()
