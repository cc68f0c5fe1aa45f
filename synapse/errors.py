"""Every exception that synapse raises.

    SynapseError
    ├── InvalidInput            the call was wrong: an id, a term, a query, a setting
    │   ├── InvalidIdentifier   text that cannot name an entity, a term or a graph
    │   ├── InvalidQuery        SPARQL that does not parse or asks for what is not allowed
    │   └── InvalidScenario     a manifest or a file of a scenario that cannot be installed
    ├── NotesUnavailable        the notes root is missing or cannot be read; nothing was changed
    ├── MemoryInUse             another process owns the memory and could not be reached
    ├── StoreError              the dataset could not be read or written
    └── QueryTimeout            a query ran longer than it may

Expected outcomes (nothing known of an id, several entities under one label, a
contradiction in the data) are values, see `synapse.usecases.answers`.
"""

from __future__ import annotations


class SynapseError(Exception):
    """The root of the tree; `code` is stable and machine-readable, `hint` says what to do next."""

    code = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InvalidInput(SynapseError):
    """The call was wrong; nothing was changed."""

    code = "invalid-input"


class InvalidIdentifier(InvalidInput):
    """Text that cannot name an entity, a term or a graph; refused before any query is built."""

    code = "invalid-identifier"


class InvalidQuery(InvalidInput):
    """SPARQL that does not parse, or that asks for something this caller may not do."""

    code = "invalid-query"


class InvalidScenario(InvalidInput):
    """A scenario whose manifest or files cannot be installed; the message names the file."""

    code = "invalid-scenario"


class NotesUnavailable(SynapseError):
    """The notes root is missing or cannot be read; the memory keeps what it knew."""

    code = "notes-unavailable"


class MemoryInUse(SynapseError):
    """Another process owns the memory and could not be reached."""

    code = "memory-in-use"


class StoreError(SynapseError):
    """The dataset could not be read or written; a failed write left it as it was."""

    code = "store-error"


class QueryTimeout(SynapseError):
    """A query ran longer than it may."""

    code = "query-timeout"
