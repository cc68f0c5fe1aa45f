"""What the last synchronisation knew of each note: enough to skip what did not change.

A cache in SQLite that can be thrown away at any time; the next synchronisation then reads
every note again and finds the same facts.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from synapse.errors import StoreError
from synapse.notes.note import Diagnostic
from synapse.notes.note_names import NoteNames

_FORMAT: Final = 3
_NAMES: Final = tuple(known.name for known in fields(NoteNames) if known.name != "diagnostics")
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS note(
    path TEXT PRIMARY KEY,
    look TEXT NOT NULL,
    digest TEXT NOT NULL,
    version TEXT NOT NULL,
    state TEXT NOT NULL,
    link_keys TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS link_key(
    key TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (key, path)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS asset(path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """How a file looked when it was last read: its (size, mtime, ctime, inode).

    `racy` when it changed so shortly before that a later change could look the same.
    """

    path: str
    signature: tuple[int, ...] = ()
    racy: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One note as it was last read.

    `version` names the reading: parser, dialect and terms it was mapped with; `failed` notes could
    not be read at all.
    """

    seen: Seen
    digest: str = ""
    version: str = ""
    names: NoteNames = field(default_factory=NoteNames)
    failed: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    link_keys: frozenset[str] = frozenset()

    @property
    def path(self) -> str:
        """The note's path."""
        return self.seen.path

    @property
    def signature(self) -> tuple[int, ...]:
        """The signature of the file when it was read."""
        return self.seen.signature

    @property
    def racy(self) -> bool:
        """Whether the file must be read again whatever its signature says."""
        return self.seen.racy

    @property
    def is_noted(self) -> bool:
        """Whether there is something to tell of this note."""
        return self.failed or bool(self.diagnostics)

    def outdated(self) -> Row:
        """The same note, to be read and mapped again at the next look."""
        return replace(self, version="")


