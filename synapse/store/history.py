"""The history: an append-only log of net changes, and the redo log of the dataset.

RocksDB commits do not reach the disk at once, SQLite's do. So an activity is acknowledged
when its row is safe here; one that the dataset does not know at start is applied again.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Protocol

from pyoxigraph import Triple

from synapse.errors import StoreError
from synapse.rdf.delta import Delta
from synapse.store.blocks import LARGE, graphs_of, in_blocks, of_blocks, unpacked
from synapse.store.statements import Encoded, encode, fact_of, key_of, pack, unpack

_FORMAT: Final = 3
_READ: Final = frozenset({2, _FORMAT})
"""Formats of files that are read; the older one has no blocks."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS activity(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    iri TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    agent TEXT NOT NULL,
    reason TEXT,
    at TEXT NOT NULL,
    change BLOB NOT NULL,
    meta BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS graph(id INTEGER PRIMARY KEY, iri TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS statement(
    fact BLOB NOT NULL,
    seq INTEGER NOT NULL,
    graph INTEGER NOT NULL,
    sign INTEGER NOT NULL,
    PRIMARY KEY (fact, seq, graph)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS block(
    seq INTEGER NOT NULL,
    sign INTEGER NOT NULL,
    first BLOB NOT NULL,
    lines BLOB NOT NULL,
    PRIMARY KEY (seq, sign, first)
) WITHOUT ROWID;
"""

BLOCKS: Final = 32
"""Blocks kept as lines, some 90 kB each: the facts of one card lie in few of them."""

PARAMETERS: Final = 500
"""Values in one statement; SQLite may be built to take no more than 999."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One activity of the log: who did what, when and why; `at` is an xsd:dateTime in UTC."""

    seq: int
    iri: str
    kind: str
    agent: str
    at: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Learned:
    """Since when a fact has been known without a break, and the activity by which each graph got it."""

    since: str
    activities: Mapping[str, str]


class ActivityLog(Protocol):
    """What a commit appends to and what the age of a fact is read from: the history, or a part of it."""

    def entries(self, *, newest_first: bool = False) -> Iterator[Entry]:
        """The activities in order."""
        ...

    def changes(self, iri: str) -> tuple[Delta, Delta]:
        """The change and the meta change of one activity."""
        ...

    def learned(self, triple: Triple, *, until: str | None = None) -> Learned | None:
        """Since when, and by which activities, a triple is stated, now or at a moment."""
        ...

    def removals(self, triple: Triple) -> list[str]:
        """The activities that took a triple out of what a source states, in order."""
        ...

    def generation(self) -> int:
        """A number that grows with every activity: what was computed at one holds for it alone."""
        ...

    def append(self, entry: Entry, *, change: Delta, meta: Delta) -> None:
        """Write one activity durably."""
        ...

    def withdraw(self, iri: str) -> None:
        """Take back an activity that the dataset refused."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...


class History:
    """The log of one memory; `path` None keeps it in memory. Safe for many threads, one writer at a time."""

    def __init__(self, path: Path | None = None) -> None:
        self._lock = threading.RLock()
        self._database = _opened(path)
        self._withdrawn: set[str] = set()
        self._block = lru_cache(maxsize=BLOCKS)(self._read_block)

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._database.close()

    def append(self, entry: Entry, *, change: Delta, meta: Delta) -> None:
        """Write one activity durably: `change` to the sources' graphs, `meta` to `urn:synapse:meta`."""
        with self._lock:
            self._retry_withdrawals()
            try:
                self._insert(entry, change, meta)
            except sqlite3.Error as error:
                raise StoreError(f"the history could not be written: {error}") from error

    def withdraw(self, iri: str) -> None:
        """Take back an activity that the dataset refused, now or, on a full disk, before the next append."""
        with self._lock:
            self._withdrawn.add(iri)
            try:
                self._retry_withdrawals()
            except StoreError:
                return

    def entries(self, *, newest_first: bool = False) -> Iterator[Entry]:
        """Every activity in order."""
        order = "DESC" if newest_first else "ASC"
        rows = self._rows(f"SELECT seq, iri, kind, agent, at, reason FROM activity ORDER BY seq {order}")
        return (Entry(*row) for row in rows)

    def changes(self, iri: str) -> tuple[Delta, Delta]:
        """The change and the meta change of one activity."""
        seq, change, meta = self._rows("SELECT seq, change, meta FROM activity WHERE iri = ?", (iri,))[0]
        if change:
            return unpack(change), unpack(meta)
        blocks = self._rows("SELECT sign, lines FROM block WHERE seq = ?", (seq,))
        return of_blocks(blocks), unpack(meta)

    def learned(self, triple: Triple, *, until: str | None = None) -> Learned | None:
        """Since when, and by which activities, a triple is stated; None when no source states it.

        With `until` as it was at that time.
        """
        since = ""
        activities: dict[str, str] = {}
        first: dict[str, str] = {}
        for _, sign, graph, at, activity, kind in self._comings_and_goings(triple):
            if until is not None and at > until:
                break
            if sign > 0:
                since = since if activities else at
                # Undoing a retraction restores somebody's statement; it does not make it the undoer's.
                author = first.get(graph, activity) if kind == "undo" else activity
                activities[graph[1:-1]] = first[graph] = author
            else:
                activities.pop(graph[1:-1], None)
        return Learned(since, activities) if activities else None

    def removals(self, triple: Triple) -> list[str]:
        """The activities that took a triple out of what a source states, in order."""
        return [activity for _, sign, _, _, activity, _ in self._comings_and_goings(triple) if sign < 0]

    def _comings_and_goings(self, triple: Triple) -> list[tuple[int, int, str, str, str, str]]:
        """(seq, sign, graph, at, activity, kind) of a fact, in order; within an activity it comes first."""
        rows = self._rows(
            "SELECT s.seq, s.sign, g.iri, a.at, a.iri, a.kind FROM statement s JOIN activity a "
            "ON a.seq = s.seq JOIN graph g ON g.id = s.graph WHERE s.fact = ?",
            (key_of(triple),),
        )
        fact = fact_of(triple)
        blocks = self._rows(
            "SELECT s.seq, s.sign, (SELECT MAX(b.first) FROM block b WHERE b.seq = s.seq AND b.sign = s.sign "
            "AND b.first <= ?), a.at, a.iri, a.kind FROM (SELECT DISTINCT seq, sign FROM block) s "
            "JOIN activity a ON a.seq = s.seq",
            (fact,),
        )
        for seq, sign, first, *by in blocks:
            lines = self._block(seq, sign, first) if first is not None else []
            rows += ((seq, sign, graph, *by) for graph in graphs_of(fact, lines))
        return sorted(rows, key=lambda row: (row[0], -row[1]))

    def _read_block(self, seq: int, sign: int, first: bytes) -> list[bytes]:
        rows = self._rows(
            "SELECT lines FROM block WHERE seq = ? AND sign = ? AND first = ?", (seq, sign, first)
        )
        return unpacked(rows[0][0])

    def generation(self) -> int:
        """The number of the newest activity, 0 before the first."""
        return int(self._rows("SELECT COALESCE(MAX(seq), 0) FROM activity")[0][0])

    def _retry_withdrawals(self) -> None:
        try:
            for iri in tuple(self._withdrawn):
                self._delete(iri)
                self._withdrawn.discard(iri)
        except sqlite3.Error as error:
            raise StoreError(f"the history could not be written: {error}") from error

    def _delete(self, iri: str) -> None:
        with self._transaction() as cursor:
            for table in ("statement", "block"):
                cursor.execute(
                    f"DELETE FROM {table} WHERE seq = (SELECT seq FROM activity WHERE iri = ?)", (iri,)
                )
            cursor.execute("DELETE FROM activity WHERE iri = ?", (iri,))

    def _insert(self, entry: Entry, change: Delta, meta: Delta) -> None:
        is_large = len(change) >= LARGE
        encoded = Encoded() if is_large else encode(change)
        with self._transaction() as cursor:
            cursor.execute(
                "INSERT INTO activity(iri, kind, agent, reason, at, change, meta) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (entry.iri, entry.kind, entry.agent, entry.reason, entry.at, encoded.text, pack(meta)),
            )
            seq = cursor.lastrowid
            if is_large:
                blocks = ((seq, block.sign, block.first, block.lines) for block in in_blocks(change))
                cursor.executemany("INSERT INTO block VALUES (?, ?, ?, ?)", blocks)
            else:
                ids = _ids(cursor, list(encoded.graphs))
                # In the order of the key, so that the table grows at one place.
                rows = sorted((fact, seq, ids[place], sign) for fact, place, sign in encoded.rows)
                cursor.executemany("INSERT INTO statement VALUES (?, ?, ?, ?)", rows)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        with closing(self._database.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                cursor.execute("COMMIT")
            except sqlite3.Error:
                if self._database.in_transaction:
                    cursor.execute("ROLLBACK")
                raise

    def _rows(self, sql: str, parameters: tuple[str | bytes | int, ...] = ()) -> list[Any]:
        with self._lock, closing(self._database.execute(sql, parameters)) as cursor:
            return cursor.fetchall()


def _opened(path: Path | None) -> sqlite3.Connection:
    database = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    (version,) = database.execute("PRAGMA user_version").fetchone()
    is_new = database.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    if version not in _READ and not is_new:
        database.close()
        raise StoreError(
            f"the history at {path} has format {version}, and this synapse reads format {_FORMAT}",
            hint="use the version of synapse that wrote it, or another --data folder",
        )
    database.executescript(_SCHEMA)
    database.execute(f"PRAGMA user_version = {_FORMAT}")
    return database


def _ids(cursor: sqlite3.Cursor, graphs: list[str]) -> list[int]:
    """The ids of graphs, in their order; those that are new get one."""
    cursor.executemany("INSERT OR IGNORE INTO graph(iri) VALUES (?)", zip(graphs))
    ids: dict[str, int] = {}
    for start in range(0, len(graphs), PARAMETERS):
        part = graphs[start : start + PARAMETERS]
        marks = ",".join("?" * len(part))
        ids.update(cursor.execute(f"SELECT iri, id FROM graph WHERE iri IN ({marks})", part))
    return [ids[graph] for graph in graphs]
