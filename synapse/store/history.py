"""The history: an append-only log of net changes, and the redo log of the dataset.

RocksDB commits do not reach the disk at once, SQLite's do. So an activity is acknowledged
when its row is safe here; one that the dataset does not know at start is applied again.
"""

from __future__ import annotations

import sqlite3
import threading
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, Protocol

from pyoxigraph import Quad, RdfFormat, Triple, parse

from synapse.errors import StoreError
from synapse.rdf.delta import Delta

_SCHEMA = """
CREATE TABLE IF NOT EXISTS activity(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    iri TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    agent TEXT NOT NULL,
    reason TEXT,
    at TEXT NOT NULL,
    meta BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS term(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS change(
    seq INTEGER NOT NULL REFERENCES activity(seq) ON DELETE CASCADE,
    sign INTEGER NOT NULL,
    graph INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    predicate INTEGER NOT NULL,
    object INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS change_of_fact ON change(subject, predicate, object, seq);
CREATE INDEX IF NOT EXISTS change_of_activity ON change(seq);
"""

TEXTS: Final = 20_000
"""Quads whose terms are held as text at once."""

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
        self._database = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("PRAGMA foreign_keys = ON")
        self._database.executescript(_SCHEMA)
        self._withdrawn: set[str] = set()

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
        rows = self._rows(
            "SELECT c.sign, s.text, p.text, o.text, g.text FROM activity a JOIN change c ON c.seq = a.seq "
            "JOIN term s ON s.id = c.subject JOIN term p ON p.id = c.predicate "
            "JOIN term o ON o.id = c.object JOIN term g ON g.id = c.graph WHERE a.iri = ?",
            (iri,),
        )
        lines: dict[int, list[str]] = {1: [], -1: []}
        for sign, *terms in rows:
            lines[sign].append(" ".join(terms))
        (blob,) = self._rows("SELECT meta FROM activity WHERE iri = ?", (iri,))[0]
        return Delta(_quads(lines[1]), _quads(lines[-1])), _unpack(blob)

    def learned(self, triple: Triple, *, until: str | None = None) -> Learned | None:
        """Since when, and by which activities, a triple is stated; None when no source states it.

        With `until` as it was at that time.
        """
        rows = self._rows(
            "SELECT a.at, a.iri, a.kind, c.sign, g.text FROM change c JOIN activity a ON a.seq = c.seq "
            "JOIN term g ON g.id = c.graph "
            "WHERE c.subject = (SELECT id FROM term WHERE text = ?) "
            "AND c.predicate = (SELECT id FROM term WHERE text = ?) "
            "AND c.object = (SELECT id FROM term WHERE text = ?) ORDER BY c.seq, c.sign DESC",
            (str(triple.subject), str(triple.predicate), str(triple.object)),
        )
        since = ""
        activities: dict[str, str] = {}
        first: dict[str, str] = {}
        for at, activity, kind, sign, graph in rows:
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

    def generation(self) -> int:
        """The number of the newest activity, 0 before the first."""
        return int(self._rows("SELECT COALESCE(MAX(seq), 0) FROM activity")[0][0])

    def _retry_withdrawals(self) -> None:
        try:
            for iri in tuple(self._withdrawn):
                self._database.execute("DELETE FROM activity WHERE iri = ?", (iri,))
                self._withdrawn.discard(iri)
        except sqlite3.Error as error:
            raise StoreError(f"the history could not be written: {error}") from error

    def _insert(self, entry: Entry, change: Delta, meta: Delta) -> None:
        cursor = self._database.cursor()
        cursor.execute("BEGIN IMMEDIATE")
        try:
            cursor.execute(
                "INSERT INTO activity(iri, kind, agent, reason, at, meta) VALUES (?, ?, ?, ?, ?, ?)",
                (entry.iri, entry.kind, entry.agent, entry.reason, entry.at, _pack(meta)),
            )
            seq = cursor.lastrowid
            cursor.executemany(
                "INSERT INTO change(seq, subject, predicate, object, sign, graph) "
                f"VALUES ({seq}, ?, ?, ?, ?, ?)",
                _numbered(change, cursor),
            )
            cursor.execute("COMMIT")
        except sqlite3.Error:
            if self._database.in_transaction:
                cursor.execute("ROLLBACK")
            raise

    def _rows(self, sql: str, parameters: tuple[str, ...] = ()) -> list[Any]:
        with self._lock, closing(self._database.execute(sql, parameters)) as cursor:
            return cursor.fetchall()


def _numbered(change: Delta, cursor: sqlite3.Cursor) -> list[tuple[int, ...]]:
    """The change as rows of ids: subject, predicate, object, sign, graph.

    Sorted like the index of facts, which then grows at one place.
    """
    rows: list[tuple[int, ...]] = []
    for sign, quads in ((1, iter(change.added)), (-1, iter(change.removed))):
        while part := [_texts(quad) for quad in islice(quads, TEXTS)]:
            ids = _interned(cursor, set(chain.from_iterable(part)))
            rows += [(ids[s], ids[p], ids[o], sign, ids[g]) for s, p, o, g in part]
    return sorted(rows)


def _texts(quad: Quad) -> tuple[str, str, str, str]:
    return str(quad.subject), str(quad.predicate), str(quad.object), str(quad.graph_name)


def _interned(cursor: sqlite3.Cursor, texts: Collection[str]) -> dict[str, int]:
    """The ids of terms by their text; those that are new get one."""
    ordered = sorted(texts)
    cursor.executemany("INSERT OR IGNORE INTO term(text) VALUES (?)", zip(ordered))
    ids: dict[str, int] = {}
    for start in range(0, len(ordered), PARAMETERS):
        part = ordered[start : start + PARAMETERS]
        marks = ",".join("?" * len(part))
        ids.update(cursor.execute(f"SELECT text, id FROM term WHERE text IN ({marks})", part))
    return ids


def _quads(lines: Iterable[str]) -> frozenset[Quad]:
    text = "".join(f"{line} .\n" for line in lines)
    return frozenset(parse(text.encode(), RdfFormat.N_QUADS))


def _pack(delta: Delta) -> bytes:
    added = "".join(f"{quad} .\n" for quad in sorted(map(str, delta.added)))
    removed = "".join(f"{quad} .\n" for quad in sorted(map(str, delta.removed)))
    return zlib.compress(f"{added}\0{removed}".encode(), 1)


def _unpack(blob: bytes) -> Delta:
    added, _, removed = zlib.decompress(blob).partition(b"\0")
    return Delta(
        frozenset(parse(added, RdfFormat.N_QUADS)),
        frozenset(parse(removed, RdfFormat.N_QUADS)),
    )
