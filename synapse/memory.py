"""Memory: a folder of notes, made known, reasoned over and proved. The façade people import."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from synapse.knowledge.provenance import ENGINE
from synapse.usecases.advice import advised
from synapse.usecases.answers import (
    Card,
    CheckReport,
    Explanation,
    ExportReport,
    Impact,
    Neighborhood,
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
from synapse.usecases.as_of import Past
from synapse.usecases.changed import Listener, Unsubscribe
from synapse.usecases.check import Check
from synapse.usecases.commit import Outcome
from synapse.usecases.console import MAX_ROWS, TIMEOUT, Console, Format
from synapse.usecases.empty_answer import doubts
from synapse.usecases.entity import CARD_FACTS, Cards
from synapse.usecases.explain import PROVENANCE_FACTS, Explanations
from synapse.usecases.export_okf import OkfExport
from synapse.usecases.folder import Progress
from synapse.usecases.impact import AFFECTED, Impacts
from synapse.usecases.line_texts import LineTexts
from synapse.usecases.log import ENTRIES, Logbook
from synapse.usecases.neighborhood import NEIGHBORS, Neighborhoods
from synapse.usecases.note_text import NoteText, note_text
from synapse.usecases.rooms import MemoryOptions, Rooms, open_rooms
from synapse.usecases.status import Watching
from synapse.usecases.status_report import StatusReport
from synapse.usecases.upkeep import Upkeep
from synapse.usecases.verify import ReasonReport
from synapse.usecases.view import Direction
from synapse.usecases.writing import Writing
from synapse.usecases.written import FactInput, Log, WriteAnswer

__all__ = ["Memory", "MemoryOptions"]


class Memory:
    """One memory, owned by this process until `close`.

    Reads may come from any thread at any time; writes queue one after another, and a question about
    the past waits for the write before it. A mention that names no entity, or several, is answered
    with `Unresolved`; text that cannot name anything raises `InvalidIdentifier`. Whatever is about
    notes raises `InvalidInput` in a memory without a notes folder.
    """

    def __init__(
        self, rooms: Rooms, *, notes: Path | None, data: Path | None, options: MemoryOptions
    ) -> None:
        """A memory over rooms that are open; use `open` instead."""
        self._rooms = rooms
        self._lock = threading.RLock()
        self._closed = False
        self._past = Past(rooms, options=options, lock=self._lock)
        self._upkeep = Upkeep(rooms)
        self._status = StatusReport(rooms, self._upkeep.freshness, notes=notes, data=data)
        self._writing = Writing(rooms, heard=self._agent_wrote)
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

        `dry_run` reports and changes nothing; `progress` hears how many of how many notes were read.
        Raises `NotesUnavailable` when the folder cannot be read; then nothing is changed.
        """
        with self._changing():
            report = self._upkeep.sync(paths=paths, dry_run=dry_run, progress=progress)
            return advised(report, self._rooms, of=paths)

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
            return advised(report, self._rooms)

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
        return self._past.told(Cards(self._past.at(as_of)).card(id, limit=limit), as_of)

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
        around = Neighborhoods(self._rooms)
        return around.around(id, depth=depth, predicates=predicates, direction=direction, limit=limit)

    def impact(
        self, id: str, *, depth: int | None = None, predicates: Sequence[str] = (), limit: int = AFFECTED
    ) -> Impact | Unresolved:
        """Everything that depends on one entity, each with the facts that show why."""
        return Impacts(self._rooms).of(id, depth=depth, predicates=predicates, limit=limit)

    def why(
        self, subject: str, predicate: str, object: Term, *, limit: int = 1, as_of: str | None = None
    ) -> Explanation | Unresolved:
        """Up to `limit` proofs of a fact, now or at a moment, down to stated facts with their places."""
        rooms = self._past.at(as_of)
        found = Explanations(rooms).why(subject, predicate, object, limit=limit)
        return self._past.told(LineTexts(rooms.folder).explained(found), as_of)

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
        rooms = self._past.at(as_of)
        found = Explanations(rooms).provenance(subject, predicate, object, limit=limit)
        return self._past.told(LineTexts(rooms.folder).proven(found), as_of)

    def sparql(
        self,
        query: str,
        *,
        format: Format = "table",
        timeout: float = TIMEOUT,
        limit: int | None = MAX_ROWS,
        as_of: str | None = None,
    ) -> SparqlResult:
        """The results of a read-only SPARQL query over all graphs, now or at a moment, serialised.

        `timeout` is in seconds, `limit` caps rows or triples. Raises `InvalidQuery`, `QueryTimeout`, or
        `InvalidInput` for a format that the kind of query does not have.
        """
        rooms = self._past.at(as_of)
        console = Console(rooms.store, names=rooms.names)
        result = console.run(query, format=format, timeout=timeout, limit=limit)
        if result.rows:
            return result
        return replace(result, notices=(*result.notices, *doubts(rooms, query)))

    def note(self, path: str) -> NoteText:
        """The text of one note now.

        Raises `InvalidInput` for a path that is no note of this memory, `NotesUnavailable` when the file
        cannot be read.
        """
        return note_text(self._upkeep.folder, path)

    def status(self, *, wait: bool = False) -> Status:
        """Counts, freshness and liveness; with `wait`, once pending work is done, or after a minute."""
        return self._status.read(wait=wait)

    def attach_watcher(self, watcher: Watching) -> None:
        """Let `status` show whoever tells this memory about saved notes."""
        self._upkeep.freshness.watcher = watcher

    def on_write(self, listener: Callable[[], None]) -> None:
        """Call `listener`, and no earlier one, after every write of an agent: sections may be due."""
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
        with self._changing():
            return self._writing.assert_facts(
                facts, source=source, reason=reason, agent=agent, confidence=confidence, force_new=force_new
            )

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
        with self._changing():
            return self._writing.retract(assertion_id, facts, reason=reason, agent=agent)

    def log(
        self,
        *,
        agent: str | None = None,
        entity: str | None = None,
        since: str | None = None,
        until: str | None = None,
        all: bool = False,
        limit: int = ENTRIES,
    ) -> Log | Unresolved:
        """What changed, when, by whom and why, the newest first; `since` and `until` are days or moments.

        `all` also shows synchronisations that changed no fact.
        """
        return Logbook(self._rooms).read(
            agent=agent, entity=entity, since=since, until=until, all=all, limit=limit
        )

    def reason(self, *, verify: bool = False) -> ReasonReport:
        """Rebuild the inferred graph from nothing; with `verify` compare it with owlrl's."""
        with self._changing():
            return self._upkeep.reason(verify=verify)

    def undo(self, activity: str, *, reason: str, agent: str = ENGINE) -> WriteAnswer:
        """Take back what one agent's write changed; what came of files and scenarios is refused.

        Raises `InvalidInput` when there is no such activity.
        """
        with self._changing():
            return self._writing.undo(activity, reason=reason, agent=agent)

    # -- scenarios ----------------------------------------------------------------------------

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Every packaged scenario, and what of it is installed."""
        return tuple(map(self._rooms.scenarios.show, self._rooms.scenarios.known()))

    def scenario(self, name: str) -> ScenarioInfo:
        """One scenario; raises `InvalidScenario` when there is none of this name."""
        return self._rooms.scenarios.show(self._rooms.scenarios.find(name))

    def install_scenario(self, name: str) -> ScenarioChange:
        """Install a scenario and what it requires; one that did not change is skipped.

        Raises `InvalidScenario` when there is none of this name, or its files are wrong.
        """
        with self._changing():
            return self._upkeep.terms_changed(*self._rooms.scenarios.install(name, agent=ENGINE))

    def remove_scenario(self, name: str) -> ScenarioChange:
        """Remove a scenario with every fact it brought and all that followed from them.

        Raises `InvalidScenario` when it is not installed, or another one requires it.
        """
        with self._changing():
            return self._upkeep.terms_changed(*self._rooms.scenarios.remove(name, agent=ENGINE))

    # -- inside -------------------------------------------------------------------------------

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """One change at a time; whatever becomes of it, the past is folded anew."""
        with self._lock:
            try:
                yield
            finally:
                self._past.forget()

    def _agent_wrote(self, outcome: Outcome) -> None:
        self._upkeep.heard(outcome)
        self._listener()
