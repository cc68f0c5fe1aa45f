"""Which entities are archived: kept for the record, found by their id, proposed to nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pyoxigraph import Literal, NamedNode

from synapse.knowledge.vocabulary import Known, Vocabulary
from synapse.rdf.vocab import SYN_ARCHIVED, SYN_STATUS
from synapse.usecases.view import View

_NO: Final = frozenset({"false", "0", "no"})


class Archive:
    """The archived entities of one memory, read from the dataset each time."""

    def __init__(self, view: View, *, vocabulary: Callable[[], Vocabulary]) -> None:
        self._view = view
        self._vocabulary = vocabulary

    def reason(self, node: NamedNode, *, types: Sequence[str] | None = None) -> str | None:
        """Why an entity is archived, None for one that is not; `types` if they are known already.

        It is when something says `archived` and nothing denies it, or when every status that it has
        is one its types' vocabulary counts as archived. So one live status, or `archived: false`,
        revives it, whatever an older source goes on saying.
        """
        said = self._texts(node, SYN_ARCHIVED)
        if said:
            return None if any(text.casefold() in _NO for text in said) else f"archived: {said[0]}"
        statuses = self._texts(node, SYN_STATUS)
        if not statuses:
            return None
        kinds = self._view.types(node) if types is None else types
        archived = all(self._is_archived(kinds, status) for status in statuses)
        return f"status {statuses[0]}" if archived else None

    def _is_archived(self, types: Sequence[str], status: str) -> bool:
        found = self._vocabulary().normalise_status(types, status)
        return isinstance(found, Known) and found.archived

    def _texts(self, node: NamedNode, predicate: NamedNode) -> list[str]:
        values = (quad.object for quad in self._view.store.quads(node, predicate))
        return sorted({value.value.strip() for value in values if isinstance(value, Literal)})
