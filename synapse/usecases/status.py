"""How a memory is doing: counts, freshness, and whether somebody watches its notes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Literal, Protocol

from pyoxigraph import Literal as RdfLiteral
from pyoxigraph import QuerySolutions

from synapse.rdf.names import INFERRED, META, ONTOLOGY_GRAPH
from synapse.store.base import Store
from synapse.usecases.folder import Folder

WAIT_SECONDS: Final = 60.0
FRESH_SECONDS: Final = 2.0
"""How long a look at the folder counts as recent when nobody watches it."""


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
        """Notes that changed and are not known yet; without a watcher, as of the last two seconds."""
        if self.watcher is not None and self.watcher.state == "alive":
            return self.watcher.pending
        if self._folder is None:
            return 0
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


def count_entities(store: Store) -> int:
    """How many things the sources describe, terms of ontologies left out."""
    results = store.query(
        "SELECT (COUNT(DISTINCT ?entity) AS ?count) WHERE { GRAPH ?graph { ?entity ?predicate ?object } "
        f"FILTER (?graph NOT IN ({META}, {INFERRED}) && !STRSTARTS(STR(?graph), '{ONTOLOGY_GRAPH}')) }}"
    )
    assert isinstance(results, QuerySolutions)
    count = next(results)["count"]
    assert isinstance(count, RdfLiteral)
    return int(count.value)
