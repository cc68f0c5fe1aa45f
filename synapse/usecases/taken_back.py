"""By which activity an agent's statements were taken back, for whoever wants to take them back once more."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pyoxigraph import NamedNode, Triple

from synapse.rdf.names import ACTIVITY, META
from synapse.rdf.vocab import PROV_WAS_GENERATED_BY, PROV_WAS_INVALIDATED_BY
from synapse.store.history import Entry
from synapse.usecases.answers import Notice
from synapse.usecases.rooms import Rooms
from synapse.usecases.view import nodes

CODE: Final = "already-taken-back"

_OF_THE_ENGINE: Final = frozenset({"sync", "scenario", "reason"})
"""Kinds that never change what agents state."""

_ON_RECORD: Final = (PROV_WAS_GENERATED_BY, PROV_WAS_INVALIDATED_BY)


def last_change_of(rooms: Rooms, graphs: Collection[NamedNode]) -> Entry | None:
    """The newest activity on record of an agent's graphs, None when there never were any."""
    records = (rooms.store.quads(graph, how, graph=META) for graph in graphs for how in _ON_RECORD)
    return _newest(rooms, {node.value for quads in records for node in nodes(quad.object for quad in quads)})


def removal_of(rooms: Rooms, triple: Triple) -> Entry | None:
    """The newest activity that took a fact out of an agent's graph."""
    return _newest(rooms, rooms.history.removals(triple))


def told(what: str, by: Entry) -> Notice:
    """That something was taken back before: by which activity, when, by whom and why."""
    # Seconds are enough for a reader and stay valid for --as-of.
    done = f"{by.kind} {by.iri.removeprefix(ACTIVITY)} of {by.at[:19]}Z, by {by.agent}"
    reason = f": {by.reason}" if by.reason else ""
    return Notice(CODE, f"{what} was already taken back by {done}{reason}")


def _newest(rooms: Rooms, activities: Collection[str]) -> Entry | None:
    """The newest of these activities that an agent did."""
    entries = rooms.history.entries(newest_first=True) if activities else iter(())
    return next((one for one in entries if one.iri in activities and one.kind not in _OF_THE_ENGINE), None)
