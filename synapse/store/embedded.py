"""The default store: pyoxigraph on RocksDB, or in memory; nothing to install or start."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Final

from pyoxigraph import (
    Literal,
    NamedNode,
    Quad,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    serialize,
)
from pyoxigraph import Store as Oxigraph

from synapse.durable import sync_folder
from synapse.errors import InvalidQuery, MemoryInUse, StoreError
from synapse.rdf.delta import Change, Delta
from synapse.store.base import QueryResults, Term, no_more, nothing
from synapse.store.sandbox import Request, Results, run_isolated

BULK_QUADS: Final = 20_000
"""From this many additions on, RocksDB's bulk loader is faster than one transaction and needs less memory."""

LOADED_QUADS: Final = 40_000
"""Quads handed to the bulk loader at once: it holds and sorts them in memory, about 1 kB each."""

LOADERS: Final = 2
"""Chunks loaded at the same time."""

UPDATE_QUADS: Final = 20_000
"""Quads in one update request of a bulk change, which bounds the text that is parsed at once."""


FLUSHED_QUADS: Final = 10_000
"""Quads that small changes may leave in RocksDB's memory before it is told to sort them onto the disk.

Left alone it keeps up to 128 MB of each of ten indexes there, and what no longer fits the processor's cache
is slow to change: a quad took 20 µs after a flush, 45 µs after 170,000 quads. With flushes 150 edits took no
more processor time than without, and their median was a fifth shorter.
"""

REOPEN_ATTEMPTS: Final = 50
REOPEN_PAUSE: Final = 0.1
"""Attempts and seconds between them: an answer that is being read holds the old dataset open."""

ROOM: Final = 1_000_000
"""Bytes that must fit on the disk before a dataset is opened again after a failed write."""