class Catalog:
    """The rows of one notes root, in memory and in SQLite; `path` None keeps it in memory alone."""

    def __init__(self, path: Path | None = None) -> None:
        self._lock = threading.RLock()
        self._database, stored = _opened(path)
        self._rows, self._assets, self._state = stored.rows, stored.assets, stored.state
        self._noted = {path: row for path, row in self._rows.items() if row.is_noted}

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._database.close()

    def rows(self) -> dict[str, Row]:
        """Every note by path; `link_keys` are left out, see `referrers`."""
        return dict(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def noted(self) -> dict[str, Row]:
        """The notes of which something was found, or that could not be read; few in a large folder."""
        return dict(self._noted)

    def row(self, path: str) -> Row | None:
        """One note, None when the last synchronisation did not know it."""
        return self._rows.get(path)

    @property
    def assets(self) -> frozenset[str]:
        """The files that are no notes but can be linked to."""
        return frozenset(self._assets)

    @property
    def synced_at(self) -> str | None:
        """When the folder was last looked at, an xsd:dateTime; None before the first time."""
        return self._state.get("synced_at")

    @property
    def activity(self) -> str | None:
        """The last activity that changed the memory and that these rows know of; None before any."""
        return self._state.get("activity")

    def synced(self, at: str) -> None:
        """Remember that the folder was looked at."""
        with self._transaction() as cursor:
            _remember(cursor, "synced_at", at)
        self._state["synced_at"] = at

    def distrust(self) -> None:
        """Take every note for changed: the memory was written and these rows do not know it."""
        with self._lock:
            self._rows = {path: row.outdated() for path, row in self._rows.items()}

    def referrers(self, keys: Collection[str]) -> set[str]:
        """The notes that have a link with one of these keys."""
        found: set[str] = set()
        for key in keys if self._rows else ():
            found.update(path for (path,) in self._select("SELECT path FROM link_key WHERE key = ?", (key,)))
        return found

    def link_keys(self, path: str) -> frozenset[str]:
        """The keys of a note's links."""
        found = self._select("SELECT link_keys FROM note WHERE path = ?", (path,))
        return frozenset(json.loads(found[0][0])) if found else frozenset()

    def diagnostics(self) -> Iterator[Diagnostic]:
        """Everything found in the notes, by path and line."""
        noted = self.noted()
        for path in sorted(noted):
            yield from noted[path].diagnostics

    def update(
        self,
        rows: Iterable[Row],
        *,
        removed: Collection[str],
        assets: Collection[str],
        activity: str | None = None,
    ) -> None:
        """Write what one synchronisation read and the activity by which it is known, as one transaction.

        Raises `StoreError` on a full disk; then nothing of it is remembered.
        """
        rows = list(rows)
        with self._transaction() as cursor:
            gone = [path for path in (*removed, *(row.path for row in rows)) if path in self._rows]
            links = [(key, path) for path in gone for key in self.link_keys(path)]
            cursor.executemany("DELETE FROM link_key WHERE key = ? AND path = ?", links)
            cursor.executemany("DELETE FROM note WHERE path = ?", _singles(gone))
            cursor.executemany("INSERT INTO note VALUES (?, ?, ?, ?, ?, ?)", map(_encoded, rows))
            links = sorted((key, row.path) for row in rows for key in row.link_keys)
            cursor.executemany("INSERT INTO link_key VALUES (?, ?)", links)
            cursor.executemany("DELETE FROM asset WHERE path = ?", _singles(self._assets.difference(assets)))
            cursor.executemany("INSERT INTO asset VALUES (?)", _singles(set(assets) - self._assets))
            if activity is not None:
                _remember(cursor, "activity", activity)
        for path in gone:
            self._rows.pop(path, None)
            self._noted.pop(path, None)
        self._rows.update({row.path: row for row in rows})
        self._noted.update({row.path: row for row in rows if row.is_noted})
        self._assets = set(assets)
        if activity is not None:
            self._state["activity"] = activity

    def touch(self, seen: Iterable[Seen]) -> None:
        """Remember how files look whose content is what it was."""
        rows = [replace(self._rows[look.path], seen=look) for look in seen if look.path in self._rows]
        with self._transaction() as cursor:
            pairs = ((_look(row), row.path) for row in rows)
            cursor.executemany("UPDATE note SET look = ? WHERE path = ?", pairs)
        self._rows.update({row.path: row for row in rows})

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        """All or nothing, also on a full disk: raises `StoreError` and is ready for the next one."""
        with self._lock, closing(self._database.cursor()) as cursor:
            try:
                cursor.execute("BEGIN")
                yield cursor
                cursor.execute("COMMIT")
            except sqlite3.Error as error:
                if self._database.in_transaction:
                    cursor.execute("ROLLBACK")
                raise StoreError(f"the note cache could not be written: {error}") from error

    def _select(self, sql: str, parameters: tuple[str, ...] = ()) -> list[Any]:
        try:
            with self._lock, closing(self._database.execute(sql, parameters)) as cursor:
                return cursor.fetchall()
        except sqlite3.Error as error:
            raise StoreError(
                f"the note cache could not be read: {error}",
                hint="stop synapse and delete notes.sqlite in its data folder; it is made anew",
            ) from error


@dataclass(frozen=True, slots=True)
class _Stored:
    """What a cache holds but the link keys, which are asked for when needed."""

    rows: dict[str, Row]
    assets: set[str]
    state: dict[str, str]

    @staticmethod
    def of(database: sqlite3.Connection) -> _Stored:
        rows = map(_decoded, database.execute("SELECT path, look, digest, version, state FROM note"))
        assets = {path for (path,) in database.execute("SELECT path FROM asset")}
        return _Stored(
            {row.path: row for row in rows}, assets, dict(database.execute("SELECT key, value FROM state"))
        )


def _opened(path: Path | None) -> tuple[sqlite3.Connection, _Stored]:
    """The cache and what it holds; one that is damaged or of another format is made anew."""
    try:
        return _loaded(path)
    except (sqlite3.DatabaseError, ValueError, TypeError, KeyError):
        if path is None:
            raise
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        return _loaded(path)


def _loaded(path: Path | None) -> tuple[sqlite3.Connection, _Stored]:
    database = _connected(path)
    try:
        return database, _Stored.of(database)
    except BaseException:
        database.close()
        raise


def _connected(path: Path | None) -> sqlite3.Connection:
    database = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        # A cache may lose its last writes: what is missing is read again.
        database.execute("PRAGMA synchronous = OFF")
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version not in (0, _FORMAT):
            raise sqlite3.DatabaseError(f"the note cache has format {version}")
        database.executescript(_SCHEMA)
        database.execute(f"PRAGMA user_version = {_FORMAT}")
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def _remember(cursor: sqlite3.Cursor, key: str, value: str) -> None:
    cursor.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (key, value))


def _singles(values: Iterable[str]) -> list[tuple[str]]:
    return [(value,) for value in values]


def _look(row: Row) -> str:
    return json.dumps([*row.signature, row.racy])


def _encoded(row: Row) -> tuple[str, ...]:
    names = {name: getattr(row.names, name) for name in _NAMES}
    found = [astuple(diagnostic) for diagnostic in row.diagnostics]
    state = {"names": names, "failed": row.failed, "diagnostics": found}
    links = sorted(row.link_keys)
    return row.path, _look(row), row.digest, row.version, json.dumps(state), json.dumps(links)


def _decoded(columns: tuple[str, ...]) -> Row:
    path, look, digest, version, encoded = columns
    *signature, racy = json.loads(look)
    state = json.loads(encoded)
    names = state["names"]
    return Row(
        Seen(path, tuple(signature), racy),
        digest,
        version,
        NoteNames(**names | {"aliases": tuple(names["aliases"]), "diagnostics": ()}),
        failed=state["failed"],
        diagnostics=tuple(Diagnostic(*fields) for fields in state["diagnostics"]),
    )
