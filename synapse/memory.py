"""Memory: a folder of notes, made known, reasoned over and proved. The façade people import."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from pathlib import Path

from synapse.errors import InvalidInput
from synapse.knowledge.provenance import ENGINE, Activity, now
from synapse.notes.note import Dialect
from synapse.usecases.answers import (
    Card,
    Explanation,
    Impact,
    Neighborhood,
    Notice,
    Owner,
    Provenance,
    ScenarioChange,
    ScenarioInfo,
    SparqlResult,
    Status,
    SyncReport,
    Term,
    Unresolved,
    WriteBackReport,
)
from synapse.usecases.commit import Outcome
from synapse.usecases.console import MAX_ROWS, TIMEOUT, Console, Format
from synapse.usecases.entity import CARD_FACTS, Cards
from synapse.usecases.explain import PROVENANCE_FACTS, Explanations
from synapse.usecases.folder import Folder, Progress
from synapse.usecases.impact import AFFECTED, Impacts
from synapse.usecases.neighborhood import NEIGHBORS, Neighborhoods
from synapse.usecases.rooms import MemoryOptions, Rooms, open_rooms
from synapse.usecases.scenarios import Scenarios, find_scenario, packaged_scenarios
from synapse.usecases.status import Freshness, Watching, count_entities
from synapse.usecases.sync_notes import NoteSync
from synapse.usecases.view import Direction
from synapse.usecases.write_back import WriteBack

__all__ = ["Memory", "MemoryOptions"]


class Memory:
    """One memory, owned by this process until `close`.

    Reads may come from any thread at any time; writes queue one after another. A mention that
    names no entity, or several, is answered with `Unresolved`; text that cannot name anything
    raises `InvalidIdentifier`.
    """

    def __init__(self, rooms: Rooms, *, notes: Path | None, data: Path | None) -> None:
        """A memory over rooms that are open; use `open` instead."""
        self._rooms = rooms
        self._notes, self._data, self._since = notes, data, now()
        self._entities: int | None = None
        self._due: set[str] | None = None
        self._lock = threading.RLock()
        self._closed = False
        self._scenarios = Scenarios(rooms.store, committer=rooms.committer, names=rooms.names)
        self._freshness = Freshness(rooms.folder, version=self._version)

    @staticmethod
    def open(
        *, notes: Path | None = None, data: Path | None = None, options: MemoryOptions | None = None
    ) -> Memory:
        """The memory kept in `data`, made there when it is new; `data` None keeps it in RAM.

        Raises `MemoryInUse` when another process has it open, `InvalidInput` when the options do not
        fit it, `StoreError` when it cannot be read.
        """
        rooms = open_rooms(notes=notes, data=data, options=options or MemoryOptions())
        memory = Memory(rooms, notes=notes, data=data)
        with ExitStack() as opened:
            opened.callback(memory.close)
            memory._recover()
            opened.pop_all()
        return memory

    def close(self) -> None:
        """Bring everything to the disk and let other processes open the memory; closing again is no error."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._rooms.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- notes --------------------------------------------------------------------------------

    def sync(
        self,
        *,
        paths: Collection[str] | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Make the memory say what the notes say; with `paths` only those are looked at.

        Raises `NotesUnavailable` when the folder cannot be read; then nothing is changed.
        """
        folder = self._the_folder()
        with self._lock:
            sync = NoteSync(folder, committer=self._rooms.committer, lexicon=self._rooms.lexicon)
            done = sync.run(agent=ENGINE, paths=paths, dry_run=dry_run, progress=progress)
            if not dry_run:
                self._changed(done.outcome)
                self._make_due(done.outcome, done.looked_at)
                self._freshness.looked()
            return done.report

    def write_back(self, *, dry_run: bool = False) -> WriteBackReport:
        """Put what follows from the notes into their managed sections, where it is due.

        The first call looks at every note, later ones at those that a change may concern.
        """
        folder = self._the_folder()
        with self._lock:
            report = WriteBack(folder, view=self._rooms.view).run(paths=self._due, dry_run=dry_run)
            if not dry_run:
                self._due = set()
            return report

    # -- answers ------------------------------------------------------------------------------

    def card(self, id: str, *, limit: int = CARD_FACTS) -> Card | Unresolved:
        """Everything known of one entity; at most `limit` facts out and as many in."""
        return Cards(self._rooms.view, finder=self._rooms.finder).card(id, limit=limit)

    def neighborhood(
        self,
        id: str,
        *,
        depth: int = 1,
        predicates: Sequence[str] = (),
        direction: Direction = "both",
        limit: int = NEIGHBORS,
    ) -> Neighborhood | Unresolved:
        """The entities within `depth` edges of one, and the facts that connect them."""
        around = Neighborhoods(self._rooms.view, finder=self._rooms.finder, lexicon=self._rooms.lexicon)
        return around.around(id, depth=depth, predicates=predicates, direction=direction, limit=limit)

    def impact(
        self, id: str, *, depth: int | None = None, predicates: Sequence[str] = (), limit: int = AFFECTED
    ) -> Impact | Unresolved:
        """Everything that depends on one entity, each with the facts that show why."""
        impacts = Impacts(self._rooms.view, finder=self._rooms.finder, lexicon=self._rooms.lexicon)
        return impacts.of(id, depth=depth, predicates=predicates, limit=limit)

    def why(self, subject: str, predicate: str, object: Term, *, limit: int = 1) -> Explanation | Unresolved:
        """Up to `limit` proofs of a fact, down to stated facts with their places."""
        return self._explanations().why(subject, predicate, object, limit=limit)

    def provenance(
        self,
        subject: str,
        predicate: str | None = None,
        object: Term | None = None,
        *,
        limit: int = PROVENANCE_FACTS,
    ) -> Provenance | Unresolved:
        """Where each fact of a pattern comes from."""
        return self._explanations().provenance(subject, predicate, object, limit=limit)

    def sparql(
        self,
        query: str,
        *,
        format: Format = "table",
        timeout: float = TIMEOUT,
        limit: int | None = MAX_ROWS,
    ) -> SparqlResult:
        """The results of a read-only SPARQL query over all graphs, serialised."""
        console = Console(self._rooms.store, names=self._rooms.names)
        return console.run(query, format=format, timeout=timeout, limit=limit)

    def status(self, *, wait: bool = False) -> Status:
        """Counts, freshness and liveness; with `wait`, once pending work is done."""
        done = self._freshness.wait() if wait else True
        counts = self._rooms.committer.counts()
        if self._entities is None:
            self._entities = count_entities(self._rooms.store)
        installed = self._scenarios.installed()
        return Status(
            notes=len(self._rooms.catalog.rows()),
            entities=self._entities,
            triples=counts.stated,
            inferred=counts.inferred,
            last_sync=self._rooms.catalog.synced_at,
            pending=self._freshness.pending(),
            watcher=self._freshness.watcher_state,
            owner=Owner(os.getpid(), self._since),
            dialect=str(self._rooms.folder.dialect) if self._rooms.folder else str(Dialect.OBSIDIAN),
            scenarios=tuple(f"{name} {version}" for name, version in installed.items()),
            notes_root=str(self._notes) if self._notes else None,
            data_dir=str(self._data) if self._data else None,
            notices=() if done else (Notice("still-pending", "gave up waiting after a minute"),),
        )

    def attach_watcher(self, watcher: Watching) -> None:
        """Let `status` show whoever tells this memory about saved notes."""
        self._freshness.watcher = watcher

    # -- scenarios ----------------------------------------------------------------------------

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Every packaged scenario, and what of it is installed."""
        return tuple(map(self._scenarios.show, packaged_scenarios()))

    def scenario(self, name: str) -> ScenarioInfo:
        """One scenario; raises `InvalidScenario` when there is none of this name."""
        return self._scenarios.show(find_scenario(name))

    def install_scenario(self, name: str) -> ScenarioChange:
        """Install a scenario and what it requires; one that did not change is skipped."""
        with self._lock:
            change, outcome = self._scenarios.install(name, agent=ENGINE)
            self._terms_changed(outcome)
            return change

    def remove_scenario(self, name: str) -> ScenarioChange:
        """Remove a scenario with every fact it brought and all that followed from them."""
        with self._lock:
            change, outcome = self._scenarios.remove(name, agent=ENGINE)
            self._terms_changed(outcome)
            return change

    # -- inside -------------------------------------------------------------------------------

    def _recover(self) -> None:
        """Repeat what a power cut took from the dataset, and bring the inferred graph to these rules."""
        self._rooms.committer.recover()
        if self._rooms.committer.inferred_version() != self._rooms.committer.version:
            self._rooms.committer.rebuild(activity=Activity("reason", reason=self._rooms.committer.version))

    def _explanations(self) -> Explanations:
        return Explanations(
            self._rooms.view,
            finder=self._rooms.finder,
            lexicon=self._rooms.lexicon,
            committer=self._rooms.committer,
        )

    def _version(self) -> str:
        folder = self._the_folder()
        return NoteSync(folder, committer=self._rooms.committer, lexicon=self._rooms.lexicon).version(
            self._rooms.lexicon()
        )

    def _the_folder(self) -> Folder:
        if self._rooms.folder is None:
            raise InvalidInput("this memory has no notes folder", hint="name it with --notes")
        return self._rooms.folder

    def _changed(self, outcome: Outcome) -> None:
        """Let everything that remembers answers hear of a change."""
        self._entities = None
        self._rooms.accept(outcome)

    def _terms_changed(self, outcome: Outcome) -> None:
        """Other terms give other meanings to the keys in notes: read the notes again, write all back."""
        if not outcome.stated:
            return
        self._rooms.forget_terms()
        self._changed(outcome)
        if self._rooms.folder is not None and self._rooms.catalog.rows():
            self.sync()
        self._due = None

    def _make_due(self, outcome: Outcome, looked_at: Collection[str]) -> None:
        if self._due is not None:
            deltas = (outcome.stated, outcome.inferred)
            quads = [quad for delta in deltas for quad in (*delta.added, *delta.removed)]
            self._due |= {*looked_at, *WriteBack(self._the_folder(), view=self._rooms.view).paths_of(quads)}
