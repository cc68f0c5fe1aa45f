"""A folder of notes is made known: what the disk says replaces what the memory knew of it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from pyoxigraph import NamedNode

from synapse.errors import StoreError
from synapse.knowledge.provenance import Activity, GraphRecord
from synapse.notes.catalog import Row, Seen
from synapse.notes.files import Unreadable
from synapse.notes.shared_reading import SharedReading
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import file_graph
from synapse.usecases.answers import Notice, SyncReport
from synapse.usecases.commit import Committer, Outcome
from synapse.usecases.differences import Replacement
from synapse.usecases.folder import READER, Changes, Folder, Progress
from synapse.usecases.terms import lexicon_digest

MANY_OBJECTS: Final = 100_000
"""Objects that a synchronisation leaves: those of some thousand notes. The memory keeps most of them."""


@dataclass(frozen=True, slots=True)
class Synchronised:
    """One synchronisation: the report for people, the outcome of its commit, and the notes that were read."""

    report: SyncReport
    outcome: Outcome
    looked_at: frozenset[str] = frozenset()


class NoteSync:
    """Makes one folder known to one memory."""

    def __init__(self, folder: Folder, *, committer: Committer, lexicon: Callable[[], Lexicon]) -> None:
        self._folder = folder
        self._committer = committer
        self._lexicon = lexicon

    def run(
        self,
        *,
        agent: str,
        paths: Collection[str] | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Synchronised:
        """One synchronisation; with `paths` only those notes are looked at.

        A dry run finds out what would change and writes nothing. Raises `NotesUnavailable` when the
        root cannot be read; then nothing is changed either.
        """
        with _without_cycle_search():
            return self._run(agent, paths, dry_run, progress)

    def _run(
        self, agent: str, paths: Collection[str] | None, dry_run: bool, progress: Progress | None
    ) -> Synchronised:
        started = time.perf_counter()
        lexicon = self._lexicon()
        version = self.version(lexicon)
        with SharedReading(self._folder.dialect) as reading:
            changes = self._changes(version, paths, reading, progress)
            rows, replacements = self._map(changes, lexicon, version, reading)
        indexed, changes = len(changes.read), replace(changes, read=())  # what notes say fills much memory
        activity = Activity("sync", agent=agent)
        if dry_run:
            outcome = self._committer.preview(replacements, activity=activity)
            self._folder.forget_index()
            notices: tuple[Notice, ...] = (Notice("dry-run", "nothing was written"),)
        else:
            outcome = self._commit(replacements, activity)
            warnings = (Notice(found.code, found.message) for found in self._committer.warnings())
            notices = (*self._remember(rows, changes, outcome), *warnings)
        seconds = time.perf_counter() - started
        report = self._report(
            changes, rows, outcome, indexed=indexed, seconds=seconds, dry_run=dry_run, notices=notices
        )
        looked_at = {row.path for row in rows} | {seen.path for seen in changes.touched}
        return Synchronised(report, outcome, frozenset(looked_at))

    def version(self, lexicon: Lexicon) -> str:
        """What a note's mapping depends on beside its bytes: reader, dialect and terms."""
        return f"{READER}/{self._folder.dialect}/{lexicon_digest(lexicon)}"

    def _changes(
        self, version: str, paths: Collection[str] | None, reading: SharedReading, progress: Progress | None
    ) -> Changes:
        """What differs; all notes count as changed when the catalog does not know of the last commit."""
        folder = self._folder
        if folder.in_step or folder.catalog.activity == self._committer.last("sync"):
            return folder.changes(version=version, paths=paths, reading=reading, progress=progress)
        strays = folder.distrust(self._committer.graphs())
        return folder.changes(version=version, paths=None, reading=reading, strays=strays, progress=progress)

    def _map(
        self, changes: Changes, lexicon: Lexicon, version: str, reading: SharedReading
    ) -> tuple[list[Row], dict[NamedNode, Replacement]]:
        """The new rows and graphs: notes that were read, and notes whose links may mean another file now."""
        replacements = {file_graph(path): Replacement() for path in changes.removed}
        keys = self._folder.rename(changes)
        referring, rows = self._folder.referrers(keys, besides=changes)
        mapper = self._folder.mapper(lexicon)
        for read, mapping in reading.mapped((*changes.read, *referring), mapper):
            record = GraphRecord(mapping.graph, digest=read.note.digest, path=read.note.path)
            replacements[mapping.graph] = Replacement(frozenset(mapping.lines), record)
            rows.append(self._folder.row(read, mapping, version=version))
        unreadable = {problem.path: problem for problem in changes.unreadable}
        rows = [row for row in rows if row.path not in unreadable]
        return [*rows, *map(self._failed_row, unreadable.values())], replacements

    def _commit(self, replacements: dict[NamedNode, Replacement], activity: Activity) -> Outcome:
        try:
            return self._committer.commit(replacements, activity=activity)
        except BaseException:
            self._folder.forget_index()
            raise

    def _remember(self, rows: Collection[Row], changes: Changes, outcome: Outcome) -> tuple[Notice, ...]:
        """Bring the catalog up to date; when it cannot be written, the next run looks at every note."""
        catalog, activity = self._folder.catalog, outcome.activity
        try:
            if rows or changes.removed or changes.assets != catalog.assets or not self._folder.in_step:
                known = activity.node.value if outcome.recorded else self._last_known()
                catalog.update(rows, removed=changes.removed, assets=changes.assets, activity=known)
            if changes.touched:
                catalog.touch(changes.touched)
            catalog.synced(activity.at)
        except StoreError as error:
            self._folder.in_step = False
            self._folder.forget_index()
            return (Notice("not-remembered", f"{error.message}; the next look reads every note again"),)
        self._folder.in_step = True
        return ()

    def _last_known(self) -> str | None:
        return None if self._folder.in_step else self._committer.last("sync")

    def _failed_row(self, problem: Unreadable) -> Row:
        """The row of a note that cannot be read: its names and facts stay, the next run tries again.

        Links that mean another file by now are mapped then too.
        """
        known = self._folder.catalog.row(problem.path) or Row(Seen(problem.path))
        keys = self._folder.catalog.link_keys(problem.path)
        return replace(known.outdated(), failed=True, diagnostics=(problem.diagnostic,), link_keys=keys)

    def _report(
        self,
        changes: Changes,
        rows: Collection[Row],
        outcome: Outcome,
        *,
        indexed: int,
        seconds: float,
        dry_run: bool,
        notices: tuple[Notice, ...],
    ) -> SyncReport:
        state = self._folder.catalog.noted()
        if dry_run:
            state |= {row.path: row for row in rows}
            state = {path: row for path, row in state.items() if path not in changes.removed}
        found = [diagnostic for path in sorted(state) for diagnostic in state[path].diagnostics]
        counts = self._committer.counts()
        failed = sum(row.failed for row in state.values())
        return SyncReport(
            found=changes.found,
            indexed=indexed,
            unchanged=changes.found - indexed - len(changes.unreadable),
            removed=len(changes.removed),
            failed=failed,
            diagnostics=(*self._folder.listing_diagnostics(), *found),
            triples=counts.stated,
            inferred=counts.inferred,
            inferred_added=len(outcome.inferred.added),
            inferred_removed=len(outcome.inferred.removed),
            seconds=round(seconds, 3),
            notices=notices,
        )


@contextmanager
def _without_cycle_search() -> Iterator[None]:
    """Frozen values hold no cycles, and looking for some takes a third of the time of a first index.

    What many notes left behind is not looked through afterwards either.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_count()[0] > MANY_OBJECTS:
                gc.freeze()
            gc.enable()
