"""Memory: a folder of notes, made known, reasoned over and proved. The façade people import."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from synapse.errors import InvalidInput
from synapse.knowledge.provenance import ENGINE, now
from synapse.notes.note import Dialect
from synapse.usecases.advice import advised
from synapse.usecases.answers import (
    Card,
    CheckReport,
    Explanation,
    ExportReport,
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
from synapse.usecases.as_of import rooms_as_of
from synapse.usecases.assert_facts import Assertions
from synapse.usecases.changed import Listener, Unsubscribe
from synapse.usecases.check import Check
from synapse.usecases.commit import Outcome
from synapse.usecases.console import MAX_ROWS, TIMEOUT, Console, Format
from synapse.usecases.entity import CARD_FACTS, Cards
from synapse.usecases.explain import PROVENANCE_FACTS, explanations
from synapse.usecases.export_okf import OkfExport
from synapse.usecases.folder import Progress
from synapse.usecases.impact import AFFECTED, Impacts
from synapse.usecases.line_texts import LineTexts
from synapse.usecases.log import ENTRIES, Logbook
from synapse.usecases.neighborhood import NEIGHBORS, Neighborhoods
from synapse.usecases.note_text import NoteText, note_text
from synapse.usecases.retract_facts import Retractions
from synapse.usecases.rooms import MemoryOptions, Rooms, open_rooms
from synapse.usecases.status import Watching
from synapse.usecases.upkeep import Upkeep
from synapse.usecases.verify import ReasonReport, rebuild
from synapse.usecases.view import Direction
from synapse.usecases.written import FactInput, Log, WriteAnswer

__all__ = ["Memory", "MemoryOptions"]


class Memory:
    """One memory, owned by this process until `close`.

    Reads may come from any thread at any time; writes queue one after another. A mention that
    names no entity, or several, is answered with `Unresolved`; text that cannot name anything
    raises `InvalidIdentifier`.
    """

    def __init__(
        self, rooms: Rooms, *, notes: Path | None, data: Path | None, options: MemoryOptions
    ) -> None:
        """A memory over rooms that are open; use `open` instead."""
        self._rooms, self._options = rooms, options
        self._notes, self._data, self._since = notes, data, now()
        self._lock = threading.RLock()
        self._closed = False
        self._past: tuple[str, Rooms] | None = None
        self._upkeep = Upkeep(rooms)
        self._listener: Callable[[], None] = lambda: None

    @staticmethod
    def open(
        *, notes: Path | None = None, data: Path | None = None, options: MemoryOptions | None = None
    ) -> Memory:
        """The memory kept in `data`, made there when it is new; `data` None keeps it in RAM.

        Raises `MemoryInUse` when another process has it open, `InvalidInput` when the options do not
        fit it, `StoreError` when it cannot be read.
        """
        options = options or MemoryOptions()
        rooms = open_rooms(notes=notes, data=data, options=options)
        memory = Memory(rooms, notes=notes, data=data, options=options)
        with ExitStack() as opened:
            opened.callback(memory.close)
            memory._upkeep.recover()
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
        with self._lock:
            report = self._upkeep.sync(paths=paths, dry_run=dry_run, progress=progress)
            self._forget()
            return advised(report, self._upkeep.folder.catalog.rows(), of=paths)

    def write_back(self, *, dry_run: bool = False, settled_only: bool = False) -> WriteBackReport:
        """Put what follows from the notes into their managed sections, where it is due.

        The first call looks at every note, later ones at those that a change may concern. With
        `settled_only` a note that changed within the last two seconds is left to a later call, for
        somebody may be typing in it. What could not be written stays due.
        """
        with self._lock:
            report = self._upkeep.write_back(dry_run=dry_run, settled_only=settled_only)
            self._rooms.places.forget()
            return report

    def check(self, *, okf: bool = False, strict: bool = False) -> CheckReport:
        """What is wrong with the notes as they are on disk now: they are synchronised first.

        `okf` adds the rules of the Open Knowledge Format; with `strict` warnings count as errors.
        """
        folder = self._upkeep.folder
        with self._lock:
            self.sync()
            report = Check(self._rooms, folder=folder).run(okf=okf, strict=strict)
            return advised(report, folder.catalog.rows())

    def export_okf(self, folder: str, *, force: bool = False) -> ExportReport:
        """Write the notes as an Open Knowledge Format bundle to `folder`, an absolute path.

        Raises `InvalidInput` when it is not empty (unless `force`) or cannot be written.
        """
        notes = self._upkeep.folder
        with self._lock:
            self.sync()
            export = OkfExport(notes, names=self._rooms.names, lexicon=self._rooms.lexicon())
            return export.run(Path(folder), force=force)

    # -- answers ------------------------------------------------------------------------------

    def card(self, id: str, *, limit: int = CARD_FACTS, as_of: str | None = None) -> Card | Unresolved:
        """Everything known of one entity, now or at a moment; at most `limit` facts out and as many in."""
        rooms = self._at(as_of)
        return Cards(rooms.view, finder=rooms.finder, archive=rooms.archive).card(id, limit=limit)

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

    def why(
        self, subject: str, predicate: str, object: Term, *, limit: int = 1, as_of: str | None = None
    ) -> Explanation | Unresolved:
        """Up to `limit` proofs of a fact, now or at a moment, down to stated facts with their places."""
        rooms = self._at(as_of)
        found = explanations(rooms).why(subject, predicate, object, limit=limit)
        return LineTexts(rooms.folder).explained(found)

    def provenance(
        self,
        subject: str,
        predicate: str | None = None,
        object: Term | None = None,
        *,
        limit: int = PROVENANCE_FACTS,
        as_of: str | None = None,
    ) -> Provenance | Unresolved:
        """Where each fact of a pattern comes from, now or at a moment, with the lines that say so now."""
        rooms = self._at(as_of)
        found = explanations(rooms).provenance(subject, predicate, object, limit=limit)
        return LineTexts(rooms.folder).proven(found)

    def sparql(
        self,
        query: str,
        *,
        format: Format = "table",
        timeout: float = TIMEOUT,
        limit: int | None = MAX_ROWS,
        as_of: str | None = None,
    ) -> SparqlResult:
        """The results of a read-only SPARQL query over all graphs, now or at a moment, serialised."""
        rooms = self._at(as_of)
        console = Console(rooms.store, names=rooms.names)
        return console.run(query, format=format, timeout=timeout, limit=limit)

    def note(self, path: str) -> NoteText:
        """The text of one note now; raises `InvalidInput` for a path that is no note of this memory."""
        return note_text(self._upkeep.folder, path)

    def status(self, *, wait: bool = False) -> Status:
        """Counts, freshness and liveness; with `wait`, once pending work is done."""
        done = self._upkeep.freshness.wait() if wait else True
        counts = self._rooms.committer.counts()
        installed = self._rooms.scenarios.installed()
        return Status(
            notes=len(self._rooms.catalog.rows()),
            entities=self._rooms.entities(),
            triples=counts.stated,
            inferred=counts.inferred,
            from_scenarios=self._rooms.scenarios.count_facts(),
            last_sync=self._rooms.catalog.synced_at,
            pending=self._upkeep.freshness.pending(),
            watcher=self._upkeep.freshness.watcher_state,
            owner=Owner(os.getpid(), self._since),
            dialect=str(self._rooms.folder.dialect) if self._rooms.folder else str(Dialect.OBSIDIAN),
            scenarios=tuple(f"{name} {version}" for name, version in installed.items()),
            notes_root=str(self._notes) if self._notes else None,
            data_dir=str(self._data) if self._data else None,
            notices=(
                *(Notice(found.code, found.message) for found in self._rooms.committer.warnings()),
                *(() if done else (Notice("still-pending", "gave up waiting after a minute"),)),
            ),
        )

    def attach_watcher(self, watcher: Watching) -> None:
        """Let `status` show whoever tells this memory about saved notes."""
        self._upkeep.freshness.watcher = watcher

    def on_write(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every write of an agent that changed something: sections may be due."""
        self._listener = listener

    def on_change(self, listener: Listener) -> Unsubscribe:
        """Call `listener` after every change, in the thread that made it; it hands on and returns.

        The returned function ends that.
        """
        return self._upkeep.changes.subscribe(listener)

    # -- what agents write --------------------------------------------------------------------

    def assert_facts(
        self,
        facts: Sequence[FactInput],
        *,
        source: str,
        reason: str,
        agent: str = ENGINE,
        confidence: float | None = None,
        force_new: bool = False,
    ) -> WriteAnswer:
        """Write facts as one assertion, all or none, and tell what that did to the graph.

        With `force_new` a name that resembles a known one is another entity all the same.
        """
        with self._lock:
            answer, outcome = Assertions(self._rooms).add(
                facts, agent=agent, source=source, reason=reason, confidence=confidence, force_new=force_new
            )
            return self._written(answer, outcome)

    def retract_facts(
        self,
        *,
        reason: str,
        assertion_id: str | None = None,
        facts: Sequence[FactInput] = (),
        agent: str = ENGINE,
    ) -> WriteAnswer:
        """Take back a whole assertion, or single facts that assertions state; never what a file says.

        Raises `InvalidInput` unless it is one of the two.
        """
        if (assertion_id is None) == (not facts):
            raise InvalidInput(
                "give an assertion_id or facts, one of the two",
                hint="take back the assertion in one call, facts of others in another",
            )
        retractions = Retractions(self._rooms, explanations=explanations(self._rooms))
        with self._lock:
            if assertion_id is not None:
                return self._written(*retractions.assertion(assertion_id, agent=agent, reason=reason))
            return self._written(*retractions.facts(facts, agent=agent, reason=reason))

    def log(
        self,
        *,
        agent: str | None = None,
        entity: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = ENTRIES,
    ) -> Log | Unresolved:
        """What changed, when, by whom and why, the newest first."""
        return Logbook(self._rooms).read(agent=agent, entity=entity, since=since, until=until, limit=limit)

    def reason(self, *, verify: bool = False) -> ReasonReport:
        """Rebuild the inferred graph from nothing; with `verify` compare it with owlrl's."""
        with self._lock:
            rooms = self._rooms
            report = rebuild(rooms.committer, rooms.view, agent=ENGINE, compare=verify)
            self._upkeep.everything_is_due()
            self._forget()
            return report

    def undo(self, activity: str, *, reason: str, agent: str = ENGINE) -> WriteAnswer:
        """Take back what one agent's write changed."""
        with self._lock:
            return self._written(*Logbook(self._rooms).undo(activity, agent=agent, reason=reason))

    # -- scenarios ----------------------------------------------------------------------------

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Every packaged scenario, and what of it is installed."""
        return tuple(map(self._rooms.scenarios.show, self._rooms.scenarios.known()))

    def scenario(self, name: str) -> ScenarioInfo:
        """One scenario; raises `InvalidScenario` when there is none of this name."""
        return self._rooms.scenarios.show(self._rooms.scenarios.find(name))

    def install_scenario(self, name: str) -> ScenarioChange:
        """Install a scenario and what it requires; one that did not change is skipped."""
        with self._lock:
            change, outcome = self._rooms.scenarios.install(name, agent=ENGINE)
            return self._with_notes(change, outcome)

    def remove_scenario(self, name: str) -> ScenarioChange:
        """Remove a scenario with every fact it brought and all that followed from them."""
        with self._lock:
            change, outcome = self._rooms.scenarios.remove(name, agent=ENGINE)
            return self._with_notes(change, outcome)

    # -- inside -------------------------------------------------------------------------------

    def _at(self, moment: str | None) -> Rooms:
        """The rooms as they are, or as they were; the last past asked for is kept."""
        if moment is None:
            return self._rooms
        with self._lock:
            if self._past is None or self._past[0] != moment:
                self._past = moment, rooms_as_of(self._rooms, moment, options=self._options)
            return self._past[1]

    def _with_notes(self, change: ScenarioChange, outcome: Outcome) -> ScenarioChange:
        """What a scenario changed, once the notes were read again with its terms."""
        report = self._upkeep.terms_changed(outcome)
        self._forget()
        if report is None:
            return change
        return replace(
            change,
            inferred_added=change.inferred_added + report.inferred_added,
            inferred_removed=change.inferred_removed + report.inferred_removed,
        )

    def _written(self, answer: WriteAnswer, outcome: Outcome | None) -> WriteAnswer:
        """The answer of an agent's write, once everything here has heard of it."""
        if outcome is not None:
            self._upkeep.heard(outcome)
            self._forget()
            self._listener()
        return answer

    def _forget(self) -> None:
        """Drop what was folded before a change."""
        self._past = None
