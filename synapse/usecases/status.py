"""How a memory is doing: counts, freshness, and whether somebody watches its notes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, Literal, Protocol

from pyoxigraph import NamedNode, QuerySolutions

from synapse.rdf.delta import Delta
from synapse.rdf.names import INFERRED, META, ONTOLOGY_GRAPH
from synapse.store.base import Store
from synapse.usecases.folder import Folder
from synapse.usecases.view import nodes

WAIT_SECONDS: Final = 60.0
FRESH_SECONDS: Final = 2.0
"""How long a look at the folder counts as recent when nobody watches it."""

RECOUNT_FROM: Final = 2_000
"""From this many touched entities on, counting all of them anew at the next question is cheaper."""


class Watching(Protocol):
    """Whoever tells a memory about saved notes."""

    @property
    def state(self) -> Literal["alive", "dead", "off"]:
        """Whether it still does."""
        ...

    @property
    def pending(self) -> int:
        """How many changed paths it has not told yet."""
        ...

    @property
    def waiting(self) -> frozenset[str] | None:
        """Those paths, a folder with a trailing slash; None when all of them may have changed."""
        ...

    @property
    def reminded(self) -> bool:
        """Whether work was put off to a later moment, as writing into a note that is being edited."""
        ...


class Freshness:
    """How many notes changed since the memory last looked."""

    def __init__(self, folder: Folder | None, *, version: Callable[[], str]) -> None:
        self._folder = folder
        self._version = version
        self._looked_at = float("-inf")
        self._pending = 0
        self.watcher: Watching | None = None

    @property
    def watcher_state(self) -> Literal["alive", "dead", "off"]:
        """Whether somebody watches the notes."""
        return "off" if self.watcher is None else self.watcher.state

    def pending(self) -> int:
        """Notes that changed and are not known yet; of the whole folder as of the last two seconds."""
        if self._folder is None:
            return 0
        waiting = self.watcher.waiting if self.watcher and self.watcher.state == "alive" else None
        if waiting is not None:
            # The echo of what the memory itself put into notes waits there too, and is no news.
            version = self._version() if waiting else ""
            return sum(self._folder.looks_changed(path, version=version) for path in waiting)
        if time.monotonic() - self._looked_at > FRESH_SECONDS:
            self._pending = self._folder.stale_notes(version=self._version())
            self._looked_at = time.monotonic()
        return self._pending

    def looked(self) -> None:
        """The memory has just synchronised."""
        self._looked_at = float("-inf")

    def wait(self, seconds: float = WAIT_SECONDS) -> bool:
        """Wait until nothing is pending, at most `seconds`; whether that came true."""
        deadline = time.monotonic() + seconds
        while self._is_busy():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def _is_busy(self) -> bool:
        watcher = self.watcher
        return watcher is not None and watcher.state == "alive" and (watcher.pending > 0 or watcher.reminded)


class EntityCount:
    """How many things the sources describe, terms of ontologies left out; follows every change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # The things, not only their number: so it does not matter whether a change is heard of late.
        self._described: set[object] | None = None
        self._lock = threading.Lock()

    def __call__(self) -> int:
        """The number; the first call looks at every source."""
        with self._lock:
            if self._described is not None:
                return len(self._described)
            found = self._found()
            # What a failed write left behind will go, and nobody will hear of it.
            self._described = None if self._store.torn else found
            return len(found)

    def _found(self) -> set[object]:
        others = ", ".join(str(graph) for graph in self._store.graph_names() if not _describes(graph))
        solutions = self._store.query(
            f"SELECT DISTINCT ?entity WHERE {{ GRAPH ?graph {{ ?entity ?predicate ?object }} "
            f"FILTER (?graph NOT IN ({others})) }}"
        )
        assert isinstance(solutions, QuerySolutions)
        return {solution[0] for solution in solutions}

    def accept(self, stated: Delta) -> None:
        """Hear of a change that was made."""
        with self._lock:
            if self._described is None:
                return
            touched = {
                quad.subject for quad in (*stated.added, *stated.removed) if _describes(quad.graph_name)
            }
            if len(touched) > RECOUNT_FROM:
                self._described = None
                return
            for node in nodes(touched):
                if any(_describes(quad.graph_name) for quad in self._store.quads(node)):
                    self._described.add(node)
                else:
                    self._described.discard(node)


def _describes(graph: object) -> bool:
    """Whether a graph is a source and no ontology."""
    return (
        isinstance(graph, NamedNode)
        and graph not in (META, INFERRED)
        and not graph.value.startswith(ONTOLOGY_GRAPH)
    )
