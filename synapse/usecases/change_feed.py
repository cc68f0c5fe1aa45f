"""Tells who listens what a commit changed: the cards and the notes to read again."""

from __future__ import annotations

import threading
from collections.abc import Collection
from itertools import chain
from typing import Final

from pyoxigraph import NamedNode

from synapse.rdf.names import Names, path_of
from synapse.usecases.changed import Changed, Listener, Unsubscribe
from synapse.usecases.commit import Outcome

MANY: Final = 2000
"""Quads of one commit from which on naming every card helps nobody."""


class ChangeFeed:
    """Tells its listeners what changed; costs nothing while there are none.

    Listeners are called in the thread that wrote, once the memory answers with the change: they hand
    it on and return. Safe to use from any thread.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._listeners: dict[object, Listener] = {}
        self._lock = threading.Lock()

    def subscribe(self, listener: Listener) -> Unsubscribe:
        """Call `listener` for every change from now on, until the returned function is called."""
        token = object()
        with self._lock:
            self._listeners[token] = listener
        return lambda: self._forget(token)

    def committed(self, outcome: Outcome, *, notes: Collection[str] = ()) -> None:
        """Tell of a commit, and of notes that were read because their text changed."""
        if self._listeners:
            self.tell(self._changed(outcome, notes))

    def tell(self, changed: Changed) -> None:
        """Tell of a change, if it is one."""
        with self._lock:
            listeners = tuple(self._listeners.values())
        if changed:
            for listener in listeners:
                listener(changed)

    def _forget(self, token: object) -> None:
        with self._lock:
            self._listeners.pop(token, None)

    def _changed(self, outcome: Outcome, notes: Collection[str]) -> Changed:
        deltas = (outcome.stated, outcome.inferred)
        parts = [part for delta in deltas for part in (delta.added, delta.removed)]
        if sum(map(len, parts)) + len(notes) > MANY:
            return Changed(everything=True)
        entities, paths = set[str](), set(notes)
        for quad in chain.from_iterable(parts):
            ends = (end for end in (quad.subject, quad.object) if isinstance(end, NamedNode))
            entities.update(found for end in ends if (found := self._names.id(end)) is not None)
            if isinstance(quad.graph_name, NamedNode) and (path := path_of(quad.graph_name)) is not None:
                paths.add(path)
        return Changed(frozenset(entities), frozenset(paths))
