"""The history as people read it, and the undoing of an agent's write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from pyoxigraph import NamedNode, Quad

from synapse.errors import InvalidInput
from synapse.knowledge.provenance import Activity, GraphRecord
from synapse.rdf.delta import Delta
from synapse.rdf.names import (
    ACTIVITY,
    ASSERTION_GRAPH,
    META,
    OBSERVATION_GRAPH,
    activity,
    checked_id,
    graph_kind,
    path_of,
    shortened,
)
from synapse.store.history import Entry
from synapse.usecases.answers import Notice, Unresolved
from synapse.usecases.as_of import end_of, start_of
from synapse.usecases.assert_facts import check_grounds, shown
from synapse.usecases.commit import Outcome
from synapse.usecases.differences import Replacement
from synapse.usecases.rooms import Rooms
from synapse.usecases.taken_back import last_change_of, told
from synapse.usecases.view import nodes
from synapse.usecases.written import Log, LogChange, LogEntry, WriteAnswer

ENTRIES: Final = 20
CHANGES: Final = 10
"""Facts shown of one activity; the counts tell how many there are."""


class Logbook:
    """The history of one memory."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    def read(
        self,
        *,
        agent: str | None = None,
        entity: str | None = None,
        since: str | None = None,
        until: str | None = None,
        all: bool = False,
        limit: int = ENTRIES,
    ) -> Log | Unresolved:
        """The newest activities first; `since` and `until` are moments or days in ISO 8601, UTC.

        Synchronisations that changed no fact are on record too; they are shown with `all`.
        """
        node = None if entity is None else self._rooms.finder.find(entity)
        if isinstance(node, Unresolved):
            return node
        first = None if since is None else start_of(since)
        last = None if until is None else end_of(until)
        found: list[LogEntry] = []
        quiet = 0
        for entry in self._rooms.history.entries(newest_first=True):
            if not _fits(entry, agent, first, last):
                continue
            shown_entry = self._entry(entry, node)
            if shown_entry is None:
                continue
            if _is_quiet(shown_entry) and not all:
                quiet += 1
                continue
            if len(found) == limit:
                cut = Notice("entries-cut", f"shown {limit}; raise the limit for more")
                return Log(tuple(found), (cut, *_left_out(quiet)))
            found.append(shown_entry)
        return Log(tuple(found), _left_out(quiet))

    def undo(self, identifier: str, *, agent: str, reason: str) -> tuple[WriteAnswer, Outcome | None]:
        """Take back what an agent's activity changed.

        Refused is what came of files and scenarios, and what was taken back already.
        """
        check_grounds(agent=agent, reason=reason)
        iri = activity(checked_id(identifier).removeprefix(ACTIVITY)).value
        entry = next((entry for entry in self._rooms.history.entries() if entry.iri == iri), None)
        if entry is None:
            raise InvalidInput(f"there is no activity {shortened(identifier)}", hint="ids are in the log")
        change, meta = self._rooms.history.changes(iri)
        graphs = {quad.graph_name for quad in (*change.added, *change.removed)}
        foreign = sorted({_name(graph) for graph in nodes(graphs) if not _is_agents(graph)})
        if foreign or not graphs:
            what = f"is what {_listed(foreign)}" if graphs else "changed nothing"
            message = f"activity {identifier} {what}; only an agent's own writes can be undone"
            return WriteAnswer("refused", notices=(Notice("not-undoable", message),)), None
        replacements = {graph: self._turned_back(graph, change, meta) for graph in nodes(graphs)}
        if not any(self._differs(*replaced) for replaced in replacements.items()):
            by = last_change_of(self._rooms, replacements)
            assert by is not None  # at least the activity itself is on record of these graphs
            return WriteAnswer(
                "refused", notices=(told(f"what {entry.kind} {identifier} changed", by),)
            ), None
        return self._commit(replacements, agent=agent, reason=reason)

    def _commit(
        self, replacements: dict[NamedNode, Replacement], *, agent: str, reason: str
    ) -> tuple[WriteAnswer, Outcome]:
        rooms = self._rooms
        done = Activity("undo", agent=agent, reason=reason)
        outcome = rooms.committer.commit(replacements, activity=done)
        rooms.accept(outcome)
        added, cut_added = shown(rooms, outcome.inferred.added)
        removed, cut_removed = shown(rooms, outcome.inferred.removed)
        facts = tuple(rooms.view.facts(sorted((*outcome.stated.added, *outcome.stated.removed), key=str)))
        answer = WriteAnswer(
            "ok",
            done.identifier,
            facts,
            added,
            removed,
            changes=tuple(self._changes(_signed(outcome.stated))),
            notices=(*cut_added, *cut_removed),
        )
        return answer, outcome

    def _differs(self, graph: NamedNode, replacement: Replacement) -> bool:
        return frozenset(self._rooms.store.quads(graph=graph)) != replacement.quads

    def _turned_back(self, graph: NamedNode, change: Delta, meta: Delta) -> Replacement:
        """What a graph says without what the activity added and with what it removed.

        Where nothing is on record of the graph any more, its record is the one that the activity ended.
        """
        store = self._rooms.store
        then = frozenset(store.quads(graph=graph)) - change.added
        then |= {quad for quad in change.removed if quad.graph_name == graph}
        record = GraphRecord.read(graph, (*meta.removed, *store.quads(graph, graph=META)))
        return Replacement(then, record) if then else Replacement()

    def _entry(self, entry: Entry, node: NamedNode | None) -> LogEntry | None:
        change, _ = self._rooms.history.changes(entry.iri)
        signed = _signed(change)
        if node is not None:
            signed = [(sign, quad) for sign, quad in signed if node in (quad.subject, quad.object)]
            if not signed:
                return None
        return LogEntry(
            entry.iri.removeprefix(ACTIVITY),
            entry.at,
            entry.kind,
            entry.agent,
            sum(sign == "+" for sign, _ in signed),
            sum(sign == "-" for sign, _ in signed),
            entry.reason,
            tuple(self._changes(signed[:CHANGES])),
        )

    def _changes(self, signed: list[tuple[Literal["+", "-"], Quad]]) -> Iterator[LogChange]:
        for sign, quad in signed:
            statement = self._rooms.view.statement(quad.triple)
            object = statement.object if isinstance(statement.object, str) else statement.object.value
            graph = next(nodes((quad.graph_name,)))
            yield LogChange(sign, statement.subject, statement.predicate, object, _name(graph))


