"""Why a query may have found nothing: a term in it that nothing has, and the one that was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pyoxigraph import NamedNode

from synapse.usecases.advice import Properties
from synapse.usecases.answers import Notice
from synapse.usecases.rooms import Rooms

ASKED: Final = 5
"""Terms of one query that are looked up at most."""

# Terms of the vocabulary, and the memory's own; not the end of another name, nor inside an IRI.
_OURS: Final = re.compile(r"(?<![\w<:/.#-])(?:syn)?:[^\W\d]\w*")


def doubts(rooms: Rooms, query: str) -> Iterator[Notice]:
    """What to say of the properties in a query that found nothing."""
    properties, store = Properties(rooms), rooms.store
    for key in list(dict.fromkeys(_OURS.findall(query)))[:ASKED]:
        term = rooms.names.expand(key)
        if not isinstance(term, NamedNode) or any(store.quads(term)) or any(store.quads(object=term)):
            continue
        doubt = properties.doubt(key)
        if doubt is not None:
            yield doubt
