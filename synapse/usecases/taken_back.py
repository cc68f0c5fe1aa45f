"""By which activity an agent's statements were taken back, for whoever wants to take them back once more."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from pyoxigraph import NamedNode, Triple

from synapse.rdf.delta import Delta
from synapse.rdf.names import ACTIVITY
from synapse.store.history import ActivityLog, Entry
from synapse.usecases.answers import Notice

CODE: Final = "already-taken-back"

_OF_THE_ENGINE: Final = frozenset({"sync", "scenario", "reason"})
"""Kinds that never change what agents state; their changes can be large, and are not read."""


def last_change_of(history: ActivityLog, graphs: Collection[NamedNode]) -> Entry | None:
    """The newest activity that changed what one of an agent's graphs says."""
    return _newest(
        history, lambda change: any(q.graph_name in graphs for q in (*change.added, *change.removed))
    )


def removal_of(history: ActivityLog, triple: Triple) -> Entry | None:
    """The newest activity that took a fact out of an agent's graph."""
    return _newest(history, lambda change: any(quad.triple == triple for quad in change.removed))


def told(what: str, by: Entry) -> Notice:
    """That something was taken back before: by which activity, when, by whom and why."""
    # Seconds are enough for a reader and stay valid for --as-of.
    done = f"{by.kind} {by.iri.removeprefix(ACTIVITY)} of {by.at[:19]}Z, by {by.agent}"
    reason = f": {by.reason}" if by.reason else ""
    return Notice(CODE, f"{what} was already taken back by {done}{reason}")


def _newest(history: ActivityLog, fits: Callable[[Delta], bool]) -> Entry | None:
    for entry in history.entries(newest_first=True):
        if entry.kind not in _OF_THE_ENGINE and fits(history.changes(entry.iri)[0]):
            return entry
    return None