def _signed(change: Delta) -> list[tuple[Literal["+", "-"], Quad]]:
    """The quads of a change with what became of them, in a fixed order."""
    signed: list[tuple[Literal["+", "-"], Quad]] = [("+", quad) for quad in change.added]
    signed += [("-", quad) for quad in change.removed]
    return sorted(signed, key=lambda pair: (str(pair[1]), pair[0]))


def _fits(entry: Entry, agent: str | None, first: str | None, last: str | None) -> bool:
    """Whether an activity is by this agent and from the first instant to the last."""
    return (
        (agent is None or entry.agent == agent)
        and (first is None or first <= entry.at)
        and (last is None or entry.at <= last)
    )


def _is_quiet(entry: LogEntry) -> bool:
    """Whether notes were saved and say what they said: most of a log where an editor saves by itself."""
    return entry.kind == "sync" and not entry.added and not entry.removed


def _left_out(quiet: int) -> tuple[Notice, ...]:
    if not quiet:
        return ()
    saves = "1 synchronisation" if quiet == 1 else f"{quiet:,} synchronisations"
    return (Notice("quiet", f"{saves} that changed no fact left out; with all=true they are shown"),)


def _is_agents(graph: NamedNode) -> bool:
    return graph.value.startswith((ASSERTION_GRAPH, OBSERVATION_GRAPH))


def _listed(sources: list[str]) -> str:
    """`a.md says`, or of many the first and how many others."""
    first, *others = sources
    if not others:
        return f"{first} says"
    return f"{first} and {len(others):,} other{'s' if len(others) > 1 else ''} say"


def _name(graph: NamedNode) -> str:
    """A graph as people know it: the note's path, else kind and name."""
    return path_of(graph) or f"{graph_kind(graph)} {graph.value.rpartition(':')[2]}"
