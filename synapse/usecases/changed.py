"""What a change of a memory means for whoever looks at it; light enough for every front end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Changed:
    """Ids of entities whose card differs, paths of notes whose text may; after a great change, anything."""

    entities: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()
    everything: bool = False

    def __bool__(self) -> bool:
        return bool(self.entities or self.notes or self.everything)


Listener = Callable[[Changed], None]
Unsubscribe = Callable[[], None]
