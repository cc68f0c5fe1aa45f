"""A memory that this process owns: other processes find it, and its notes keep it in step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from queue import Queue
from threading import Event, Thread
from typing import Final

from synapse.interfaces.daemon import OwnerRecord, announced, new_secret
from synapse.interfaces.gateway import LocalGateway
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.settings import Settings
from synapse.interfaces.watcher import Watcher
from synapse.interfaces.web.app import create_app
from synapse.interfaces.web.serving import serve
from synapse.memory import Memory
from synapse.notes.note import Diagnostic
from synapse.usecases.answers import SyncReport, WriteBackReport

Progress = Callable[[int, int], None]
CORE: Final = "core"
SETTLED_SECONDS: Final = 2.05
"""After this long without a change a note counts as settled; a little more than the two seconds it takes."""

AFTER_WRITE: Final = 0.2
"""Seconds from an agent's write to the write-back it makes due; several writes in a row share one."""


@dataclass(frozen=True, slots=True)
class Ingest:
    """One round: what was read from the notes, and what was put back into them."""

    sync: SyncReport
    write_back: WriteBackReport | None = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that is wrong with the notes: what reading them found, then what kept a section unwritten."""
        read = self.sync.diagnostics
        known = {(item.path, item.code) for item in read}
        back = self.write_back.diagnostics if self.write_back else ()
        return (*read, *(item for item in back if (item.path, item.code) not in known))


Told = Callable[[Ingest], None]


@dataclass(frozen=True, slots=True)
class Hosting:
    """How a memory is hosted: who may do what, whether it follows its notes, whether it writes to them."""

    host: str
    port: int
    access: Level = Level.READ_WRITE
    write_back: bool = False
    watch: bool = True


@dataclass(frozen=True, slots=True)
class Address:
    """Where this process serves its memory; `ended` is set when it no longer does."""

    host: str
    port: int
    ended: Event

    @property
    def url(self) -> str:
        """The beginning of every address, as `http://127.0.0.1:7337`."""
        return base_url(self.host, self.port)


@dataclass(frozen=True, slots=True)
class Hosted:
    """A memory that is served and follows its notes: where, and what the first round did."""

    address: Address
    first: Ingest | None


def base_url(host: str, port: int) -> str:
    """The URL of a host and a port, without a path."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


@contextmanager
def hosted(
    memory: Memory,
    settings: Settings,
    plan: Hosting,
    *,
    progress: Progress | None = None,
    told: Told = lambda _: None,
) -> Iterator[Hosted]:
    """While it lasts, the memory is served, has the core scenario, and follows its notes.

    Raises `InvalidInput` when the port is taken, `NotesUnavailable` when the notes are not there.
    """
    with ExitStack() as stack:
        address = stack.enter_context(served(memory, settings, plan))
        settings.remember()
        memory.install_scenario(CORE)
        first = None
        if settings.root is not None:
            rounds = Rounds(memory, write_back=plan.write_back)
            if plan.watch:
                # Before the first round, so that no save falls between the two.
                stack.enter_context(watched(rounds, settings, told=told))
            first = rounds.run(progress=progress)
        yield Hosted(address, first)


class Rounds:
    """Rounds over one memory: read what changed in the notes, then put back what follows from it.

    With a watcher, a note that somebody may be typing in is written in a later round, once it is quiet.
    """

    def __init__(self, memory: Memory, *, write_back: bool) -> None:
        self._memory = memory
        self._write_back = write_back
        self._watcher: Watcher | None = None

    def follow(self, watcher: Watcher) -> None:
        """Let this watcher, which starts the rounds to come, remind of what was put off."""
        self._watcher = watcher
        self._memory.attach_watcher(watcher)
        self._memory.on_write(lambda: watcher.remind(AFTER_WRITE))

    def run(self, *, paths: Collection[str] | None = None, progress: Progress | None = None) -> Ingest:
        """One round; raises what `Memory.sync` raises."""
        report = self._memory.sync(paths=paths, progress=progress)
        if not self._write_back:
            return Ingest(report)
        back = self._memory.write_back(settled_only=self._watcher is not None)
        if self._watcher is not None and back.postponed:
            self._watcher.remind(SETTLED_SECONDS)
        return Ingest(report, back)


@contextmanager
def watched(rounds: Rounds, settings: Settings, *, told: Told) -> Iterator[None]:
    """While it lasts, every saved note is read at once, and `told` hears of each round."""
    assert settings.root is not None
    watcher = Watcher(
        settings.root, lambda paths: told(rounds.run(paths=paths)), ignore=settings.notes.ignore
    )
    rounds.follow(watcher)
    watcher.start()
    try:
        yield
    finally:
        watcher.stop()


@contextmanager
def served(memory: Memory, settings: Settings, plan: Hosting) -> Iterator[Address]:
    """While it lasts, the memory answers over HTTP and other processes find it as its owner."""
    secret = new_secret()
    sparql = settings.server.sparql
    app = create_app(LocalGateway(memory), secret=secret, host=plan.host, access=plan.access, sparql=sparql)
    stop, ended, outcome = Event(), Event(), Queue[int | BaseException]()

    def run() -> None:
        try:
            serve(app, host=plan.host, port=plan.port, ready=outcome.put, stop=stop)
        except BaseException as error:  # noqa: BLE001  (raised again in the thread that waits for it)
            outcome.put(error)
        finally:
            ended.set()

    thread = Thread(target=run, name="synapse-http", daemon=True)
    thread.start()
    try:
        bound = outcome.get()
        if isinstance(bound, BaseException):
            raise bound
        with announced(settings.data, _record(settings, plan.host, bound, secret)):
            yield Address(plan.host, bound, ended)
    finally:
        stop.set()
        thread.join()


def _record(settings: Settings, host: str, port: int, secret: str) -> OwnerRecord:
    current = version("synapse-memory")
    return OwnerRecord.of_this_process(
        host=host, port=port, secret=secret, notes_root=settings.root, version=current
    )