class EmbeddedStore:
    """A `Store` of this process; `path` None keeps it in memory."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._failed = False
        self._torn = False
        self._mark = None if path is None else path.with_name(f"{path.name}.torn")
        self._store: Oxigraph | None = _opened(path)
        self._unflushed = 0
        self._flushing = threading.Thread()

    def query(self, sparql: str) -> QueryResults:
        """The results of a read-only query over the union of all graphs."""
        try:
            results = self._engine().query(sparql, use_default_graph_as_union=True)
        except SyntaxError as error:
            raise InvalidQuery(f"the query does not parse: {error}") from None
        except (OSError, RuntimeError, ValueError) as error:
            raise StoreError(f"the query could not be answered: {error}") from error
        if not isinstance(results, QuerySolutions | QueryTriples | QueryBoolean):
            raise StoreError(f"unexpected results of type {type(results).__name__}")
        return results

    def quads(
        self,
        subject: NamedNode | None = None,
        predicate: NamedNode | None = None,
        object: Term | None = None,
        graph: NamedNode | None = None,
    ) -> Iterator[Quad]:
        """The quads that match the pattern, from one snapshot."""
        return self._engine().quads_for_pattern(subject, predicate, object, graph)

    def graph_names(self) -> Iterator[NamedNode]:
        """The named graphs that hold at least one quad; RocksDB remembers emptied ones, they are left out."""
        for graph in self._engine().named_graphs():
            if isinstance(graph, NamedNode) and next(self.quads(graph=graph), None) is not None:
                yield graph

    def apply(
        self,
        change: Change,
        *,
        rest: Callable[[], tuple[Change, ...]] = no_more,
        record: Callable[[], None] = nothing,
    ) -> None:
        """Write the change as one transaction after `rest` and `record`, or beside them when it is large.

        A bulk change is not one transaction. Meanwhile the dataset is marked as torn, and after a failure
        it stays so.
        """
        self._reopen_after_failure()
        try:
            if _is_large(change):
                self._apply_in_bulk(change, rest, record)
                return
            others = rest()
            if _is_large(change, *others):
                self._apply_in_bulk(change, lambda: others, record)
            else:
                record()
                self._update(change, *others)
        except (OSError, RuntimeError, ValueError, SyntaxError) as error:
            self._failed = True
            raise StoreError(f"the dataset could not be written: {error}") from error

    @property
    def torn(self) -> bool:
        """Whether a bulk change was begun and not brought to its end."""
        return self._torn or (self._mark is not None and self._mark.exists())

    def mark(self, *, torn: bool) -> None:
        """Set or remove the mark, a file beside the dataset; raises `StoreError` when it cannot be set."""
        if self._mark is not None and torn:
            _write_through(self._mark)
        elif self._mark is not None:
            # A mark that stays makes the next start look in vain, no more.
            with suppress(OSError):
                self._mark.unlink(missing_ok=True)
        self._torn = torn

    def run(
        self,
        query: str,
        *,
        base_iri: str,
        prefixes: Mapping[str, str],
        timeout: float,
        limit: int | None,
    ) -> Results:
        """The results of a person's own query, killed after `timeout` seconds; see `sandbox`.

        A store in memory has no checkpoint to hand over: a file of N-Quads stands in for one.
        """
        self._reopen_after_failure()
        beside = None if self._path is None else self._path.parent
        with TemporaryDirectory(prefix="checkpoint-", dir=beside) as folder:
            checkpoint = Path(folder) / "store"
            try:
                self._hand_over(checkpoint)
            except (OSError, RuntimeError) as error:
                self._failed = True
                raise StoreError(f"no checkpoint could be made for the query: {error}") from error
            request = Request(str(checkpoint), query, base_iri, prefixes, limit)
            return run_isolated(request, timeout=timeout)

    def _hand_over(self, checkpoint: Path) -> None:
        if self._path is None:
            self._engine().dump(checkpoint, format=RdfFormat.N_QUADS)
        else:
            self._engine().backup(str(checkpoint))

    def close(self) -> None:
        """Bring everything to the disk and let other processes open it; the store is unusable after."""
        if self._store is not None:
            _flush(self._store)
        self._release()

    def _engine(self) -> Oxigraph:
        with self._lock:
            if self._store is None:
                raise StoreError("the dataset is closed", hint="restart synapse")
            return self._store

    def _flush_beside(self, written: int) -> None:
        """Flush in a thread of its own when enough was written since the last time; nobody waits for it."""
        self._unflushed += 0 if self._path is None else written
        if self._unflushed >= FLUSHED_QUADS and not self._flushing.is_alive():
            self._unflushed = 0
            self._flushing = threading.Thread(
                target=_flush, args=(self._engine(),), name="flush", daemon=True
            )
            self._flushing.start()

    def _release(self) -> None:
        if self._flushing.is_alive():
            self._flushing.join()
        self._store = None
        # RocksDB's lock goes with the last reference, which a cycle may hold (seen on Windows), also one
        # that a large synchronisation froze.
        gc.unfreeze()
        gc.collect()

    def _reopen_after_failure(self) -> None:
        """RocksDB refuses every write after one that failed, room or not: it has to be opened anew.

        Not before there is room, though: until then the old one still answers.
        """
        if not self._failed or self._path is None:
            return
        _check_room(self._path.parent)
        with self._lock:
            self._release()
            self._store = _reopened(self._path)
            self._failed = False

    def flush(self) -> None:
        """Bring everything written so far to the disk; a later open then has no log to replay."""
        if self._path is not None:
            self._engine().flush()

    def count(self, graph: NamedNode | None = None) -> int:
        """How many quads a graph holds, or the whole dataset; counted by the engine."""
        if graph is None:
            return len(self._engine())
        solutions = self.query(f"SELECT (COUNT(*) AS ?n) WHERE {{ GRAPH {graph} {{ ?s ?p ?o }} }}")
        assert isinstance(solutions, QuerySolutions)
        number = next(solutions)["n"]
        assert isinstance(number, Literal)
        return int(number.value)

    def _update(self, *changes: Change) -> None:
        self._engine().update(" ;\n".join(filter(None, (change.to_update() for change in changes))))
        self._flush_beside(sum(map(len, changes)))

    def _apply_in_bulk(
        self, change: Change, rest: Callable[[], tuple[Change, ...]], record: Callable[[], None]
    ) -> None:
        was_torn = self.torn
        self.mark(torn=True)
        with ThreadPoolExecutor(1) as beside:
            begun = beside.submit(self._write_in_parts, change)
            written = beside.submit(self._write_after, begun, rest())
            record()
            written.result()
        self.mark(torn=was_torn)

    def _write_after(self, before: Future[None], changes: tuple[Change, ...]) -> None:
        before.result()
        for change in changes:
            self._write_in_parts(change)

    def _write_in_parts(self, change: Change) -> None:
        removed = list(change.removed)
        for start in range(0, len(removed), UPDATE_QUADS):
            chunk = frozenset(removed[start : start + UPDATE_QUADS])
            self._engine().update(Delta(removed=chunk).to_update())
        self._bulk_load(iter(change.added))

    def _bulk_load(self, quads: Iterator[Quad]) -> None:
        """Load as text: unlike quads, the loader reads it without Python's lock, on several cores."""
        engine = self._engine()

        def load(chunk: list[Quad]) -> None:
            text = serialize(chunk, format=RdfFormat.N_QUADS)
            engine.bulk_load(text, RdfFormat.N_QUADS, lenient=True)

        with ThreadPoolExecutor(LOADERS) as pool:
            for _ in pool.map(load, iter(lambda: list(islice(quads, LOADED_QUADS)), [])):
                pass


def _flush(engine: Oxigraph) -> None:
    # What a full disk keeps from being flushed is in RocksDB's own log or in the history.
    with suppress(OSError, RuntimeError):
        engine.flush()


def _is_large(*changes: Change) -> bool:
    if sum(map(len, changes)) < min(BULK_QUADS, UPDATE_QUADS):
        return False
    added = sum(len(change.added) for change in changes)
    removed = sum(len(change.removed) for change in changes)
    return added >= BULK_QUADS or removed >= UPDATE_QUADS


def _write_through(path: Path) -> None:
    """Make an empty file that a power cut does not take."""
    try:
        with path.open("wb") as file:
            os.fsync(file.fileno())
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"the dataset could not be written: {error}") from error


def _opened(path: Path | None) -> Oxigraph:
    try:
        return Oxigraph(None if path is None else str(path))
    except OSError as error:
        if "lock" in str(error).lower():
            raise MemoryInUse(f"another process has the dataset at {path} open") from None
        raise StoreError(f"the dataset at {path} could not be opened: {error}") from error


def _reopened(path: Path) -> Oxigraph:
    for _ in range(REOPEN_ATTEMPTS):
        with suppress(MemoryInUse):
            return _opened(path)
        time.sleep(REOPEN_PAUSE)
    return _opened(path)


def _check_room(folder: Path) -> None:
    try:
        with TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM))
            file.flush()
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"the dataset cannot be written: {reason}", hint="make room on the disk") from error
