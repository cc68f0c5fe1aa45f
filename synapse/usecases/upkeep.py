"""Keeps a memory and its notes in step: what is read, what is due to be written back, how fresh both are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from synapse.errors import InvalidInput
from synapse.knowledge.provenance import ENGINE, Activity
from synapse.usecases.answers import ScenarioChange, SyncReport, WriteBackReport
from synapse.usecases.change_feed import ChangeFeed
from synapse.usecases.changed import Changed
from synapse.usecases.commit import Outcome
from synapse.usecases.folder import Folder, Progress
from synapse.usecases.rooms import Rooms
from synapse.usecases.status import Freshness
from synapse.usecases.sync_notes import NoteSync
from synapse.usecases.verify import ReasonReport, rebuild
from synapse.usecases.write_back import WriteBack


class Upkeep:
    """The upkeep of one memory. One caller at a time."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._due: set[str] | None = None
        self._complete = True
        self.changes = ChangeFeed(rooms.names)
        self.freshness = Freshness(rooms.folder, version=lambda: self._note_sync().version(rooms.lexicon()))

    @property
    def folder(self) -> Folder:
        """The notes folder; raises `InvalidInput` when the memory has none."""
        if self._rooms.folder is None:
            raise InvalidInput("this memory has no notes folder", hint="name it with --notes")
        return self._rooms.folder

    def recover(self) -> None:
        """Repeat what a power cut took from the dataset, and bring the inferred graph to these rules."""
        self._rooms.committer.recover()
        self._follow_rules()

    def sync(
        self, *, paths: Collection[str] | None = None, dry_run: bool = False, progress: Progress | None = None
    ) -> SyncReport:
        """Make the memory say what the notes say; see `Memory.sync`."""
        done = self._note_sync().run(agent=ENGINE, paths=paths, dry_run=dry_run, progress=progress)
        if not dry_run:
            self._rooms.accept(done.outcome)
            self.heard(done.outcome, done.looked_at)
            self.freshness.looked()
        return replace(done.report, from_scenarios=self._rooms.from_scenarios())

    def write_back(self, *, dry_run: bool = False, settled_only: bool = False) -> WriteBackReport:
        """Write the sections that are due, all of them at first; what could not be written stays due."""
        rooms = self._rooms
        complete = not rooms.committer.warnings()
        if complete != self._complete:  # every section tells whether it has all that follows
            self._complete, self._due = complete, None
        write_back = WriteBack(
            self.folder,
            view=rooms.view,
            language=rooms.language,
            complete=complete,
            settled_only=settled_only,
        )
        report = write_back.run(paths=self._due, dry_run=dry_run)
        if not dry_run:
            self._due = {*report.postponed, *(found.path for found in report.diagnostics)}
            self.freshness.looked()
            self.changes.tell(Changed(notes=frozenset(report.written)))
        return report

    def heard(self, outcome: Outcome, looked_at: Collection[str] = ()) -> None:
        """Tell who listens of a change, and note whose section it may concern."""
        self.changes.committed(outcome, notes=looked_at)
        if self._due is None or self._rooms.folder is None:
            return
        deltas = (outcome.stated, outcome.inferred)
        quads = [quad for delta in deltas for quad in (*delta.added, *delta.removed)]
        self._due |= {*looked_at, *WriteBack(self.folder, view=self._rooms.view).paths_of(quads)}

    def everything_is_due(self) -> None:
        """Look at every section at the next write-back; to who listens, anything may have changed."""
        self._due = None
        self.changes.tell(Changed(everything=True))

    def reason(self, *, verify: bool = False) -> ReasonReport:
        """Rebuild the inferred graph; see `Memory.reason`."""
        rooms = self._rooms
        report = rebuild(rooms.committer, rooms.view, agent=ENGINE, compare=verify)
        self.everything_is_due()
        return report

    def terms_changed(self, change: ScenarioChange, outcome: Outcome) -> ScenarioChange:
        """Other terms give other meanings to the keys in notes: read the notes again, write all back.

        Returns the change with what the reading of the notes added and removed.
        """
        if not outcome.stated:
            return change
        self._rooms.forget_terms()
        self._rooms.accept(outcome)
        self._follow_rules()
        has_notes = self._rooms.folder is not None and bool(self._rooms.catalog.rows())
        report = self.sync() if has_notes else None
        self.everything_is_due()
        if report is None:
            return change
        return replace(
            change,
            inferred_added=change.inferred_added + report.inferred_added,
            inferred_removed=change.inferred_removed + report.inferred_removed,
        )

    def _follow_rules(self) -> None:
        committer = self._rooms.committer
        if committer.inferred_version() != committer.version:
            committer.rebuild(activity=Activity("reason", reason=committer.version))

    def _note_sync(self) -> NoteSync:
        return NoteSync(self.folder, committer=self._rooms.committer, lexicon=self._rooms.lexicon)
